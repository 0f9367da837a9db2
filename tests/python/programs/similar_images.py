"""tf.image.ssim and ssim_multiscale of images and of batches of them, of bytes and of fractions."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
numbers = np.random.RandomState(7)


def show(*fetches, **options):
    with tf.Session() as sess:
        for value in sess.run(fetches, options.get("fed")):
            print(value.dtype, value.shape, ["%.4f" % number for number in np.ravel(value)[:6]])


first = numbers.rand(2, 24, 20, 3).astype(np.float32)
second = np.clip(first + 0.1 * numbers.randn(*first.shape), 0, 1).astype(np.float32)
show(tf.image.ssim(first, second, 1.0), tf.image.ssim(first, first, 1.0), tf.image.ssim(first[0], second[0], max_val=1.0),
     tf.image.ssim(first, second, 1.0, filter_size=7, filter_sigma=1.0, k1=0.05, k2=0.02),
     tf.image.ssim(first, second, 1.0, return_index_map=True), tf.image.ssim(first[:, None], second[None], 1.0))
byte_images = [(255 * images).astype(np.uint8) for images in (first, second)]
show(tf.image.ssim(byte_images[0], byte_images[1], 255))
print(tf.image.ssim(first, second, 1.0).name)
large = numbers.rand(2, 67, 60, 1).astype(np.float32)
other = np.clip(large + 0.05 * numbers.randn(*large.shape), 0, 1).astype(np.float32)
show(tf.image.ssim_multiscale(large, other, 1.0, filter_size=3), tf.image.ssim_multiscale(large, other, 1.0, power_factors=(0.5, 0.3, 0.2)),
     tf.image.ssim_multiscale(large, large, 1.0, filter_size=4))
any_images = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
show(tf.image.ssim(any_images[0], any_images[1], 1.0), fed=dict(zip(any_images, (first, second))))
slopes = tf.gradients(tf.image.ssim(any_images[0], any_images[1], 1.0), any_images[0])
show(100 * slopes[0][:, 12, 10], fed=dict(zip(any_images, (first, second))))
for wrong in (lambda: tf.image.ssim(first, second[:, :20], 1.0), lambda: tf.image.ssim(first[:, 0, 0], second[:, 0, 0], 1.0),
              lambda: tf.image.ssim(np.zeros([2, 12, 12, 1]), np.zeros([3, 12, 12, 1]), 1.0),
              lambda: show(tf.image.ssim(first[:, :8], second[:, :8], 1.0)),
              lambda: show(tf.image.ssim(any_images[0], any_images[1], 1.0), fed=dict(zip(any_images, (first, second[:, :20]))))):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
