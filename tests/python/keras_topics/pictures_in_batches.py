"""ImageDataGenerator's flows and what it does without chance."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

image = tf.keras.preprocessing.image
x = numbers(4, 3, 3, 1)
made = image.ImageDataGenerator(rescale=2.0, featurewise_center=True, featurewise_std_normalization=True)
made.fit(x)
print(rounded(made.mean), rounded(made.std), rounded(made.standardize(x[1].copy()).ravel()[:4]))
print(rounded(image.ImageDataGenerator(samplewise_center=True).standardize(x[0].copy()).ravel()[:4]))
print(image.img_to_array(np.ones((2, 2))).shape, image.img_to_array(np.ones((2, 3, 1))).dtype)
