"""Metrics of Keras by themselves, while operations run at once."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
metrics = tf.keras.metrics
area, share, mean = metrics.AUC(), metrics.Precision(), metrics.Mean()
truths = [0, 1, 1, 0, 1]
for guesses in ([0.2, 0.9, 0.4, 0.6, 0.7], [0.1, 0.3, 0.8, 0.9, 0.6]):
    area.update_state(truths, guesses)
    share.update_state(truths, guesses)
    print(round(float(mean(guesses).numpy()), 4), round(float(area.result().numpy()), 4), round(float(share.result().numpy()), 4))
mean.reset_states()
acc = metrics.SparseCategoricalAccuracy()
acc.update_state([0, 1, 2], [[0.9, 0.1, 0.0], [0.2, 0.1, 0.7], [0.0, 0.2, 0.8]])
print(float(mean.result().numpy()), [variable.name for variable in area.variables], round(float(acc.result().numpy()), 4))
rms = metrics.RootMeanSquaredError()
rms.update_state([1.0, 2.0], [0.0, 4.0], sample_weight=[1.0, 3.0])
print(round(float(rms.result().numpy()), 4), metrics.MeanSquaredError()([1.0, 2.0], [2.0, 4.0]).numpy())
