"""Layers and numbers are counted in each graph by themselves, from the beginning after a reset."""

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend

print(layers.Dense(1).name, K.get_uid("dense"), layers.Dense(1).name, K.get_uid("dense"))
print(K.get_uid("input"), layers.Dense(1)(tf.keras.Input((2,))).shape.as_list(), K.get_uid("input"))
print(K.get_uid(), K.get_uid())
for _ in range(50):
    with tf.Graph().as_default():  # a graph where another one was before
        print(K.get_uid("x"), layers.ConvLSTM2D(1, 1).name, layers.ConvLSTM2D(1, 1).name)
with tf.Graph().as_default():
    print(layers.Dense(1).name, layers.Dense(1).name, K.get_uid("x"))
    K.reset_uids()
    print(layers.Dense(1).name, K.get_uid("x"))
print(layers.Dense(1).name, K.get_uid("dense"))
