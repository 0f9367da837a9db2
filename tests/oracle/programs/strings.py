"""Text that is joined and printed, windows, numbers of gamma distributions."""

from programs import program
from tensorflow_v1 import tf


@program
def joined_texts():
    words = tf.placeholder(tf.string, [2, 3], name="words")
    tf.reduce_join(words)
    tf.reduce_join(words, 0)
    tf.strings.reduce_join(words, axis=[0, 1], keepdims=True, separator=" ", name="named")
    tf.reduce_join(tf.placeholder(tf.string, name="of_any_rank"))


@program
def printed_tensors():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.print(x)
    tf.print("value:", x, 3, summarize=5, name="named")
    tf.print("only text")
    tf.print(x, output_stream="file:///tmp/printed", end="!", sep="-")


@program
def determinants_and_windows():
    x = tf.placeholder(tf.float32, [3, 3], name="x")
    tf.linalg.logdet(x)
    tf.linalg.logdet(x, name="named")
    tf.signal.hann_window(8)
    tf.signal.hamming_window(7, periodic=False)
    tf.signal.hann_window(tf.placeholder(tf.int32, [], name="length"), dtype=tf.float64, name="window")


@program
def gamma_numbers():
    tf.random_gamma([3], 2.0, seed=1)
    tf.random.gamma([3], [0.5, 1.5], beta=2.0, seed=2, name="named")
