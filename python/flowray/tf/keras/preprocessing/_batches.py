"""Batches of things that have numbers, and images of them in files."""

import os as _os
import threading as _threading

import numpy as _np

from flowray.tf.keras.utils import Sequence as _Sequence


class Iterator(_Sequence):
    """Batches of things that have numbers, without end: next() gives the next one, [i] one of an epoch."""

    def __init__(self, n, batch_size, shuffle, seed):
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index, self.total_batches_seen, self.index_array = 0, 0, None
        self.lock = _threading.Lock()
        self.index_generator = self._flow_index()

    def _set_index_array(self):
        self.index_array = _np.random.permutation(self.n) if self.shuffle else _np.arange(self.n)

    def __len__(self):
        return -(-self.n // self.batch_size)

    def __getitem__(self, idx):
        if idx >= len(self):
            raise ValueError("Asked to retrieve element %d, but the Sequence has length %d" % (idx, len(self)))
        if self.seed is not None:
            _np.random.seed(self.seed + self.total_batches_seen)
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        return self._get_batches_of_transformed_samples(self.index_array[self.batch_size * idx:self.batch_size * (idx + 1)])

    def on_epoch_end(self):
        """Another order for the next epoch."""
        self._set_index_array()

    def reset(self):
        """next() begins anew."""
        self.batch_index = 0

    def _flow_index(self):
        self.reset()
        while True:
            if self.seed is not None:
                _np.random.seed(self.seed + self.total_batches_seen)
            if self.batch_index == 0:
                self._set_index_array()
            first = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > first + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[first:first + self.batch_size]

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            numbers = next(self.index_generator)
        return self._get_batches_of_transformed_samples(numbers)

    next = __next__


def save_images(batch, numbers, saving, most):
    """Writes the images of a batch into a folder, where one is given: (folder, how names begin, their ending). `most`: numbers of chance that names
    have are below it; they are drawn as tf.keras draws them."""
    folder, prefix, ending = saving
    if not folder:
        return
    from flowray.tf.keras.preprocessing.image import array_to_img
    for image, number in zip(batch, numbers):
        name = "%s_%s_%s.%s" % (prefix, number, _np.random.randint(most), ending)
        array_to_img(image, "channels_last", scale=True).save(_os.path.join(folder, name))
