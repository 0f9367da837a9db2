"""Whole networks: weight averaging, LeNet-5 as the document has it and as the job has it, a dense MLP."""

from programs import program
from tensorflow_v1 import np, tf


def averaging_network():
    """The weight-averaging network on four given points. Returns its loss."""
    tf.set_random_seed(0)
    x = np.array([0.125, 0.25, 0.5, 1.0])
    x_data = tf.constant(x, dtype=tf.float32)
    y_data = tf.constant(x * 0.1 + 0.3, dtype=tf.float32)
    w = tf.Variable(tf.random_uniform([1], -1.0, 1.0))
    b = tf.Variable(tf.zeros([1]))
    y = w * x_data + b
    return tf.reduce_mean(tf.square(y - y_data))


@program
def averaging_compute_apply():
    loss = averaging_network()
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    grads = optimizer.compute_gradients(loss)
    optimizer.apply_gradients(grads)
    tf.global_variables_initializer()


@program
def averaging_minimize():
    loss = averaging_network()
    tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    tf.global_variables_initializer()


@program
def averaging_placeholders():
    x_data = tf.placeholder(tf.float32, shape=[100])
    y_data = tf.placeholder(tf.float32, shape=[100])
    w = tf.Variable(tf.random_uniform([1], -1.0, 1.0))
    b = tf.Variable(tf.zeros([1]))
    y = w * x_data + b
    loss = tf.reduce_mean(tf.square(y - y_data))
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    grads = optimizer.compute_gradients(loss)
    optimizer.apply_gradients(grads)
    tf.global_variables_initializer()


@program
def averaging_tensorflow_variables():
    """What Ray's TensorFlowVariables adds: a placeholder and an assignment for each variable."""
    averaging_network()
    for variable in tf.global_variables():
        placeholder = tf.placeholder(
            variable.value().dtype, variable.get_shape().as_list(), name="Placeholder_" + variable.op.node_def.name
        )
        variable.assign(placeholder)


def lenet5_body(relu_at_the_end, flatten):
    """Returns placeholders x, labels and the output of the last layer."""
    x = tf.placeholder(tf.float32, [None, 784])
    labels = tf.placeholder(tf.float32, [None, 10])
    image = tf.reshape(x, [-1, 28, 28, 1])

    def weights(name, shape):
        return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer(seed=0))

    w_conv1, w_conv2 = weights("w_conv1", (5, 5, 1, 6)), weights("w_conv2", (5, 5, 6, 16))
    w_fc1, b_fc1 = weights("w_fc1", (400, 120)), weights("b1", 120)
    w_fc2, b_fc2 = weights("w_fc2", (120, 10)), weights("b2", 10)

    y = tf.nn.conv2d(image, w_conv1, strides=[1, 1, 1, 1], padding="SAME")
    y = tf.nn.relu(y)
    y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.conv2d(y, w_conv2, strides=[1, 1, 1, 1], padding="VALID")
    y = tf.nn.relu(y)
    y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    y = flatten(y)
    y = tf.matmul(y, w_fc1) + b_fc1
    y = tf.nn.relu(y)
    y = tf.matmul(y, w_fc2) + b_fc2
    if relu_at_the_end:
        tf.nn.dropout(y, 0.5)
        y = tf.nn.relu(y)
    return x, labels, y


def lenet5_accuracy(y, labels):
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1))
    return tf.reduce_mean(tf.cast(correct, tf.float32))


def lenet5_document(flatten):
    _, labels, y = lenet5_body(True, flatten)
    y = tf.nn.softmax(y)
    loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))
    tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    lenet5_accuracy(y, labels)
    tf.global_variables_initializer()


@program
def lenet5_as_in_document():
    lenet5_document(tf.layers.flatten)


@program
def lenet5_document_with_reshape():
    """The same with a reshape in place of tf.layers.flatten."""
    lenet5_document(lambda y: tf.reshape(y, [-1, 400]))


def lenet5_job(optimizer):
    _, labels, logits = lenet5_body(False, lambda y: tf.reshape(y, [-1, 400]))
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    optimizer.minimize(loss)
    lenet5_accuracy(logits, labels)
    tf.global_variables_initializer()


@program
def lenet5_job_momentum():
    lenet5_job(tf.train.MomentumOptimizer(0.02, 0.9))


@program
def lenet5_job_adam():
    lenet5_job(tf.train.AdamOptimizer(1e-3))


@program
def lenet5_job_gradient_descent_seeded():
    tf.set_random_seed(7)
    lenet5_job(tf.train.GradientDescentOptimizer(0.5))


@program
def mlp_dense():
    x = tf.placeholder(tf.float32, [None, 32], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    hidden = x
    for layer, (rows, columns) in enumerate([(32, 64), (64, 64), (64, 10)]):
        with tf.variable_scope("dense" if layer == 0 else f"dense_{layer}"):
            kernel = tf.get_variable("kernel", [rows, columns])
            bias = tf.get_variable("bias", [columns], initializer=tf.zeros_initializer())
            hidden = tf.nn.bias_add(tf.matmul(hidden, kernel), bias)
            if layer < 2:
                hidden = tf.nn.relu(hidden)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=hidden))
    tf.train.RMSPropOptimizer(1e-3).minimize(loss, global_step=tf.train.get_or_create_global_step())
    tf.global_variables_initializer()
