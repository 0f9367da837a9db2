"""tf.keras.datasets.imdb."""

import numpy as _np

from flowray.tf.keras.datasets import _files, _numbered_words, _pickles


def load_data(path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3, **kwargs):
    """(reviews as lists of words' numbers, 1 for those that are good) for training and for tests, of a file imdb.npz."""
    num_words = _numbered_words.checked_options(num_words, kwargs)
    found = _pickles.arrays_of(_files.found(path, "imdb.load_data"))
    rng = _np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        texts, labels = _numbered_words.shuffled(rng, found["x_" + part], found["y_" + part])
        texts = _numbered_words.begun(texts, start_char, index_from)
        parts.append(_numbered_words.short_ones(maxlen, texts, labels) if maxlen else (texts, labels))
    if maxlen and not all(texts for texts, _ in parts):
        raise ValueError("After filtering for sequences shorter than maxlen=%s, no sequence was kept. Increase maxlen." % maxlen)
    (first, first_labels), (second, second_labels) = parts
    texts = _numbered_words.limited(first + second, num_words, skip_top, oov_char)
    return ((_numbered_words.as_array(texts[:len(first)]), _np.asarray(first_labels)),
            (_numbered_words.as_array(texts[len(first):]), _np.asarray(second_labels)))


def get_word_index(path="imdb_word_index.json"):
    """{word: number} of a file imdb_word_index.json."""
    return _numbered_words.word_index(path, "imdb.get_word_index")
