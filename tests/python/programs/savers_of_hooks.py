"""A hook that saves by the saver of its session's scaffold, without being given either."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

seen = []


class Listener(tf.train.CheckpointSaverListener):
    def begin(self):
        seen.append("begin")

    def before_save(self, session, global_step_value):
        seen.append(("before", int(global_step_value)))

    def after_save(self, session, global_step_value):
        seen.append(("after", int(global_step_value)))

    def end(self, session, global_step_value):
        seen.append(("end", int(global_step_value)))


with tempfile.TemporaryDirectory() as folder:
    with tf.Graph().as_default():
        train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hooks = [tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()]), tf.train.StopAtStepHook(num_steps=5)]
        with tf.train.SingularMonitoredSession(hooks=hooks) as session:
            while not session.should_stop():
                session.run(train)
    print(seen, sorted(name for name in os.listdir(folder) if name.endswith("index")))
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        hook = tf.train.CheckpointSaverHook(folder, save_steps=2)
        hook.begin()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                try:
                    hook.after_create_session(session, None)
                except RuntimeError as error:
                    print(error)
                for name in ("one", "two"):
                    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver(name=name))
            definition = tf.train.Saver(name="three", max_to_keep=7).saver_def
            print(definition.filename_tensor_name, definition.save_tensor_name, definition.restore_op_name, definition.max_to_keep)
