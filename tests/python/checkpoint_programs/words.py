"""What the classes of checkpoints say and keep: errors, managers, files by name."""

import os
import shutil
import sys
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
folder = tempfile.mkdtemp()


def attempt(what):
    try:
        print("fine", what())
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, "FOLDER").split("\n")[0][:90])


v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3, name="w")
root = tf.train.Checkpoint(v=v, parts=[w])
path = root.save(os.path.join(folder, "written"))
print(path[len(folder):], root.write(os.path.join(folder, "once"))[len(folder):])
attempt(lambda: tf.train.Checkpoint(x=5))
attempt(lambda: root.restore(os.path.join(folder, "nothing")))
attempt(lambda: root.restore(None).assert_consumed())
attempt(lambda: root.restore(None).run_restore_ops())
attempt(lambda: tf.train.Checkpoint(other=v).restore(path).assert_consumed())
attempt(lambda: tf.train.Checkpoint(v=v).restore(path).assert_consumed())
attempt(lambda: tf.train.Checkpoint(v=v).restore(path).expect_partial().assert_existing_objects_matched() and None)
attempt(lambda: tf.train.Checkpoint(v=v).restore(os.path.join(folder, "once")).assert_nontrivial_match() and None)
attempt(lambda: tf.train.Checkpoint(nobody=v).restore(path).assert_nontrivial_match() and None)
attempt(lambda: tf.train.Checkpoint(v=tf.Variable([1.0, 2.0, 3.0])).restore(path))
v.assign([0.0, 0.0])
late = tf.train.Checkpoint()
status = late.restore(path)
late.v = v
print(v.numpy(), w.numpy())
late.parts = [tf.Variable(0)]
print(late.parts[0].numpy())
status.assert_existing_objects_matched()

attempt(lambda: tf.train.CheckpointManager(root, folder, max_to_keep=0))
attempt(lambda: tf.train.CheckpointManager(root, folder, max_to_keep=1, checkpoint_interval=2))
managed = os.path.join(folder, "managed")
manager = tf.train.CheckpointManager(root, managed, max_to_keep=2)
print(manager.latest_checkpoint, manager.checkpoints, manager.restore_or_initialize())
for number in range(4):
    w.assign(number)
    print(manager.save(checkpoint_number=None if number < 3 else 70)[len(managed):])
print([path[len(managed):] for path in manager.checkpoints], manager.latest_checkpoint[len(managed):])
print(sorted(os.listdir(managed)))
print([line for line in open(os.path.join(managed, "checkpoint")).read().split("\n") if "stamp" not in line])
again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v, parts=[w]), managed, max_to_keep=1)
print([path[len(managed):] for path in again.checkpoints])
w.assign(100)
print(again.restore_or_initialize()[len(managed):], w.numpy(), int(again.checkpoint.save_counter.numpy()))
print(again.save()[len(managed):], sorted(os.listdir(managed)))
step = tf.Variable(0)
rare = tf.train.CheckpointManager(root, os.path.join(folder, "rare"), max_to_keep=None, step_counter=step, checkpoint_interval=2)
saved = []
for _ in range(6):
    step.assign_add(1)
    saved.append(rare.save() is not None)
print(saved, rare.checkpoint_interval, rare.directory == os.path.join(folder, "rare"))

shutil.rmtree(folder)
