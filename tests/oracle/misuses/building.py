"""Errors while building: shapes and dtypes."""

from misuses import misuse
from tensorflow_v1 import np, tf


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


# Shapes


@misuse
def matmul_inner_dimensions():
    tf.matmul(floats([2, 3], "a"), floats([4, 5], "b"))


@misuse
def matmul_inner_dimensions_named():
    tf.matmul(floats([32, 64], "a"), floats([10, 64], "b"), name="dense/MatMul")


@misuse
def matmul_of_vectors():
    tf.matmul(floats([3], "a"), floats([3], "b"))


@misuse
def matmul_batch_dimensions():
    tf.matmul(floats([2, 3, 4], "a"), floats([5, 4, 3], "b"))


@misuse
def matmul_inner_dimensions_with_array():
    tf.matmul(floats([2, 3], "a"), np.zeros((4, 5), np.float32))


@misuse
def add_shapes():
    floats([2, 3], "a") + floats([2, 4], "b")


@misuse
def multiply_shapes_of_function():
    tf.multiply(floats([3], "a"), floats([4], "b"))


@misuse
def equal_shapes():
    tf.equal(floats([3], "a"), floats([4], "b"))


@misuse
def reshape_size():
    tf.reshape(floats([2, 3]), [4, 2])


@misuse
def reshape_two_unknown():
    tf.reshape(floats([2, 3]), [-1, -1])


@misuse
def reshape_not_divisible():
    tf.reshape(floats([2, 3]), [-1, 4])


@misuse
def reshape_negative():
    tf.reshape(floats([2, 3]), [-2, 3])


@misuse
def concat_shapes():
    tf.concat([floats([2, 3], "a"), floats([2, 4], "b")], 0)


@misuse
def concat_ranks():
    tf.concat([floats([2, 3], "a"), floats([2], "b")], 0)


@misuse
def concat_axis():
    tf.concat([floats([2, 3], "a"), floats([2, 3], "b")], 2)


@misuse
def stack_shapes():
    tf.stack([floats([2], "a"), floats([3], "b")])


@misuse
def conv2d_channels():
    tf.nn.conv2d(floats([1, 8, 8, 3]), floats([3, 3, 4, 8], "kernel"), [1, 1, 1, 1], "SAME")


@misuse
def conv2d_rank():
    tf.nn.conv2d(floats([8, 8, 3]), floats([3, 3, 3, 8], "kernel"), [1, 1, 1, 1], "SAME")


@misuse
def conv2d_padding_word():
    tf.nn.conv2d(floats([1, 8, 8, 3]), floats([3, 3, 3, 8], "kernel"), [1, 1, 1, 1], "HALF")


@misuse
def conv2d_kernel_larger_than_image():
    tf.nn.conv2d(floats([1, 2, 2, 3]), floats([3, 3, 3, 8], "kernel"), [1, 1, 1, 1], "VALID")


@misuse
def conv2d_strides_length():
    tf.nn.conv2d(floats([1, 8, 8, 3]), floats([3, 3, 3, 8], "kernel"), [1, 1, 1], "SAME")


@misuse
def avg_pool_rank():
    tf.nn.avg_pool(floats([8, 8]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


@misuse
def max_pool_window_larger_than_image():
    tf.nn.max_pool(floats([1, 2, 2, 3]), [1, 3, 3, 1], [1, 1, 1, 1], "VALID")


@misuse
def bias_add_size():
    tf.nn.bias_add(floats([2, 3]), floats([4], "bias"))


@misuse
def softmax_cross_entropy_shapes():
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=floats([5, 10], "labels"), logits=floats([5, 9], "logits"))


@misuse
def softmax_cross_entropy_positional():
    tf.nn.softmax_cross_entropy_with_logits(floats([5, 10], "labels"), floats([5, 10], "logits"))


@misuse
def sparse_cross_entropy_ranks():
    labels = tf.placeholder(tf.int32, [5, 10], name="labels")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=floats([5, 10], "logits"))


@misuse
def sparse_cross_entropy_float_labels():
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=floats([5], "labels"), logits=floats([5, 10], "logits"))


@misuse
def sigmoid_cross_entropy_shapes():
    tf.nn.sigmoid_cross_entropy_with_logits(labels=floats([5, 10], "labels"), logits=floats([5, 9], "logits"))


@misuse
def assign_shape():
    tf.Variable([1.0, 2.0], name="v").assign([1.0, 2.0, 3.0])


@misuse
def assign_dtype():
    tf.Variable([1.0, 2.0], name="v").assign(tf.constant([1, 2]))


@misuse
def assign_to_a_constant():
    tf.assign(tf.constant(1.0), 2.0)


@misuse
def transpose_permutation_length():
    tf.transpose(floats([2, 3]), [0, 1, 2])


@misuse
def reduce_axis():
    tf.reduce_sum(floats([2, 3]), 2)


@misuse
def argmax_axis():
    tf.argmax(floats([2, 3]), 2)


@misuse
def gather_axis():
    tf.gather(floats([2, 3]), [0], axis=2)


@misuse
def slice_beyond():
    tf.slice(floats([2, 3]), [0, 2], [2, 3])


@misuse
def index_beyond():
    floats([2, 3])[2]


@misuse
def too_many_indices():
    floats([2, 3])[0, 0, 0]


@misuse
def index_by_text():
    floats([2, 3])["a"]


@misuse
def expand_dims_axis():
    tf.expand_dims(floats([2, 3]), 4)


@misuse
def squeeze_axis_not_one():
    tf.squeeze(floats([2, 3]), [0])


@misuse
def tile_multiples_length():
    tf.tile(floats([2, 3]), [2])


@misuse
def split_not_divisible():
    tf.split(floats([5, 2]), 3)


@misuse
def split_unknown_number():
    tf.unstack(floats([None, 2]))


@misuse
def where_shapes():
    tf.where(tf.placeholder(tf.bool, [3]), floats([2], "a"), floats([2], "b"))


@misuse
def constant_shape_too_few_values():
    tf.constant([1, 2, 3], shape=[2, 2])


@misuse
def constant_ragged_list():
    tf.constant([[1, 2], [3]])


@misuse
def constant_mixed_types():
    tf.constant([1, "a"])


@misuse
def constant_wrong_dtype():
    tf.constant(1.5, dtype=tf.int32)


@misuse
def constant_text_as_float():
    tf.constant("a", dtype=tf.float32)


@misuse
def placeholder_negative_shape():
    tf.placeholder(tf.float32, [-2])


@misuse
def set_shape_incompatible():
    floats([2, 3]).set_shape([3, 3])


# Dtypes


@misuse
def add_float_and_int_tensors():
    floats([2], "a") + tf.placeholder(tf.int32, [2], name="b")


@misuse
def add_function_float_and_int_tensors():
    tf.add(floats([2], "a"), tf.placeholder(tf.int32, [2], name="b"))


@misuse
def add_int_and_fraction():
    tf.placeholder(tf.int32, [2], name="a") + 1.5


@misuse
def multiply_float_and_double():
    floats([2], "a") * tf.placeholder(tf.float64, [2], name="b")


@misuse
def divide_float_and_int_tensors():
    floats([2], "a") / tf.placeholder(tf.int32, [2], name="b")


@misuse
def subtract_function_number_first():
    tf.subtract(1, floats([2]))


@misuse
def matmul_float_and_double():
    tf.matmul(floats([2, 2], "a"), tf.placeholder(tf.float64, [2, 2], name="b"))


@misuse
def matmul_of_bools():
    tf.matmul(tf.placeholder(tf.bool, [2, 2], name="a"), tf.placeholder(tf.bool, [2, 2], name="b"))


@misuse
def less_of_bools():
    tf.placeholder(tf.bool, [2], name="a") < tf.placeholder(tf.bool, [2], name="b")


@misuse
def add_text():
    floats([2]) + "a"


@misuse
def add_none():
    floats([2]) + None


@misuse
def relu_of_bools():
    tf.nn.relu(tf.placeholder(tf.bool, [2]))


@misuse
def sqrt_of_ints():
    tf.sqrt(tf.placeholder(tf.int32, [2]))


@misuse
def mean_of_bools():
    tf.reduce_mean(tf.placeholder(tf.bool, [2]))


@misuse
def logical_and_of_floats():
    tf.logical_and(floats([2], "a"), floats([2], "b"))


@misuse
def concat_dtypes():
    tf.concat([floats([2], "a"), tf.placeholder(tf.int32, [2], name="b")], 0)


@misuse
def cast_to_unknown_dtype():
    tf.cast(floats([2]), "float31")


@misuse
def where_dtypes():
    tf.where(tf.placeholder(tf.bool, [2]), floats([2], "a"), tf.placeholder(tf.int32, [2], name="b"))


@misuse
def gather_with_float_indices():
    tf.gather(floats([2, 3]), [0.5])


@misuse
def add_n_of_nothing():
    tf.add_n([])


@misuse
def dropout_keep_prob_out_of_range():
    tf.nn.dropout(floats([2]), keep_prob=1.5)


@misuse
def dropout_rate_out_of_range():
    tf.nn.dropout(floats([2]), rate=1.0)


@misuse
def tensor_as_bool():
    if floats([]):
        pass


@misuse
def tensor_iterated():
    list(floats([2]))


# Gradients, branches and loops


@misuse
def gradients_of_complex_numbers():
    x = tf.placeholder(tf.complex64, [2], name="x")
    tf.gradients(x, x)


@misuse
def gradients_of_text():
    tf.gradients(tf.constant("a"), floats([2]))


@misuse
def while_maximum_iterations_of_unknown_rank():
    most = tf.placeholder(tf.int32, name="most")
    tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0, [1.0], maximum_iterations=most)


@misuse
def while_maximum_iterations_in_a_list():
    tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0, [1.0], maximum_iterations=[3, 4])


# What is left out


@misuse
def cond_without_true_fn():
    tf.cond(tf.placeholder(tf.bool, []), None, lambda: 1)


@misuse
def cond_without_false_fn():
    tf.cond(tf.placeholder(tf.bool, []), lambda: 1, None)


@misuse
def while_loop_without_cond():
    tf.while_loop(None, lambda i: i + 1, [0])


@misuse
def while_loop_without_body():
    tf.while_loop(lambda i: i < 3, None, [0])


@misuse
def dataset_map_without_function():
    tf.data.Dataset.range(3).map(None)


@misuse
def dataset_filter_without_function():
    tf.data.Dataset.range(3).filter(None)


@misuse
def dataset_flat_map_without_function():
    tf.data.Dataset.range(3).flat_map(None)


@misuse
def dataset_slices_of_a_number():
    tf.data.Dataset.from_tensor_slices(3)


@misuse
def cast_without_dtype():
    tf.cast(floats([2]), None)


@misuse
def zeros_without_dtype():
    tf.zeros([2], None)


@misuse
def placeholder_without_dtype():
    tf.placeholder(None)


@misuse
def dynamic_rnn_of_a_matrix():
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), floats([2, 3]), dtype=tf.float32)


@misuse
def dynamic_rnn_of_a_matrix_with_time_first():
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), floats([2, 3]), dtype=tf.float32, time_major=True)


@misuse
def dynamic_rnn_of_a_vector():
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), floats([2]), dtype=tf.float32)
