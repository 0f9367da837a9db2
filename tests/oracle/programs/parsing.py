"""Features of examples as tensors: of one shape, of any number of values, sequences, values and where they stand."""

from programs import program
from tensorflow_v1 import tf


@program
def parsed_batch():
    serialized = tf.placeholder(tf.string, [None], name="records")
    tf.parse_example(serialized, {
        "label": tf.FixedLenFeature([], tf.int64),
        "image": tf.FixedLenFeature([2, 3], tf.float32, default_value=[[0, 0, 0], [1, 1, 1]]),
        "words": tf.VarLenFeature(tf.string)})


@program
def parsed_sequences():
    serialized = tf.placeholder(tf.string, [4], name="records")
    tf.parse_example(serialized, {
        "a b": tf.FixedLenFeature([1], tf.string, default_value="none"),
        "steps": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True, default_value=-1),
        "names": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True)}, name="parsed")


@program
def parsed_places():
    serialized = tf.placeholder(tf.string, [None], name="records")
    tf.parse_example(serialized, {
        "sparse": tf.SparseFeature("place", "value", tf.float32, 10),
        "sorted": tf.SparseFeature("place", "other", tf.int64, 10, already_sorted=True),
        "value": tf.VarLenFeature(tf.float32)}, example_names=["first", "second"])


@program
def parsed_one():
    features = {"image": tf.FixedLenFeature([4], tf.float32), "words": tf.VarLenFeature(tf.string)}
    tf.parse_single_example(tf.placeholder(tf.string, [], name="record"), features)
    tf.parse_single_example(tf.placeholder(tf.string, [], name="other"), features, name="one", example_names="first")


@program
def parsed_one_of_any_rank():
    tf.parse_single_example(tf.placeholder(tf.string, name="any"), {"words": tf.VarLenFeature(tf.string)}, name="one")
