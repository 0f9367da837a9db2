"""LeNet-5 on images in MNIST's format, trained in actors whose weights are averaged: python -m flowray lenet_actors.py --help"""
import argparse
import time

import numpy as np
import ray
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

parser = argparse.ArgumentParser(description="Does in Python what flowray-lenet does.", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist", help="folder of MNIST's four files, gzipped or not")
for name, default, text in [("actors", 2, "processes that train at the same time"), ("steps", 2000, "of each actor, of 100 images each"),
                            ("average-every", 10, "so many steps"), ("seed", 0, "of the first weights and the order of the images")]:
    parser.add_argument("--" + name, type=int, default=default, help=text)


def lenet5(x, seed):
    glorot = tf.glorot_uniform_initializer(seed=seed)
    y = tf.reshape(x, [-1, 28, 28, 1])
    for name, shape, padding in [("w_conv1", (5, 5, 1, 6), "SAME"), ("w_conv2", (5, 5, 6, 16), "VALID")]:
        y = tf.nn.relu(tf.nn.conv2d(y, tf.get_variable(name, shape, initializer=glorot), [1, 1, 1, 1], padding))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    for (w, b), shape in [(("w_fc1", "b1"), (400, 120)), (("w_fc2", "b2"), (120, 10))]:
        y = tf.reshape(y, [-1, 400]) if w == "w_fc1" else tf.nn.relu(y)
        y = tf.matmul(y, tf.get_variable(w, shape, initializer=glorot)) + tf.get_variable(b, shape[1], initializer=glorot)
    return y


@ray.remote
class Trainer:
    def __init__(self, images, labels, index, flags):
        shard = slice(len(images) * index // flags.actors, len(images) * (index + 1) // flags.actors)
        self.data = input_data.DataSet(images[shard], labels[shard], one_hot=True, seed=flags.seed + index)
        x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        logits, step, self.sess = lenet5(x, flags.seed), tf.train.create_global_step(), tf.Session()
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), tf.float32))
        rate = 0.006 * (1 - tf.cast(step, tf.float32) / max(flags.steps, 1))  # falls to zero: the last steps are small
        train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
        self.variables = ray.experimental.TensorFlowVariables(loss, self.sess)
        self.sess.run(tf.global_variables_initializer())
        self.step = self.sess.make_callable([train, loss, accuracy], [x, labels])
        self.accuracy = self.sess.make_callable(accuracy, [x, labels])

    def train(self, weights, steps):
        if weights is not None:
            self.variables.set_weights(weights)
        told = [self.step(*self.data.next_batch(100))[1:] for _ in range(steps)]
        return self.variables.get_weights(), told

    def test(self, weights, data):
        self.variables.set_weights(weights)
        return sum(self.accuracy(*data.next_batch(1000, shuffle=False)) for _ in range(10)) / 10


def main(flags):
    start = time.time()
    ray.init()  # before the images are there: workers are copies of this process
    data = input_data.read_data_sets(flags.data, dtype=tf.uint8, reshape=False, validation_size=0)
    images, labels = ray.put(data.train.images), ray.put(data.train.labels)  # read there in place by all
    trainers = [Trainer.remote(images, labels, index, flags) for index in range(flags.actors)]
    weights, _ = ray.get(trainers[0].train.remote(None, 0))
    told, begin = [], time.time()
    for done in range(0, flags.steps, flags.average_every):
        ref, steps = ray.put(weights), min(flags.average_every, flags.steps - done)
        every, parts = zip(*ray.get([trainer.train.remote(ref, steps) for trainer in trainers]))
        weights = {name: sum(one[name] for one in every) / len(every) for name in weights}
        for step in range(done + 1, done + steps + 1):
            told.append(np.mean([part[step - done - 1] for part in parts], 0))
            if step % 100 == 0 or step == flags.steps:
                print("step %d/%d  loss %.4f  accuracy %.4f  %6.0f images/s" % (
                    step, flags.steps, *np.mean(told, 0, float), 100 * flags.actors * step / (time.time() - begin)), flush=True)
                told.clear()
    test = input_data.DataSet(data.test.images, data.test.labels, one_hot=True)
    print("test accuracy %.4f in %.1f s" % (ray.get(trainers[0].test.remote(weights, test)), time.time() - start))


if __name__ == "__main__":
    main(parser.parse_args())
