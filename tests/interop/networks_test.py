"""Networks that are trained: equal to TensorFlow's local session after as many steps, from the same initial values."""

import unittest

from tensorflow_client import ServerTest, np, resource_variables, tf


def images_and_labels(count, seed=0):
    """Ten blurred pictures, each in many noisy copies: something to learn, and no download."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(10, size=count)
    images = np.clip(rng.rand(10, 784)[labels] * 0.7 + 0.3 * rng.rand(count, 784), 0, 1)
    return images.astype(np.float32), np.eye(10, dtype=np.float32)[labels]


def batches(images, labels, size):
    """The next batch, again and again."""
    while True:
        for start in range(0, len(images) - size + 1, size):
            yield images[start : start + size], labels[start : start + size]


class NetworksTest(ServerTest):
    def train(self, x, y, train, fetches, steps=100, batch=50, tolerance=1e-4):
        """What `fetches` are in each of `steps` steps; the same in TensorFlow's session."""
        images, labels = images_and_labels(500)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            source = batches(images, labels, batch)
            return [session.run([train, *fetches], dict(zip((x, y), next(source))))[1:] for _ in range(steps)]

        return self.assert_same(program, tolerance)

    def lenet5(self, rate, dtype):
        def weight(name, shape):
            return tf.get_variable(name, shape, dtype, initializer=tf.glorot_uniform_initializer(seed=0, dtype=dtype))

        x, y_ = tf.placeholder(dtype, [None, 784]), tf.placeholder(dtype, [None, 10])
        y = tf.nn.conv2d(tf.reshape(x, [-1, 28, 28, 1]), weight("w_conv1", (5, 5, 1, 6)), strides=[1, 1, 1, 1], padding="SAME")
        y = tf.nn.avg_pool(tf.nn.relu(y), [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        y = tf.nn.conv2d(y, weight("w_conv2", (5, 5, 6, 16)), strides=[1, 1, 1, 1], padding="VALID")
        y = tf.nn.avg_pool(tf.nn.relu(y), [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        y = tf.nn.relu(tf.matmul(tf.layers.flatten(y), weight("w_fc1", (400, 120))) + weight("b1", 120))
        y = tf.matmul(y, weight("w_fc2", (120, 10))) + weight("b2", 10)
        tf.nn.dropout(y, 0.5)  # as in the program this is from, its result is not used
        y = tf.nn.softmax(tf.nn.relu(y))
        cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
        train = tf.train.GradientDescentOptimizer(rate).minimize(cross_entropy)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))
        return x, y_, train, cross_entropy, accuracy

    def test_lenet5(self):
        # A higher rate makes what the last bit of a sum decides (a value beside ReLU's edge) visible within 100 steps.
        x, y, train, loss, _ = self.lenet5(0.01, tf.float32)
        results = self.train(x, y, train, [loss], batch=100)
        self.assertLess(results[-1][0], results[0][0])

    def test_lenet5_of_float64(self):
        x, y, train, loss, accuracy = self.lenet5(0.5, tf.float64)
        self.train(x, y, train, [loss, accuracy])

    def test_lenet5_of_resource_variables(self):
        with resource_variables():
            x, y, train, loss, _ = self.lenet5(0.01, tf.float32)
        self.train(x, y, train, [loss], batch=100)

    def test_keras_model(self):
        """A model that Keras compiles and trains in a session of the server."""
        rng = np.random.RandomState(1)
        data, labels = rng.rand(320, 32).astype(np.float32), np.eye(10, dtype=np.float32)[rng.randint(0, 10, 320)]

        def trained(target):
            with tf.Graph().as_default(), tf.Session(target) as session:
                tf.set_random_seed(0)
                keras = tf.keras
                keras.backend.set_session(session)
                layers = [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(64, activation="relu"),
                          keras.layers.Dense(10, activation="softmax")]
                model = keras.Sequential(layers)
                model.compile(optimizer=tf.train.RMSPropOptimizer(0.01), loss=keras.losses.categorical_crossentropy,
                              metrics=[keras.metrics.categorical_accuracy])
                history = model.fit(data, labels, epochs=10, batch_size=32, shuffle=False, verbose=0).history  # 100 steps
                weights = model.get_weights()
                model.set_weights([weight * 0.5 for weight in weights])
                result = [history, weights, model.predict(data), model.evaluate(data, labels, verbose=0)]
                return result

        local, ours = trained(""), trained(self.server.target)
        tf.keras.backend.clear_session()
        self.assert_close(local, ours, 1e-4)
        self.assertLess(ours[0]["loss"][-1], ours[0]["loss"][0])

    def test_perceptron_of_three_layers(self):
        tf.set_random_seed(2)
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        hidden = x
        for columns in (64, 64):
            rows = int(hidden.shape[1])
            hidden = tf.nn.relu(hidden @ tf.Variable(tf.random_normal([rows, columns], stddev=0.1)) + tf.Variable(tf.zeros([columns])))
        logits = hidden @ tf.Variable(tf.random_normal([64, 10], stddev=0.1)) + tf.Variable(tf.zeros([10]))
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
        self.train(x, y, tf.train.RMSPropOptimizer(0.001).minimize(loss), [loss])

    def convolutional_network(self, batch_normalization=False):
        tf.set_random_seed(3)
        # What is normalised stands around zero, where ReLU's edge makes the last bit of a sum visible.
        activation = tf.nn.tanh if batch_normalization else tf.nn.relu
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        net = tf.layers.conv2d(tf.reshape(x, [-1, 28, 28, 1]), 8, 5, padding="same", activation=activation)
        net = tf.layers.max_pooling2d(net, 2, 2)
        net = tf.layers.conv2d(net, 16, 3, activation=activation)
        net = tf.layers.max_pooling2d(net, 2, 2)
        if batch_normalization:
            net = tf.layers.batch_normalization(net, training=True)
        net = tf.layers.dense(tf.layers.flatten(net), 32, activation=activation)
        net = tf.layers.dense(tf.layers.dropout(net, 0.25, training=True), 10)
        loss = tf.losses.softmax_cross_entropy(y, net)
        # A bias before the normalisation has a gradient of zero but for the last bit, of which Adam makes a whole step.
        optimizer = tf.train.GradientDescentOptimizer(0.02) if batch_normalization else tf.train.AdamOptimizer(1e-3)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss)
        return x, y, train, loss

    def test_convolutional_network_of_layers(self):
        x, y, train, loss = self.convolutional_network()
        results = self.train(x, y, train, [loss], steps=30)
        self.assertLess(results[-1][0], results[0][0])

    def test_batch_normalization(self):
        x, y, train, loss = self.convolutional_network(batch_normalization=True)
        averages = [v for v in tf.global_variables() if "moving" in v.name]
        self.train(x, y, train, [loss, averages], steps=15)

    def test_convolutional_network_of_resource_variables(self):
        with resource_variables():
            x, y, train, loss = self.convolutional_network()
        self.train(x, y, train, [loss], steps=30)

    def test_autoencoder(self):
        tf.set_random_seed(4)
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        net = x
        for rows, columns in ((784, 128), (128, 32), (32, 128), (128, 784)):
            net = tf.nn.sigmoid(tf.add(tf.matmul(net, tf.Variable(tf.random_normal([rows, columns], stddev=0.1))),
                                       tf.Variable(tf.random_normal([columns], stddev=0.1))))
        loss = tf.reduce_mean(tf.pow(x - net, 2))
        self.train(x, y, tf.train.RMSPropOptimizer(0.005).minimize(loss), [loss])

    def test_variational_autoencoder(self):
        tf.set_random_seed(5)
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])

        def dense(net, columns, activation=tf.identity):
            rows = int(net.shape[1])
            kernel = tf.Variable(tf.random_normal([rows, columns], stddev=(2.0 / rows) ** 0.5))
            return activation(net @ kernel + tf.Variable(tf.zeros([columns])))

        hidden = dense(x, 64, tf.nn.tanh)
        mean, log_variance = dense(hidden, 4), dense(hidden, 4)
        noise = tf.random_normal(tf.shape(log_variance), dtype=tf.float32, mean=0.0, stddev=1.0, name="epsilon")
        code = mean + tf.exp(log_variance / 2) * noise
        decoded = dense(dense(code, 64, tf.nn.tanh), 784, tf.nn.sigmoid)
        likelihood = -tf.reduce_sum(x * tf.log(1e-10 + decoded) + (1 - x) * tf.log(1e-10 + 1 - decoded), 1)
        divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
        loss = tf.reduce_mean(likelihood + divergence)
        results = self.train(x, y, tf.train.AdamOptimizer(0.001).minimize(loss), [loss])
        self.assertLess(results[-1][0], results[0][0])

    def adversaries(self):
        """A generator and a discriminator, each with an optimizer for its own variables."""
        tf.set_random_seed(6)

        def layer(net, columns, name, activation):
            kernel = tf.get_variable(name + "_w", [int(net.shape[1]), columns], initializer=tf.glorot_normal_initializer())
            return activation(net @ kernel + tf.get_variable(name + "_b", [columns], initializer=tf.zeros_initializer()))

        def generator(noise):
            with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
                return layer(layer(noise, 32, "hidden", tf.nn.relu), 784, "out", tf.nn.sigmoid)

        def discriminator(images):
            with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
                return layer(layer(images, 32, "hidden", tf.nn.leaky_relu), 1, "out", tf.identity)

        noise, images = tf.placeholder(tf.float32, [None, 10]), tf.placeholder(tf.float32, [None, 784])
        of_real, of_fake = discriminator(images), discriminator(generator(noise))

        def entropy(labels, logits):
            return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))

        losses = [entropy(tf.ones_like(of_fake), of_fake),
                  entropy(tf.ones_like(of_real), of_real) + entropy(tf.zeros_like(of_fake), of_fake)]
        trains = [
            tf.train.AdamOptimizer(0.0002).minimize(loss, var_list=tf.trainable_variables(scope))
            for loss, scope in zip(losses, ("generator", "discriminator"))
        ]
        return noise, images, losses, trains

    def assert_adversaries_train(self):
        noise, images, losses, trains = self.adversaries()
        real, _ = images_and_labels(200)
        init = tf.global_variables_initializer()

        def program(session):
            rng = np.random.RandomState(7)
            session.run(init)
            return [session.run([losses, trains[i % 2]], {images: real[i % 4 * 50 :][:50], noise: rng.randn(50, 10)})[0] for i in range(100)]

        self.assert_same(program, 1e-4)

    def test_adversarial_networks(self):
        self.assert_adversaries_train()

    def test_adversarial_networks_of_resource_variables(self):
        with resource_variables():
            self.assert_adversaries_train()

    def test_recurrent_network_unrolled(self):
        tf.set_random_seed(8)
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        rows = tf.unstack(tf.reshape(x, [-1, 14, 56]), axis=1)
        outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(16, forget_bias=1.0), rows, dtype=tf.float32)
        logits = tf.matmul(outputs[-1], tf.get_variable("w", [16, 10])) + tf.get_variable("b", [10])
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
        self.train(x, y, tf.train.AdamOptimizer(0.01).minimize(loss), [loss], steps=20)

    def test_word_vectors(self):
        """Rows of an embedding, looked up and trained by sparse gradients, with and without momentum."""
        tf.set_random_seed(9)
        rng = np.random.RandomState(9)
        for optimizer in (tf.train.GradientDescentOptimizer(0.5), tf.train.AdamOptimizer(0.01), tf.train.AdagradOptimizer(0.1),
                          tf.train.MomentumOptimizer(0.1, 0.9), tf.train.RMSPropOptimizer(0.01)):
            for resource in (False, True):
                tf.reset_default_graph()
                tf.Session.reset(self.server.target)
                with self.subTest(optimizer=optimizer.get_name(), resource=resource):
                    words, targets = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None, 8])
                    vectors = tf.get_variable("vectors", [50, 8], initializer=tf.glorot_uniform_initializer(seed=1), use_resource=resource)
                    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(vectors, words) - targets))
                    train = optimizer.minimize(loss)
                    init = tf.global_variables_initializer()
                    fed = {words: rng.randint(20, size=30), targets: rng.rand(30, 8)}

                    def program(session):
                        session.run(init)
                        return [[session.run([train, loss], fed)[1] for _ in range(20)], session.run(vectors)]

                    self.assert_same(program, 1e-5)


if __name__ == "__main__":
    unittest.main()
