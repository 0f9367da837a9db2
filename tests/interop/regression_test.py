"""Regressions that are trained: equal to TensorFlow's local session after as many steps, from the same initial values."""

import unittest

from tensorflow_client import ServerTest, np, resource_variables, tf


def line(seed, noise=0.0):
    rng = np.random.RandomState(seed)
    x = rng.rand(100).astype(np.float32)
    return x, (x * 0.1 + 0.3 + noise * rng.randn(100)).astype(np.float32)


class Weights:
    """The variables of a graph behind placeholders, so that setting them adds no nodes."""

    def __init__(self, variables):
        self.variables = {v.op.name: v for v in variables}
        self.values = {name: tf.placeholder(v.dtype.base_dtype, v.shape, "new_" + name) for name, v in self.variables.items()}
        self.assignments = {name: v.assign(self.values[name]) for name, v in self.variables.items()}

    def get(self, session):
        return session.run(self.variables)

    def set(self, session, weights):
        session.run(list(self.assignments.values()), {self.values[name]: value for name, value in weights.items()})


class RegressionTest(ServerTest):
    def trained(self, optimizer, steps=100, tolerance=1e-6):
        """Trains w x + b on a line with an optimizer; the numbers drawn for w are those of TensorFlow's."""
        tf.set_random_seed(0)
        x, y = line(0)
        x_data, y_data = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [100])
        w = tf.Variable(tf.random_uniform([1], -1.0, 1.0))
        b = tf.Variable(tf.zeros([1]))
        loss = tf.reduce_mean(tf.square(w * x_data + b - y_data))
        train = optimizer.minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            losses = [session.run([loss, train], {x_data: x, y_data: y})[0] for _ in range(steps)]
            return [losses, session.run([w, b])]

        return self.assert_same(program, tolerance)

    def test_gradient_descent_finds_the_line(self):
        losses, (w, b) = self.trained(tf.train.GradientDescentOptimizer(0.5), steps=201)
        np.testing.assert_allclose([w[0], b[0]], [0.1, 0.3], atol=1e-3)
        self.assertLess(losses[-1], 1e-6)

    def test_optimizers(self):
        for make in (
            lambda: tf.train.AdagradOptimizer(0.1),
            lambda: tf.train.AdamOptimizer(0.05),
            lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5),
            lambda: tf.train.RMSPropOptimizer(0.01, centered=True),
            lambda: tf.train.MomentumOptimizer(0.1, 0.9),
            lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
            lambda: tf.train.AdadeltaOptimizer(1.0),
            lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
            lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.001),
            lambda: tf.train.ProximalAdagradOptimizer(0.1),
            lambda: tf.train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step()),
        ):
            for resource in (False, True):
                tf.reset_default_graph()
                tf.Session.reset(self.server.target)
                optimizer = make()
                with self.subTest(optimizer=optimizer.get_name(), resource=resource):
                    if resource:
                        with resource_variables():
                            self.trained(optimizer)
                    else:
                        self.trained(optimizer)

    def test_gradients_that_are_fetched_and_fed(self):
        x_data, y_data = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [100])
        w, b = tf.Variable([0.7]), tf.Variable(tf.zeros([1]))
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        grads = optimizer.compute_gradients(tf.reduce_mean(tf.square(w * x_data + b - y_data)))
        train = optimizer.apply_gradients(grads)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            numbers = session.run([grad for grad, _ in grads], {x_data: [1] * 100, y_data: [2] * 100})
            session.run(train, {grad: number for (grad, _), number in zip(grads, numbers)})
            return [numbers, session.run([w, b])]

        numbers, weights = self.assert_same(program)
        # w + b - 2 = -1.3, so both gradients are -2.6; the rate is 0.5.
        np.testing.assert_allclose(np.ravel(numbers), [-2.6, -2.6], rtol=1e-5)
        np.testing.assert_allclose(np.ravel(weights), [2.0, 1.3], rtol=1e-5)

    def networks_that_average(self, targets, average):
        """A network for each target, in a graph and session of its own; what is left after 201 rounds of averaging."""
        networks = []
        for i, target in enumerate(targets):
            with tf.Graph().as_default():
                tf.set_random_seed(0)
                x, y = line(i)
                w, b = tf.Variable(tf.random_uniform([1], -1.0, 1.0)), tf.Variable(tf.zeros([1]))
                loss = tf.reduce_mean(tf.square(w * tf.constant(x) + b - tf.constant(y)))
                optimizer = tf.train.GradientDescentOptimizer(0.5)
                grads = optimizer.compute_gradients(loss)
                train = optimizer.apply_gradients(grads)
                weights = Weights([w, b])
                # Sessions of one server share variables of the same name, those of the local one never.
                session = tf.Session(target, config=tf.ConfigProto(isolate_session_state=True))
                session.run(tf.global_variables_initializer())
                networks.append((session, weights, grads, train))
        result = average(networks)
        for session, *_ in networks:
            session.close()
        return result

    def assert_average_is_same(self, average):
        local = self.networks_that_average(["", ""], average)
        ours = self.networks_that_average([self.server.target] * 2, average)
        mixed = self.networks_that_average([self.server.target, ""], average)
        self.assert_close(local, ours)
        self.assert_close(local, mixed)
        np.testing.assert_allclose([ours["Variable"][0], ours["Variable_1"][0]], [0.1, 0.3], atol=1e-3)

    def test_weights_that_are_averaged(self):
        def average(networks):
            session, weights, _, _ = networks[0]
            mean = weights.get(session)
            for _ in range(201):
                new = []
                for session, weights, _, train in networks:
                    weights.set(session, mean)
                    session.run(train)
                    new.append(weights.get(session))
                mean = {name: sum(one[name] for one in new) / np.float32(len(new)) for name in new[0]}
            return mean

        self.assert_average_is_same(average)

    def test_gradients_that_are_averaged(self):
        def average(networks):
            mine, my_weights, my_grads, train = networks[0]
            for _ in range(201):
                current = my_weights.get(mine)
                several = []
                for session, weights, grads, _ in networks:
                    weights.set(session, current)
                    several.append(session.run([grad for grad, _ in grads]))
                means = [sum(one[i] for one in several) / np.float32(len(several)) for i in range(len(several[0]))]
                mine.run(train, {grad: mean for (grad, _), mean in zip(my_grads, means)})
            return my_weights.get(mine)

        self.assert_average_is_same(average)

    def test_one_point_at_a_time(self):
        rng = np.random.RandomState(2)
        points = np.linspace(-1.0, 1.0, 100)
        values = 2.0 * points + rng.randn(100) * 0.33 + 10.0
        x, y = tf.placeholder("float"), tf.placeholder("float")
        w, b = tf.Variable(0.0, name="weight"), tf.Variable(0.0, name="bias")
        loss = tf.square(y - tf.multiply(x, w) - b)
        global_step = tf.Variable(0)
        train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            for fed in zip(points, values):
                _, step = session.run([train, global_step], dict(zip((x, y), fed)))
            return [step, session.run([w, b, loss], dict(zip((x, y), fed)))]

        self.assertEqual(self.assert_same(program, 1e-5)[0], 100)

    def test_logistic_regression(self):
        rng = np.random.RandomState(3)
        images, labels = rng.rand(200, 784).astype(np.float32), np.eye(10, dtype=np.float32)[rng.randint(10, size=200)]
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        weights, bias = tf.Variable(tf.zeros([784, 10])), tf.Variable(tf.zeros([10]))
        predicted = tf.nn.softmax(tf.matmul(x, weights) + bias)
        cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(predicted), axis=1))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
        correct = tf.equal(tf.argmax(predicted, 1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            costs = []
            for step in range(100):
                batch = slice(step % 4 * 50, step % 4 * 50 + 50)
                costs.append(session.run([train, cost], {x: images[batch], y: labels[batch]})[1])
            return [costs, accuracy.eval({x: images, y: labels}, session)]

        costs, share = self.assert_same(program, 1e-4)
        self.assertLess(costs[-1], costs[0])
        self.assertGreater(share, 0.2)

    def test_k_nearest_neighbours(self):
        rng = np.random.RandomState(4)
        centres = rng.rand(10, 50).astype(np.float32)
        classes = rng.randint(10, size=300)
        points = centres[classes] + 0.05 * rng.randn(300, 50).astype(np.float32)
        known, asked = tf.placeholder(tf.float32, [None, 50]), tf.placeholder(tf.float32, [50])
        distance = tf.reduce_sum(tf.abs(tf.add(known, tf.negative(asked))), axis=1)
        nearest = tf.argmin(distance, 0)
        values, indices = tf.nn.top_k(tf.negative(distance), k=5)

        def program(session):
            return [session.run([nearest, values, indices], {known: points[20:], asked: points[i]}) for i in range(20)]

        found = self.assert_same(program, 1e-5)
        self.assertEqual([classes[20:][i] for i, _, _ in found], classes[:20].tolist())


if __name__ == "__main__":
    unittest.main()
