"""Nothing happens without training; in training about a part is zero, and the rest is scaled."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import refused

layers = tf.keras.layers
backend = tf.keras.backend
for layer, shape in ((layers.Dropout(0.5), (4000,)), (layers.SpatialDropout1D(0.5), (8, 500)), (layers.SpatialDropout2D(0.5), (2, 2, 500)),
                     (layers.SpatialDropout3D(0.5), (2, 2, 2, 500)), (layers.GaussianDropout(0.5), (4000,)), (layers.AlphaDropout(0.5), (4000,))):
    ones = tf.ones((2, *shape))
    quiet, noisy = backend.get_session().run([layer(ones, training=False), layer(ones, training=True)])
    kept = sorted(set(np.round(noisy.ravel(), 3))) if "Gaussian" not in layer.name and len(set(noisy.ravel())) < 4 else []
    print(layer.name, quiet.min(), quiet.max(), kept, noisy.shape, abs(float(noisy.mean()) - 1.0) < 0.2 or layer.name == "alpha_dropout", layer.get_config()["rate"])
print(refused(layers.Dropout, 1.5))
