"""Files that several threads read: their elements take turns."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
names = [os.path.join(folder, "%d.tfrecord" % i) for i in range(5)]
for i, (name, count) in enumerate(zip(names, (3, 1, 4, 0, 2))):
    with tf.python_io.TFRecordWriter(name) as writer:
        for j in range(count):
            writer.write(b"%d.%d" % (i, j))
    with open(name + ".txt", "w") as file:
        file.write("".join("%d-%d\n" % (i, j) for j in range(count)))
    with open(name + ".bin", "wb") as file:
        file.write(bytes(range(65 + 5 * i, 65 + 5 * i + count)))


def show(dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    elements = []
    with tf.Session() as sess:
        try:
            while True:
                elements.append(sess.run(following))
        except tf.errors.OutOfRangeError:
            print(elements)


for num in (1, 2, 3, 8):
    show(tf.data.TFRecordDataset(names, num_parallel_reads=num))
    show(tf.data.TextLineDataset([name + ".txt" for name in names], num_parallel_reads=num))
    show(tf.data.FixedLengthRecordDataset([name + ".bin" for name in names], 1, num_parallel_reads=num))
show(tf.data.TFRecordDataset(names[0], num_parallel_reads=2))
show(tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(names), num_parallel_reads=2))
show(tf.data.TFRecordDataset(names[:1], num_parallel_reads=tf.data.experimental.AUTOTUNE))
show(tf.data.Dataset.range(7).batch(3, num_parallel_calls=2))
show(tf.data.Dataset.range(7).batch(3, num_parallel_calls=tf.data.experimental.AUTOTUNE, drop_remainder=True))
try:
    show(tf.data.TFRecordDataset(names, num_parallel_reads=0))
except (tf.errors.InvalidArgumentError, ValueError) as error:
    print(type(error).__name__)
show(tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(names)))
show(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(names[:2]).map(lambda name: name + ".txt")))
