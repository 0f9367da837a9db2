"""Gram matrices and a loss of style, content and smoothness."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
def gram(x):
    features = backend.batch_flatten(backend.permute_dimensions(x, (2, 0, 1)))
    return backend.dot(features, backend.transpose(features))


model = settled(tf.keras.Sequential([layers.Conv2D(3, 3, padding="same", activation="relu", input_shape=(6, 6, 3), name="block")]))
style, content = backend.constant(numbers(1, 6, 6, 3)), backend.constant(numbers(1, 6, 6, 3)[:, ::-1].copy())
mixed = backend.placeholder((1, 6, 6, 3))
features = model(backend.concatenate([content, style, mixed], axis=0))
loss = 0.1 * backend.sum(backend.square(features[0] - features[2])) + backend.sum(backend.square(gram(features[1]) - gram(features[2]))) / 1000.0
loss += 0.01 * backend.sum(backend.pow(backend.square(mixed[:, :5, :5] - mixed[:, 1:, :5]) + backend.square(mixed[:, :5, :5] - mixed[:, :5, 1:]), 1.25))
both = backend.function([mixed], [loss, *backend.gradients(loss, mixed)])
value, gradients = both([numbers(1, 6, 6, 3) * 0.5 + 0.2])
print(round(float(value), 3), gradients.shape, rounded(gradients.ravel()[:4]))
