"""Models of classes of the program's, in all that models do."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
layers = tf.keras.layers
x = (np.arange(40) * 37 % 11 / 11.0).reshape(10, 4).astype("float32")
y = x[:, :1]
folder = tempfile.mkdtemp()
def t(title, f):
    print("--", title)
    tf.keras.backend.clear_session()
    try:
        r = f()
        if r is not None: print(r)
    except Exception as e: print(type(e).__name__, str(e).replace(folder, "").split(" See https")[0].splitlines()[0][:250])
def r(v):
    if isinstance(v, dict): return {k: r(o) for k, o in v.items()}
    if isinstance(v, (list, tuple)): return [r(o) for o in v]
    return [r(o) for o in v.tolist()] if isinstance(v, np.ndarray) and v.ndim else round(float(v), 3)
class Net(tf.keras.Model):
    def __init__(self, **k):
        super().__init__(**k)
        self.a = layers.Dense(3, activation="tanh", kernel_initializer="ones")
        self.n = layers.BatchNormalization()
        self.d = layers.Dropout(0.0)
        self.b = layers.Dense(1, kernel_initializer="ones")
    def call(self, v, training=None):
        return self.b(self.d(self.n(self.a(v), training=training), training=training))
def fitted(m, x=x, y=y, **k):
    m.compile("sgd", "mse", metrics=["mae"])
    h = m.fit(x, y, epochs=2, batch_size=4, verbose=0, shuffle=False, **k).history
    return r(h), r(m.evaluate(x, y, verbose=0)), r(m.predict(x)[:2] if not isinstance(m.predict(x), list) else [o[:2] for o in m.predict(x)])
t("fit", lambda: fitted(Net()))
t("names", lambda: (lambda m: (fitted(m), m.name, [w.name for w in m.weights], [w.name for w in m.trainable_weights], m.metrics_names, m.built)[1:])(Net(name="net")))
t("summary", lambda: (lambda m: (fitted(m), m.summary())[1])(Net()))
t("summary unbuilt", lambda: Net().summary())
t("build", lambda: (lambda m: (m.build((None, 4)), [w.shape.as_list() for w in m.weights], m.count_params()))(Net()))
t("weights unbuilt", lambda: Net().get_weights())
t("weights property unbuilt", lambda: Net().weights)
t("save", lambda: (lambda m: (fitted(m), m.save(os.path.join(folder, "m.h5"))))(Net()))
def cross():
    m = Net(); fitted(m); m.save_weights(os.path.join(folder, "w.h5")); p = m.predict(x)
    n = Net()
    try: n.load_weights(os.path.join(folder, "w.h5"))
    except Exception as e: print(type(e).__name__, e)
    n.build((None, 4)); n.load_weights(os.path.join(folder, "w.h5")); return [np.allclose(a, b) for a, b in zip(m.get_weights(), n.get_weights())]
t("weights h5", cross)
def cross_tf():
    m = Net(); fitted(m); m.save_weights(os.path.join(folder, "c")); p = m.predict(x)
    n = Net(); n.load_weights(os.path.join(folder, "c")); return np.allclose(p, n.predict(x))
t("weights tf", cross_tf)
class Two(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.l, self.r = layers.Dense(2, kernel_initializer="ones"), layers.Dense(2, kernel_initializer="zeros")
        self.o = [layers.Dense(1, kernel_initializer="ones", name="o%d" % i) for i in range(2)]
    def call(self, v):
        a, b = v; a, b = self.l(a), self.r(b); return self.o[0](a + b), self.o[1](a - b)
def two():
    m = Two(); m.compile("sgd", "mse", loss_weights=[1.0, 0.5])
    h = m.fit([x, x[:, :2]], [y, y], epochs=2, verbose=0, shuffle=False, batch_size=4).history
    return r(h), r(m.evaluate([x, x[:, :2]], [y, y], verbose=0)), [w.name for w in m.weights], m.metrics_names
t("two inputs and outputs", two)
class ByName(tf.keras.Model):
    def __init__(self): super().__init__(); self.l = layers.Dense(1, kernel_initializer="ones")
    def call(self, v): return self.l(v["p"]) + self.l(v["q"])
def byname():
    m = ByName(); m.compile("sgd", "mse"); return r(m.fit({"p": x, "q": x}, y, epochs=2, verbose=0, shuffle=False).history)
t("inputs by name", byname)
class Adds(tf.keras.Model):
    def __init__(self): super().__init__(); self.l = layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2")
    def call(self, v):
        o = self.l(v); self.add_loss(tf.reduce_mean(o) * 0.1); self.add_metric(tf.reduce_sum(o), name="total", aggregation="mean"); return o
t("losses and metrics", lambda: fitted(Adds()))
class Inner(layers.Layer):
    def __init__(self, u): super().__init__(); self.u = u; self.k = layers.Dense(u, kernel_initializer="ones")
    def build(self, s): self.g = self.add_weight("g", shape=(), initializer="ones"); super().build(s)
    def call(self, v): return self.k(v) * self.g
class Nested(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.blocks = [Inner(3), Inner(2)]; self.head = {"a": layers.Dense(1, kernel_initializer="ones")}
        self.net = Net()
    def call(self, v, training=None):
        for b in self.blocks: v = b(v)
        return self.head["a"](v) * 0.01 + 0.0 * self.net(v, training=training)
t("nested", lambda: (lambda m: (fitted(m), [w.name for w in m.weights], len(m.layers), [l.name for l in m.layers]))(Nested()))
class Freezes(Net):
    pass
def frozen():
    m = Net(); m.a.trainable = False; out = fitted(m); return out, len(m.trainable_weights), len(m.non_trainable_weights)
t("frozen", frozen)
class Masks(tf.keras.Model):
    def __init__(self): super().__init__(); self.e = layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones"); self.r = layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="zeros"); self.o = layers.Dense(1, kernel_initializer="ones")
    def call(self, v): return self.o(self.r(self.e(v)))
t("masks", lambda: fitted(Masks(), x=np.array([[1, 2, 0], [3, 0, 0]] * 5)))
class Function(tf.keras.Model):
    def __init__(self, units=3): 
        inputs = tf.keras.Input((4,)); super().__init__(inputs, layers.Dense(1, kernel_initializer="ones")(layers.Dense(units, kernel_initializer="ones")(inputs)))
        self.units = units
t("functional subclass", lambda: (fitted(Function()), Function().summary()))
t("bad fit", lambda: Net().fit(x, y))
t("dataset", lambda: (lambda m: (m.compile("sgd", "mse"), r(m.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), epochs=2, verbose=0).history))[1])(Net()))
t("validation", lambda: fitted(Net(), validation_data=(x[:4], y[:4])))
t("class weight", lambda: fitted(Net(), y=np.arange(10) % 2, class_weight={0: 1.0, 1: 3.0}))
t("call twice", lambda: (lambda m: ([o.shape.as_list() for o in (m(tf.zeros((2, 4))), m(tf.zeros((3, 4))))], len(m.weights)))(Net()))
t("train_on_batch", lambda: (lambda m: (m.compile("adam", "mse"), [r(m.train_on_batch(x, y)) for _ in range(3)], r(m.test_on_batch(x, y)), r(m.predict_on_batch(x)[:2])))(Net())[1:])
def restated():
    m = Net(); m.compile("sgd", "mse"); m.fit(x, y, verbose=0); m.compile("sgd", "mae", metrics=["mse"]); return r(m.evaluate(x, y, verbose=0)), m.metrics_names
t("compiled anew", restated)
class Auto(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.enc = tf.keras.Sequential([layers.Dense(2, kernel_initializer="ones", activation="relu")]); self.dec = tf.keras.Sequential([layers.Dense(4, kernel_initializer="ones")])
    def call(self, v): return self.dec(self.enc(v))
t("autoencoder", lambda: (lambda m: (fitted(m, y=x), r(m.enc.predict(x)[:1]), [w.name for w in m.weights]))(Auto()))
class WithArgs(tf.keras.Model):
    def __init__(self): super().__init__(); self.l = layers.Dense(1, kernel_initializer="ones")
    def call(self, v, scale=2.0, training=False): return self.l(v) * scale * (3.0 if training else 1.0)
t("arguments", lambda: fitted(WithArgs()))
t("metrics property", lambda: (lambda m: (fitted(m), [x.name for x in m.metrics], len(m.losses), m.stop_training, m.run_eagerly if hasattr(m, "run_eagerly") else None))(Net())[1:])
