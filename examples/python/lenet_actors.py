"""LeNet-5 on images in MNIST's format, trained in actors whose weights are averaged, as flowray-lenet does it in C++.

    python -m flowray lenet_actors.py [--data FOLDER] [--actors 2] [--steps 2000] [--average-every 10] [--seed 0]
"""
import argparse
import time

import numpy as np
import ray
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

parser = argparse.ArgumentParser(description="Does in Python what flowray-lenet does.", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
for name, default in {"data": "/usr/share/datasets/fashion-mnist", "actors": 2, "steps": 2000, "average-every": 10, "seed": 0}.items():
    parser.add_argument("--" + name, type=type(default), default=default, help="as flowray-lenet's")
flags = parser.parse_args()


def lenet5(y):
    with tf.variable_scope("lenet5", initializer=tf.glorot_uniform_initializer(seed=flags.seed)):
        for channels, padding in [(6, "same"), (16, "valid")]:
            y = tf.layers.conv2d(y, channels, 5, padding=padding, use_bias=False, activation=tf.nn.relu)
            y = tf.layers.average_pooling2d(y, 2, 2, "same")
        y = tf.nn.relu(tf.layers.dense(tf.layers.flatten(y), 120, use_bias=False) + tf.get_variable("b1", 120))
        return tf.layers.dense(y, 10, use_bias=False) + tf.get_variable("b2", 10)


@ray.remote
class Trainer:
    def __init__(self, images, labels, seed):
        self.data = input_data.DataSet(images, labels, dtype=tf.uint8, reshape=False, seed=seed)
        x, y = tf.placeholder(tf.uint8, [None, 28, 28, 1]), tf.placeholder(tf.uint8, [None])
        logits, labels = lenet5(tf.cast(x, tf.float32) / 255), tf.one_hot(y, 10)
        loss, step = tf.losses.softmax_cross_entropy(labels, logits), tf.train.create_global_step()
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), tf.float32))
        train = tf.train.AdamOptimizer(tf.train.polynomial_decay(0.006, step, flags.steps, 0.0)).minimize(loss, step)
        self.variables = ray.experimental.TensorFlowVariables(loss, tf.Session())
        self.variables.sess.run(tf.global_variables_initializer())
        self.step, self.accuracy = (self.variables.sess.make_callable(wanted, [x, y]) for wanted in ([loss, accuracy, train], accuracy))

    def train(self, weights, steps):
        self.variables.set_weights(weights or self.variables.get_weights())
        return [self.step(*self.data.next_batch(100))[:2] for _ in range(steps)], self.variables.get_weights()

    def test(self, weights, data):
        self.variables.set_weights(weights)
        return sum(self.accuracy(*data.next_batch(1000, shuffle=False)) for _ in range(10)) / 10


start = time.time()
ray.init()  # before the images are there: workers are copies of this process
data = input_data.read_data_sets(flags.data, dtype=tf.uint8, reshape=False, validation_size=0)
parts = zip(np.array_split(data.train.images, flags.actors), np.array_split(data.train.labels, flags.actors))
trainers = [Trainer.remote(*part, flags.seed + index) for index, part in enumerate(parts)]
told, weights = ray.get(trainers[0].train.remote(None, 0))
for done in range(0, flags.steps, flags.average_every):
    ref, steps = ray.put(weights), min(flags.average_every, flags.steps - done)
    results, every = zip(*ray.get([trainer.train.remote(ref, steps) for trainer in trainers]))
    weights = {name: sum(one[name] for one in every) / len(every) for name in weights}
    told.extend(np.mean(results, 0))
    if len(told) % 100 < steps or len(told) == flags.steps:
        rate = 100 * flags.actors * len(told) / (time.time() - start)
        print("step %d/%d  loss %.4f  accuracy %.4f  %6.0f images/s" % (len(told), flags.steps, *np.mean(told[-100:], 0, float), rate), flush=True)
print("test accuracy %.4f in %.1f s" % (ray.get(trainers[0].test.remote(weights, data.test)), time.time() - start))
