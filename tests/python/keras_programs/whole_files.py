"""Whole models in HDF5 files: they come back as they were, and go on with their training."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
layers, models = tf.keras.layers, tf.keras.models
x = (np.arange(40) * 37 % 11 / 11.0).reshape(10, 4)
y = x[:, :1]
folder = tempfile.mkdtemp()
path = os.path.join(folder, "m.h5")
def t(title, f):
    print("--", title)
    try:
        r = f()
        if r is not None: print(r)
    except Exception as e: print(type(e).__name__, str(e).replace(folder, "").split(" See https")[0].split(" at <")[0].split(" at /m.h5")[0].splitlines()[0][:300])
def again(model, x=x, y=y, custom=None, **options):
    np.random.seed(0)
    model.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False)
    model.save(path, **options)
    loaded = models.load_model(path, custom_objects=custom)
    flat = lambda v: [np.round(one, 4).tolist() for one in (v if isinstance(v, list) else [v])]
    first = flat(model.predict(x)) == flat(loaded.predict(x))
    if loaded.optimizer is None: return first, "not compiled"
    a = model.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False).history
    b = loaded.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False).history
    return first, {k: [round(float(o), 4) for o in v] for k, v in a.items()}, {k: [round(float(o), 4) for o in v] for k, v in b.items()}, loaded.metrics_names, loaded.name
def mlp(opt, loss="mse", **k):
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([layers.Dense(3, activation="tanh", kernel_initializer="ones", input_shape=(4,)), layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.1))])
    m.compile(opt, loss, **k); return m
O = tf.keras.optimizers
for name, opt in [("momentum", O.SGD(0.1, momentum=0.9, nesterov=True)), ("rms", O.RMSprop(0.01, momentum=0.5, centered=True)), ("adam", O.Adam(0.01, amsgrad=True)), ("nadam", O.Nadam(0.01)), ("decay", O.SGD(0.1, decay=0.5)), ("clip", O.SGD(0.1, clipnorm=0.1)), ("schedule", O.SGD(O.schedules.ExponentialDecay(0.1, 2, 0.5)))]:
    t(name, lambda: again(mlp(opt)))
t("tf.train", lambda: again(mlp(tf.train.AdamOptimizer(0.01))))
t("without optimizer", lambda: again(mlp("adam"), include_optimizer=False))
for loss in ("mae", tf.keras.losses.Huber(0.5), tf.keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1)):
    t("loss %s" % (loss if isinstance(loss, str) else type(loss).__name__), lambda: again(mlp("sgd", loss)))
t("metrics", lambda: again(mlp("sgd", metrics=["mae", "cosine_similarity", "ce"])))
t("weighted metrics", lambda: again(mlp("sgd", weighted_metrics=["mae"])))
def mine(a, b): return tf.reduce_mean(tf.square(a - b)) * 2
t("own loss", lambda: again(mlp("sgd", mine), custom={"mine": mine}))
t("own loss unknown", lambda: again(mlp("sgd", mine)))
t("own metric", lambda: again(mlp("sgd", metrics=[mine]), custom={"mine": mine}))
def two():
    tf.keras.backend.clear_session()
    i = tf.keras.Input((4,), name="in")
    m = tf.keras.Model(i, [layers.Dense(1, name="a", kernel_initializer="ones")(i), layers.Dense(1, name="b", kernel_initializer="zeros")(i)], name="both")
    m.compile("adam", {"a": "mse", "b": "mae"}, metrics={"a": ["mae"], "b": "mse"}, loss_weights={"a": 1.0, "b": 0.5}); return m
t("two outputs", lambda: again(two(), y=[y, y]))
t("two outputs named", lambda: again(two(), y={"a": y, "b": y}))
def rules():
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([layers.Dense(3, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.l1_l2(0.1, 0.01), bias_constraint="non_neg", kernel_constraint=tf.keras.constraints.MaxNorm(1.5, axis=0), activity_regularizer="l2", input_shape=(4,)), layers.BatchNormalization(momentum=0.5), layers.LeakyReLU(0.2), layers.Dense(1, kernel_initializer="ones", trainable=False)])
    m.compile("sgd", "mse"); return m
t("rules", lambda: again(rules()))
t("trainable", lambda: (rules().save(path), [l.trainable for l in models.load_model(path).layers], len(models.load_model(path).trainable_weights))[1:])
class Scale(layers.Layer):
    def __init__(self, by=2.0, **k): super().__init__(**k); self.by = by
    def build(self, s): self.w = self.add_weight("w", shape=(s[-1],), initializer="ones"); super().build(s)
    def call(self, v): return v * self.w * self.by
    def get_config(self): return {**super().get_config(), "by": self.by}
def own():
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([Scale(3.0, input_shape=(4,)), layers.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse"); return m
t("own layer", lambda: again(own(), custom={"Scale": Scale}))
t("own layer unknown", lambda: again(own()))
class NoConfig(layers.Layer):
    def __init__(self, by, **k): super().__init__(**k); self.by = by
    def call(self, v): return v * self.by
def without():
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([NoConfig(3.0, input_shape=(4,)), layers.Dense(1)]); m.compile("sgd", "mse"); return m
t("no config", lambda: again(without()))
def lam():
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([layers.Dense(2, kernel_initializer="ones", input_shape=(4,)), layers.Lambda(lambda v: v * 2.0), layers.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse"); return m
t("lambda", lambda: again(lam()))
class Sub(tf.keras.Model):
    def __init__(self): super().__init__(); self.d = layers.Dense(1, kernel_initializer="ones")
    def call(self, v): return self.d(v)
def sub():
    tf.keras.backend.clear_session(); m = Sub(); m.compile("sgd", "mse"); return m
t("subclassed", lambda: again(sub()))
t("subclassed json", lambda: sub().to_json())
t("subclassed config", lambda: sub().get_config())
t("missing", lambda: models.load_model(os.path.join(folder, "none.h5")))
t("weights only", lambda: (mlp("sgd").save_weights(path), models.load_model(path)))
t("no h5", lambda: (open(path, "w").write("text"), models.load_model(path)))
t("load weights of a whole", lambda: (mlp("sgd").save(path), mlp("sgd").load_weights(path))[1])
t("by name", lambda: (mlp("sgd").save(path), mlp("sgd").load_weights(path, by_name=True))[1])
t("compile=False", lambda: (mlp("sgd").save(path), models.load_model(path, compile=False).optimizer)[1])
t("not compiled", lambda: (tf.keras.backend.clear_session(), tf.keras.Sequential([layers.Dense(1, input_shape=(4,))]).save(path), models.load_model(path).optimizer)[2])
t("unbuilt", lambda: (tf.keras.backend.clear_session(), tf.keras.Sequential([layers.Dense(1)]).save(path))[1])
def deferred():
    tf.keras.backend.clear_session(); m = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones")]); m.compile("sgd", "mse"); return m
t("deferred", lambda: again(deferred()))
def nested():
    tf.keras.backend.clear_session()
    inner = tf.keras.Sequential([layers.Dense(3, kernel_initializer="ones", input_shape=(4,)), layers.Dropout(0.0)], name="inner")
    i = tf.keras.Input((4,)); a = inner(i); b = inner(i * 2.0); m = tf.keras.Model(i, layers.Dense(1, kernel_initializer="ones")(layers.add([a, b]))); m.compile("sgd", "mse"); return m
t("nested", lambda: again(nested()))
def rnn():
    tf.keras.backend.clear_session()
    m = tf.keras.Sequential([layers.Reshape((2, 2), input_shape=(4,)), layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="zeros", return_sequences=True), layers.Bidirectional(layers.GRU(2, kernel_initializer="ones", recurrent_initializer="zeros")), layers.Dense(1, kernel_initializer="ones")]); m.compile("rmsprop", "mse"); return m
t("rnn", lambda: again(rnn()))
t("file names", lambda: (mlp("sgd").save(os.path.join(folder, "a/b/c.hdf5")), os.listdir(os.path.join(folder, "a/b")))[1])
def open_file():
    import h5py
    with h5py.File(path, "w") as file:
        mlp("sgd").save(file)
        return models.load_model(file).name
t("file object", open_file)
t("save_model", lambda: (models.save_model(mlp("sgd"), path), models.load_model(path).name)[1])
t("json", lambda: models.model_from_json(mlp("sgd").to_json()).get_config() == mlp("sgd").get_config())
t("json indent", lambda: mlp("sgd").to_json(indent=1)[:30])
t("from config", lambda: tf.keras.Sequential.from_config(mlp("sgd").get_config()).summary())
