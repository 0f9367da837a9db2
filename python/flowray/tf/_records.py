"""tf.python_io: files of records, and the events in them."""

import struct as _struct

from flowray import _native
from flowray.tf import errors as _errors


class TFRecordCompressionType:
    NONE, ZLIB, GZIP = range(3)


class TFRecordOptions:
    """How records are compressed. The sizes of buffers change nothing of a file."""

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
                 compression_level=None, compression_method=None, mem_level=None, compression_strategy=None):
        for word, value in (("flush_mode", flush_mode), ("window_bits", window_bits), ("compression_method", compression_method),
                            ("mem_level", mem_level), ("compression_strategy", compression_strategy)):
            if value is not None:
                raise NotImplementedError("TFRecordOptions(%s=%r) is not there: leave it out, the records are the same" % (word, value))
        for size in (input_buffer_size, output_buffer_size):
            if size is not None and not hasattr(size, "__index__"):
                raise TypeError("TFRecordOptions: a buffer's size is a whole number, not %r" % (size,))
        self.compression_level = compression_level
        names = {None: "", TFRecordCompressionType.NONE: "", TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP"}
        self.compression_type = names.get(compression_type, compression_type)


def _opened(path, mode, options):
    compression = getattr(options, "compression_type", options) or ""
    path = path.decode() if isinstance(path, bytes) else str(path)
    if compression == "GZIP":
        import gzip
        level = getattr(options, "compression_level", None)
        return gzip.open(path, mode, 9 if level in (None, -1) else level)
    if compression:
        raise NotImplementedError("Flowray has TFRecord files without compression and with GZIP, not with %s" % compression)
    return open(path, mode)


class TFRecordWriter:
    """Writes a file of records."""

    def __init__(self, path, options=None):
        self._file = _opened(path, "wb", options)

    def write(self, record):
        length = _struct.pack("<Q", len(record))
        self._file.write(length + _struct.pack("<I", _native._masked_crc32c(length)) + record +
                         _struct.pack("<I", _native._masked_crc32c(record)))

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _checked(file, size, what):
    data = file.read(size)
    stored = file.read(4)
    if len(data) < size or len(stored) < 4:
        raise _errors.DataLossError(None, None, "truncated record")
    if _native._masked_crc32c(data) != _struct.unpack("<I", stored)[0]:
        raise _errors.DataLossError(None, None, "corrupted record (%s)" % what)
    return data


def tf_record_iterator(path, options=None):
    """The records of a file."""
    try:
        file = _opened(path, "rb", options)
    except FileNotFoundError:
        raise _errors.NotFoundError(None, None, "%s; No such file or directory" % path) from None
    with file:
        while True:
            length = file.read(8)
            if not length:
                return
            stored = file.read(4)
            if len(length) < 8 or len(stored) < 4:
                raise _errors.DataLossError(None, None, "truncated record")
            if _native._masked_crc32c(length) != _struct.unpack("<I", stored)[0]:
                raise _errors.DataLossError(None, None, "corrupted record (length)")
            yield _checked(file, _struct.unpack("<Q", length)[0], "data")


def summary_iterator(path):
    """The tf.Events of an event file."""
    from flowray.tf import _messages
    return map(_messages.Event.FromString, tf_record_iterator(path))
