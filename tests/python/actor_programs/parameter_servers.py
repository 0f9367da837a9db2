"""Parameter servers: workers push gradients and pull weights, in step with each other and not."""

import numpy as np
import ray
import tensorflow as tf

WORKERS, POINTS = 2, 200


class Network:
    """Softmax regression of points in the plane."""

    def __init__(self, learning_rate):
        self.x, self.labels = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int64, [None])
        logits = tf.layers.dense(self.x, 3, kernel_initializer=tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits))
        optimizer = tf.train.GradientDescentOptimizer(learning_rate)
        self.gradients = optimizer.compute_gradients(self.loss)
        self.train = optimizer.apply_gradients(self.gradients)
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), self.labels), tf.float32))
        self.sess = tf.Session()
        self.variables = ray.experimental.TensorFlowVariables(self.loss, self.sess)
        self.sess.run(tf.global_variables_initializer())

    def feeds(self, points):
        return {self.x: points[0], self.labels: points[1]}


def points_of(seed):
    random = np.random.RandomState(seed)
    labels = random.randint(0, 3, POINTS)
    centers = np.array([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    return (centers[labels] + 0.3 * random.randn(POINTS, 2)).astype(np.float32), labels


@ray.remote
class ParameterServer:
    def __init__(self, learning_rate):
        self.network = Network(learning_rate)
        self.pushes = 0

    def push(self, *every):
        means = [sum(one[i] for one in every) / len(every) for i in range(len(every[0]))]
        feeds = {gradient: mean for (gradient, _), mean in zip(self.network.gradients, means)}
        self.network.sess.run(self.network.train, feed_dict=feeds)
        self.pushes += 1
        return self.network.variables.get_flat()

    def pull(self):
        return self.network.variables.get_flat()

    def num_pushes(self):
        return self.pushes


@ray.remote
class Worker:
    def __init__(self, number):
        self.network, self.points = Network(0.0), points_of(number)

    def gradients(self, flat):
        self.network.variables.set_flat(flat)
        return self.network.sess.run([gradient for gradient, _ in self.network.gradients], self.network.feeds(self.points))

    def work_with(self, server, steps):
        for _ in range(steps):
            gradients = self.gradients(ray.get(server.pull.remote()))
            ray.get(server.push.remote(gradients))
        return steps


def accuracy_of(flat):
    with tf.Graph().as_default():
        network = Network(0.0)
        network.variables.set_flat(flat)
        return network.sess.run(network.accuracy, network.feeds(points_of(100)))


ray.init(num_cpus=2)
workers = [Worker.remote(number) for number in range(WORKERS)]

server = ParameterServer.remote(0.5)
flat = server.pull.remote()
for _ in range(20):
    flat = server.push.remote(*[worker.gradients.remote(flat) for worker in workers])
print("in step:", accuracy_of(ray.get(flat)) > 0.95, ray.get(server.num_pushes.remote()))

server = ParameterServer.remote(0.5)
print("each for itself:", ray.get([worker.work_with.remote(server, 15) for worker in workers]), ray.get(server.num_pushes.remote()),
      accuracy_of(ray.get(server.pull.remote())) > 0.95)
