"""A hundred steps of training from the same weights, on the same batches: the losses, to five digits behind the point. What is left of
rounding grows over the steps, so the numbers are compared with some room (tests/python/models/keras_programs_test.py)."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend
random = np.random.RandomState(0)


def trained(name, make, x, y, loss, optimizer, batch_size=16):
    K.clear_session()
    with tf.Graph().as_default(), tf.Session():
        model = make()
        model.compile(optimizer() if callable(optimizer) else optimizer, loss)
        numbers = np.random.RandomState(1)
        model.set_weights([numbers.uniform(-0.3, 0.3, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
        losses = []
        for step in range(100):
            rows = np.arange(step * batch_size, (step + 1) * batch_size) % len(x)
            losses.append(model.train_on_batch(x[rows], y[rows]))
        print(name, *("%.7f" % loss for loss in losses))


images, classes = random.rand(64, 12, 12, 1), random.randint(0, 5, 64)
sequences, sums = random.rand(64, 6, 3), random.rand(64, 2)
words = random.randint(1, 20, (64, 7))
words[::3, 4:] = 0
rows = random.rand(64, 10)

trained("perceptron", lambda: tf.keras.Sequential([layers.Dense(32, activation="relu", input_shape=(10,)), layers.Dense(16, activation="tanh"),
                                                   layers.Dense(5, activation="softmax")]), rows, classes, "sparse_categorical_crossentropy", "adam")
trained("convolutions", lambda: tf.keras.Sequential([layers.Conv2D(6, 3, activation="relu", input_shape=(12, 12, 1)), layers.MaxPooling2D(2),
                                                     layers.Conv2D(8, 3, activation="relu", padding="same"), layers.AveragePooling2D(2),
                                                     layers.Flatten(), layers.Dense(5, activation="softmax")]),
        images, classes, "sparse_categorical_crossentropy", lambda: tf.keras.optimizers.SGD(0.05, momentum=0.9))
trained("normalised", lambda: tf.keras.Sequential([layers.Conv2D(4, 3, use_bias=False, input_shape=(12, 12, 1)), layers.BatchNormalization(),
                                                   layers.Activation("relu"), layers.GlobalAveragePooling2D(), layers.Dense(5, activation="softmax")]),
        images, classes, "sparse_categorical_crossentropy", "rmsprop")
trained("lstm", lambda: tf.keras.Sequential([layers.LSTM(8, return_sequences=True, input_shape=(6, 3)), layers.LSTM(4), layers.Dense(2)]),
        sequences, sums, "mse", "adam")
trained("gru of words", lambda: tf.keras.Sequential([layers.Embedding(20, 6, mask_zero=True, input_length=7), layers.Bidirectional(layers.GRU(5)),
                                                     layers.Dense(5, activation="softmax")]),
        words, classes, "sparse_categorical_crossentropy", lambda: tf.keras.optimizers.Adam(0.01))
trained("regularised", lambda: tf.keras.Sequential([layers.Dense(16, activation="elu", kernel_regularizer="l2", kernel_constraint="max_norm",
                                                                 input_shape=(10,)), layers.LayerNormalization(), layers.Dense(2)]),
        rows, sums, "mae", "nadam")
trained("separable", lambda: tf.keras.Sequential([layers.SeparableConv2D(6, 3, activation="relu", input_shape=(12, 12, 1)),
                                                  layers.DepthwiseConv2D(3, strides=2), layers.Flatten(), layers.Dense(1, activation="sigmoid")]),
        images, classes % 2, "binary_crossentropy", lambda: tf.train.AdagradOptimizer(0.05))


def two_ways():
    inputs = tf.keras.Input((10,))
    left = layers.Dense(8, activation="relu")(inputs)
    right = layers.PReLU()(layers.Dense(8)(inputs))
    return tf.keras.Model(inputs, layers.Dense(2)(layers.concatenate([layers.add([left, right]), layers.multiply([left, right])])))


trained("two ways", two_ways, rows, sums, "mse", lambda: tf.keras.optimizers.Adagrad(0.05))
