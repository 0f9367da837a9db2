"""tf.data.experimental.CsvDataset and make_csv_dataset: records of comma-separated values."""

import csv
import gzip

from flowray import _native
from flowray import tf as _tf
from flowray.tf._datasets import AUTOTUNE, Dataset

# In the order in which a column's dtype is guessed: what comes later holds what comes before it.
_DTYPES = (_tf.int32, _tf.int64, _tf.float32, _tf.float64, _tf.string)


def _required(default):
    """A dtype stands for a column that must have a value."""
    is_dtype = isinstance(default, (_tf.DType, type)) and _tf.as_dtype(default) in _DTYPES
    return _tf.constant([], default) if is_dtype else default


def _or_else(value, otherwise, dtype, name):
    return _tf.convert_to_tensor(otherwise if value is None else value, dtype, name=name)


class CsvDataset(Dataset):
    """The records of CSV files, a component for each column: of the dtype of its default, or of the dtype given for it, where it must have
    a value."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",",
                 use_quote_delim=True, na_value="", select_cols=None):
        names = _tf.convert_to_tensor(filenames, _tf.string, name="filenames")
        compression = _or_else(compression_type, "", _tf.string, "compression_type")
        defaults = [_required(default) for default in record_defaults]
        defaults = [_tf.convert_to_tensor(default, name="record_defaults_%d" % i) for i, default in enumerate(defaults)]
        types = [default.dtype for default in defaults]
        shapes = [_tf.TensorShape([])] * len(types)
        inputs = (names, compression, _or_else(buffer_size, 4 * 1024 * 1024, _tf.int64, "buffer_size"),
                  _or_else(header, None, _tf.bool, "header"), _or_else(field_delim, None, _tf.string, "field_delim"),
                  _or_else(use_quote_delim, None, _tf.bool, "use_quote_delim"), _or_else(na_value, None, _tf.string, "na_value"),
                  _or_else(select_cols, [], _tf.int64, "select_cols"), defaults, _tf.constant([], _tf.int64, name="exclude_cols"))
        made = _native.op("CSVDatasetV2", None, inputs, {"output_types": types, "output_shapes": shapes})
        super().__init__(_native._dataset_of(made, types, shapes), (None,) * len(types))


def _file_names(file_pattern):
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    names = [name for pattern in patterns for name in _tf.gfile.Glob(pattern)]
    if not names:
        raise ValueError("No files match `file_pattern` %s." % file_pattern)
    return sorted(names)


class _Rows:
    """The rows of CSV files as texts, read while the graph is made."""

    def __init__(self, names, compression_type, encoding, field_delim, use_quote_delim):
        if compression_type == "ZLIB":
            raise ValueError("`compression_type` ZLIB is not supported for probing columns.\n"
                             "Give column_names and column_defaults: the files are not looked into then.")
        if compression_type not in (None, "", "GZIP"):
            raise ValueError("Received unknown `compression_type` %s. Expected: GZIP, ZLIB or  (empty string)." % compression_type)
        self._names, self._encoding = names, encoding
        self._open = gzip.open if compression_type == "GZIP" else open
        self._written = {"delimiter": field_delim, "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE}

    def _of(self, name):
        with self._open(name, "rt", encoding=self._encoding) as file:
            yield from csv.reader(file, **self._written)

    def header(self):
        """The first row, which must be that of all files."""
        first = None
        for name in self._names:
            row = next(self._of(name), None)
            if row is None:
                raise ValueError("Failed when reading the header line of %s. Is it an empty file?" % name)
            if first is not None and row != first:
                raise ValueError("All input CSV files should have the same column names in the header row. File %s has different column names."
                                 % name)
            first = row
        return first

    def records(self, num_columns, has_header):
        for name in self._names:
            rows = self._of(name)
            if has_header:
                next(rows)
            for number, row in enumerate(rows, 2 if has_header else 1):
                if len(row) != num_columns:
                    raise ValueError("Problem inferring types: CSV row %d has %d number of fields. Expected: %d." % (number, len(row), num_columns))
                yield row


def _holds(dtype, text):
    if dtype == _tf.string:
        return True
    try:
        if dtype.is_integer:
            return dtype.min <= int(text) <= dtype.max
        import numpy as np  # not before it is needed: it takes long to import
        with np.errstate(over="ignore"):
            return bool(dtype.as_numpy_dtype(text) < np.inf)
    except ValueError:
        return False


def _guessed(text, na_value, before):
    """The first dtype that holds the text, and what was seen before it."""
    if text in ("", na_value):
        return before
    first = 0 if before is None else _DTYPES.index(before)
    return next(dtype for dtype in _DTYPES[first:] if _holds(dtype, text))


def _guessed_defaults(records, columns, na_value, most):
    guesses = [None] * len(columns)
    for number, row in enumerate(records):
        if most is not None and number >= most:
            break
        guesses = [_guessed(row[column], na_value, guess) for column, guess in zip(columns, guesses)]
    dtypes = [_tf.string if guess is None else guess for guess in guesses]
    return [_tf.constant(["" if dtype == _tf.string else 0], dtype) for dtype in dtypes]


def _indices(select_columns, column_names):
    """The numbers of the columns, rising."""
    indices = []
    for column in select_columns:
        if isinstance(column, int):
            if not 0 <= column < len(column_names):
                raise ValueError("Column index %d specified in `select_columns` should be > 0  and <= %d, which is the number of columns."
                                 % (column, len(column_names)))
            indices.append(column)
        elif column in column_names:
            indices.append(column_names.index(column))
        else:
            raise ValueError("Column %s specified in `select_columns` must be of one of the columns: %s."
                             % (column, dict.fromkeys(column_names).keys()))
    if len(set(indices)) != len(indices):
        raise ValueError("The `select_columns` argument contains duplicate columns: %s." % sorted(i for i in set(indices) if indices.count(i) > 1))
    return sorted(indices)


def _check_names(column_names):
    repeated = {name for name in column_names if column_names.count(name) > 1}
    if repeated:
        raise ValueError("Either `column_names` argument or CSV header row contains duplicate column names: %s." % repeated)


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None, field_delim=",",
                     use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True, shuffle_buffer_size=10000,
                     shuffle_seed=None, prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100,
                     compression_type=None, ignore_errors=False, encoding="utf-8"):
    """Batches of the records of CSV files, as dicts by the columns' names. What a column holds is guessed from the first records, and its
    name read in the first row, where neither is given."""
    if sloppy:
        raise NotImplementedError("make_csv_dataset(sloppy=True) is not there: leave it out, the records are the same")
    names = _file_names(file_pattern)
    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    probes = column_names is None or column_defaults is None
    rows = _Rows(names, compression_type, encoding, field_delim, use_quote_delim) if probes else None
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = rows.header()
    column_names = list(column_names)
    _check_names(column_names)
    columns = None if select_columns is None else _indices(select_columns, column_names)
    if column_defaults is None:
        wanted = range(len(column_names)) if columns is None else columns
        column_defaults = _guessed_defaults(rows.records(len(column_names), header), wanted, na_value, num_rows_for_inference)
    else:
        column_defaults = [_required(default) for default in column_defaults]
    if columns is not None:
        if len(column_defaults) != len(columns):
            raise ValueError("If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has length %d, "
                             "`select_columns` has length %d." % (len(column_defaults), len(columns)))
        column_names = [column_names[column] for column in columns]
    if label_name is not None and label_name not in column_names:
        raise ValueError("`label_name` provided must be one of the columns: %s. Received: %s." % (column_names, label_name))

    def records(name):
        opened = CsvDataset(name, column_defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, columns)
        return opened.ignore_errors() if ignore_errors else opened

    def by_name(*values):
        features = dict(zip(column_names, values))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = dataset.interleave(records, 1 if num_parallel_reads is None else num_parallel_reads)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(by_name)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
