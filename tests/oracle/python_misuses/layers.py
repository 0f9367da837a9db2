"""tf.layers with arguments that they cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import np, tf


def rows(columns=4, dtype=tf.float32):
    return tf.placeholder(dtype, [None, columns], name="x")


def images(dtype=tf.float32):
    return tf.placeholder(dtype, [None, 8, 8, 3], name="images")


def dense(*arguments, **named):
    return tf.layers.dense(*arguments, **named)


misuses_of(
    "dense",
    inputs_none=lambda: dense(None, 3),
    inputs_text=lambda: dense("a", 3),
    inputs_int=lambda: dense(rows(dtype=tf.int32), 3),
    inputs_bool=lambda: dense(rows(dtype=tf.bool), 3),
    inputs_string=lambda: dense(rows(dtype=tf.string), 3),
    inputs_scalar=lambda: dense(tf.constant(1.0), 3),
    inputs_vector=lambda: dense(tf.constant([1.0, 2.0]), 3),
    inputs_unknown_rank=lambda: dense(tf.placeholder(tf.float32), 3),
    inputs_unknown_columns=lambda: dense(tf.placeholder(tf.float32, [2, None]), 3),
    units_none=lambda: dense(rows(), None),
    units_text=lambda: dense(rows(), "3"),
    units_words=lambda: dense(rows(), "many"),
    units_zero=lambda: dense(rows(), 0),
    units_negative=lambda: dense(rows(), -1),
    units_fraction=lambda: dense(rows(), 2.5),
    units_list=lambda: dense(rows(), [3]),
    activation_word=lambda: dense(rows(), 3, activation="relu"),
    activation_unknown_word=lambda: dense(rows(), 3, activation="nothing_like_it"),
    activation_number=lambda: dense(rows(), 3, activation=5),
    initializer_word=lambda: dense(rows(), 3, kernel_initializer="zeros"),
    initializer_unknown_word=lambda: dense(rows(), 3, kernel_initializer="nothing_like_it"),
    initializer_number=lambda: dense(rows(), 3, kernel_initializer=5),
    bias_initializer_none=lambda: dense(rows(), 3, bias_initializer=None),
    name_number=lambda: dense(rows(), 3, name=5),
    name_wrong=lambda: dense(rows(), 3, name="a b"),
    reuse_what_is_not_there=lambda: dense(rows(), 3, name="d", reuse=True),
    made_twice=lambda: (dense(rows(), 3, name="d"), dense(rows(), 3, name="d")),
    reuse_of_other_shape=lambda: (dense(rows(), 3, name="d"), dense(rows(), 2, name="d", reuse=True)),
    reuse_without_name=lambda: dense(rows(), 3, reuse=True),
    unknown_argument=lambda: dense(rows(), 3, nothing=1),
    no_units=lambda: tf.layers.dense(rows()),
    list_of_inputs=lambda: dense([rows(), rows()], 3),
    array=lambda: dense(np.zeros((2, 3), np.float32), 3),
    list_of_numbers=lambda: dense([[1.0, 2.0]], 3),
)


def conv2d(*arguments, **named):
    return tf.layers.conv2d(*arguments, **named)


misuses_of(
    "conv2d",
    inputs_none=lambda: conv2d(None, 4, 3),
    inputs_rank=lambda: conv2d(rows(), 4, 3),
    inputs_int=lambda: conv2d(images(tf.int32), 4, 3),
    inputs_unknown_rank=lambda: conv2d(tf.placeholder(tf.float32), 4, 3),
    inputs_unknown_channels=lambda: conv2d(tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3),
    filters_zero=lambda: conv2d(images(), 0, 3),
    filters_negative=lambda: conv2d(images(), -2, 3),
    filters_none=lambda: conv2d(images(), None, 3),
    filters_text=lambda: conv2d(images(), "4", 3),
    filters_fraction=lambda: conv2d(images(), 4.5, 3),
    kernel_zero=lambda: conv2d(images(), 4, 0),
    kernel_zero_in_pair=lambda: conv2d(images(), 4, [3, 0]),
    kernel_negative=lambda: conv2d(images(), 4, -1),
    kernel_none=lambda: conv2d(images(), 4, None),
    kernel_text=lambda: conv2d(images(), 4, "33"),
    kernel_three=lambda: conv2d(images(), 4, (3, 3, 3)),
    kernel_fraction=lambda: conv2d(images(), 4, 2.5),
    kernel_fraction_in_pair=lambda: conv2d(images(), 4, (2.5, 3)),
    kernel_too_large=lambda: conv2d(images(), 4, 9),
    strides_zero=lambda: conv2d(images(), 4, 3, strides=0),
    strides_negative=lambda: conv2d(images(), 4, 3, strides=(1, -1)),
    strides_three=lambda: conv2d(images(), 4, 3, strides=(1, 1, 1)),
    strides_none=lambda: conv2d(images(), 4, 3, strides=None),
    strides_and_dilation=lambda: conv2d(images(), 4, 3, strides=2, dilation_rate=2),
    strides_and_dilation_in_one=lambda: conv2d(images(), 4, 3, strides=(1, 2), dilation_rate=(2, 1)),
    dilation_zero=lambda: conv2d(images(), 4, 3, dilation_rate=0),
    dilation_negative=lambda: conv2d(images(), 4, 3, dilation_rate=-1),
    dilation_three=lambda: conv2d(images(), 4, 3, dilation_rate=(1, 1, 1)),
    padding_word=lambda: conv2d(images(), 4, 3, padding="half"),
    padding_none=lambda: conv2d(images(), 4, 3, padding=None),
    padding_causal=lambda: conv2d(images(), 4, 3, padding="causal"),
    padding_number=lambda: conv2d(images(), 4, 3, padding=1),
    data_format_word=lambda: conv2d(images(), 4, 3, data_format="NHWC"),
    data_format_none=lambda: conv2d(images(), 4, 3, data_format=None),
    activation_word=lambda: conv2d(images(), 4, 3, activation="relu"),
    made_twice=lambda: (conv2d(images(), 4, 3, name="c"), conv2d(images(), 4, 3, name="c")),
    unknown_argument=lambda: conv2d(images(), 4, 3, nothing=1),
)

misuses_of(
    "max_pooling2d",
    inputs_none=lambda: tf.layers.max_pooling2d(None, 2, 2),
    inputs_rank=lambda: tf.layers.max_pooling2d(rows(), 2, 2),
    inputs_int=lambda: tf.layers.max_pooling2d(images(tf.int32), 2, 2),
    size_zero=lambda: tf.layers.max_pooling2d(images(), 0, 2),
    size_negative=lambda: tf.layers.max_pooling2d(images(), -1, 2),
    size_three=lambda: tf.layers.max_pooling2d(images(), (2, 2, 2), 2),
    size_none=lambda: tf.layers.max_pooling2d(images(), None, 2),
    size_text=lambda: tf.layers.max_pooling2d(images(), "ab", 2),
    size_too_large=lambda: tf.layers.max_pooling2d(images(), 9, 2),
    strides_zero=lambda: tf.layers.max_pooling2d(images(), 2, 0),
    strides_none=lambda: tf.layers.max_pooling2d(images(), 2, None),
    no_strides=lambda: tf.layers.max_pooling2d(images(), 2),
    padding_word=lambda: tf.layers.max_pooling2d(images(), 2, 2, padding="half"),
    data_format_word=lambda: tf.layers.max_pooling2d(images(), 2, 2, data_format="NCHW"),
)

misuses_of(
    "average_pooling2d",
    inputs_int=lambda: tf.layers.average_pooling2d(images(tf.int32), 2, 2),
    inputs_rank=lambda: tf.layers.average_pooling2d(rows(), 2, 2),
    size_zero=lambda: tf.layers.average_pooling2d(images(), 0, 2),
    strides_three=lambda: tf.layers.average_pooling2d(images(), 2, (1, 1, 1)),
)

misuses_of(
    "layers_dropout",
    inputs_none=lambda: tf.layers.dropout(None),
    inputs_int=lambda: tf.layers.dropout(rows(dtype=tf.int32), training=True),
    inputs_int_not_training=lambda: tf.layers.dropout(rows(dtype=tf.int32)),
    rate_one=lambda: tf.layers.dropout(rows(), 1.0, training=True),
    rate_zero=lambda: tf.layers.dropout(rows(), 0.0, training=True),
    rate_large=lambda: tf.layers.dropout(rows(), 1.5, training=True),
    rate_negative=lambda: tf.layers.dropout(rows(), -0.5, training=True),
    rate_large_not_training=lambda: tf.layers.dropout(rows(), 1.5),
    rate_none=lambda: tf.layers.dropout(rows(), None, training=True),
    rate_text=lambda: tf.layers.dropout(rows(), "half", training=True),
    rate_tensor=lambda: tf.layers.dropout(rows(), tf.constant(0.5), training=True),
    rate_double_tensor=lambda: tf.layers.dropout(rows(), tf.constant(0.5, tf.float64), training=True),
    training_none=lambda: tf.layers.dropout(rows(), training=None),
    training_text=lambda: tf.layers.dropout(rows(), training="yes"),
    training_number=lambda: tf.layers.dropout(rows(), training=1),
    training_float_tensor=lambda: tf.layers.dropout(rows(), training=tf.constant(1.0)),
    noise_shape_text=lambda: tf.layers.dropout(rows(), noise_shape="ab", training=True),
    noise_shape_rank=lambda: tf.layers.dropout(rows(), noise_shape=[1], training=True),
    noise_shape_none_dimension=lambda: tf.layers.dropout(rows(), noise_shape=[None, 1], training=True),
    noise_shape_does_not_fit=lambda: tf.layers.dropout(rows(), noise_shape=[1, 3], training=True),
    seed_text=lambda: tf.layers.dropout(rows(), seed="a", training=True),
)

misuses_of(
    "layers_flatten",
    inputs_none=lambda: tf.layers.flatten(None),
    inputs_scalar=lambda: tf.layers.flatten(tf.constant(1.0)),
    inputs_vector=lambda: tf.layers.flatten(tf.constant([1.0])),
    inputs_unknown_rank=lambda: tf.layers.flatten(tf.placeholder(tf.float32)),
    inputs_int=lambda: tf.layers.flatten(images(tf.int32)),
    data_format_word=lambda: tf.layers.flatten(images(), data_format="NHWC"),
)
