"""Weights in HDF5 files take the place of what was there in one step, or not at all."""

import errno
import os
import stat
import tempfile
import unittest
from unittest import mock

import h5py
import numpy as np

from flowray import tf


class WeightFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "weights.h5")
        self.graph = tf.Graph().as_default()
        self.graph.__enter__()
        self.addCleanup(self.graph.__exit__, None, None, None)
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,)), tf.keras.layers.Dense(1)])
        self.weights = [np.full(array.shape, number, np.float32) for number, array in enumerate(self.model.get_weights())]
        self.model.set_weights(self.weights)

    def saved(self):
        self.model.set_weights([array + 10 for array in self.weights])
        self.model.load_weights(self.path)
        return [float(array.flat[0]) for array in self.model.get_weights()]

    def test_a_disk_that_is_full_leaves_what_was_there(self):
        self.model.save_weights(self.path)
        self.model.set_weights([array + 100 for array in self.weights])
        create = h5py.Group.create_dataset

        def full_at_the_third(group, name, *args, **kwargs):
            if name.startswith("dense_1/kernel"):
                raise OSError(errno.ENOSPC, "No space left on device")
            return create(group, name, *args, **kwargs)

        with mock.patch.object(h5py.Group, "create_dataset", full_at_the_third), self.assertRaises(OSError):
            self.model.save_weights(self.path)
        self.assertEqual(os.listdir(self.folder), ["weights.h5"])
        self.assertEqual(self.saved(), [0, 1, 2, 3])

    def test_it_is_on_the_disk_before_it_has_its_name(self):
        calls = []
        sync, replace = os.fsync, os.replace

        def fsync(number):
            calls.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
            sync(number)

        def replaced(source, target):
            calls.append("replace")
            replace(source, target)

        with mock.patch("os.fsync", fsync), mock.patch("os.replace", replaced):
            self.model.save_weights(self.path)
        self.assertEqual(calls, ["file", "replace", "folder"])
        self.assertEqual(self.saved(), [0, 1, 2, 3])

    def test_links_and_permissions_stay(self):
        target = os.path.join(self.folder, "target.h5")
        self.path = os.path.join(self.folder, "link.h5")
        os.symlink("target.h5", self.path)
        self.model.save_weights(target)
        os.chmod(target, 0o640)
        self.model.set_weights([array + 100 for array in self.weights])
        self.model.save_weights(self.path)
        self.assertTrue(os.path.islink(self.path))
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o640)
        self.assertEqual(self.saved(), [100, 101, 102, 103])
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.h5", "target.h5"])

    def test_nothing_takes_the_place_of_what_is_no_file(self):
        os.mkfifo(self.path)
        with self.assertRaisesRegex(OSError, "is not a regular file"):
            self.model.save_weights(self.path)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path).st_mode))
        self.assertEqual(os.listdir(self.folder), ["weights.h5"])

    def test_a_name_of_as_many_bytes_as_there_may_be(self):
        self.path = os.path.join(self.folder, "模" * 84 + ".h5")  # 255 bytes
        self.model.save_weights(self.path)
        self.assertEqual(self.saved(), [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
