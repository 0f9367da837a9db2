"""Parts of images and random numbers of seeds of their own."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 3).tolist())
images = tf.constant(np.arange(2 * 4 * 5 * 2).reshape(2, 4, 5, 2) ** 2 % 17, tf.float32)
boxes = tf.constant([[0.1, 0.2, 0.7, 0.9], [0.0, 0.0, 1.0, 1.0], [-0.3, 0.4, 0.6, 1.3]])
crops = tf.image.crop_and_resize(images, boxes, [1, 0, 1], [2, 3], extrapolation_value=-1.0)
nearest = tf.image.crop_and_resize(images, boxes, box_indices=[0, 0, 1], crop_size=tf.constant([2, 2]), method="nearest", name="near")
patches = tf.image.extract_image_patches(images, ksizes=[1, 2, 3, 1], strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
same = tf.image.extract_patches(images, [1, 3, 2, 1], [1, 2, 3, 1], [1, 1, 2, 1], "SAME")
print(crops.name, crops.shape, nearest.name, nearest.shape, patches.name, patches.shape, same.shape)
slopes = tf.gradients(tf.reduce_sum(crops * crops), [images, boxes]) + tf.gradients(tf.reduce_sum(same * same) + tf.reduce_sum(patches), images)
for make in (lambda: tf.image.crop_and_resize(images, boxes, [0] * 3, [2, 2], box_indices=[0] * 3),
             lambda: tf.image.extract_image_patches(images, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "ODD")):
    try: make()
    except ValueError: print("ValueError")
numbers = [tf.random.stateless_uniform([3], [1, 2]), tf.random.stateless_uniform((2, 2), seed=[5, 6], minval=-2.0, maxval=3.0, name="named"),
           tf.random.stateless_uniform([6], [3, 4], minval=2, maxval=9, dtype=tf.int32), tf.random.stateless_normal([4], [7, 8], 1.0, 2.0),
           tf.random.stateless_normal([3], [7, 8], dtype=tf.float64), tf.random.stateless_truncated_normal([5], tf.constant([9, 10]))]
print([n.dtype.name for n in numbers], *[n.shape for n in numbers], numbers[1].op.name)
try: tf.random.stateless_uniform([2], [1, 2], dtype=tf.int64)
except ValueError: print("ValueError")
with tf.Session() as sess:
    for value in sess.run([crops, nearest, patches, same, slopes[0], slopes[2]]): show("image", value)
    print("boxes", np.round(sess.run(slopes[1]).astype(np.float64), 1).tolist())
    for value in sess.run(numbers): show("numbers", value)
    try: sess.run(tf.image.crop_and_resize(images, boxes[:1], tf.placeholder_with_default([2], [1]), [1, 1]))
    except tf.errors.OutOfRangeError as e: print("box_index has values outside [0, batch_size)" in e.message)
