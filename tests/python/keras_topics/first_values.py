"""Initializers without chance, the sizes of those by chance, and their configs."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, rounded

backend = tf.keras.backend
initializers = tf.keras.initializers
print(rounded([backend.eval(made) for made in (initializers.Zeros()((2, 2)), initializers.Ones()((2,)), initializers.Constant(3.0)((2,)), initializers.Identity(2.0)((2, 2)))]))
for name, least, most in (("glorot_uniform", -0.1226, 0.1226), ("he_uniform", -0.1733, 0.1733), ("lecun_uniform", -0.1, 0.1), ("random_uniform", -0.05, 0.05)):
    value = backend.eval(initializers.get(name)((200, 200)))
    top = (6 / 400) ** 0.5 if "glorot" in name else (6 / 200) ** 0.5 if "he" in name else (3 / 200) ** 0.5 if "lecun" in name else 0.05
    print(name, bool(value.max() <= top), bool(value.min() >= -top), bool(value.max() > 0.98 * top), round(float(abs(value.mean())), 2))
for name in ("glorot_normal", "he_normal", "lecun_normal", "random_normal", "truncated_normal"):
    print(name, round(float(backend.eval(initializers.get(name)((300, 300))).std()), 2), sorted(initializers.serialize(initializers.get(name))["config"]))
square = backend.eval(initializers.Orthogonal(gain=2.0)((4, 4)))
print(rounded(square.dot(square.T)), refused(initializers.get, "no such"))
