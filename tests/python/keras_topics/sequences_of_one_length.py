"""pad_sequences, TimeseriesGenerator, skipgrams and make_sampling_table."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import refused, rounded

sequence = tf.keras.preprocessing.sequence
rows = [[1], [2, 3, 4], [5, 6]]
for options in ({}, {"maxlen": 2}, {"maxlen": 2, "truncating": "post", "padding": "post"}, {"value": -1.0, "dtype": "float32"}):
    print(sequence.pad_sequences(rows, **options).tolist())
made = sequence.TimeseriesGenerator(np.arange(10), np.arange(10) * 2, length=3, sampling_rate=1, stride=2, batch_size=2)
print(len(made), [(x.tolist(), y.tolist()) for x, y in made])
pairs, labels = sequence.skipgrams([1, 2, 3], vocabulary_size=4, window_size=1, negative_samples=0.0, shuffle=False)
print(pairs, labels, rounded(sequence.make_sampling_table(4), 4), refused(sequence.pad_sequences, [1, 2]))
