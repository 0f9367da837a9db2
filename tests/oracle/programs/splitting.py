"""Strings in pieces, and what networks say of sequences: the loss and the decoders of CTC."""

from programs import program
from tensorflow_v1 import tf


@program
def split_strings():
    lines = tf.placeholder(tf.string, [None], name="lines")
    tf.string_split(lines)
    tf.string_split(lines, sep=",;", skip_empty=False, name="pieces")
    tf.strings.split(lines)
    tf.strings.split(tf.placeholder(tf.string, [], name="line"), sep="<>", maxsplit=2, name="parts")


@program
def ctc_of_sequences():
    inputs = tf.placeholder(tf.float32, [5, 2, 4], name="inputs")
    lengths = tf.placeholder(tf.int32, [2], name="lengths")
    labels = tf.sparse_placeholder(tf.int32, [2, 3], name="labels")
    tf.nn.ctc_loss(labels, inputs, lengths)
    by_batch = tf.placeholder(tf.float16, [2, 5, 4], name="by_batch")
    tf.nn.ctc_loss(labels, by_batch, lengths, preprocess_collapse_repeated=True, ctc_merge_repeated=False,
                   ignore_longer_outputs_than_inputs=True, time_major=False)
    tf.nn.ctc_greedy_decoder(inputs, lengths)
    tf.nn.ctc_greedy_decoder(inputs, [5, 4], merge_repeated=False, blank_index=0)
    tf.nn.ctc_beam_search_decoder(inputs, lengths)
    tf.nn.ctc_beam_search_decoder(inputs, lengths, beam_width=6, top_paths=2, merge_repeated=False)
