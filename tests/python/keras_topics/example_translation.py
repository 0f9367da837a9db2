"""Encoder and decoder, and sentences made one word after the other."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs = tf.keras.Input((None, 4))
_, h, c = layers.LSTM(3, return_state=True)(inputs)
targets = tf.keras.Input((None, 5))
decoder, last = layers.LSTM(3, return_sequences=True, return_state=True), layers.Dense(5, activation="softmax")
model = settled(tf.keras.Model([inputs, targets], last(decoder(targets, initial_state=[h, c])[0])))
model.compile("rmsprop", "categorical_crossentropy")
words = np.eye(5)[np.arange(12).reshape(3, 4) % 5]
print(rounded(model.fit([numbers(3, 6, 4), words], np.roll(words, -1, axis=1), epochs=2, shuffle=False, verbose=0).history))
encode = tf.keras.Model(inputs, [h, c])
states = [tf.keras.Input((3,)), tf.keras.Input((3,))]
outputs, h2, c2 = decoder(targets, initial_state=states)
decode = tf.keras.Model([targets, *states], [last(outputs), h2, c2])
now, said, word = encode.predict(numbers(1, 6, 4)), [], np.eye(5)[[[0]]]
for _ in range(4):
    chances, *now = decode.predict([word, *now])
    said.append(int(chances[0, -1].argmax()))
    word = np.eye(5)[[[said[-1]]]]
print(said, rounded(now))
