"""Layers and losses of tf.nn."""

from programs import program
from tensorflow_v1 import np, tf


def images(channels=3):
    return tf.placeholder(tf.float32, [None, 28, 28, channels], name="images")


@program
def activations():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.relu(x)
    tf.nn.relu6(x)
    tf.nn.elu(x)
    tf.nn.selu(x)
    tf.nn.softplus(x)
    tf.nn.softsign(x)
    tf.nn.sigmoid(x)
    tf.nn.tanh(x)
    tf.nn.relu(x, name="named")
    tf.nn.relu([-1.0, 1.0])
    tf.nn.leaky_relu(x)


@program
def softmaxes():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.softmax(x)
    tf.nn.log_softmax(x)
    tf.nn.softmax(x, name="named")
    tf.nn.softmax(x, axis=-1)
    tf.nn.softmax(tf.placeholder(tf.float32, [2, 3, 4]))
    tf.nn.softmax(tf.placeholder(tf.float32, [4]))


@program
def softmax_over_another_axis():
    tf.nn.softmax(tf.placeholder(tf.float32, [2, 3, 4], name="x"), axis=1)
    tf.nn.log_softmax(tf.placeholder(tf.float32, [2, 3], name="y"), axis=0)


@program
def softmax_over_an_axis_from_the_end():
    tf.nn.log_softmax(tf.placeholder(tf.float32, [None, 3], name="x"), axis=-2, name="named")


@program
def bias_adds():
    bias = tf.placeholder(tf.float32, [3], name="bias")
    tf.nn.bias_add(images(), bias)
    tf.nn.bias_add(tf.placeholder(tf.float32, [None, 3]), bias, name="named")
    tf.nn.xw_plus_b(tf.zeros([2, 4]), tf.zeros([4, 3]), bias)


@program
def conv2ds():
    kernel = tf.placeholder(tf.float32, [5, 5, 3, 8], name="kernel")
    tf.nn.conv2d(images(), kernel, strides=[1, 1, 1, 1], padding="SAME")
    tf.nn.conv2d(images(), kernel, [1, 2, 2, 1], "VALID", name="named")
    tf.nn.conv2d(images(), kernel, [1, 3, 2, 1], "SAME")
    tf.nn.conv2d(images(), kernel, strides=2, padding="SAME")
    tf.nn.conv2d(images(), kernel, [1, 1, 1, 1], "VALID", dilations=[1, 2, 2, 1])
    tf.nn.conv2d(images(), filters=kernel, strides=1, padding=[[0, 0], [1, 2], [3, 4], [0, 0]])
    tf.nn.conv2d(tf.placeholder(tf.float32, [None, None, None, 3]), kernel, 1, "SAME")


@program
def pools():
    tf.nn.avg_pool(images(), [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    tf.nn.avg_pool(images(), ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="VALID", name="named")
    tf.nn.max_pool(images(), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    tf.nn.max_pool(images(), [1, 3, 3, 1], [1, 1, 1, 1], "VALID", name="top")
    tf.nn.avg_pool(images(), 2, 2, "VALID")
    tf.nn.max_pool(images(), ksize=2, strides=2, padding="SAME")


@program
def l2_losses():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.l2_loss(x)
    tf.nn.l2_normalize(x, 1)
    tf.nn.moments(x, [0])


@program
def dropout_keep_prob():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.dropout(x, 0.5)
    tf.nn.dropout(x, keep_prob=0.75, name="named")


@program
def dropout_rate():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.dropout(x, rate=0.5)
    tf.nn.dropout(x, rate=0.0)
    tf.nn.dropout(tf.placeholder(tf.float32, [2, 4]), rate=0.25, seed=3)


@program
def dropout_of_a_placeholder_rate():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.dropout(x, rate=1 - tf.placeholder(tf.float32, [], name="keep"))


@program
def dropout_keep_prob_placeholder():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.dropout(x, tf.placeholder(tf.float32, [], name="keep"))


@program
def dropout_with_noise_shape_and_seeds():
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [2, 4], name="x")
    tf.nn.dropout(x, rate=0.5, noise_shape=[2, 1])
    tf.nn.dropout(x, rate=0.5, seed=9)


def logits_and_labels():
    logits = tf.placeholder(tf.float32, [None, 10], name="logits")
    return logits, tf.placeholder(tf.float32, [None, 10], name="labels")


@program
def softmax_cross_entropy():
    logits, labels = logits_and_labels()
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@program
def softmax_cross_entropy_v2():
    logits, labels = logits_and_labels()
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="named")


@program
def softmax_cross_entropy_static_batch():
    logits = tf.placeholder(tf.float32, [5, 10], name="logits")
    labels = tf.placeholder(tf.float32, [5, 10], name="labels")
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@program
def softmax_cross_entropy_of_rank_three():
    logits = tf.placeholder(tf.float32, [2, 3, 4], name="logits")
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(logits), logits=logits)


@program
def sparse_softmax_cross_entropy():
    logits, _ = logits_and_labels()
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.int64, [None]), logits=logits)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=logits, name="named")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.int32, [5]), logits=tf.zeros([5, 10]))


@program
def sparse_softmax_cross_entropy_of_rank_three():
    logits = tf.placeholder(tf.float32, [2, 3, 4], name="logits")
    labels = tf.placeholder(tf.int32, [2, 3], name="labels")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@program
def sparse_softmax_cross_entropy_of_unknown_shapes():
    logits = tf.placeholder(tf.float32, [None, None, 4], name="logits")
    labels = tf.placeholder(tf.int64, [None, None], name="labels")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.placeholder(tf.int64, None), logits=tf.placeholder(tf.float32, None), name="named")


@program
def cross_entropies_of_halves():
    logits = tf.placeholder(tf.float16, [2, 3], name="logits")
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.int32, [2], name="labels"), logits=logits)
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.placeholder(tf.float16, [2, 3], name="shares"), logits=logits)
    tf.nn.softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.int32, [2, 3], name="ones"), logits=logits)


@program
def cross_entropies_over_another_axis():
    logits = tf.placeholder(tf.float32, [2, 3, 4], name="logits")
    labels = tf.placeholder(tf.float32, [2, 3, 4], name="labels")
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=1)
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=0, name="named")


@program
def sigmoid_cross_entropy():
    logits, labels = logits_and_labels()
    tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="named")


@program
def losses():
    logits, labels = logits_and_labels()
    tf.losses.mean_squared_error(labels, logits)
    tf.losses.get_total_loss()


@program
def cross_entropy_by_hand():
    logits, labels = logits_and_labels()
    y = tf.nn.softmax(logits)
    tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))


@program
def layers_dense():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    hidden = tf.layers.dense(x, 3, activation=tf.nn.relu)
    tf.layers.dense(hidden, 2, name="out")


@program
def layers_flatten():
    tf.layers.flatten(images())
    tf.layers.flatten(tf.placeholder(tf.float32, [None, 5, None, 2]))
    tf.layers.flatten(tf.placeholder(tf.float32, [3, 5, 2]), name="named")
    tf.layers.flatten(tf.constant(np.zeros((2, 3), np.float32)))


@program
def in_a_scope():
    with tf.name_scope("layer"):
        x = images()
        y = tf.nn.relu(tf.nn.conv2d(x, tf.zeros([3, 3, 3, 4]), 1, "SAME") + tf.ones([4]))
        tf.nn.softmax(tf.reduce_mean(y, [1, 2]))
