"""simple_save of a model's tensors, and what is loaded from it."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers

layers = tf.keras.layers
backend = tf.keras.backend
model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,), kernel_initializer="ones")])
model.compile("sgd", "mse")
model.fit(numbers(4, 3), numbers(4, 2), verbose=0, shuffle=False)
tf.saved_model.simple_save(backend.get_session(), "served", {"x": model.input}, {"y": model.output})
made = model.predict(numbers(2, 3))
with tf.Graph().as_default(), tf.Session() as session:
    signature = tf.saved_model.load(session, ["serve"], "served").signature_def["serving_default"]
    again = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: numbers(2, 3)})
print(np.allclose(made, again), sorted(signature.inputs), sorted(signature.outputs), signature.method_name)
