"""Variables that begin with the values of an earlier training whose vocabularies were others."""

import os
import pathlib
import tempfile
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

folder = tempfile.mkdtemp()


def vocabulary(name, *words):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("\n".join(words) + "\n")
    return path


OLD = vocabulary("old", "red", "green", "blue", "grey")
NEW = vocabulary("new", "blue", "pink", "red", "black", "green")
SAME = vocabulary("same", "blue", "red")
checkpoint = os.path.join(folder, "model")
with tf.variable_scope("net"):
    tf.get_variable("rows", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
    tf.get_variable("columns", initializer=np.arange(12, dtype=np.float32).reshape(3, 4))
    tf.get_variable("b", initializer=3.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, checkpoint)


def counting(shape, dtype=tf.float32, partition_info=None):
    count = tf.reduce_prod(tf.stack(shape))
    return tf.reshape(tf.cast(tf.range(1, count + 1), tf.float32), shape) * -1.0


def all_of(value):
    return lambda shape, dtype=tf.float32, partition_info=None: tf.fill(tf.stack(shape), value)


def warm(rows, columns=(3, 4), partitioner=None, **named):
    tf.reset_default_graph()
    with tf.variable_scope("net"):
        made = [tf.get_variable("rows", rows, initializer=tf.ones_initializer(), partitioner=partitioner),
                tf.get_variable("columns", columns, initializer=tf.ones_initializer()), tf.get_variable("b", initializer=0.0),
                tf.get_variable("words", [2, 2], initializer=tf.ones_initializer())]
    try:
        tf.train.warm_start(checkpoint, **named)
    except Exception as error:
        print(type(error).__name__, str(error).split(".  Perhaps")[0])
        return
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print([np.asarray(value).tolist() for value in sess.run([tf.convert_to_tensor(variable) for variable in made])])


info = tf.train.VocabInfo(new_vocab=NEW, new_vocab_size=5, num_oov_buckets=1, old_vocab=OLD)
print(info._replace(new_vocab="", old_vocab=""))
warm([6, 2], var_name_to_vocab_info={"net/rows": info}, vars_to_warm_start="net/(rows|b)")
warm([6, 2], var_name_to_vocab_info={"net/rows": info._replace(backup_initializer=counting)}, vars_to_warm_start=None)
warm([3, 2], var_name_to_vocab_info={"net/rows": tf.train.VocabInfo(NEW, 3, 0, OLD, 2, all_of(7.0))}, vars_to_warm_start=["net/rows"])
warm([4, 2], (3, 7), var_name_to_vocab_info={"net/columns": tf.train.VocabInfo(NEW, 5, 2, OLD, backup_initializer=counting, axis=1)},
     vars_to_warm_start="net/(columns|b)")
warm([6, 2], var_name_to_vocab_info={"net/rows": info._replace(backup_initializer=all_of(-2.0))}, vars_to_warm_start="net/rows",
     partitioner=tf.fixed_size_partitioner(2))
warm([6, 2], var_name_to_vocab_info={"net/words": tf.train.VocabInfo(SAME, 2, 0, OLD)}, var_name_to_prev_var_name={"net/words": "net/rows"},
     vars_to_warm_start="net/words")
warm([6, 2], var_name_to_vocab_info={"net/nothing": info}, vars_to_warm_start="net/b")
warm([9, 2], var_name_to_vocab_info={"net/rows": info}, vars_to_warm_start="net/rows")
warm([6, 2], (3, 9), var_name_to_vocab_info={"net/columns": info._replace(axis=1)}, vars_to_warm_start="net/columns")
try:
    tf.train.VocabInfo(NEW, 5, 1, OLD, axis=2)
except ValueError as error:
    print(error)


def told(error):
    """The sentence about the words, which TensorFlow says when it runs the step."""
    return [line for line in str(error).splitlines() if "same key" in line or "not supported" in line]


TWICE = vocabulary("twice", "red", "blue", "red", "green", "grey")
for new, old in ((NEW, TWICE), (TWICE, OLD)):
    tf.reset_default_graph()
    rows = tf.get_variable("rows", [5, 2], initializer=tf.ones_initializer())
    try:
        tf.train.warm_start(checkpoint, "rows", {"rows": tf.train.VocabInfo(new, 5, 0, old)}, {"rows": "net/rows"})
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
    except tf.errors.OpError as error:
        print(type(error).__name__, told(error))
tf.reset_default_graph()
b = tf.get_variable("net/b", initializer=0.0)
tf.train.warm_start(pathlib.Path(checkpoint))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(b))
