"""tf.nn with arguments that it cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def rows(shape=(None, 4), dtype=tf.float32, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def images(shape=(1, 8, 8, 3)):
    return tf.placeholder(tf.float32, shape, name="images")


def kernel(shape=(3, 3, 3, 8)):
    return tf.placeholder(tf.float32, shape, name="kernel")


def conv2d(**named):
    named = {"strides": [1, 1, 1, 1], "padding": "SAME", **named}
    return tf.nn.conv2d(images(), kernel(), **named)


def pool(**named):
    named = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME", **named}
    return tf.nn.max_pool(images(), **named)


def average(**named):
    named = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME", **named}
    return tf.nn.avg_pool(images(), **named)


for name in ("relu", "relu6", "elu", "selu", "softplus", "softsign", "leaky_relu", "softmax", "log_softmax", "sigmoid", "tanh"):
    def activation(*arguments, name=name, **named):
        return getattr(tf.nn, name)(*arguments, **named)
    misuses_of("nn_" + name,
               of_int=lambda activation=activation: activation(rows(dtype=tf.int32)),
               of_bool=lambda activation=activation: activation(rows(dtype=tf.bool)),
               of_text=lambda activation=activation: activation(rows(dtype=tf.string)))

misuses_of(
    "nn_conv2d",
    strides_none=lambda: conv2d(strides=None),
    strides_two=lambda: conv2d(strides=[1, 1]),
    strides_three=lambda: conv2d(strides=[1, 1, 1]),
    strides_zero=lambda: conv2d(strides=[1, 0, 0, 1]),
    strides_negative=lambda: conv2d(strides=[1, -1, -1, 1]),
    strides_of_batch=lambda: conv2d(strides=[2, 1, 1, 1]),
    strides_text=lambda: conv2d(strides="a"),
    strides_fraction=lambda: conv2d(strides=[1, 1.5, 1, 1]),
    padding_none=lambda: conv2d(padding=None),
    padding_lower=lambda: conv2d(padding="same"),
    padding_number=lambda: conv2d(padding=3),
    padding_of_batch=lambda: conv2d(padding=[[1, 1], [1, 1], [1, 1], [0, 0]]),
    padding_too_few=lambda: conv2d(padding=[[1, 1], [1, 1]]),
    padding_negative=lambda: conv2d(padding=[[0, 0], [-1, 1], [1, 1], [0, 0]]),
    data_format_word=lambda: conv2d(data_format="HWCN"),
    dilations_zero=lambda: conv2d(dilations=[1, 0, 0, 1]),
    dilations_two=lambda: conv2d(dilations=[2, 2]),
    dilations_of_batch=lambda: conv2d(dilations=[2, 1, 1, 1]),
    dilations_none=lambda: conv2d(dilations=None),
    kernel_none=lambda: tf.nn.conv2d(images(), None, strides=[1, 1, 1, 1], padding="SAME"),
    input_none=lambda: tf.nn.conv2d(None, kernel(), strides=[1, 1, 1, 1], padding="SAME"),
    dtypes=lambda: tf.nn.conv2d(images(), tf.placeholder(tf.float64, [3, 3, 3, 8]), strides=[1, 1, 1, 1], padding="SAME"),
)

misuses_of(
    "nn_max_pool",
    ksize_none=lambda: pool(ksize=None),
    ksize_zero=lambda: pool(ksize=[1, 0, 0, 1]),
    ksize_three=lambda: pool(ksize=[1, 2, 2]),
    ksize_of_batch=lambda: pool(ksize=[2, 2, 2, 1]),
    ksize_text=lambda: pool(ksize="a"),
    strides_none=lambda: pool(strides=None),
    strides_zero=lambda: pool(strides=[1, 0, 0, 1]),
    strides_three=lambda: pool(strides=[1, 2, 2]),
    padding_none=lambda: pool(padding=None),
    padding_word=lambda: pool(padding="HALF"),
    data_format_word=lambda: pool(data_format="ABCD"),
    value_none=lambda: tf.nn.max_pool(None, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    value_rank=lambda: tf.nn.max_pool(rows(), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
)
misuses_of(
    "nn_avg_pool",
    ksize_none=lambda: average(ksize=None),
    ksize_zero=lambda: average(ksize=[1, 0, 0, 1]),
    strides_zero=lambda: average(strides=[1, 0, 0, 1]),
    padding_word=lambda: average(padding="HALF"),
    padding_none=lambda: average(padding=None),
)

misuses_of(
    "nn_bias_add",
    bias_none=lambda: tf.nn.bias_add(rows(), None),
    value_none=lambda: tf.nn.bias_add(None, rows((4,))),
    bias_rank=lambda: tf.nn.bias_add(rows(), rows((4, 1), name="b")),
    value_vector=lambda: tf.nn.bias_add(rows((4,)), rows((4,), name="b")),
    bias_dtype=lambda: tf.nn.bias_add(rows(), rows((4,), tf.float64, "b")),
    data_format_word=lambda: tf.nn.bias_add(rows(), rows((4,), name="b"), data_format="CN"),
)

misuses_of(
    "nn_dropout",
    keep_prob_zero=lambda: tf.nn.dropout(rows(), 0.0),
    keep_prob_large=lambda: tf.nn.dropout(rows(), 1.5),
    keep_prob_negative=lambda: tf.nn.dropout(rows(), -0.5),
    nothing_given=lambda: tf.nn.dropout(rows()),
    both_given=lambda: tf.nn.dropout(rows(), 0.5, rate=0.5),
    rate_one=lambda: tf.nn.dropout(rows(), rate=1),
    rate_text=lambda: tf.nn.dropout(rows(), rate="a"),
    keep_prob_text=lambda: tf.nn.dropout(rows(), "a"),
    x_int=lambda: tf.nn.dropout(rows(dtype=tf.int32), 0.5),
    x_none=lambda: tf.nn.dropout(None, 0.5),
)


def entropy(function, labels, logits, **named):
    return getattr(tf.nn, function)(labels=labels, logits=logits, **named)


for name in ("softmax_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits",
             "softmax_cross_entropy_with_logits_v2"):
    misuses_of(
        "nn_" + name,
        labels_none=lambda name=name: entropy(name, None, rows()),
        logits_none=lambda name=name: entropy(name, rows(), None),
        int_logits=lambda name=name: entropy(name, rows((2,), tf.int32, "l") if "sparse" in name else rows((2, 4), name="l"),
                                             rows((2, 4), tf.int32)),
        ranks=lambda name=name: entropy(name, rows((2, 3, 4), tf.int32 if "sparse" in name else tf.float32, "l"), rows((2, 4))),
    )

misuses_of(
    "nn",
    top_k_negative=lambda: tf.nn.top_k(rows(), -1),
    top_k_too_many=lambda: tf.nn.top_k(rows((2, 4)), 5),
    top_k_none=lambda: tf.nn.top_k(rows(), None),
    top_k_of_scalar=lambda: tf.nn.top_k(rows(()), 1),
    in_top_k_dtypes=lambda: tf.nn.in_top_k(rows(), rows((None,), tf.float32, "t"), 1),
    in_top_k_rank=lambda: tf.nn.in_top_k(rows((4,)), rows((4,), tf.int32, "t"), 1),
    l2_loss_of_int=lambda: tf.nn.l2_loss(rows(dtype=tf.int32)),
    softmax_axis_too_large=lambda: tf.nn.softmax(rows((2, 3)), axis=2),
    softmax_axis_text=lambda: tf.nn.softmax(rows((2, 3)), axis="a"),
    softmax_of_scalar=lambda: tf.nn.softmax(rows(())),
    leaky_relu_alpha_none=lambda: tf.nn.leaky_relu(rows(), alpha=None),
    leaky_relu_alpha_text=lambda: tf.nn.leaky_relu(rows(), alpha="a"),
    lrn_rank=lambda: tf.nn.lrn(rows()),
    embedding_float_ids=lambda: tf.nn.embedding_lookup(rows((5, 2)), rows((3,), name="ids")),
    embedding_of_scalar=lambda: tf.nn.embedding_lookup(rows(()), [1]),
    embedding_none=lambda: tf.nn.embedding_lookup(None, [1]),
    embedding_empty=lambda: tf.nn.embedding_lookup([], [1]),
    embedding_ids_none=lambda: tf.nn.embedding_lookup(rows((5, 2)), None),
    embedding_strategy=lambda: tf.nn.embedding_lookup(rows((5, 2)), [1], partition_strategy="other"),
)
