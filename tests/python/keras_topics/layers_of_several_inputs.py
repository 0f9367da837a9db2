"""Adding, multiplying and the like."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded

layers = tf.keras.layers
a, b, c = (tf.keras.Input((4,)) for _ in range(3))
makers = [layers.Add(), layers.Multiply(), layers.Average(), layers.Maximum(), layers.Minimum(), layers.Concatenate()]
model = tf.keras.Model([a, b, c], [layer([a, b, c]) for layer in makers] + [layers.Subtract()([a, c])])
values = [numbers(2, 4), numbers(2, 4)[::-1], 1 - numbers(2, 4)]
print([rounded(one) for one in model.predict(values)], model.output_names)
print([layer.get_config().get("axis") for layer in makers], refused(layers.Concatenate(), [a, tf.keras.Input((2, 2))]))
print([one.shape.as_list() for one in (layers.add([a, b]), layers.multiply([a, b]), layers.concatenate([a, b]), layers.maximum([a, b]))])
