"""LeNet-5 on images in MNIST's format, trained in two actors whose weights are averaged: python -m flowray lenet_actors.py [STEPS]"""
import sys

import ray
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

ACTORS, BATCH, AVERAGE_EVERY = 2, 100, 10


def lenet5(x):
    glorot = tf.glorot_uniform_initializer(seed=0)
    y = tf.reshape(x, [-1, 28, 28, 1])
    for name, shape, padding in [("w_conv1", (5, 5, 1, 6), "SAME"), ("w_conv2", (5, 5, 6, 16), "VALID")]:
        y = tf.nn.relu(tf.nn.conv2d(y, tf.get_variable(name, shape, initializer=glorot), [1, 1, 1, 1], padding))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    hidden = tf.nn.relu(tf.matmul(tf.reshape(y, [-1, 400]), tf.get_variable("w_fc1", (400, 120), initializer=glorot))
                        + tf.get_variable("b1", 120, initializer=glorot))
    return tf.matmul(hidden, tf.get_variable("w_fc2", (120, 10), initializer=glorot)) + tf.get_variable("b2", 10, initializer=glorot)


@ray.remote
class Trainer:
    def __init__(self, data):
        self.data, self.sess = data, tf.Session()
        x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        logits = lenet5(x)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), tf.float32))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        self.variables = ray.experimental.TensorFlowVariables(loss, self.sess)
        self.sess.run(tf.global_variables_initializer())
        self.step = self.sess.make_callable(train, [x, labels])
        self.accuracy = self.sess.make_callable(accuracy, [x, labels])

    def weights(self):
        return self.variables.get_weights()

    def train(self, weights, steps):
        self.variables.set_weights(weights)
        for _ in range(steps):
            self.step(*self.data.train.next_batch(BATCH))
        return self.variables.get_weights()

    def test(self, weights):
        self.variables.set_weights(weights)
        return self.accuracy(self.data.test.images, self.data.test.labels)


ray.init()
trainers = [Trainer.remote(input_data.read_data_sets("MNIST-data", one_hot=True, seed=i)) for i in range(ACTORS)]
weights = ray.get(trainers[0].weights.remote())
for step in range(0, int(sys.argv[1]) if len(sys.argv) > 1 else 1000, AVERAGE_EVERY):
    shared = ray.put(weights)
    every = ray.get([trainer.train.remote(shared, AVERAGE_EVERY) for trainer in trainers])
    weights = {name: sum(one[name] for one in every) / ACTORS for name in weights}
print("Accuracy on the test images: %.4f" % ray.get(trainers[0].test.remote(weights)))
