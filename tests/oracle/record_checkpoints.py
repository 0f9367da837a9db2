#!/usr/bin/env python3
"""Records checkpoints that TensorFlow writes, as tests/golden/checkpoints/.

Usage: record_checkpoints.py
What is in them is told in tests/golden/README.md; tests/files/bundle_test.cpp has the same values.
"""

import os
import shutil

from tensorflow_v1 import GOLDEN, np, tf

FOLDER = os.path.join(GOLDEN, "checkpoints")

TYPES = {
    "float": np.array([[0.5, -1.5], [3.0, np.inf]], np.float32),
    "double": np.array(0.1, np.float64),
    "half": np.array([1.5, -2.0], np.float16),
    "bfloat": np.array([1.5, -2.0], tf.bfloat16.as_numpy_dtype),
    "int8": np.array([-128, 127], np.int8),
    "int16": np.array([-32768], np.int16),
    "int32": np.array([[[7], [8]]], np.int32),
    "int64": np.array(-(2**40), np.int64),
    "uint8": np.array([255], np.uint8),
    "uint16": np.array([65535], np.uint16),
    "uint32": np.array([2**32 - 1], np.uint32),
    "uint64": np.array([2**64 - 1], np.uint64),
    "bool": np.array([True, False, True]),
    "complex64": np.array([1 + 2j], np.complex64),
    "complex128": np.array([-1 - 0.5j], np.complex128),
    "strings": np.array([[b"a", b""], [b"\x00\xff", b"x" * 200]], object),
    "empty": np.zeros((0, 3), np.float32),
    "no_strings": np.zeros((0,), object),
    "scope/name": np.array(7, np.int32),
}


def save(prefix, tensors):
    """`tensors`: (name, shape and slice, value), in this order."""
    names, slices, values = zip(*tensors)
    values = [tf.constant(v, tf.string if v.dtype == object else tf.as_dtype(v.dtype)) for v in values]
    return tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=values)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3)
    row = np.arange(20000, dtype=np.uint8)
    with tf.Session() as session:
        session.run(save(FOLDER + "/types", [(name, "", value) for name, value in TYPES.items()]))
        session.run(save(FOLDER + "/parts", [
            ("matrix", "4 3 0,2:-", matrix[:2]),
            ("matrix", "4 3 2,2:0,1", matrix[2:, :1]),
            ("matrix", "4 3 2,2:1,2", matrix[2:, 1:]),
            ("row", "20000 0,70", row[:70]),
            ("row", "20000 70,9930", row[70:10000]),
            ("row", "20000 10000,10000", row[10000:]),
            ("plain", "", matrix),
        ]))
        numbers = tf.data.make_initializable_iterator(tf.data.Dataset.range(5).batch(2))
        session.run(numbers.initializer)
        session.run(tf.raw_ops.SaveV2(prefix=FOLDER + "/variants", tensor_names=["state", "v"], shape_and_slices=["", ""], tensors=[
            tf.raw_ops.SerializeIterator(resource_handle=numbers._iterator_resource), tf.constant([7])]))
        one = save(FOLDER + "/temporary/one", [("a", "", np.array([1, 2], np.int32)), ("m", "4 3 0,1:-", matrix[:1])])
        two = save(FOLDER + "/temporary/two", [("b", "", np.array([3.5], np.float32)), ("m", "4 3 1,3:-", matrix[1:])])
        session.run([one, two])
        for name in ("one", "two"):
            for ending in (".index", ".data-00000-of-00001"):
                shutil.copy(f"{FOLDER}/temporary/{name}{ending}", f"{FOLDER}/{name}{ending}")
        session.run(tf.raw_ops.MergeV2Checkpoints(
            checkpoint_prefixes=[FOLDER + "/temporary/one", FOLDER + "/temporary/two"], destination_prefix=FOLDER + "/shards"))


if __name__ == "__main__":
    main()
