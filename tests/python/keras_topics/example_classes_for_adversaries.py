"""A generator of classes and a critic of two outputs."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
noise, kind = tf.keras.Input((3,)), tf.keras.Input((1,), dtype="int32")
embedded = layers.Flatten()(layers.Embedding(2, 3, embeddings_initializer="glorot_normal")(kind))
made = layers.Reshape((4, 4, 1))(layers.Dense(16, activation="tanh")(layers.multiply([noise, embedded])))
generator = settled(tf.keras.Model([noise, kind], made))
image = tf.keras.Input((4, 4, 1))
features = layers.Flatten()(layers.LeakyReLU(0.2)(layers.Conv2D(2, 3)(image)))
critic = settled(tf.keras.Model(image, [layers.Dense(1, activation="sigmoid", name="real")(features), layers.Dense(2, activation="softmax", name="kind")(features)]))
critic.compile(optimizers.SGD(0.1), ["binary_crossentropy", "sparse_categorical_crossentropy"])
critic.trainable = False
both = tf.keras.Model([noise, kind], critic(generator([noise, kind])))
both.compile(optimizers.SGD(0.1), ["binary_crossentropy", "sparse_categorical_crossentropy"])
z, kinds = numbers(4, 3), np.arange(4).reshape(-1, 1) % 2
for _ in range(2):
    fakes = generator.predict([z, kinds])
    print(rounded(critic.train_on_batch(np.concatenate([numbers(4, 4, 4, 1), fakes]), [np.array([1.0] * 4 + [0.0] * 4), np.concatenate([kinds, kinds])])),
          rounded(both.train_on_batch([z, kinds], [np.ones(4), kinds])))
