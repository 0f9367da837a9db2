"""What each method of a callback hears in fit, its validations, evaluate and predict."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers
x = (np.arange(20) * 37 % 11 / 11.0).reshape(10, 2)
y = x[:, :1]


def short(value):
    if isinstance(value, dict):
        return {key: short(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [short(one) for one in value]
    if isinstance(value, np.ndarray):
        return ("array", value.shape, np.round(value, 4).ravel()[:3].tolist())
    return round(float(value), 4) if isinstance(value, (float, np.floating)) else value


class Recorder(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.names = []

    def set_params(self, params):
        super().set_params(params)
        print("params", short(params))


def hook(name, counted):
    def method(self, *args):
        print(name, short(args), self.model is not None)
    def of_batch(self, number, logs=None):
        print(name, number, short(logs))
    def whole(self, logs=None):
        print(name, short(logs))
    return of_batch if counted else whole


for when in ("begin", "end"):
    for mode in ("train", "test", "predict"):
        setattr(Recorder, "on_%s_%s" % (mode, when), hook("on_%s_%s" % (mode, when), False))
        setattr(Recorder, "on_%s_batch_%s" % (mode, when), hook("on_%s_batch_%s" % (mode, when), True))
    setattr(Recorder, "on_epoch_" + when, hook("on_epoch_" + when, True))


def model_of(outputs=1):
    tf.keras.backend.clear_session()
    inputs = tf.keras.Input((2,))
    made = [layers.Dense(1, kernel_initializer="ones", name="out%d" % i)(inputs) for i in range(outputs)]
    model = tf.keras.Model(inputs, made)
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    return model


print("-- fit")
model_of().fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False, callbacks=[Recorder()])
print("-- fit with a validation")
model_of().fit(x, y, batch_size=5, epochs=1, verbose=0, shuffle=False, validation_data=(x[:4], y[:4]), callbacks=[Recorder()])
print("-- fit with a split")
model_of().fit(x, y, batch_size=5, epochs=1, verbose=0, shuffle=False, validation_split=0.3, callbacks=[Recorder()])
print("-- fit with weights")
model_of().fit(x, y, batch_size=5, epochs=1, verbose=0, shuffle=False, validation_data=(x[:4], y[:4], np.arange(4.0)), callbacks=[Recorder()], sample_weight=np.arange(10.0))
print("-- two outputs")
model_of(2).fit(x, [y, y], batch_size=5, verbose=0, shuffle=False, validation_data=(x[:4], [y[:4]] * 2), callbacks=[Recorder()])

print("-- evaluate")
model_of().evaluate(x, y, batch_size=4, verbose=0, callbacks=[Recorder()])
print("-- evaluate two")
model_of(2).evaluate(x, [y, y], batch_size=4, verbose=0, callbacks=[Recorder()])
print("-- predict")
model_of().predict(x, batch_size=4, callbacks=[Recorder()])
print("-- predict two")
model_of(2).predict(x, batch_size=4, callbacks=[Recorder()])
print("-- evaluate a dataset")
Recorder.set_params = lambda self, params: None; model_of().evaluate(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), verbose=0, callbacks=[Recorder()])
print("-- predict a dataset")
model_of().predict(tf.data.Dataset.from_tensor_slices(x).batch(4), callbacks=[Recorder()])


class Stops(tf.keras.callbacks.Callback):
    def on_test_batch_end(self, batch, logs=None):
        print("test batch", batch)
        self.model.stop_training = batch == 1


print("-- stopped")
model_of().evaluate(x, y, batch_size=2, verbose=0, callbacks=[Stops()])
print("-- lambdas")
heard = []
names = ("on_epoch_begin", "on_epoch_end", "on_batch_begin", "on_batch_end", "on_train_begin", "on_train_end")
model_of().fit(x, y, batch_size=5, verbose=0, shuffle=False, callbacks=[tf.keras.callbacks.LambdaCallback(
    **{name: lambda *args, name=name, **logs: heard.append((name, short([*args, *logs.values()]))) for name in names})])
for line in heard:
    print(line)
