"""Readers of files whose names come from a queue."""

from programs import program
from tensorflow_v1 import tf


@program
def readers_of_files():
    names = tf.FIFOQueue(4, [tf.string], shapes=[[]], name="names")
    lines = tf.TextLineReader(skip_header_lines=1)
    lines.read(names)
    lines.read_up_to(names, 3)
    lines.num_records_produced()
    lines.num_work_units_completed()
    lines.reset()
    tf.WholeFileReader(name="whole").read(names, name="file")
    tf.FixedLengthRecordReader(8, header_bytes=4).read(names)
    tf.TFRecordReader().read(names)
    tf.IdentityReader().read(names)
