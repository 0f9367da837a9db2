"""What tf.keras.backend has for layers: convolutions, pools, normalization, sequences, CTC."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
K = tf.keras.backend


def numbers(*shape):
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0).astype(np.float32)


def shown(what, *tensors):
    for tensor in tensors:
        value = K.eval(tensor)
        print(what, tensor.shape.as_list(), value.shape, np.round(np.ravel(value)[:6].astype(np.float64), 4).tolist(),
              round(float(np.sum(value)), 3))


def tried(what, function):
    try:
        shown(what, function())
    except ValueError as error:
        print(what, "ValueError", str(error).split("\n")[0])


x1, x2, x3 = (K.constant(numbers(*shape)) for shape in ((2, 7, 3), (2, 6, 5, 3), (2, 4, 5, 4, 2)))
for padding in ("valid", "same", "causal"):
    shown("conv1d " + padding, K.conv1d(x1, K.constant(numbers(3, 3, 4)), padding=padding, dilation_rate=2),
          K.conv1d(x1, K.constant(numbers(2, 3, 4)), strides=2, padding=padding))
tried("conv1d", lambda: K.conv1d(x1, K.constant(numbers(2, 3, 4)), padding="other"))
for padding in ("valid", "same"):
    shown("conv3d " + padding, K.conv3d(x3, K.constant(numbers(2, 2, 2, 2, 3)), strides=(1, 2, 1), padding=padding))
    shown("depthwise " + padding, K.depthwise_conv2d(x2, K.constant(numbers(2, 3, 3, 2)), strides=(2, 2), padding=padding),
          K.depthwise_conv2d(x2, K.constant(numbers(2, 2, 3, 2)), padding=padding, dilation_rate=(2, 2)))
    shown("separable " + padding, K.separable_conv2d(x2, K.constant(numbers(2, 2, 3, 2)), K.constant(numbers(1, 1, 6, 4)), padding=padding))
    for mode in ("max", "avg"):
        shown("pool3d " + mode, K.pool3d(x3, (2, 2, 2), strides=(1, 2, 2), padding=padding, pool_mode=mode))
shown("transposed", K.conv2d_transpose(x2, K.constant(numbers(3, 3, 4, 3)), (2, 12, 10, 4), strides=(2, 2), padding="same"),
      K.conv2d_transpose(x2, K.constant(numbers(3, 3, 4, 3)), (2, 8, 7, 4)))
tried("pool3d", lambda: K.pool3d(x3, (2, 2, 2), pool_mode="other"))
shown("local", K.local_conv1d(x1, K.constant(numbers(3, 6, 4)), (2,), (2,)),
      K.local_conv2d(x2, K.constant(numbers(20, 12, 4)), (2, 2), (1, 1), (5, 4)))
shown("resized", K.resize_images(x2, 2, 3, "channels_last"), K.resize_images(x2, 2, 3, "channels_last", interpolation="bilinear"),
      K.resize_volumes(x3, 2, 1, 3, "channels_last"), K.spatial_3d_padding(x3, ((1, 0), (0, 2), (1, 1))))
mean, var, beta, gamma = (K.constant(numbers(3) + part) for part in (0, 1, 2, 3))
shown("normalized", K.batch_normalization(x2, mean, var, beta, gamma), K.batch_normalization(x1, mean, var, beta, gamma, epsilon=0.1),
      K.batch_normalization(x2, mean, var, None, None))
shown("in training", *K.normalize_batch_in_training(x2, gamma, beta, [0, 1, 2]), *K.normalize_batch_in_training(x1, gamma, beta, [0, 1]),
      *K.normalize_batch_in_training(x2, None, None, [0, 1, 2]))


def step(inputs, states):
    total = inputs + 0.5 * states[0] + (states[1] if len(states) > 1 else 0.0)
    return total, [total]


first = K.constant(np.ones((2, 3)))
mask = K.constant([[True] * 5 + [False] * 2, [True, False, True, True, True, True, True]], dtype="bool")
for options in ({}, {"go_backwards": True}, {"mask": mask}, {"mask": mask, "go_backwards": True}, {"constants": [K.constant(numbers(2, 3))]},
                {"mask": mask, "zero_output_for_mask": True}):
    for unroll in (False, True):
        last, outputs, states = K.rnn(step, x1, [first], unroll=unroll, input_length=7, **options)
        shown("rnn %s %s" % (sorted(options), unroll), last, outputs, *states)
last, outputs, states = K.rnn(step, tf.transpose(x1, [1, 0, 2]), [first], time_major=True)
shown("rnn by time", last, outputs, *states)
chances = K.softmax(K.constant(numbers(2, 6, 4) * 5))
labels, lengths, counts = K.constant([[0, 1, 2], [2, 1, 0]], dtype="int32"), K.constant([[6], [5]], dtype="int32"), K.constant([[3], [1]], dtype="int32")
shown("ctc", K.ctc_batch_cost(labels, chances, lengths, counts))
sparse = K.ctc_label_dense_to_sparse(labels, K.constant([3, 1], dtype="int32"))
shown("sparse", sparse.indices, sparse.values, K.to_dense(sparse), K.to_dense(first))
for options in ({}, {"greedy": False}, {"greedy": False, "beam_width": 5, "top_paths": 2}):
    decoded, logarithms = K.ctc_decode(chances, K.constant([6, 5], dtype="int32"), **options)
    for one in decoded:
        print(K.eval(one).tolist())
    print(np.round(K.eval(logarithms), 4).tolist())
shown("same", K.print_tensor(first, "first:"))
with K.name_scope("inside"):
    print(tf.constant(1).name)
print(set(np.ravel(K.eval(K.random_bernoulli((50, 50), 0.5))).tolist()))
