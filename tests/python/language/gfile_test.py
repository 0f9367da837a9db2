"""tf.gfile and tf.io.gfile on the files of this machine."""

import os
import pathlib
import tempfile
import unittest

import flowray.tf as tf


class GFileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_walk_tells_of_a_folder_that_is_not_there(self):
        told = []
        self.assertEqual(list(tf.io.gfile.walk(str(self.folder / "gone"), onerror=told.append)), [])
        self.assertIsInstance(told[0], tf.errors.NotFoundError)
        self.assertIn("Could not find directory", str(told[0]))
        self.assertEqual(list(tf.io.gfile.walk(str(self.folder / "gone"))), [])

    def test_walk_gives_folders_before_or_after_what_is_in_them(self):
        (self.folder / "a").mkdir()
        (self.folder / "a" / "x").touch()
        top, below = str(self.folder), os.path.join(str(self.folder), "a")
        self.assertEqual(list(tf.io.gfile.walk(top)), [(top, ["a"], []), (below, [], ["x"])])
        self.assertEqual(list(tf.io.gfile.walk(top, topdown=False)), [(below, [], ["x"]), (top, ["a"], [])])

    def test_copies_and_renames_spare_what_is_there(self):
        one, two = self.folder / "one", self.folder / "two"
        one.write_text("1")
        two.write_text("2")
        for change in (tf.io.gfile.copy, tf.io.gfile.rename):
            with self.assertRaises(tf.errors.AlreadyExistsError):
                change(str(one), str(two))
            self.assertEqual(two.read_text(), "2")
        tf.io.gfile.rename(str(one), str(two), overwrite=True)
        self.assertEqual((two.read_text(), tf.io.gfile.exists(str(one))), ("1", False))
        self.assertEqual(tf.io.gfile.stat(str(two)).length, 1)


if __name__ == "__main__":
    unittest.main()
