"""tf.train.Checkpoint and its manager."""

import os

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model, optimizer, step = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]), optimizers.Adam(0.1), tf.Variable(0)
settled(model)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
manager = tf.train.CheckpointManager(checkpoint, "kept", max_to_keep=2)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(numbers(2, 3)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    step.assign_add(1)
    manager.save()
before = model.get_weights()
settled(model)
step.assign(0)
checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
print(int(step.numpy()), np.allclose(before[0], model.get_weights()[0]), [os.path.basename(path) for path in manager.checkpoints], sorted(name for name, _ in tf.train.list_variables(manager.latest_checkpoint))[:3])
