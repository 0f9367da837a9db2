"""tf.keras' names of functions and their configs, tf.keras.utils, and what models and layers show of themselves."""

import io
import json
import re
import sys

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
K, layers, utils = tf.keras.backend, tf.keras.layers, tf.keras.utils
def t(title, f):
    print("--", title)
    try:
        r = f()
        if r is not None: print(r)
    except Exception as e: print(type(e).__name__, str(e).split(" See https")[0].splitlines()[0][:250] if str(e) else "")
t("categorical", lambda: (utils.to_categorical([0, 2, 1]).tolist(), utils.to_categorical([[1], [0]], 4, dtype="int32").tolist(), utils.to_categorical(np.ones((2, 3, 1))).shape))
t("categorical bad", lambda: utils.to_categorical([5], 3))
t("normalize", lambda: utils.normalize(np.arange(6.0).reshape(2, 3)).round(4).tolist())
t("normalize order", lambda: utils.normalize(np.arange(6.0).reshape(2, 3), axis=0, order=1).round(4).tolist())
class Own(layers.Layer):
    def __init__(self, n=1, **k): super().__init__(**k); self.n = n
    def call(self, v): return v * self.n
    def get_config(self): return {**super().get_config(), "n": self.n}
t("serialize layer", lambda: (lambda c: (c, layers.deserialize(c, custom_objects={"Own": Own}).n))(layers.serialize(Own(3, name="o"))))
t("deserialize unknown", lambda: layers.deserialize({"class_name": "Nope", "config": {}}))
t("serialize dense", lambda: json.dumps(layers.serialize(layers.Dense(2, name="d", kernel_regularizer="l1")), sort_keys=True, default=str))
for name in ("relu", "softmax", "selu", "swish", "gelu", "mish", "exponential", "hard_sigmoid", "linear", "elu", "softplus", "softsign", "sigmoid", "tanh", "leaky_relu"):
    t("activation " + name, lambda: (tf.keras.activations.serialize(tf.keras.activations.get(name)), np.round(K.eval(tf.keras.activations.get(name)(K.constant([[-1.0, 0.5, 2.0]]))), 4).tolist()))
t("activation unknown", lambda: tf.keras.activations.get("nope"))
t("activation number", lambda: tf.keras.activations.get(3))
for name in ("glorot_uniform", "he_normal", "zeros", "Ones", "VarianceScaling", "orthogonal", "RandomNormal", "truncated_normal", "identity", "lecun_uniform", "constant"):
    t("initializer " + name, lambda: (lambda i: (type(i).__name__, i.get_config()))(tf.keras.initializers.get(name)))
t("initializer unknown", lambda: tf.keras.initializers.get("nope"))
for name in ("l1", "l2", "l1_l2"): t("regularizer " + name, lambda: (lambda i: (type(i).__name__, i.get_config()))(tf.keras.regularizers.get(name)))
t("regularizer dict", lambda: tf.keras.regularizers.get({"class_name": "L1L2", "config": {"l1": 0.5, "l2": 0.25}}).get_config())
t("regularizer unknown", lambda: tf.keras.regularizers.get("nope"))
for name in ("max_norm", "non_neg", "unit_norm", "min_max_norm", "MaxNorm"): t("constraint " + name, lambda: (lambda i: (type(i).__name__, i.get_config()))(tf.keras.constraints.get(name)))
for name in ("mse", "MAE", "mape", "msle", "hinge", "squared_hinge", "categorical_hinge", "kld", "poisson", "cosine_similarity", "logcosh", "huber", "binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy"):
    t("loss " + name, lambda: (tf.keras.losses.serialize(tf.keras.losses.get(name)), np.round(K.eval(tf.keras.losses.get(name)(K.constant([[0.0, 1.0], [1.0, 0.0]]) if not name.startswith("sparse") else K.constant([1, 0]), K.constant([[0.3, 0.6], [0.8, 0.2]]))), 4).tolist()))
t("loss unknown", lambda: tf.keras.losses.get("nope"))
t("loss from config", lambda: type(tf.keras.losses.deserialize({"class_name": "MeanSquaredError", "config": {"reduction": "sum", "name": "n"}})).__name__)
for name in ("accuracy", "AUC", "mse", "binary_accuracy", "top_k_categorical_accuracy", "Precision"): t("metric " + name, lambda: callable(tf.keras.metrics.get(name)))
t("metric unknown", lambda: tf.keras.metrics.get("nope"))
t("metric config", lambda: (lambda m: (list(m.get_config()["thresholds"]), type(m).from_config(m.get_config()).name))(tf.keras.metrics.Precision(thresholds=[0.2, 0.5], name="p")))
for name in ("sgd", "Adam", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "ftrl"): t("optimizer " + name, lambda: {k: (round(float(v), 6) if isinstance(v, float) else v) for k, v in tf.keras.optimizers.get(name).get_config().items()})
t("optimizer unknown", lambda: tf.keras.optimizers.get("nope"))
t("optimizer lr", lambda: K.eval(tf.keras.optimizers.SGD(lr=0.25).lr))
t("optimizer serialize", lambda: json.dumps(tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5, momentum=0.25)), default=str))
with utils.custom_object_scope({"Own": Own, "twice": lambda v: 2 * v}):
    t("scope", lambda: (layers.deserialize({"class_name": "Own", "config": {"n": 4}}).n, utils.get_registered_object("Own").__name__ if hasattr(utils, "get_registered_object") else "Own"))
utils.get_custom_objects()["twice"] = lambda v: 2 * v
t("custom activation", lambda: K.eval(layers.Dense(1, activation="twice", kernel_initializer="ones")(K.constant([[1.0, 2.0]]))).tolist())
utils.get_custom_objects().clear()
t("registered", lambda: (utils.register_keras_serializable("pack")(type("Reg", (Own,), {})), utils.get_registered_name(type("Z", (Own,), {})))[1])
class Seq(utils.Sequence):
    def __len__(self): return 3
    def __getitem__(self, i): return np.full((2, 2), float(i)), np.full((2, 1), float(i))
def seq():
    K.clear_session(); m = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones", input_shape=(2,))]); m.compile("sgd", "mse")
    h = m.fit(Seq(), epochs=2, verbose=0, shuffle=False); return np.round(h.history["loss"], 3).tolist(), round(float(m.evaluate(Seq(), verbose=0)), 3), m.predict(Seq()).shape, len(list(Seq()))
t("sequence", seq)
def bar(target, **k):
    out = sys.stdout; sys.stdout = io.StringIO()
    try:
        b = utils.Progbar(target, **k); b.update(1, [("loss", 1.0)], finalize=False) if False else b.update(1, [("loss", 1.0)]); b.add(1, [("loss", 3.0), ("n", 2)])
        return re.sub(r"\d+(us|ms|s)", "_", sys.stdout.getvalue())
    finally: sys.stdout = out
t("progbar", lambda: bar(2)); t("progbar open", lambda: bar(None)); t("progbar stateful", lambda: bar(2, stateful_metrics=["n"]))
def model():
    K.clear_session(); m = tf.keras.Sequential([layers.Dense(2, input_shape=(3,), name="a"), layers.Dropout(0.5, name="b"), layers.Dense(1, name="c")], name="m"); m.compile("sgd", "mse", metrics=["mae"]); return m
m = model()
for f in ("name", "built", "input_shape", "output_shape", "input_names", "output_names", "metrics_names", "stateful", "trainable", "losses", "inputs", "outputs", "run_eagerly", "sample_weight_mode", "stop_training", "supports_masking", "loss", "loss_weights", "metrics"):
    if f in ("inputs", "outputs", "submodules", "metrics"): t(f, lambda: [one.name for one in getattr(m, f)])
    else: t(f, lambda: getattr(m, f))
t("layers", lambda: [(l.name, l.input_shape, l.output_shape, l.count_params(), l.trainable) for l in m.layers])
t("layer attributes", lambda: (m.layers[0].kernel.name, m.layers[0].bias.shape.as_list(), m.layers[0].units, m.layers[0].activation.__name__, m.layers[0].use_bias, m.layers[0].input.name, m.layers[0].output.name, m.layers[1].rate))
t("layer io", lambda: (m.layers[0].get_input_at(0).name, m.layers[0].get_output_at(0).name, m.layers[0].get_input_shape_at(0), m.layers[0].get_output_shape_at(0)))
t("compute output shape", lambda: (m.compute_output_shape((5, 3)).as_list() if hasattr(m.compute_output_shape((5, 3)), "as_list") else m.compute_output_shape((5, 3)), layers.Conv2D(3, 2).compute_output_shape((None, 8, 8, 1)).as_list(), layers.Flatten().compute_output_shape((None, 2, 3)).as_list()))
t("get layer", lambda: (m.get_layer("b").name, m.get_layer(index=0).name)); t("get layer bad", lambda: m.get_layer("z")); t("get layer neither", lambda: m.get_layer())
t("summary", lambda: m.summary())
t("summary print", lambda: m.summary(print_fn=lambda l: print("|", l)))
t("reset", lambda: (m.reset_states(), m.reset_metrics()))
t("set weights shape", lambda: m.set_weights([np.ones((1, 1))] * 4))
t("predict bad", lambda: m.predict(np.ones((2, 4)))); t("fit bad", lambda: m.fit(np.ones((2, 3)), np.ones((3, 1)), verbose=0))
t("fit y shape", lambda: m.fit(np.ones((2, 3)), np.ones((2, 5)), verbose=0))
t("compile bad loss", lambda: model().compile("sgd", "nope")); t("compile bad metric", lambda: (model().compile("sgd", "mse", metrics=["nope"]))); t("compile bad optimizer", lambda: model().compile("nope", "mse"))
t("trainable", lambda: (lambda q: (setattr(q, "trainable", False), len(q.trainable_weights), [l.trainable for l in q.layers]))(model())[1:])
t("metrics", lambda: (lambda q: (q.fit(np.ones((2, 3)), np.ones((2, 1)), verbose=0), [a.name for a in q.metrics])[1])(model()))
t("K", lambda: (K.floatx(), K.epsilon(), K.image_data_format(), K.backend() if hasattr(K, "backend") else "tensorflow", K.learning_phase() is not None))
