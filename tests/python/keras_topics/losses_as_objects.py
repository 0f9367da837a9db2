"""Objects of losses: reductions, weights, names and configs."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
losses = tf.keras.losses
truth, guess = tf.constant(numbers(2, 3)), tf.constant(numbers(2, 3)[::-1].copy() * 0.8 + 0.1)
for made in (losses.MeanSquaredError(), losses.MeanAbsoluteError(reduction="sum"), losses.BinaryCrossentropy(label_smoothing=0.1), losses.Huber(0.2), losses.LogCosh(),
             losses.CategoricalCrossentropy(from_logits=True, name="mine"), losses.KLDivergence(), losses.Poisson(), losses.CosineSimilarity(), losses.Hinge(reduction="none")):
    print(made.name, rounded(backend.eval(made(truth, guess))), rounded(backend.eval(made(truth, guess, sample_weight=[1.0, 3.0]))), made.reduction)
print(losses.SparseCategoricalCrossentropy()(tf.constant([0, 2]), guess).shape, losses.Huber(0.5).get_config()["delta"])
model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
settled(model).compile("sgd", losses.MeanSquaredError(reduction="sum"))
print(rounded(model.train_on_batch(numbers(4, 3), numbers(4, 2))))
