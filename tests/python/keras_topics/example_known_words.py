"""Embeddings that are given and not trained."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded

layers = tf.keras.layers
optimizers = tf.keras.optimizers
known = {"cat": [1.0, 0.0], "dog": [0.9, 0.1], "sun": [0.0, 1.0]}
tokenizer = tf.keras.preprocessing.text.Tokenizer()
texts, kinds = ["cat dog cat", "sun sun", "dog cat", "sun moon sun"], np.array([0, 1, 0, 1])
tokenizer.fit_on_texts(texts)
matrix = np.zeros((len(tokenizer.word_index) + 1, 2))
for word, number in tokenizer.word_index.items():
    matrix[number] = known.get(word, [0.0, 0.0])
x = tf.keras.preprocessing.sequence.pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=4)
model = tf.keras.Sequential([layers.Embedding(len(matrix), 2, embeddings_initializer=tf.keras.initializers.Constant(matrix), input_length=4, trainable=False),
                             layers.Conv1D(2, 2, activation="relu", kernel_initializer="ones"), layers.GlobalMaxPooling1D(), layers.Dense(2, activation="softmax", kernel_initializer="identity")])
model.compile(optimizers.SGD(0.5), "sparse_categorical_crossentropy", metrics=["acc"])
print(rounded(model.fit(x, kinds, epochs=3, shuffle=False, verbose=0).history), np.allclose(model.layers[0].get_weights()[0], matrix), len(model.trainable_weights))
