"""Objects that keep what they have seen."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
metrics = tf.keras.metrics
truth, guess = [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]], [[0.2, 0.7, 0.1], [0.3, 0.3, 0.4]]
for made in (metrics.Accuracy(), metrics.BinaryAccuracy(threshold=0.35), metrics.CategoricalAccuracy(), metrics.TopKCategoricalAccuracy(k=1), metrics.MeanSquaredError(),
             metrics.RootMeanSquaredError(), metrics.MeanAbsoluteError(), metrics.CosineSimilarity(), metrics.LogCoshError(), metrics.Poisson(), metrics.KLDivergence(),
             metrics.Hinge(), metrics.SquaredHinge(), metrics.CategoricalHinge(), metrics.BinaryCrossentropy(), metrics.CategoricalCrossentropy(label_smoothing=0.1)):
    session = backend.get_session()
    session.run([variable.initializer for variable in made.variables])
    for weights in (None, [1.0, 2.0]):
        session.run(made.update_state(truth, guess, sample_weight=weights))
    print(made.name, rounded(session.run(made.result())), [variable.name.split("_")[0].split(":")[0] for variable in made.variables])
