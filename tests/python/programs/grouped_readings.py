"""Readings of several stations that come mixed: windows of each, their means, and batches by parity and by size of the key."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

STATIONS = np.array([0, 1, 0, 2, 1, 0, 0, 2, 1, 0, 1, 1], np.int64)
VALUES = (np.arange(12) * 1.5).astype(np.float32)


def show(title, dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        while True:
            try:
                print(title, [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return


readings = tf.data.Dataset.from_tensor_slices({"station": STATIONS, "value": VALUES})


def station(reading):
    return reading["station"]


show("batches", readings.group_by_window(station, lambda key, window: window.batch(3), window_size=3))
show("means", readings.group_by_window(
    station, lambda key, window: window.batch(4).map(lambda batch: (key, tf.reduce_mean(batch["value"]), tf.size(batch["value"]))), window_size=4))
show("sizes of keys", readings.group_by_window(
    station, lambda key, window: window.map(lambda reading: reading["value"]).batch(10), window_size_func=lambda key: 2 * key + 1))
show("applied", readings.apply(tf.data.experimental.group_by_window(lambda reading: reading["station"] % 2,
                                                                    lambda key, window: window.map(station).batch(2), 2)))
show("one a window", readings.take(3).group_by_window(station, lambda key, window: window, window_size=1))
show("reduced", readings.group_by_window(station, lambda key, window: window.scan(
    np.float32(0), lambda total, reading: (total + reading["value"], total + reading["value"])).skip(1), window_size=2))
try:
    show("no windows", readings.group_by_window(station, lambda key, window: window, window_size=0))
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
