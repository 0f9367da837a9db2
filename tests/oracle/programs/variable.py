"""Reference variables (VariableV2) and what their methods add to a graph."""

from programs import program
from tensorflow_v1 import np, tf


@program
def variable_from_value():
    tf.Variable(1)
    tf.Variable(0.5)
    tf.Variable([1.0, 2.0])
    tf.Variable(np.zeros((2, 3), np.float32))
    tf.Variable(True)
    tf.Variable(3, dtype=tf.float32)
    tf.Variable("text")


@program
def variable_from_tensor():
    tf.Variable(tf.zeros([2, 3]))
    tf.Variable(tf.random_uniform([2], -1.0, 1.0))
    tf.Variable(tf.constant(2.0))
    tf.Variable(tf.constant([1, 2]) + 1, name="sum")


@program
def variable_named():
    tf.Variable(0.0, name="weight")
    tf.Variable(0.0, name="weight")
    tf.Variable(0.0, name="bias", trainable=False)
    tf.Variable(tf.zeros([1]), name="zeros")
    tf.Variable(0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])


@program
def variable_from_function():
    tf.Variable(lambda: tf.zeros([2]), name="lazy")
    tf.Variable(lambda: 4.0, dtype=tf.float32)


@program
def variable_without_static_shape():
    x = tf.placeholder(tf.float32)
    tf.Variable(x, validate_shape=False, name="any")
    tf.Variable(tf.placeholder(tf.float32, [2]), name="two")


@program
def variable_assign():
    v = tf.Variable([1.0, 2.0], name="v")
    v.assign([3.0, 4.0])
    v.assign_add([1.0, 1.0])
    v.assign_sub([1.0, 1.0])
    v.assign(v + 1.0)
    v.assign(tf.placeholder(tf.float32, [2]), use_locking=True)


@program
def assign_functions():
    v = tf.Variable(1, name="v")
    tf.assign(v, 2)
    tf.assign_add(v, 1)
    tf.assign_sub(v, 1, name="less")
    tf.assign(v, 3, use_locking=False, name="set")


@program
def variable_value_and_reads():
    v = tf.Variable(1.0, name="v")
    v.value()
    v.read_value()
    tf.identity(v)
    v + 1.0
    1.0 - v
    -v
    v * v
    v[tf.newaxis]


@program
def variable_initialized_value():
    v = tf.Variable(tf.random_normal([2]), name="v")
    v.initialized_value()


@program
def variable_from_initialized_value():
    v = tf.Variable(tf.random_normal([2]), name="v")
    tf.Variable(v.initialized_value() * 2.0, name="w")


@program
def variable_is_initialized():
    v = tf.Variable(0.0, name="v")
    tf.is_variable_initialized(v).mark_used()
    tf.report_uninitialized_variables([v]).mark_used()


@program
def variable_initializers():
    tf.Variable(1, name="a")
    tf.Variable(2, name="b")
    tf.Variable(3, name="c", trainable=False)
    tf.global_variables_initializer()
    tf.global_variables_initializer()
    tf.local_variables_initializer()
    tf.variables_initializer(tf.trainable_variables(), name="only_two")
    tf.variables_initializer([])


@program
def variable_count_up_to():
    v = tf.Variable(0, name="v")
    v.count_up_to(5)


@program
def get_variable_defaults():
    tf.get_variable("w", [3, 4])
    tf.get_variable("i", [3], dtype=tf.int32)
    tf.get_variable("flag", [2], dtype=tf.bool)
    tf.get_variable("d", [3, 4], dtype=tf.float64)
    tf.get_variable("scalar", [])
    tf.get_variable("frozen", [2], trainable=False)


@program
def get_variable_simple_initializers():
    tf.get_variable("zeros", [2], initializer=tf.zeros_initializer())
    tf.get_variable("zeros_uncalled", [2], initializer=tf.zeros_initializer)
    tf.get_variable("ones", [2, 2], initializer=tf.ones_initializer())
    tf.get_variable("constant", [2], initializer=tf.constant_initializer(0.4))
    tf.get_variable("list", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]))
    tf.get_variable("ints", [2], dtype=tf.int32, initializer=tf.constant_initializer(3))
    tf.get_variable("large", [40, 50], initializer=tf.zeros_initializer())


@program
def get_variable_random_initializers():
    tf.get_variable("uniform", [2], initializer=tf.random_uniform_initializer(-0.5, 0.5))
    tf.get_variable("uniform_seed", [2], initializer=tf.random_uniform_initializer(0, 1, seed=3))
    tf.get_variable("normal", [2], initializer=tf.random_normal_initializer())
    tf.get_variable("normal_seed", [2], initializer=tf.random_normal_initializer(1.0, 0.1, seed=4))
    tf.get_variable("truncated", [2], initializer=tf.truncated_normal_initializer(stddev=0.1))
    tf.get_variable("truncated_seed", [2], initializer=tf.truncated_normal_initializer(seed=5))


@program
def get_variable_glorot():
    tf.get_variable("matrix", [3, 4], initializer=tf.glorot_uniform_initializer(seed=0))
    tf.get_variable("vector", [5], initializer=tf.glorot_uniform_initializer())
    tf.get_variable("filter", [5, 5, 2, 3], initializer=tf.glorot_normal_initializer(seed=1))
    tf.get_variable("normal", [3, 4], initializer=tf.glorot_normal_initializer())
    tf.get_variable("wide", [3, 4], dtype=tf.float64, initializer=tf.glorot_uniform_initializer(seed=0))


@program
def get_variable_from_value():
    tf.get_variable("from_tensor", initializer=tf.constant([1.0, 2.0]))
    tf.get_variable("from_number", initializer=3.0)
    tf.get_variable("from_list", initializer=[1, 2])
    tf.get_variable("from_array", initializer=np.ones((2, 2), np.float32))


@program
def get_variable_with_seeds():
    tf.set_random_seed(11)
    tf.get_variable("a", [2])
    tf.get_variable("b", [2], initializer=tf.glorot_uniform_initializer(seed=0))
    tf.get_variable("c", [2], initializer=tf.random_normal_initializer())


@program
def global_step():
    tf.train.get_or_create_global_step()
    tf.train.get_or_create_global_step()
    tf.Variable(0, name="step", trainable=False)
