"""tf.keras.datasets.reuters."""

import numpy as _np

from flowray.tf.keras.datasets import _files, _numbered_words, _pickles


def load_data(path="reuters.npz", num_words=None, skip_top=0, maxlen=None, test_split=0.2, seed=113, start_char=1, oov_char=2, index_from=3,
              **kwargs):
    """(newswires as lists of words' numbers, topics) for training and for tests, of a file reuters.npz."""
    num_words = _numbered_words.checked_options(num_words, kwargs)
    found = _pickles.arrays_of(_files.found(path, "reuters.load_data"))
    texts, labels = _numbered_words.shuffled(_np.random.RandomState(seed), found["x"], found["y"])
    texts = _numbered_words.begun(texts, start_char, index_from)
    if maxlen:
        texts, labels = _numbered_words.short_ones(maxlen, texts, labels)
    texts = _numbered_words.limited(texts, num_words, skip_top, oov_char)
    count = int(len(texts) * (1 - test_split))
    return ((_numbered_words.as_array(texts[:count]), _np.array(labels[:count])), (_numbered_words.as_array(texts[count:]), _np.array(labels[count:])))


def get_word_index(path="reuters_word_index.json"):
    """{word: number} of a file reuters_word_index.json."""
    return _numbered_words.word_index(path, "reuters.get_word_index")
