"""Layers of tf.contrib.layers one by one: what they give and the variables that they make."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

try:
    import tf_slim as slim  # the same, released apart from TensorFlow 1.15
    from tf_slim import layers
except ImportError:
    from tensorflow.contrib import layers, slim

tf.disable_v2_behavior()
constant = tf.constant_initializer
rows, pictures = np.random.RandomState(1).rand(6, 3).astype("f"), np.random.RandomState(2).rand(2, 4, 4, 3).astype("f")
half = {"decay": 0.5}
tenths = {"weights_initializer": constant(0.1)}
CASES = {
    "rows": lambda x, y: slim.batch_norm(x, scale=True, **half),
    "rows at once": lambda x, y: slim.batch_norm(x, updates_collections=None, scope="b", **half),
    "pictures": lambda x, y: slim.batch_norm(y, activation_fn=tf.nn.relu, center=False, scale=True, **half),
    "pictures at once": lambda x, y: slim.batch_norm(y, updates_collections=None, **half),
    "elsewhere": lambda x, y: slim.batch_norm(y, fused=False, updates_collections="elsewhere", **half),
    "not training": lambda x, y: slim.batch_norm(y, is_training=False, param_initializers={"moving_mean": constant(0.5), "beta": constant(1.0)}),
    "elements": lambda x, y: layers.layer_norm(y, scope="ln"),
    "rows as elements": lambda x, y: layers.layer_norm(x, center=False, activation_fn=tf.tanh),
    "last axis": lambda x, y: layers.layer_norm(y, begin_norm_axis=-1, begin_params_axis=1),
    "unit": lambda x, y: layers.unit_norm(y, 3),
    "transposed": lambda x, y: slim.conv2d_transpose(y, 2, 3, stride=2, **tenths),
    "transposed, valid": lambda x, y: slim.conv2d_transpose(y, 2, [3, 2], stride=2, padding="VALID", activation_fn=None,
                                                            normalizer_fn=slim.batch_norm, normalizer_params={"decay": 0.9}, **tenths),
    "separable": lambda x, y: slim.separable_conv2d(y, 5, 3, 2, stride=2, **tenths),
    "by channel": lambda x, y: slim.separable_conv2d(y, None, 3, 1, biases_initializer=None, **tenths),
    "biases": lambda x, y: layers.bias_add(x, initializer=constant(2.0), activation_fn=tf.nn.relu),
    "repeat": lambda x, y: slim.repeat(x, 2, slim.fully_connected, 3, **tenths),
    "stack": lambda x, y: slim.stack(y, slim.conv2d, [(3, 3), (2, [1, 1])], scope="st", **tenths),
    "softmax": lambda x, y: slim.softmax(y),
    "linear": lambda x, y: layers.linear(x, 2, **tenths),
    "relu6": lambda x, y: layers.relu6(x, 2, weights_initializer=constant(3.0)),
}
for name, make in CASES.items():
    with tf.Graph().as_default(), tf.Session() as sess:
        made = make(tf.constant(rows), tf.constant(pictures))
        sess.run(tf.global_variables_initializer())
        given = [sess.run(made) for _ in range(2)][-1]
        sess.run(tf.get_collection("elsewhere") + tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        print(name, made.shape, np.round(given.ravel()[:6].astype(float), 3).tolist())
        for variable in tf.global_variables():
            print("   ", variable.name, np.round(sess.run(variable).ravel()[:3].astype(float), 3).tolist(), variable in tf.trainable_variables(),
                  variable in slim.get_model_variables())
x = tf.constant(rows)
with tf.variable_scope("a"):
    slim.batch_norm(x), slim.batch_norm(x), slim.batch_norm(x, scope="w")
    with tf.variable_scope("inner"):
        slim.batch_norm(x, scope="w")
with tf.variable_scope("a", reuse=True):
    again = slim.batch_norm(x, scope="w", updates_collections=None)
print([variable.op.name for variable in slim.get_model_variables()], len(tf.global_variables()))
mine = slim.model_variable("mine", [2], initializer=constant(1.0), regularizer=slim.l2_regularizer(0.1), collections=["ours"])
other = slim.variable("other", [1], trainable=False)
print(mine.name, mine in tf.get_collection("ours"), mine in slim.get_model_variables(), other in slim.get_model_variables(),
      len(tf.losses.get_regularization_losses()), [variable.op.name for variable in slim.get_variables_by_name("beta", "a/w")],
      slim.get_unique_variable("mine").name, [variable.op.name for variable in slim.filter_variables(tf.global_variables(), ["beta"], ["inner"])])
new = tf.get_variable("new", [])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver([mine]).save(sess, tempfile.mkdtemp() + "/ck")
    sess.run(mine.assign([5.0, 6.0]))
    slim.assign_from_checkpoint_fn(path, [mine])(sess)
    print(sess.run(mine))
    slim.assign_from_values_fn({"mine": np.array([7.0, 8.0])})(sess)
    print(sess.run(mine))
    assign, feeds = slim.assign_from_checkpoint(path, [mine])
    sess.run(assign, feeds)
    print(sess.run(mine))
for attempt in (lambda: slim.get_unique_variable("zzz"), lambda: slim.get_variables_to_restore(exclude="a"), lambda: slim.batch_norm(x, data_format="X"),
                lambda: slim.stack(x, slim.fully_connected, 3), lambda: layers.unit_norm(x, 5), lambda: slim.assign_from_checkpoint(path, [new])):
    try:
        attempt()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
a = tf.get_variable("a1", [2], initializer=constant(1.0))
gradients = [(tf.constant([3.0, 4.0]), a), (None, mine)]
clipped = slim.learning.clip_gradient_norms(gradients, 1.0)
multiplied = slim.learning.multiply_gradients(gradients[:1], {a: 2.0})
step = slim.learning.create_train_op(tf.reduce_sum(a * a) + 0.0 * tf.reduce_sum(again), tf.train.GradientDescentOptimizer(0.1), clip_gradient_norm=1.0,
                                     gradient_multipliers={"a1": 3.0}, variables_to_train=[a], summarize_gradients=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([clipped[0][0], multiplied[0][0]]), clipped[1][0])
    sess.run(step)
    print(sess.run(a), sess.run(tf.train.get_global_step()), len(tf.get_collection(tf.GraphKeys.SUMMARIES)))
