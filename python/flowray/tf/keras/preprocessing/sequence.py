"""tf.keras.preprocessing.sequence."""

import json as _json
import random as _random

import numpy as _np

from flowray.tf.keras import utils as _utils


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """Sequences of one length, as an array: shorter ones are filled with `value`, longer ones are cut."""
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    lengths = []
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError("`sequences` must be a list of iterables. Found non-iterable: %s" % (sequence,))
        lengths.append(len(sequence))
    maxlen = max(lengths, default=0) if maxlen is None else maxlen
    shape = next((_np.asarray(sequence).shape[1:] for sequence in sequences if len(sequence)), ())
    is_text = _np.issubdtype(dtype, _np.str_)
    if isinstance(value, str) and dtype != object and not is_text:
        raise ValueError("`dtype` %s is not compatible with `value`'s type: %s\nYou should set `dtype=object` for variable length strings."
                         % (dtype, type(value)))
    result = _np.full((len(lengths), maxlen, *shape), value, dtype=dtype)
    for number, (row, sequence) in enumerate(zip(result, sequences)):
        if not len(sequence):
            continue
        if truncating not in ("pre", "post"):
            raise ValueError("Truncating type \"%s\" not understood" % truncating)
        cut = _np.asarray(sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen], dtype=dtype)
        if cut.shape[1:] != shape:
            raise ValueError("Shape of sample %s of sequence at position %d is different from expected shape %s" % (cut.shape[1:], number, shape))
        if padding == "post":
            row[:len(cut)] = cut
        elif padding == "pre":
            row[len(row) - len(cut):] = cut
        else:
            raise ValueError("Padding type \"%s\" not understood" % padding)
    return result


def make_sampling_table(size, sampling_factor=1e-5):
    """How likely a word of each rank is kept, where words are as frequent as Zipf says."""
    rank = _np.arange(size)
    rank[0] = 1
    inverse = rank * (_np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    frequency = sampling_factor * inverse
    return _np.minimum(1.0, frequency / _np.sqrt(frequency))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1.0, shuffle=True, categorical=False, sampling_table=None,
              seed=None):
    """(pairs of words, 1 for those that stand near each other and 0 for those by chance)."""
    couples, labels = [], []
    for i, word in enumerate(sequence):
        if not word or sampling_table is not None and sampling_table[word] < _random.random():
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        _random.shuffle(words)
        couples += [[words[i % len(words)], _random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = _random.randint(0, int(10e6)) if seed is None else seed
        for part in (couples, labels):
            _random.seed(seed)
            _random.shuffle(part)
    return couples, labels


class TimeseriesGenerator(_utils.Sequence):
    """Batches of parts of a series of `length` steps, with what follows each."""

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False, reverse=False,
                 batch_size=128):
        if len(data) != len(targets):
            raise ValueError("Data and targets have to be of same length. Data length is %d while target length is %d"
                             % (len(data), len(targets)))
        self.data, self.targets, self.length, self.sampling_rate, self.stride = data, targets, length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError("`start_index+length=%i > end_index=%i` is disallowed, as no part of the sequence would be left to be used as "
                             "current step." % (self.start_index, self.end_index))

    def get_config(self):
        """What it was made of; the series as JSON."""
        told = {name: _json.dumps(_np.asarray(getattr(self, name)).tolist()) for name in ("data", "targets")}
        return {**told, **{name: getattr(self, name) for name in ("length", "sampling_rate", "stride", "start_index", "end_index", "shuffle",
                                                                  "reverse", "batch_size")}}

    def to_json(self, **options):
        """The config as text."""
        return _json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **options)

    def __len__(self):
        return (self.end_index - self.start_index + self.batch_size * self.stride) // (self.batch_size * self.stride)

    def __getitem__(self, index):
        if self.shuffle:
            rows = _np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = _np.arange(first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = _np.array([self.data[row - self.length:row:self.sampling_rate] for row in rows])
        targets = _np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...], targets) if self.reverse else (samples, targets)
