"""Objects and files of other kinds where the language wants its own."""

from python_misuses import misuses_of
from tensorflow_v1 import np, tf


def x():
    return tf.placeholder(tf.float32, [2, 3], name="x")


misuses_of(
    "outside",
    array_of_tensor=lambda: np.array(x()),
    numpy_function_of_tensor=lambda: np.exp(x()),
    import_graph_def_of_text=lambda: tf.import_graph_def("abc"),
    import_graph_def_of_none=lambda: tf.import_graph_def(None),
    import_meta_graph_that_is_not_there=lambda: tf.train.import_meta_graph("no_folder/no_file.meta"),
    softmax_of_an_axis_that_is_not_there=lambda: tf.nn.softmax(x(), axis=2),
    cross_entropy_of_an_axis_that_is_not_there=lambda: tf.nn.softmax_cross_entropy_with_logits_v2(labels=x(), logits=x(), axis=7),
    sparse_cross_entropy_of_other_batches=lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.zeros([2, 4], tf.int32), logits=tf.zeros([2, 3, 5])),
    sparse_cross_entropy_of_other_rank=lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.zeros([2], tf.int32), logits=tf.zeros([2, 3, 5])),
)
