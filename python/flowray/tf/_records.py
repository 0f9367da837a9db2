"""tf.python_io: files of records, and the events in them."""

import struct as _struct
import zlib as _zlib

from flowray import _native
from flowray.tf import errors as _errors


class TFRecordCompressionType:
    NONE, ZLIB, GZIP = range(3)


_FLUSH_MODES = (None, _zlib.Z_NO_FLUSH, _zlib.Z_PARTIAL_FLUSH, _zlib.Z_SYNC_FLUSH, _zlib.Z_FULL_FLUSH, _zlib.Z_BLOCK, _zlib.Z_TREES)


class TFRecordOptions:
    """How records are compressed: by zlib, with zlib's own parameters. The sizes of buffers change nothing of a file."""

    compression_type_map = {TFRecordCompressionType.NONE: "", TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP"}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
                 compression_level=None, compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        for size in (input_buffer_size, output_buffer_size):
            if size is not None and not hasattr(size, "__index__"):
                raise TypeError("TFRecordOptions: a buffer's size is a whole number, not %r" % (size,))
        if flush_mode not in _FLUSH_MODES:
            raise ValueError("TFRecordOptions: flush_mode is one of zlib's but Z_FINISH, after which no record could follow, not %r" % (flush_mode,))
        self.compression_type, self.flush_mode = compression_type, flush_mode
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size
        self.window_bits, self.compression_level, self.compression_method = window_bits, compression_level, compression_method
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """"", "ZLIB" or "GZIP", of options, one of TFRecordCompressionType or such a string itself."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError('Not a valid compression_type: "%s"' % (options,))


_WINDOW_BITS = {"ZLIB": _zlib.MAX_WBITS, "GZIP": _zlib.MAX_WBITS + 16}  # 16: with the head and the sum of a gzip file


def _deflate_of(compression, options):
    def given(value, default):
        return default if value is None else value
    try:
        return _zlib.compressobj(
            given(options.compression_level, _zlib.Z_DEFAULT_COMPRESSION), given(options.compression_method, _zlib.DEFLATED),
            given(options.window_bits, _WINDOW_BITS[compression]), given(options.mem_level, _zlib.DEF_MEM_LEVEL),
            given(options.compression_strategy, _zlib.Z_DEFAULT_STRATEGY))
    except ValueError:
        raise ValueError("TFRecordOptions: zlib has no compression_level=%r with compression_method=%r, window_bits=%r, mem_level=%r and "
                         "compression_strategy=%r" % (options.compression_level, options.compression_method, options.window_bits,
                                                      options.mem_level, options.compression_strategy)) from None


class _Deflated:
    """A file that compresses what is written to it."""

    def __init__(self, file, deflate, flush_mode):
        self._file, self._deflate, self._flush_mode = file, deflate, _zlib.Z_SYNC_FLUSH if flush_mode is None else flush_mode

    def write(self, data):
        self._file.write(self._deflate.compress(data))

    def flush(self):
        self._file.write(self._deflate.flush(self._flush_mode))
        self._file.flush()

    def close(self):
        if not self._file.closed:
            self._file.write(self._deflate.flush())
            self._file.close()

    closed = property(lambda self: self._file.closed)


class _Inflated:
    """What was compressed, read as if it were not. What is cut off ends where it does. In a gzip file members may follow each other; behind
    the end of a stream of zlib's nothing is looked at."""

    _PIECE = 1 << 18

    def __init__(self, file, compression):
        self._file, self._compression = file, compression
        self._inflate, self._compressed, self._ready, self._is_over = self._begin(), b"", b"", False

    def _begin(self):
        return _zlib.decompressobj(_WINDOW_BITS[self._compression])

    def read(self, size):
        parts, missing = [], size
        while missing > 0:
            if not self._ready and not self._more():
                break
            parts.append(self._ready[:missing])
            self._ready = self._ready[missing:]
            missing -= len(parts[-1])
        return b"".join(parts)

    def _more(self):
        while not self._ready and not self._is_over:
            compressed = self._compressed or self._file.read(self._PIECE)
            try:
                self._ready = self._inflate.decompress(compressed, self._PIECE) if compressed else self._inflate.flush()
            except _zlib.error as error:
                code = str(error).removeprefix("Error ").replace(" while decompressing data", "")
                raise _errors.DataLossError(None, None, "inflate() failed with error %s" % code) from None
            self._compressed, self._is_over = self._inflate.unconsumed_tail, not compressed
            if self._inflate.eof and self._compression == "GZIP":
                self._compressed, self._inflate = self._inflate.unused_data, self._begin()
            elif self._inflate.eof:
                self._is_over = True
        return bool(self._ready)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()


def _text(path):
    return path.decode() if isinstance(path, bytes) else str(path)


class TFRecordWriter:
    """Writes a file of records."""

    def __init__(self, path, options=None):
        compression = TFRecordOptions.get_compression_type_string(options)
        options = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        deflate = _deflate_of(compression, options) if compression else None
        self._file = open(_text(path), "wb")
        if deflate is not None:
            self._file = _Deflated(self._file, deflate, options.flush_mode)

    def write(self, record):
        if self._file.closed:
            raise _errors.FailedPreconditionError(None, None, "Writer is closed.")
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


def _corrupted(position):
    return _errors.DataLossError(None, None, "corrupted record at %d%s" % (position, "" if position else " (Is this even a TFRecord file?)"))


def _records(file, why_short):
    position = 0
    while True:
        head = file.read(12)
        if len(head) < 12:
            return  # also within a head, as in TensorFlow
        if _native._masked_crc32c(head[:8]) != _struct.unpack("<I", head[8:])[0]:
            raise _corrupted(position)
        size = _struct.unpack("<Q", head[:8])[0]
        data, stored = file.read(size), file.read(4)
        if len(data) < size or len(stored) < 4:
            raise _errors.DataLossError(None, None, "truncated record at %d' failed with %s" % (position, why_short))
        if _native._masked_crc32c(data) != _struct.unpack("<I", stored)[0]:
            raise _corrupted(position + 12)
        yield data
        position += size + 16


def tf_record_iterator(path, options=None):
    """The records of a file."""
    compression = TFRecordOptions.get_compression_type_string(options)
    try:
        file = open(_text(path), "rb")
    except FileNotFoundError:
        raise _errors.NotFoundError(None, None, "%s; No such file or directory" % path) from None
    if not compression:
        with file:
            yield from _records(file, "Read less bytes than requested")
    else:
        with _Inflated(file, compression) as inflated:
            yield from _records(inflated, "EOF reached")


def summary_iterator(path):
    """The tf.Events of an event file."""
    from flowray.tf import _messages
    return map(_messages.Event.FromString, tf_record_iterator(path))
