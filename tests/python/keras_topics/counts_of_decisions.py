"""True and false positives and negatives, precision and recall."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
metrics = tf.keras.metrics
truth, guess = [0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.6, 0.9]
for made in (metrics.TruePositives(), metrics.FalsePositives(0.1), metrics.TrueNegatives([0.3, 0.65]), metrics.FalseNegatives(), metrics.Precision(), metrics.Recall(thresholds=[0.3, 0.8])):
    session = backend.get_session()
    session.run([variable.initializer for variable in made.variables])
    session.run(made.update_state(truth, guess))
    session.run(made.update_state(truth, guess, sample_weight=[1, 2, 1, 2, 1]))
    print(made.name, rounded(session.run(made.result())), [variable.name for variable in made.variables])
