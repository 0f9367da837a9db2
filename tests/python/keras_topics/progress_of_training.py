"""What fit, evaluate and predict print."""

import contextlib
import io
import re
import sys

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse", metrics=["mae"])
for options in ({"verbose": 2}, {"verbose": 2, "epochs": 2, "validation_split": 0.5}, {"verbose": 0}):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        model.fit(numbers(4, 3), numbers(4, 1), shuffle=False, **options)
    print([re.sub(r"[0-9.]+(s|ms|us)\b", "T", line) for line in printed.getvalue().splitlines()])
