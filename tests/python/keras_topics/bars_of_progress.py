"""Progbar by itself."""

import contextlib
import io
import re

import tensorflow.compat.v1 as tf

utils = tf.keras.utils
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    bar = utils.Progbar(4, interval=0)
    for step in range(1, 5):
        bar.update(step, [("loss", 1.0 / step)])
    endless = utils.Progbar(None, interval=0, unit_name="row")
    endless.add(3, [("x", 0.00001)])
lines = re.sub(r"[0-9.]+(s|ms|us)(?=[ /])", "T", printed.getvalue().replace("\b", "")).split("\r")
print([line.rstrip() for line in lines][-3:])
