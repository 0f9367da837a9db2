"""Windows with gaps by batches of pixels, boxes that are chosen for whole batches, and losses of rows of labels."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

random = np.random.RandomState(4)


def show(*fetches, **fed):
    with tf.Session() as sess:
        for value in sess.run(fetches, {name + ":0": array for name, array in fed.items()}):
            print(value.dtype, value.shape, ["%.4f" % (number + 0.0) for number in np.ravel(value)])


def attempt(make):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, str(error).split(". Received")[0].splitlines()[0])


# Windows with gaps.
show(*tf.required_space_to_batch_paddings([5, 7], [2, 3]))
show(*tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 1], [0, 2]]))
sizes = tf.placeholder(tf.int32, [2], name="sizes")
show(*tf.required_space_to_batch_paddings(sizes, [4, 2], [[1, 0], [0, 1]]), sizes=[6, 5])
print([part.shape.as_list() for part in tf.required_space_to_batch_paddings([], tf.zeros([0], tf.int32))])
images = random.rand(1, 6, 7, 2).astype(np.float32)
filters = random.rand(2, 3, 2, 2).astype(np.float32)
flat = random.rand(2, 9, 2).astype(np.float32)


def convolve(input, num_spatial_dims, padding):
    print(input.shape.as_list(), num_spatial_dims, padding)
    return tf.nn.conv2d(input, filters, [1, 1, 1, 1], padding)


def pool_row(input, num_spatial_dims, padding):
    return tf.nn.pool(input, [2], "AVG", padding, strides=[1])


show(tf.nn.with_space_to_batch(images, [2, 2], "VALID", convolve), tf.nn.convolution(images, filters, "VALID", dilation_rate=[2, 2]))
show(tf.nn.with_space_to_batch(images, [2, 1], "SAME", convolve, filter_shape=[2, 3]))
show(tf.nn.with_space_to_batch(images, [1, 1], "SAME", convolve, filter_shape=[2, 3]))
show(tf.nn.with_space_to_batch(flat, [3], "VALID", pool_row))
fed = tf.placeholder(tf.float32, [None, None, None, 2], name="fed")
rates = tf.placeholder(tf.int32, [2], name="rates")
show(tf.nn.with_space_to_batch(fed, [2, 2], "SAME", convolve, filter_shape=[2, 3]), fed=images)
show(tf.nn.with_space_to_batch(fed, rates, "VALID", convolve), fed=images, rates=[2, 3])
show(tf.nn.with_space_to_batch(images, [2], "VALID", convolve, spatial_dims=[2]))
for wrong in (lambda: tf.nn.with_space_to_batch(images, [0, 2], "VALID", convolve), lambda: tf.nn.with_space_to_batch(images, 2, "VALID", convolve),
              lambda: tf.nn.with_space_to_batch(images, [2, 2], "SAME", convolve), lambda: tf.nn.with_space_to_batch(images, [2, 2], "NONE", convolve),
              lambda: tf.nn.with_space_to_batch(images, [2, 2, 2, 2], "VALID", convolve),
              lambda: tf.nn.with_space_to_batch(images, [2], "VALID", convolve, spatial_dims=[0])):
    attempt(wrong)

# Boxes.
boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], np.float32)
scores = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32)
show(*tf.image.non_max_suppression_padded(boxes, scores, 5, pad_to_max_output_size=True))
show(*tf.image.non_max_suppression_padded(tf.constant(boxes), scores, 5))
show(*tf.image.non_max_suppression_padded(tf.constant(boxes), scores, 2, 0.5, 0.4))
batch = tf.constant(np.stack([boxes, boxes[::-1]])), tf.constant(np.stack([scores, scores]))
show(*tf.image.non_max_suppression_padded(batch[0], batch[1], 4, pad_to_max_output_size=True, canonicalized_coordinates=True))
show(*tf.image.non_max_suppression_padded(batch[0], batch[1], 5, score_threshold=0.4, pad_to_max_output_size=True, tile_size=2))
order = np.argsort(-scores)
ordered = tf.constant(boxes[order][None]), tf.constant(scores[order][None])
show(*tf.image.non_max_suppression_padded(ordered[0], ordered[1], 5, pad_to_max_output_size=True, sorted_input=True))
attempt(lambda: tf.image.non_max_suppression_padded(batch[0], batch[1], 4))

# Labels.
logits = tf.constant(random.randn(6, 3, 5).astype(np.float32))
labels = np.array([[1, 2, 2, 4], [3, 0, 0, 0], [4, 4, 0, 0]], np.int32)
lengths = [4, 1, 2]
loss = tf.nn.ctc_loss_v2(labels, logits, lengths, [6, 5, 6])
show(loss, tf.gradients(loss, logits)[0])
show(tf.nn.ctc_loss_v2(labels, logits, lengths, [6, 5, 6], unique=tf.nn.ctc_unique_labels(labels)))
show(tf.nn.ctc_loss_v2(labels, tf.transpose(logits, [1, 0, 2]), lengths, [6, 5, 6], logits_time_major=False))
show(tf.nn.ctc_loss_v2(np.minimum(labels, 3), logits, lengths, [6, 5, 6], blank_index=-1))
sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], [1, 4, 3, 0], [3, 2])
show(tf.nn.ctc_loss_v2(sparse, logits, None, [6, 6, 6], blank_index=2), tf.nn.ctc_loss_v2(sparse, logits[:, :, ::-1], None, [6, 6, 3], blank_index=-3))
attempt(lambda: tf.nn.ctc_loss_v2(sparse, logits, None, [6, 6, 6]))
