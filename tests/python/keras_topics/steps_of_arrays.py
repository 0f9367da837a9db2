"""steps_per_epoch=, validation_steps= and steps= of arrays: each step takes all of them."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
x, y = numbers(6, 4), numbers(6, 1)
model = tf.keras.Sequential([layers.Dense(1, input_shape=(4,))])
model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
for options in ({"steps_per_epoch": 2}, {"steps_per_epoch": 3, "epochs": 2}, {"steps_per_epoch": 2, "sample_weight": numbers(6)},
                {"steps_per_epoch": 2, "validation_data": (numbers(4, 4), numbers(4, 1)), "validation_steps": 2},
                {"validation_data": (numbers(4, 4), numbers(4, 1)), "validation_steps": 2},
                {"batch_size": 2, "epochs": 2, "validation_data": (numbers(4, 4), numbers(4, 1), numbers(4)), "validation_steps": 1}):
    settled(model)
    print(sorted(options), rounded(model.fit(x, y, shuffle=False, verbose=0, **options).history, 4))
settled(model)
print(rounded(model.evaluate(x, y, steps=2), 4), rounded(model.evaluate(x, y, sample_weight=numbers(6), steps=1), 4))
print(rounded(model.predict(x, steps=2)), model.predict(x, steps=1).shape)

# What a model is fed by name, and sequential ones by the names of their inputs.
named = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(4,), name="d")]))
named.compile(tf.keras.optimizers.SGD(0.1), "mse")
print(rounded(named.fit({"d_input": x}, y, verbose=0, shuffle=False).history), rounded(named.fit({"d_input": x}, {"d": y}, verbose=0).history))
print(named.predict({"d_input": x}).shape, rounded(named.evaluate({"d_input": x}, y)))
for call in (lambda: named.fit({"x": x}, y), lambda: named.predict({"x": x}), lambda: named.evaluate({"x": x}, y)):
    print(refused(call))
deferred = tf.keras.Sequential([layers.Dense(1)])
deferred.compile("sgd", "mse")
print(refused(deferred.fit, {"a": x}, y, verbose=0))
columns = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b", shape=2)]
features = tf.keras.Sequential([layers.DenseFeatures(columns), layers.Dense(1)])
features.compile("sgd", "mse")
given = {"a": numbers(6, 1), "b": numbers(6, 2)}
print(sorted(features.fit(given, y, verbose=0).history))
settled(features)
print(rounded(features.predict(given)), rounded(features.evaluate(given, y)), rounded(features.train_on_batch(given, y)))
