"""A monitored session with hooks of the program's own and of TensorFlow's, whose checkpoints are read again."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()


class Losses(tf.train.SessionRunHook):
    def begin(self):
        self.calls = 0

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([loss, step])

    def after_run(self, run_context, run_values):
        self.calls += 1
        print("%.4f %d" % tuple(run_values.results))

    def end(self, session):
        print("calls", self.calls)


with tf.Graph().as_default():
    rows = tf.placeholder_with_default(np.arange(12, dtype=np.float32).reshape(6, 2) / 6, [None, 2])
    sums = tf.reduce_sum(rows, 1, keepdims=True)
    guessed = tf.layers.dense(rows, 1, kernel_initializer=tf.zeros_initializer(), kernel_regularizer=lambda w: 0.01 * tf.nn.l2_loss(w))
    step = tf.train.create_global_step()
    loss = tf.losses.mean_squared_error(sums, guessed) + tf.losses.get_regularization_loss()
    rate = tf.train.piecewise_constant(step, [2, 4], [0.1, 0.05, 0.01])
    train = tf.train.AdagradOptimizer(rate).minimize(loss, global_step=step)
    tf.summary.scalar("loss", loss)
    tf.summary.text("note", tf.constant("a line"))
    hooks = [Losses(), tf.train.StopAtStepHook(last_step=6), tf.train.NanTensorHook(loss),
             tf.train.CheckpointSaverHook(folder, save_steps=3, saver=tf.train.Saver())]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_summaries_steps=3, save_checkpoint_secs=None,
                                           log_step_count_steps=None) as session:
        while not session.should_stop():
            session.run(train)
print(sorted(name for name in os.listdir(folder) if not name.startswith("events")))
reader = tf.train.load_checkpoint(folder)
print(sorted(reader.get_variable_to_shape_map().items()), reader.get_tensor("global_step"))
print(tf.train.list_variables(folder), np.round(tf.train.load_variable(folder, "dense/kernel"), 4).tolist())
