"""AUC, and one share where another is large enough."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, rounded

backend = tf.keras.backend
metrics = tf.keras.metrics
truth, guess = [0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.4, 0.6, 0.9, 0.1]
for made in (metrics.AUC(), metrics.AUC(num_thresholds=5), metrics.AUC(curve="PR", summation_method="majoring"), metrics.SensitivityAtSpecificity(0.6),
             metrics.SpecificityAtSensitivity(0.9), metrics.PrecisionAtRecall(0.5), metrics.RecallAtPrecision(0.8)):
    session = backend.get_session()
    session.run([variable.initializer for variable in made.variables])
    session.run(made.update_state(truth, guess))
    print(made.name, rounded(session.run(made.result())))
print(refused(metrics.AUC, curve="other"), refused(metrics.PrecisionAtRecall, 2.0))
