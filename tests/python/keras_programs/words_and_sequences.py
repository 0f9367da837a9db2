"""tf.keras.preprocessing.text and sequence: words as numbers, and parts of sequences."""

import json
import random

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
text, sequence = tf.keras.preprocessing.text, tf.keras.preprocessing.sequence
lines = ["The cat sat on the mat.", "The dog, the DOG!", "A cat\tand a dog\nwent home", ""]


def t(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error)[:160])


t(lambda: text.text_to_word_sequence(lines[2]))
t(lambda: text.text_to_word_sequence("a-b c.d", filters="-", lower=False, split="."))
t(lambda: text.hashing_trick("the cat sat", 50, hash_function="md5"))
t(lambda: text.hashing_trick("The cat, sat", 7, hash_function=len, lower=False))
for options in ({}, {"num_words": 4}, {"oov_token": "<?>"}, {"num_words": 3, "oov_token": "<?>"}, {"char_level": True}, {"lower": False, "filters": ""}, {"split": "a"}):
    made = text.Tokenizer(**options)
    made.fit_on_texts(lines)
    print(options, made.word_index, dict(made.word_counts), sorted(made.word_docs.items()), sorted(made.index_docs.items()), made.document_count)
    t(lambda: made.texts_to_sequences(lines + ["unknown words cat"]))
    t(lambda: made.sequences_to_texts([[1, 2, 3], [99]]))
    for mode in ("binary", "count", "freq", "tfidf", "other"):
        t(lambda: np.round(made.texts_to_matrix(lines, mode=mode), 4).tolist())
    t(lambda: sorted(json.loads(made.to_json())["config"]))
    t(lambda: text.tokenizer_from_json(made.to_json()).texts_to_sequences(lines))
t(lambda: text.Tokenizer(nothing=3))
t(lambda: text.Tokenizer().texts_to_matrix(["a"], "binary").tolist())
t(lambda: text.Tokenizer().sequences_to_matrix([[1]]))
made = text.Tokenizer(num_words=5)
made.fit_on_sequences([[1, 2], [3, 9]])
t(lambda: made.sequences_to_matrix([[1, 1, 4], [9]], "count").tolist())
t(lambda: made.sequences_to_matrix([[1, 1, 4], [9]], "tfidf").round(3).tolist())
made = text.Tokenizer()
made.fit_on_texts([["the", "Cat"], ["dog"]])
print(made.word_index, made.texts_to_sequences([["Cat", "x"]]), list(made.texts_to_sequences_generator(["the dog"])), list(made.sequences_to_texts_generator([[1]])))
for options in ({}, {"maxlen": 3}, {"maxlen": 3, "padding": "post"}, {"maxlen": 3, "truncating": "post", "value": -1}, {"dtype": "float32", "value": 0.5}, {"maxlen": 2, "padding": "other"}, {"maxlen": 2, "truncating": "other"}, {"dtype": object, "value": "x"}, {"value": "x"}):
    t(lambda: (lambda a: (a.dtype, a.tolist()))(sequence.pad_sequences([[1, 2, 3, 4], [5], []], **options)))
t(lambda: sequence.pad_sequences([[[1, 2]], [[3, 4], [5, 6]]]).tolist())
t(lambda: sequence.pad_sequences([[[1, 2]], [[3], [5]]]).tolist())
t(lambda: sequence.pad_sequences([1, 2]))
t(lambda: sequence.pad_sequences(3))
t(lambda: np.round(sequence.make_sampling_table(6), 5).tolist())
for options in ({"seed": 1}, {"window_size": 1, "negative_samples": 0.0, "shuffle": False}, {"window_size": 2, "categorical": True, "seed": 5, "negative_samples": 0.5}):
    random.seed(3)
    t(lambda: sequence.skipgrams([1, 2, 3, 0, 2], 6, **options))
data, targets = np.arange(24).reshape(12, 2), np.arange(12)
for options in ({"length": 3}, {"length": 4, "stride": 2, "sampling_rate": 2, "batch_size": 2}, {"length": 3, "start_index": 2, "end_index": 8, "batch_size": 4}, {"length": 3, "reverse": True, "batch_size": 3}, {"length": 3, "shuffle": True, "batch_size": 5}, {"length": 20}):
    np.random.seed(2)
    def show():
        made = sequence.TimeseriesGenerator(data, targets, **options)
        return len(made), [(a.tolist(), b.tolist()) for a, b in (made[i] for i in range(len(made)))]
    t(show)
made = sequence.TimeseriesGenerator(data, targets, length=2)
t(lambda: json.loads(made.to_json()))
t(lambda: made.get_config()["length"])
t(lambda: sequence.TimeseriesGenerator(data, targets[:5], length=2))
