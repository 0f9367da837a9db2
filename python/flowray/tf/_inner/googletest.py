"""tensorflow.python.platform.googletest: tf.test by other names."""

from unittest import mock  # noqa: F401

from flowray.tf.test import StubOutForTesting, TestCase, get_temp_dir, main  # noqa: F401

GetTempDir = get_temp_dir
