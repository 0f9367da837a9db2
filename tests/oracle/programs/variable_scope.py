"""Name scopes and variable scopes."""

from programs import program
from tensorflow_v1 import tf


@program
def name_scope_nesting():
    with tf.name_scope("outer"):
        tf.constant(1)
        with tf.name_scope("inner"):
            tf.constant(2)
            tf.constant(3)
        with tf.name_scope("inner"):
            tf.constant(4)
    with tf.name_scope("outer"):
        tf.constant(5)
    tf.constant(6, name="outer")


@program
def name_scope_reentered():
    with tf.name_scope("a") as scope:
        tf.constant(1)
    with tf.name_scope(scope):
        tf.constant(2)
    with tf.name_scope("a/"):
        tf.constant(3)
    with tf.name_scope(None):
        tf.constant(4)
    with tf.name_scope("b"):
        with tf.name_scope(None):
            tf.constant(5)
        with tf.name_scope("a/"):
            tf.constant(6)
        with tf.name_scope(""):
            tf.constant(7)


@program
def name_scope_collisions():
    tf.constant(0, name="a")
    with tf.name_scope("a"):
        tf.constant(1)
    tf.constant(0, name="a_1")
    with tf.name_scope("a"):
        tf.constant(2)
    with tf.name_scope("a_1"):
        tf.constant(3)
    tf.constant(0, name="a")


@program
def name_scope_with_default_and_values():
    x = tf.constant(1.0, name="x")
    with tf.name_scope(None, "default_name", [x]):
        x + 1.0
    with tf.name_scope("given", "default_name", [x]):
        x + 1.0
    with tf.name_scope(None, "default_name"):
        x + 1.0


@program
def graph_name_scope():
    graph = tf.get_default_graph()
    with graph.name_scope("g"):
        tf.constant(1)
        with graph.name_scope("g"):
            tf.constant(2)
    with graph.name_scope("g"):
        tf.constant(3)
    graph.unique_name("g")
    tf.constant(1, name="g")


@program
def variable_scope_basic():
    with tf.variable_scope("first"):
        tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        tf.constant(1)
        with tf.variable_scope("second"):
            tf.get_variable("v", [2], initializer=tf.zeros_initializer())
            tf.Variable(0, name="plain")
    with tf.variable_scope("first"):
        tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        tf.constant(1)


@program
def variable_scope_document():
    """The scopes of the document on variables."""
    with tf.variable_scope("test1", initializer=tf.constant_initializer(0.4)):
        tf.get_variable("firstvar", [2])
        with tf.variable_scope("test2"):
            tf.get_variable("test3", [2], initializer=tf.constant_initializer(0.3))
    with tf.variable_scope("test1", reuse=True):
        tf.get_variable("firstvar", [2])


@program
def variable_scope_reuse():
    with tf.variable_scope("s"):
        tf.get_variable("v", [2], initializer=tf.zeros_initializer())
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("v", [2]) + 1.0
    with tf.variable_scope("s") as scope:
        scope.reuse_variables()
        tf.get_variable("v", [2]) * 2.0
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        tf.get_variable("v", [2])
        tf.get_variable("fresh", [2], initializer=tf.ones_initializer())


@program
def variable_scope_reentered_by_object():
    with tf.variable_scope("s") as scope:
        tf.get_variable("v", [], initializer=tf.zeros_initializer())
    with tf.variable_scope("other"):
        with tf.variable_scope(scope):
            tf.get_variable("w", [], initializer=tf.zeros_initializer())
            tf.constant(1)
        with tf.variable_scope(scope, auxiliary_name_scope=False):
            tf.get_variable("x", [], initializer=tf.zeros_initializer())
            tf.constant(1)


@program
def variable_scope_default_name():
    for _ in range(2):
        with tf.variable_scope(None, default_name="layer"):
            tf.get_variable("v", [], initializer=tf.zeros_initializer())
            tf.constant(1)


@program
def variable_scope_in_name_scope():
    with tf.name_scope("n"):
        tf.get_variable("v", [], initializer=tf.zeros_initializer())
        with tf.variable_scope("s"):
            tf.get_variable("v", [], initializer=tf.zeros_initializer())
            tf.Variable(1.0)
            tf.constant(1)
