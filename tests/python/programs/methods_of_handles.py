"""Methods of variables, scopes, graphs, shapes and tensors that programs call where others call functions."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def say(what, function):
    try:
        print(what, function())
    except (TypeError, ValueError) as error:
        print(what, type(error).__name__, str(error).splitlines()[0])


sess = tf.Session()
v = tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")
m = tf.Variable([[1, 2], [3, 4]], name="m")
delta = tf.IndexedSlices(values=[10.0, 20.0], indices=[0, 2])
for kind in ("add", "sub", "update", "mul", "div", "min", "max"):
    sess.run(tf.global_variables_initializer())
    updated = getattr(v, "scatter_" + kind)(delta, name=kind)
    print(kind, updated.op.type, updated.op.name, sess.run(updated).tolist())
for kind in ("add", "sub", "update"):
    sess.run(tf.global_variables_initializer())
    updated = getattr(m, "scatter_nd_" + kind)([[0, 1], [1, 0]], [5, 6])
    print("nd", kind, updated.op.type, sess.run(updated).tolist())
say("no slices", lambda: v.scatter_add(tf.constant([1.0])))

two = {v.ref(): "v", m.ref(): "m", v.value().ref(): "value"}
print(two[v.ref()], two[m.ref()], v.ref() == m.ref(), v.ref().deref() is v, len(two))
print(tf.global_variables()[0].ref() == v.ref(), tf.global_variables()[1].ref() in {v.ref()})
x = tf.constant(1.0, name="x")
print(x.ref() == tf.get_default_graph().get_tensor_by_name("x:0").ref(), x.ref() != v.ref(), x.ref().deref() is x, repr(x.ref()))

with tf.variable_scope("outer") as outer:
    a = tf.get_variable("a", [2])
    b = tf.get_variable("b", [2], trainable=False)
    c = tf.get_variable("c", [2], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    with tf.name_scope("inner"):
        print(tf.get_default_graph().get_name_scope())
print([each.name for each in outer.global_variables()], [each.name for each in outer.trainable_variables()],
      [each.name for each in outer.local_variables()], [each.name for each in outer.get_collection("variables")],
      len(tf.get_variable_scope().global_variables()))

graph = tf.get_default_graph()
print(repr(graph.get_name_scope()), graph.building_function)
graph.add_to_collections(["p", "q", "p"], 5)
graph.add_to_collections("r", 6)
print(graph.get_collection("p"), graph.get_collection("q"), graph.get_collection("r"), sorted(key for key in graph.collections if isinstance(key, str)))

shape = tf.TensorShape([2, None])
print(shape.with_rank_at_most(3), tf.TensorShape(None).with_rank_at_most(1), shape.most_specific_compatible_shape([2, 3]),
      shape.most_specific_compatible_shape([1, None]), shape.most_specific_compatible_shape([2]), shape.assert_same_rank([1, 1]))
say("too many", lambda: shape.with_rank_at_most(1))
say("not the same", lambda: shape.merge_with([1, 3]))
say("other rank", lambda: shape.assert_same_rank([1]))
print(np.sum(sess.run(tf.ones(shape.merge_with([None, 3])))))
print(sorted(key for key in graph.get_all_collection_keys() if key in ("variables", "trainable_variables", "p", "losses")))
