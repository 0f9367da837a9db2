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
    glorot = tf.glorot_uniform_initializer(seed=flags.seed)
    for channels, padding in [(6, "same"), (16, "valid")]:
        y = tf.layers.conv2d(y, channels, 5, padding=padding, use_bias=False, activation=tf.nn.relu, kernel_initializer=glorot)
        y = tf.layers.average_pooling2d(y, 2, 2, "same")
    y = tf.layers.dense(tf.layers.flatten(y), 120, use_bias=False, kernel_initializer=glorot)
    y = tf.nn.relu(y + tf.get_variable("b1", 120, initializer=glorot))
    return tf.layers.dense(y, 10, use_bias=False, kernel_initializer=glorot) + tf.get_variable("b2", 10, initializer=glorot)


@ray.remote
class Trainer:
    def __init__(self, images, labels, seed):
        self.data = input_data.DataSet(images, labels, one_hot=True, seed=seed)
        x, labels, step = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10]), tf.train.create_global_step()
        logits, sess = lenet5(tf.reshape(x, [-1, 28, 28, 1])), tf.Session()
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), tf.float32))
        rate = 0.006 * (1 - tf.cast(step, tf.float32) / max(flags.steps, 1))  # falls to zero: the last steps are small
        train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
        self.variables = ray.experimental.TensorFlowVariables(loss, sess)
        sess.run(tf.global_variables_initializer())
        self.step, self.accuracy = (sess.make_callable(wanted, [x, labels]) for wanted in ([loss, accuracy, train], accuracy))

    def train(self, weights, steps):
        self.variables.set_weights(weights or self.variables.get_weights())
        return [self.step(*self.data.next_batch(100))[:2] for _ in range(steps)], self.variables.get_weights()

    def test(self, weights, data):
        self.variables.set_weights(weights)
        return sum(self.accuracy(*data.next_batch(1000, shuffle=False)) for _ in range(10)) / 10


start = time.time()
ray.init()  # before the images are there: workers are copies of this process
data = input_data.read_data_sets(flags.data, dtype=tf.uint8, one_hot=False, reshape=False, validation_size=0)
parts = zip(np.array_split(data.train.images, flags.actors), np.array_split(data.train.labels, flags.actors))
trainers = [Trainer.remote(*part, flags.seed + index) for index, part in enumerate(parts)]
(told, weights), begin = ray.get(trainers[0].train.remote(None, 0)), time.time()
for done in range(0, flags.steps, flags.average_every):
    ref, steps = ray.put(weights), min(flags.average_every, flags.steps - done)
    losses, every = zip(*ray.get([trainer.train.remote(ref, steps) for trainer in trainers]))
    weights = {name: sum(one[name] for one in every) / len(every) for name in weights}
    told.extend(np.mean(losses, 0))
    if len(told) >= 100 or done + steps == flags.steps:
        print("step %d/%d  loss %.4f  accuracy %.4f  %6.0f images/s" % (done + steps, flags.steps, *np.mean(told, 0, float),
              100 * flags.actors * (done + steps) / (time.time() - begin)), flush=True)
        told = []
test = input_data.DataSet(data.test.images, data.test.labels, one_hot=True)
print("test accuracy %.4f in %.1f s" % (ray.get(trainers[0].test.remote(weights, test)), time.time() - start))
