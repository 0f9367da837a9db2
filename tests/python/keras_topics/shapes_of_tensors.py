"""backend: shapes and what changes them."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
x = backend.constant(numbers(2, 3, 4))
print(backend.int_shape(x), backend.ndim(x), backend.dtype(x), backend.eval(backend.shape(x)).tolist(), backend.count_params(x), backend.is_keras_tensor(x))
made = {"reshape": backend.reshape(x, (6, -1)), "permute": backend.permute_dimensions(x, (2, 0, 1)), "flatten": backend.flatten(x), "batch_flatten": backend.batch_flatten(x),
        "expand": backend.expand_dims(x, 1), "squeeze": backend.squeeze(backend.expand_dims(x), -1), "transpose": backend.transpose(x[0]), "repeat": backend.repeat(x[0], 2),
        "repeat_elements": backend.repeat_elements(x, 2, axis=1), "tile": backend.tile(x, (1, 1, 2)), "stack": backend.stack([x, x], axis=1), "reverse": backend.reverse(x, 1),
        "concatenate": backend.concatenate([x, x]), "temporal_padding": backend.temporal_padding(x), "one_hot": backend.one_hot(backend.constant([1, 0], dtype="int32"), 3),
        "gather": backend.gather(x, backend.constant([1], dtype="int32")), "resize_images": backend.resize_images(backend.expand_dims(x), 2, 2, "channels_last")}
for name in sorted(made):
    value = backend.eval(made[name])
    print(name, value.shape, rounded(value.ravel()[:4]), round(float(value.sum()), 3))
