"""What tensorflow.python.platform.tf_logging has beside tf.logging."""

from flowray.tf import logging as _logging

vlog = _logging.log
