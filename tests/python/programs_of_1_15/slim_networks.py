"""A network in scopes of arguments, trained: slim, as programs of TensorFlow 1 write it."""

import numpy as np
import tensorflow.compat.v1 as tf

try:
    import tf_slim as slim  # the same, released apart from TensorFlow 1.15
except ImportError:
    from tensorflow.contrib import slim

tf.disable_v2_behavior()
images = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
values = np.random.RandomState(0).rand(2, 8, 8, 3).astype("f")


def scope_of_arguments():
    parameters = {"decay": 0.9, "epsilon": 0.01, "updates_collections": tf.GraphKeys.UPDATE_OPS, "scale": True, "is_training": True}
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_initializer=tf.constant_initializer(0.1),
                        weights_regularizer=slim.l2_regularizer(0.01), normalizer_fn=slim.batch_norm, normalizer_params=parameters):
        with slim.arg_scope([slim.batch_norm], decay=0.8) as scope:
            return scope


with slim.arg_scope(scope_of_arguments()):
    with tf.variable_scope("Net", "Net", [images]) as scope:
        points = scope.original_name_scope + "_end_points"
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], padding="SAME", outputs_collections=points):
            net = slim.conv2d(images, 4, [3, 3], scope="Conv_1")
            net = slim.repeat(net, 2, slim.conv2d, 5, [3, 3], scope="rep")
            net = slim.max_pool2d(net, [2, 2], scope="pool")
            net = slim.conv2d(net, 3, 1, activation_fn=None, normalizer_fn=None)
        net = slim.stack(slim.flatten(net), slim.fully_connected, [4, 3], scope="fcs")
        net = slim.dropout(net, 0.5, is_training=False)
        logits = slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None, scope="logits")
        chances = slim.softmax(logits)
    end_points = slim.utils.convert_collection_to_dict(points)
print(logits.name, chances.shape, [(name, tensor.shape.as_list()) for name, tensor in end_points.items()])
for variable in tf.global_variables():
    print(variable.name, variable.shape, variable in tf.trainable_variables(), variable in slim.get_model_variables())
print(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
print([variable.op.name for variable in slim.get_variables_to_restore(exclude=["Net/rep", "Net/fcs"])], len(slim.get_variables("Net/Conv_1")),
      len(slim.get_variables_by_suffix("beta")), [variable.op.name for variable in slim.get_variables_by_name("weights")][:2])
tf.losses.softmax_cross_entropy(slim.one_hot_encoding([0, 1], 2), logits)
train = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.GradientDescentOptimizer(0.1))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([round(float(sess.run(train, {images: values})), 4) for _ in range(3)])
    print(np.round(sess.run(logits, {images: values}).astype(float), 3).tolist(), sess.run(tf.train.get_or_create_global_step()))
    print([np.round(sess.run("Net/%s/BatchNorm/moving_%s:0" % pair).astype(float), 4).tolist() for pair in (("Conv_1", "mean"), ("fcs/fcs_1", "variance"))])


@slim.add_arg_scope
def first(a, b=1, c=2):
    return a, b, c


@slim.add_arg_scope
def second(a, b=0):
    return a, b


with slim.arg_scope([first, second], b=5):
    print(first(0), first(0, b=7), second(1))
    with slim.arg_scope([first], c=9):
        print(first(0), second(1))
print(first(0), slim.has_arg_scope(first), slim.has_arg_scope(len), slim.arg_scoped_arguments(first))
for attempt in (lambda: slim.arg_scope([len], b=1).__enter__(), lambda: slim.arg_scope(first, b=1).__enter__(), lambda: slim.arg_scope({}, b=1).__enter__()):
    try:
        attempt()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
