"""tf.python_io."""

from flowray.tf._records import (TFRecordCompressionType, TFRecordOptions, TFRecordWriter,  # noqa: F401
                                 tf_record_iterator)
