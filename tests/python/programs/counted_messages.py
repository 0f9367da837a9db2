"""Messages of which not each is logged."""

import logging
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


class Printing(logging.Handler):
    def emit(self, record):
        print(record.levelname, record.getMessage())


logger = tf.get_logger()
before = list(logger.handlers), logger.propagate, tf.logging.get_verbosity()
logger.handlers[:] = [Printing()]
logger.propagate = False
tf.logging.set_verbosity(tf.logging.INFO)
for step in range(7):
    tf.logging.log_every_n(tf.logging.INFO, "every third: %d of %s", 3, step, "seven")
    tf.logging.log_first_n(tf.logging.WARN, "the first two: %d", 2, step)
    tf.logging.log_if(tf.logging.ERROR, "odd: %d", step % 2 == 1, step)
    tf.logging.log_first_n(tf.logging.DEBUG, "not seen", 5)
tf.logging.vlog(tf.logging.INFO, "by level %s", "INFO")
tf.logging.TaskLevelStatusMessage("of the task")
try:
    tf.logging.flush()
except NotImplementedError:
    print("nothing to flush")
for step in range(5):
    tf.logging.log_every_n(tf.logging.INFO, "every second: %d", 2, step)
logger.handlers[:], logger.propagate = before[:2]
tf.logging.set_verbosity(before[2])
