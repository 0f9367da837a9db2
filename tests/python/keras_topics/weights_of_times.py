"""sample_weight_mode="temporal": how much each time of a sequence counts."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
x, y, weights = numbers(6, 4, 2), numbers(6, 4, 1), numbers(6, 4)


def made(mode="temporal", **options):
    tf.keras.backend.clear_session()
    model = settled(tf.keras.Sequential([layers.LSTM(3, return_sequences=True, input_shape=(4, 2)), layers.Dense(1)]))
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", sample_weight_mode=mode, **options)
    return model


model = made(metrics=["mae"], weighted_metrics=["mse"])
print(model.sample_weight_mode, model.metrics_names)
print(rounded(model.fit(x, y, sample_weight=weights, epochs=3, batch_size=2, shuffle=False, verbose=0).history))
print(rounded(model.evaluate(x, y, sample_weight=weights)))
model.reset_metrics()
print(rounded(model.test_on_batch(x, y, sample_weight=weights)))
model.reset_metrics()
print(rounded(model.train_on_batch(x, y, sample_weight=weights)))
model = made()
print(rounded(model.fit(x, y, sample_weight=weights, validation_data=(x, y, 1 - weights), epochs=2, shuffle=False, verbose=0).history))
print(rounded(model.fit(x, y, sample_weight=weights, validation_split=0.5, batch_size=2, epochs=1, shuffle=False, verbose=0).history))


def batches():
    while True:
        yield x, y, weights


print(rounded(made().fit(batches(), steps_per_epoch=3, verbose=0).history))
print(rounded(made().evaluate(batches(), steps=2)))
print(rounded(made().fit(tf.data.Dataset.from_tensor_slices((x, y, weights)).batch(3), epochs=2, verbose=0).history))

# Modes for single outputs, and what does not fit.
for mode in (["temporal"], {"dense": "temporal"}, None, "samplewise"):
    is_of_times = "temporal" in str(mode)
    print(mode, rounded(made(mode).train_on_batch(x, y, sample_weight=weights if is_of_times else weights[:, 0])))
model = made()
for wrong in (numbers(6), numbers(6, 3), numbers(6, 4, 1), numbers(5, 4)):
    print(refused(model.train_on_batch, x, y, sample_weight=wrong))
print(refused(model.fit, x, y, class_weight={0: 1.0, 1: 2.0}, verbose=0))
print(refused(made(None).train_on_batch, x, y, sample_weight=weights), refused(made, {"x": "temporal"}))
flat = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
flat.compile("sgd", "mse", sample_weight_mode="temporal")
print(refused(flat.train_on_batch, numbers(6, 2), numbers(6, 1), sample_weight=numbers(6)))

# Times that a mask leaves out, images whose first dimension is one of times, and several outputs.
tf.keras.backend.clear_session()
masked = settled(tf.keras.Sequential([layers.Masking(input_shape=(4, 2)), layers.LSTM(3, return_sequences=True), layers.Dense(1)]))
masked.compile("sgd", "mse", sample_weight_mode="temporal", weighted_metrics=["mae"])
short = x.copy()
short[:, 2:] = 0
print(rounded(masked.evaluate(short, y, sample_weight=weights)))
images = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(4, 3, 2))]))
images.compile("sgd", "mse", sample_weight_mode="temporal", weighted_metrics=["mae"])
print(rounded(images.evaluate(numbers(6, 4, 3, 2), numbers(6, 4, 3, 1), sample_weight=weights)))
inputs = tf.keras.Input((4, 2))
both = settled(tf.keras.Model(inputs, [layers.Dense(1, name="a")(inputs), layers.Dense(1, name="b")(layers.Flatten()(inputs))]))
for mode in (["temporal", None], {"a": "temporal", "b": None}):
    both.compile(tf.keras.optimizers.SGD(0.1), "mse", sample_weight_mode=mode)
    print(rounded(both.train_on_batch(x, [y, y[:, 0]], sample_weight={"a": weights, "b": weights[:, 0]})))
    print(rounded(both.train_on_batch(x, [y, y[:, 0]], sample_weight={"a": weights})))
print(refused(both.compile, "sgd", "mse", sample_weight_mode=["temporal"]))
