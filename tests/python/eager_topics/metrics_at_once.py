"""Metrics as objects, called and updated."""

import tensorflow.compat.v1 as tf

for metric in (tf.keras.metrics.Accuracy(), tf.keras.metrics.CategoricalAccuracy(), tf.keras.metrics.SparseCategoricalAccuracy(), tf.keras.metrics.BinaryAccuracy(), tf.keras.metrics.AUC(), tf.keras.metrics.Precision(), tf.keras.metrics.MeanSquaredError()):
    if "sparse" in metric.name:
        metric.update_state([1, 0], [[0.1, 0.9], [0.2, 0.8]])
    else:
        metric.update_state([[0.0, 1.0], [1.0, 0.0]], [[0.1, 0.9], [0.6, 0.4]])
    first = float(metric.result())
    metric.reset_states()
    print(metric.name, round(first, 4), float(metric.result()))
mean = tf.keras.metrics.Mean()
print(float(mean([1.0, 3.0])), float(mean(5.0, sample_weight=2.0)), mean.count.numpy())
