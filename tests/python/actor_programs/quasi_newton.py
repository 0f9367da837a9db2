"""L-BFGS: actors compute the loss and the gradient of their part of the data, the driver takes the steps."""

import collections

import numpy as np
import ray
import tensorflow as tf

ACTORS, POINTS, KEPT = 2, 100, 5


@ray.remote
class Part:
    def __init__(self, number):
        random = np.random.RandomState(number)
        x = random.randn(POINTS, 4).astype(np.float32)
        y = (x @ np.array([1.0, -2.0, 0.5, 3.0]) + 0.7).astype(np.float32)
        w, b = tf.Variable(tf.zeros([4, 1])), tf.Variable(tf.zeros([1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y[:, None]))
        self.gradients = tf.gradients(self.loss, [w, b])
        self.sess = tf.Session()
        self.variables = ray.experimental.TensorFlowVariables(self.loss, self.sess)
        self.sess.run(tf.global_variables_initializer())

    def size(self):
        return self.variables.get_flat_size()

    def loss_and_gradient(self, theta):
        self.variables.set_flat(theta)
        loss, gradients = self.sess.run([self.loss, self.gradients])
        return loss, np.concatenate([gradient.ravel() for gradient in gradients]).astype(np.float64)


ray.init(num_cpus=2)
parts = [Part.remote(number) for number in range(ACTORS)]


def loss_and_gradient(theta):
    ref = ray.put(theta)
    every = ray.get([part.loss_and_gradient.remote(ref) for part in parts])
    return np.mean([loss for loss, _ in every]), sum(gradient for _, gradient in every) / len(every)


def direction(gradient, steps):
    """The two loops of L-BFGS over the last steps and the changes of the gradient in them."""
    q, alphas = gradient.copy(), []
    for s, y in reversed(steps):
        alphas.append(s @ q / (y @ s))
        q -= alphas[-1] * y
    if steps:
        s, y = steps[-1]
        q *= s @ y / (y @ y)
    for (s, y), alpha in zip(steps, reversed(alphas)):
        q += (alpha - y @ q / (y @ s)) * s
    return -q


theta, steps = np.zeros(ray.get(parts[0].size.remote())), collections.deque(maxlen=KEPT)
loss, gradient = loss_and_gradient(theta)
for _ in range(30):
    towards, rate = direction(gradient, steps), 1.0
    while loss_and_gradient(theta + rate * towards)[0] > loss and rate > 1e-6:
        rate /= 2
    new_theta = theta + rate * towards
    loss, new_gradient = loss_and_gradient(new_theta)
    if np.linalg.norm(new_gradient) < 1e-4:
        theta = new_theta
        break
    steps.append((new_theta - theta, new_gradient - gradient))
    theta, gradient = new_theta, new_gradient
print(np.round(theta, 2).tolist())
