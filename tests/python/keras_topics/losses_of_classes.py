"""Cross-entropies, from chances and from logits."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
losses = tf.keras.losses
truth, guess = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), tf.constant([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4]])
print(rounded([backend.eval(one) for one in (losses.categorical_crossentropy(truth, guess), losses.categorical_crossentropy(truth, guess, from_logits=True),
                                             losses.categorical_crossentropy(truth, guess, label_smoothing=0.1), losses.binary_crossentropy(truth, guess),
                                             losses.binary_crossentropy(truth, guess, from_logits=True), losses.kld(truth, guess))]))
print(rounded([backend.eval(losses.sparse_categorical_crossentropy(tf.constant(classes), guess, from_logits=logits)) for classes in ([1, 0], [[1], [0]]) for logits in (False, True)]))
print(rounded(backend.eval(losses.binary_crossentropy(truth, guess, label_smoothing=0.2))), rounded(backend.eval(losses.categorical_crossentropy(tf.transpose(truth), tf.transpose(guess), axis=0))))
for activation, loss in ((tf.nn.softmax, losses.categorical_crossentropy), (tf.sigmoid, losses.binary_crossentropy)):  # its logits are taken all the same
    print(rounded([backend.eval(loss(truth, activation(guess), from_logits=True)), backend.eval(loss(truth, guess, from_logits=True))]))
print(rounded(backend.eval(losses.sparse_categorical_crossentropy(tf.constant([1, 0]), tf.nn.softmax(guess), from_logits=True))))
