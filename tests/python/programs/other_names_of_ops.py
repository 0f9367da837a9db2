"""Functions that are one op under another name: the nodes that they make, and what a few of them give."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.constant([[0.1, -0.5], [0.25, 0.75]], name="x")
pixels = tf.constant(np.linspace(0, 1, 48, dtype=np.float32).reshape(1, 4, 4, 3), name="pixels")
waves = tf.cast(tf.constant(np.arange(8, dtype=np.float32).reshape(1, 2, 4)), tf.complex64, name="waves")
words = tf.constant(["abc", "bcd"], name="words")
counts = tf.constant([3, 1, 3], name="counts")

tensors = [
    tf.acos(x), tf.complex(x, x), tf.diag_part(x),
    tf.ensure_shape(x, [2, None]), tf.fft(waves), tf.signal.ifft2d(waves), tf.broadcast_dynamic_shape([2, 1], [3]),
    tf.depth_to_space(tf.reshape(x, [1, 1, 1, 4]), 2), tf.nn.space_to_depth(pixels, block_size=2),
    tf.fake_quant_with_min_max_args(x, min=-1, max=1), tf.image.rgb_to_hsv(pixels), tf.image.hsv_to_rgb(pixels),
    tf.image.resize_bilinear(pixels, [2, 2]), tf.image.resize_nearest_neighbor(pixels, [2, 3]),
    tf.image.resize_bicubic(pixels, [3, 3], align_corners=True), tf.image.resize_area(pixels, [2, 2]),
    tf.strings.length(words), *tf.linalg.slogdet(x), *tf.linalg.eigh(x), *tf.unique(counts), *tf.unique_with_counts(counts),
    tf.read_file("no such file"),
]
for tensor in tensors:
    print(tensor.op.name, tensor.op.type, tensor.dtype.name, tensor.shape)

with tf.Session() as sess:
    print(np.round(sess.run(tensors[0]), 4).tolist())
    print([value.tolist() for value in sess.run(tensors[-6:-1])])
