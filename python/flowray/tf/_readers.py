"""tf.TextLineReader and its siblings, and tf.decode_csv: ops by other names."""

from flowray import _native
from flowray.tf import _generated as _ops


def _handle(queue):
    return queue.queue_ref if isinstance(queue, _native.QueueBase) else queue


class ReaderBase:
    """Reads records of the files whose names come from a queue."""

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    @property
    def reader_ref(self):
        return self._reader_ref

    @property
    def supports_serialize(self):
        return self._supports_serialize

    def read(self, queue, name=None):
        """The next record: (key, value)."""
        return _ops.ReaderReadV2(self._reader_ref, _handle(queue), name)

    def read_up_to(self, queue, num_records, name=None):
        return _ops.ReaderReadUpToV2(self._reader_ref, _handle(queue), num_records, name)

    def num_records_produced(self, name=None):
        return _ops.ReaderNumRecordsProducedV2(self._reader_ref, name)

    def num_work_units_completed(self, name=None):
        return _ops.ReaderNumWorkUnitsCompletedV2(self._reader_ref, name)

    def serialize_state(self, name=None):
        return _ops.ReaderSerializeStateV2(self._reader_ref, name)

    def restore_state(self, state, name=None):
        return _ops.ReaderRestoreStateV2(self._reader_ref, state, name)

    def reset(self, name=None):
        return _ops.ReaderResetV2(self._reader_ref, name)


class WholeFileReader(ReaderBase):
    """A record is a file."""

    def __init__(self, name=None):
        super().__init__(_ops.WholeFileReaderV2(name=name), True)


class TextLineReader(ReaderBase):
    """A record is a line."""

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(_ops.TextLineReaderV2(skip_header_lines=skip_header_lines, name=name))


class FixedLengthRecordReader(ReaderBase):
    """A record is so many bytes."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super().__init__(_ops.FixedLengthRecordReaderV2(record_bytes=record_bytes, header_bytes=header_bytes, footer_bytes=footer_bytes,
                                                        hop_bytes=hop_bytes, encoding=encoding, name=name))


class TFRecordReader(ReaderBase):
    """A record is one of a TFRecord file."""

    def __init__(self, name=None, options=None):
        compression = getattr(options, "compression_type", options)
        super().__init__(_ops.TFRecordReaderV2(compression_type=compression or None, name=name))


class IdentityReader(ReaderBase):
    """A record is a name of the queue."""

    def __init__(self, name=None):
        super().__init__(_ops.IdentityReaderV2(name=name), True)


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None):
    """The columns of lines of text, of the dtypes of their defaults."""
    return _ops.DecodeCSV(records, record_defaults, field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value,
                          select_cols=select_cols, name=name)


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):  # noqa: A002: TensorFlow's name
    """What strings hold as numbers of `out_type`."""
    return _ops.DecodeRaw(bytes if input_bytes is None else input_bytes, out_type, little_endian, name)
