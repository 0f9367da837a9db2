"""The files beside checkpoints: their state, when they were written, their names and their graphs."""

import os
import tempfile
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
folder = tempfile.mkdtemp()
prefix = os.path.join(folder, "model")


def names(of=folder):
    return sorted(name for name in os.listdir(of) if not name.endswith(".tmp"))


def text(name="checkpoint"):
    with open(os.path.join(folder, name)) as file:
        return file.read().replace(folder, "FOLDER")


state = tf.train.generate_checkpoint_state_proto("/data", "/data/b", ["/data/a"])
print(state.model_checkpoint_path, list(state.all_model_checkpoint_paths), list(state.all_model_checkpoint_timestamps))
state = tf.train.generate_checkpoint_state_proto("data", "data/b", ["data/a", "data/b"], [1.5, 2.5], 0.5)
print(state.model_checkpoint_path, list(state.all_model_checkpoint_paths), list(state.all_model_checkpoint_timestamps),
      state.last_preserved_timestamp)
tf.train.update_checkpoint_state(folder, prefix, [prefix + "-0", prefix])
print(text())
tf.train.update_checkpoint_state(folder, "a\"b", latest_filename="newest", all_model_checkpoint_timestamps=[1.0], last_preserved_timestamp=2.0)
print(text("newest"))
state = tf.train.get_checkpoint_state(folder, "newest")
print(state.model_checkpoint_path.replace(folder, "FOLDER"), list(state.all_model_checkpoint_timestamps))
v = tf.get_variable("v", initializer=[1.0, 2.0])
tf.train.batch([v], 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver = tf.train.Saver(max_to_keep=2, pad_step_number=True)
    for step in (1, 20, 300):
        print(os.path.basename(saver.save(sess, prefix, step, meta_graph_suffix="graph")))
    print(names())
    saver = tf.train.Saver(save_relative_paths=True, name="relative")
    saver.save(sess, prefix, 7)
    saver.save(sess, prefix, 123456789, write_meta_graph=False)
    print(text())
    print(os.path.basename(tf.train.latest_checkpoint(folder)))
print(names())
times = tf.train.get_checkpoint_mtimes([prefix + "-7", prefix + "-none"])
print(len(times), abs(times[0] - os.stat(prefix + "-7.index").st_mtime) < 1)
tf.train.remove_checkpoint(prefix + "-7")
tf.train.remove_checkpoint(prefix + "-00000300", meta_graph_suffix="graph")
tf.train.remove_checkpoint(prefix + "-not-there")
print(names())
with tf.Graph().as_default(), tf.Session() as sess:
    saver = tf.train.import_meta_graph(prefix + "-00000020.graph")
    saver.restore(sess, prefix + "-00000020")
    print(sess.run("v:0").tolist(), [runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run("batch:0").tolist())
    coord.request_stop()
    coord.join(threads)
found = tf.train.checkpoints_iterator(folder, timeout=0)
print([os.path.basename(path) for path in found])
asked = []


def enough():
    asked.append(1)
    return len(asked) > 1


print([os.path.basename(path) for path in tf.train.checkpoints_iterator(folder, timeout=0, timeout_fn=enough)])
