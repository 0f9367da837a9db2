"""Generators, Sequences and what they are trained by."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
utils = tf.keras.utils
class Rows(utils.Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return numbers(6, 3)[2 * index:2 * index + 2], numbers(6, 1)[2 * index:2 * index + 2]


def batches():
    while True:
        for index in range(3):
            yield Rows()[index]


model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
settled(model).compile("sgd", "mse", metrics=["mae"])
print(rounded(model.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0).history), rounded(model.evaluate_generator(batches(), steps=3)))
print(rounded(model.fit(Rows(), epochs=2, shuffle=False, verbose=0, validation_data=Rows()).history), rounded(model.predict_generator(Rows(), steps=3)))
print(rounded(model.fit(Rows(), epochs=2, shuffle=False, verbose=0, workers=3, max_queue_size=2).history), rounded(model.evaluate(Rows(), workers=2)))
print(rounded(model.fit_generator(batches(), steps_per_epoch=3, workers=2, verbose=0).history))
