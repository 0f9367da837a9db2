"""Mean, Sum, MeanTensor, MeanIoU and MeanRelativeError."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
metrics = tf.keras.metrics
session = backend.get_session()
mean, total, tensor, area = metrics.Mean(), metrics.Sum(name="all"), metrics.MeanTensor(), metrics.MeanIoU(3)
relative = metrics.MeanRelativeError([1.0, 2.0, 4.0])
updates = [mean.update_state([1.0, 2.0, 6.0], sample_weight=[1, 1, 0.5]), total.update_state([[1.0, 2.0]]), tensor.update_state([1.0, 3.0]),
           area.update_state([0, 1, 2, 2], [0, 2, 2, 2]), relative.update_state([1.0, 2.0, 3.0], [2.0, 2.0, 5.0])]
for made in (mean, total, tensor, area, relative):
    session.run([variable.initializer for variable in made.variables])
for _ in range(2):
    session.run(updates)
print([(made.name, rounded(session.run(made.result()))) for made in (mean, total, tensor, area, relative)])
mean.reset_states()
print(rounded(session.run(mean.result())), mean.get_config()["name"], area.get_config()["num_classes"])
