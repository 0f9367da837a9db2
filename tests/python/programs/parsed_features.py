"""Features of variable length parsed from examples: lists, pairs of indices and values, sequences filled up."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def example(**features):
    made = {}
    for key, values in features.items():
        if isinstance(values[0], bytes):
            made[key] = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        elif isinstance(values[0], float):
            made[key] = tf.train.Feature(float_list=tf.train.FloatList(value=values))
        else:
            made[key] = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


serialized = [example(id=[1], words=[b"a", b"b"], place=[3, 0], value=[0.5, 1.5], steps=[1, 2, 3]),
              example(id=[2], place=[1], value=[2.5], steps=[4])]
with tf.Graph().as_default(), tf.Session() as session:
    parsed = tf.parse_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string),
        "sparse": tf.SparseFeature("place", "value", tf.float32, 5),
        "steps": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1)})
    values = session.run(parsed)
    for key in sorted(values):
        value = values[key]
        if isinstance(value, tf.SparseTensorValue):
            print(key, value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist())
        else:
            print(key, value.tolist())
    single = tf.io.parse_single_example(serialized[0], {"words": tf.io.VarLenFeature(tf.string)})
    print(session.run(single["words"]).values.tolist())
    try:
        tf.parse_example(serialized, {"steps": tf.FixedLenSequenceFeature([], tf.int64)})
    except ValueError as error:
        print(type(error).__name__)
