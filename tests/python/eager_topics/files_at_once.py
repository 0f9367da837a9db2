"""HDF5 files of models while operations run at once."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model = settled(tf.keras.Sequential([layers.Dense(3, activation="relu", input_shape=(2,)), layers.Dense(1)]))
model.compile(optimizers.RMSprop(0.01), "mse", metrics=["mae"])
model.fit(numbers(4, 2), numbers(4, 1), epochs=2, verbose=0, shuffle=False)
model.save("at_once.h5")
again = tf.keras.models.load_model("at_once.h5")
print(np.allclose(model.predict(numbers(2, 2), verbose=0), again.predict(numbers(2, 2), verbose=0)))
print([rounded(one.fit(numbers(4, 2), numbers(4, 1), epochs=1, verbose=0, shuffle=False).history) for one in (model, again)])
model.save_weights("at_once_weights.h5")
again.load_weights("at_once_weights.h5")
print(tf.keras.models.model_from_json(model.to_json()).count_params(), tf.keras.models.clone_model(model).output_shape, np.allclose(again.get_weights()[0], model.get_weights()[0]))
