"""Sources side by side and one after the other: zip of structures, concatenate of other shapes, enumerate, apply."""

import collections

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

D = tf.data.Dataset
Reading = collections.namedtuple("Reading", "time value")


def plain(value):
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return tuple(map(plain, value)) if not hasattr(value, "_fields") else type(value)(*map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


def show(title, dataset, most=8):
    print(title, dataset.element_spec)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        for _ in range(most):
            try:
                print("  ", plain(sess.run(element)))
            except tf.errors.OutOfRangeError:
                return


numbers, letters = D.range(4), D.from_tensor_slices(np.array(list("abc")))
show("pairs", D.zip((numbers, letters)))
show("names", D.zip({"n": numbers, "l": (letters, letters.skip(1))}))
show("readings", D.zip(Reading(numbers.map(lambda n: n * 10), D.from_tensor_slices([0.5, 1.5]))))
show("one", D.zip(numbers.take(1)))
show("with itself", D.zip((numbers.skip(1), numbers)).map(lambda later, earlier: later - earlier))
show("with what ends never", D.zip((letters, numbers.repeat())))
show("shuffled both ways", D.zip((numbers.shuffle(4, seed=1), numbers.shuffle(4, seed=1))))
show("concatenated", numbers.concatenate(D.range(10, 12)).concatenate(numbers.take(0)))
show("of other shapes", D.from_tensors([1, 2]).concatenate(D.from_tensors([3])))
show("of other ranks", D.from_tensors([1.0]).concatenate(D.from_tensors([[2.0]])))
show("enumerated", letters.enumerate().map(lambda n, letter: tf.strings.join([letter, tf.as_string(n)])))
show("from ten", D.zip((letters, letters)).enumerate(10).take(1))
show("applied", numbers.apply(lambda d: d.concatenate(d.map(lambda n: -n))).batch(8))
show("slices of structures", D.from_tensor_slices(({"a": [[1, 2], [3, 4]]}, Reading([5, 6], [[7.0], [8.0]]))))
show("a tensor", D.from_tensors(Reading(1, {"deep": ([2.0], "three")})))
show("of nothing", D.zip((numbers, numbers.take(0))))
for make in (lambda: numbers.concatenate(letters), lambda: D.zip([numbers, letters]), lambda: D.zip((numbers, 3)),
             lambda: D.from_tensor_slices(([1], [1, 2])), lambda: numbers.concatenate(D.zip((numbers, numbers)))):
    try:
        make()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
