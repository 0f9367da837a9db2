"""Lines of a log: filtered, taken apart, counted, and joined with numbers of lines."""

import gzip
import os
import tempfile

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

LOG = """# a log
10:00,start,0
10:01,load,17

10:02,error,3
10:05,load,"25"
10:07,error,8
10:09,stop,1
"""


def read(dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    rows = []
    with tf.Session() as sess:
        while True:
            try:
                rows.append([value.tolist() if hasattr(value, "tolist") else value for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return rows


with tempfile.TemporaryDirectory() as folder:
    path, packed = os.path.join(folder, "log"), os.path.join(folder, "log.gz")
    with open(path, "w") as file:
        file.write(LOG)
    with gzip.open(packed, "wt") as file:
        file.write(LOG.replace("load", "unload"))
    lines = tf.data.TextLineDataset(path)
    kept = lines.filter(lambda line: tf.logical_and(tf.strings.length(line) > 0, tf.not_equal(tf.strings.substr(line, 0, 1), "#")))
    rows = kept.map(lambda line: tuple(tf.decode_csv(line, [[""], [""], [0]])))
    print(read(rows))
    print(read(rows.filter(lambda time, what, size: tf.equal(what, "load")).map(lambda time, what, size: {"at": time, "size": size * 2})))
    print(read(lines.enumerate(1).filter(lambda number, line: tf.strings.regex_full_match(line, ".*error.*"))))
    print(read(rows.take_while(lambda time, what, size: tf.less(size, 20)).map(lambda time, what, size: size)))
    print(read(rows.map(lambda time, what, size: what).unique()))
    print(read(tf.data.TextLineDataset([path, path]).skip(6).take(4)))
    print(read(tf.data.TextLineDataset(packed, compression_type="GZIP").map(lambda line: tf.strings.split([line], ",").values[-2:]).skip(1).take(2)))
    sizes = rows.map(lambda time, what, size: size)
    total = sizes.reduce((0, 0), lambda state, size: (state[0] + size, tf.maximum(state[1], size)))
    with tf.Session() as sess:
        print([int(value) for value in sess.run(total)])
    wrong = lines.skip(1).take(3).map(lambda line: tf.decode_csv(line, [[""], [""], [0]])[2])
    element = tf.data.make_one_shot_iterator(wrong).get_next()
    with tf.Session() as sess:
        for _ in range(4):
            try:
                print(sess.run(element))
            except tf.errors.InvalidArgumentError as error:
                print("Expect 3 fields but have 0 in record 0" in str(error))
            except tf.errors.OutOfRangeError:
                print("end")
