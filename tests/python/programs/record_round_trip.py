"""Examples that are written to TFRecord files, plain and compressed, and read back in batches."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def example(number):
    features = {"number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "halves": tf.train.Feature(float_list=tf.train.FloatList(value=[number / 2, number / 4])),
                "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w%d" % i for i in range(number % 3)]))}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def parse(records):
    parsed = tf.parse_example(records, {"number": tf.FixedLenFeature([], tf.int64), "halves": tf.FixedLenFeature([2], tf.float32),
                                        "words": tf.VarLenFeature(tf.string)})
    return parsed["number"], parsed["halves"], tf.sparse.to_dense(parsed["words"], default_value="-")


def show(title, dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        while True:
            try:
                print(title, [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return print(title, "end")
            except tf.errors.DataLossError as error:
                return print(title, type(error).__name__)


with tempfile.TemporaryDirectory() as folder:
    paths = {}
    for kind, compression in (("", tf.python_io.TFRecordCompressionType.NONE), ("GZIP", tf.python_io.TFRecordCompressionType.GZIP)):
        paths[kind] = os.path.join(folder, "records" + kind)
        with tf.python_io.TFRecordWriter(paths[kind], tf.python_io.TFRecordOptions(compression)) as writer:
            for number in range(5):
                writer.write(example(number))
        show(kind, tf.data.TFRecordDataset(paths[kind], compression_type=kind).batch(2).map(parse))
    print([tf.train.Example.FromString(record).features.feature["number"].int64_list.value[0]
           for record in tf.python_io.tf_record_iterator(paths[""])])
    both = tf.data.TFRecordDataset([paths[""], paths[""]]).map(lambda record: tf.parse_single_example(
        record, {"number": tf.FixedLenFeature([], tf.int64), "missing": tf.FixedLenFeature([], tf.float32, default_value=-1.0)}))
    show("both", both.skip(4).take(3))
    with open(paths[""], "rb") as file:
        content = file.read()
    cut = os.path.join(folder, "cut")
    with open(cut, "wb") as file:
        file.write(content[:-1])
    show("cut", tf.data.TFRecordDataset(cut).map(tf.strings.length))
