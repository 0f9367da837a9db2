"""Texts as lists of words' numbers, the most frequent word first, as tf.keras.datasets.imdb and reuters have them."""

import json as _json

import numpy as _np

from flowray.tf.keras.datasets import _files


def checked_options(num_words, options):
    """num_words, which older programs call nb_words."""
    num_words = options.pop("nb_words", num_words)
    if options:
        raise TypeError("Unrecognized keyword arguments: %s." % options)
    return num_words


def shuffled(rng, texts, labels):
    """Both in the same new order."""
    order = _np.arange(len(texts))
    rng.shuffle(order)
    return texts[order], labels[order]


def begun(texts, start_char, index_from):
    """With the number of the beginning in front, and numbers that leave room for it."""
    first = [] if start_char is None else [start_char]
    return [first + [word + (index_from or 0) for word in text] for text in texts]


def short_ones(maxlen, texts, labels):
    """Those of fewer than `maxlen` words."""
    kept = [(text, label) for text, label in zip(texts, labels) if len(text) < maxlen]
    return [text for text, _ in kept], [label for _, label in kept]


def limited(texts, num_words, skip_top, oov_char):
    """Without the words that are too rare or too frequent: `oov_char` stands for them, if there is one."""
    num_words = num_words or max(max(text) for text in texts)
    if oov_char is None:
        return [[word for word in text if skip_top <= word < num_words] for text in texts]
    return [[word if skip_top <= word < num_words else oov_char for word in text] for text in texts]


def as_array(texts):
    """An array of lists."""
    made = _np.empty(len(texts), dtype=object)
    made[:] = texts
    return made


def word_index(path, what):
    """{word: number} of a JSON file."""
    with open(_files.found(path, what), encoding="utf-8") as file:
        return _json.load(file)
