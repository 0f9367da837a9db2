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
    kinds = tf.python_io.TFRecordCompressionType
    for kind, compression in (("", kinds.NONE), ("GZIP", kinds.GZIP), ("ZLIB", kinds.ZLIB)):
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
    with open(paths["ZLIB"], "rb") as file:
        content = file.read()
    print(content[:2].hex(), len(list(tf.python_io.tf_record_iterator(paths["ZLIB"], tf.python_io.TFRecordOptions(kinds.ZLIB)))))
    odd = os.path.join(folder, "odd")
    for title, data in (("more behind", content + b"xx"), ("twice", content * 2), ("not zlib", b"abcdefghijklmnop"),
                        ("none", b""), ("wrong sum", content[:-1] + bytes([content[-1] ^ 1]))):
        with open(odd, "wb") as file:
            file.write(data)
        if title != "wrong sum":  # TensorFlow reads a dataset's records before it has come to the sum
            show(title, tf.data.TFRecordDataset(odd, "ZLIB").map(lambda record: 1))
        try:
            print(title, len(list(tf.python_io.tf_record_iterator(odd, tf.python_io.TFRecordOptions("ZLIB")))))
        except tf.errors.DataLossError as error:
            print(title, type(error).__name__, str(error) if "inflate" in str(error) else "")
    with open(paths["GZIP"], "rb") as file:
        content = file.read()
    for title, data in (("gzip twice", content * 2), ("gzip and more", content + b"xx")):
        with open(odd, "wb") as file:
            file.write(data)
        try:
            print(title, len(list(tf.python_io.tf_record_iterator(odd, tf.python_io.TFRecordOptions(kinds.GZIP)))))
        except tf.errors.DataLossError as error:
            print(title, type(error).__name__)
    show("the next file", tf.data.TFRecordDataset([odd, paths["ZLIB"]], "ZLIB").take(1).map(lambda record: 1))
    for options in (dict(compression_level=0), dict(compression_level=9, window_bits=12, mem_level=4), dict(compression_strategy=2, flush_mode=2)):
        with tf.python_io.TFRecordWriter(odd, tf.python_io.TFRecordOptions(kinds.ZLIB, **options)) as writer:
            writer.write(b"again" * 100)
            writer.flush()
            writer.write(b"")
        show(sorted(options), tf.data.TFRecordDataset([odd], compression_type="ZLIB").map(tf.strings.length))
    with open(paths[""], "rb") as file:
        content = file.read()
    for title, data in (("within a head", content[:-len(content) // 5 + 3]), ("within a record", content[:-9]), ("a bit of a head", b"\1" + content[1:]),
                        ("a bit of a record", content[:-9] + b"\1" + content[-8:])):
        with open(odd, "wb") as file:
            file.write(data)
        try:
            print(title, len(list(tf.python_io.tf_record_iterator(odd))))
        except tf.errors.DataLossError as error:
            print(title, error)
    with tf.python_io.TFRecordWriter(odd, tf.python_io.TFRecordOptions(kinds.ZLIB, compression_level=0)) as writer:
        writer.write(b"abc")
        writer.write(b"defg")
    with open(odd, "rb") as file:
        content = file.read()
    for left_out in (5, 9, 17, 26):  # the sum, the last record's, its text, its head
        with open(odd, "wb") as file:
            file.write(content[:-left_out])
        show(left_out, tf.data.TFRecordDataset(odd, "ZLIB"))
        try:
            print(left_out, list(tf.python_io.tf_record_iterator(odd, tf.python_io.TFRecordOptions(kinds.ZLIB))))
        except tf.errors.DataLossError as error:
            print(left_out, error)
    writer = tf.python_io.TFRecordWriter(odd, "GZIP")
    writer.close()
    try:
        writer.write(b"late")
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__)
for wrong in ("zlib", "ZIP", 7):
    try:
        tf.python_io.TFRecordOptions(wrong)
    except ValueError as error:
        print(type(error).__name__, error)
