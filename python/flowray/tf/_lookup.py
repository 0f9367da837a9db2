"""tf.lookup and tf.contrib.lookup: tables that turn keys into values, from lists, from vocabulary files, and such as change."""

import uuid as _uuid
from collections import namedtuple as _namedtuple

from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf import _language
from flowray.tf._switches import init_scope as _init_scope
from flowray.tf._sparse import SparseTensorValue, is_sparse

_INT64, _STRING = _native.as_dtype("int64"), _native.as_dtype("string")


def _scope(name, default, values=()):
    return _native.name_scope(name, default, list(values))


def _values_of(keys):
    """The tensor in which the keys are, and what makes something like `keys` of other values."""
    if is_sparse(keys):
        if isinstance(keys, SparseTensorValue):
            keys = _native.SparseTensor.from_value(keys)
        return keys.values, lambda values: _native.SparseTensor(keys.indices, values, keys.dense_shape)
    if hasattr(keys, "with_flat_values"):
        return keys.flat_values, keys.with_flat_values
    return keys, lambda values: values


def _check_keys(keys, dtype):
    if keys.dtype.base_dtype != dtype:
        raise TypeError("Dtype of argument `keys` must be %s, received: %s" % (dtype, keys.dtype))


class _Table:
    """What all tables have."""

    _key_dtype = _value_dtype = _handle = _table_name = None

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)
    resource_handle = property(lambda self: self._handle)
    name = property(lambda self: self._table_name)

    def __getitem__(self, keys):
        return self.lookup(keys)

    def _named(self, handle):
        self._handle, self._table_name = handle, handle.op.name.split("/")[-1]


# ---- what a table is filled from


class TableInitializerBase:
    """What fills a table."""

    _shared_name = ""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = _native.as_dtype(key_dtype), _native.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)

    def _check(self, table):
        for word, own, wanted in (("key", self._key_dtype, table.key_dtype), ("value", self._value_dtype, table.value_dtype)):
            if own != wanted:
                raise TypeError("Invalid %s dtype for table, expected %s but got %s." % (word, wanted, own))


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values from two vectors."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = _native.convert_to_tensor(keys, key_dtype, "keys")
        self._values = _native.convert_to_tensor(values, value_dtype, "values")
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        """The operation that fills the table, which is in the collection of those."""
        self._check(table)
        with _scope(self._name, None, (table.resource_handle, self._keys, self._values)):
            filled = _ops.LookupTableImportV2(table.resource_handle, self._keys, self._values)
        _language.add_to_collection(_language.GraphKeys.TABLE_INITIALIZERS, filled)
        return filled


class TextFileIndex:
    """In place of a column of a text file: the whole line, or its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _check_column(word, index, dtype, number_words, line_words):
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError("`%s_index` %s, received: %s%s" % (word, "should be >= -2", index, "." if word == "key" else ""))
    if index == TextFileIndex.LINE_NUMBER and dtype != _INT64:
        raise ValueError(number_words % dtype)
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != _STRING:
        raise ValueError(line_words % dtype)


class TextFileInitializer(TableInitializerBase):
    """Keys and values from columns of a text file."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None,
                 value_index_offset=0):
        if not isinstance(filename, _native.Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_column("key", key_index, self._key_dtype, "`key_dtype` must be int64 if `key_index` is -1, received: %s",
                      "`key_dtype` should be either integer or string for `key_index` -2, received: %s")
        _check_column("value", value_index, self._value_dtype, "`value_dtype` must be int64 for `value_index` -1, received: %s",
                      "`value_dtype` should be either integer or string for `value_index` -2, received: %s")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError("`vocab_size` should be > 0, received: %s" % vocab_size)
        self._argument, self._columns, self._vocab_size = filename, (key_index, value_index), vocab_size
        self._delimiter, self._name, self._offset = delimiter, name, value_index_offset
        with _language.device("CPU"):
            self._filename = _native.convert_to_tensor(filename, _STRING, "asset_path")

    @property
    def _shared_name(self):
        parts = [self._argument] + ([self._vocab_size] if self._vocab_size else []) + list(self._columns)
        return "hash_table_" + "_".join(str(part) for part in parts + ([self._offset] if self._offset else []))

    def initialize(self, table):
        """The operation that fills the table, which is in the collection of those."""
        self._check(table)
        with _scope(self._name, "text_file_init", (table.resource_handle,)):
            filled = _ops.InitializeTableFromTextFileV2(
                table.resource_handle, self._filename, self._columns[0], self._columns[1],
                -1 if self._vocab_size is None else self._vocab_size, self._delimiter, self._offset)
        _language.add_to_collection(_language.GraphKeys.TABLE_INITIALIZERS, filled)
        if not _native.executing_eagerly() and self._filename.op.type == "Const":
            _language.add_to_collection(_language.GraphKeys.ASSET_FILEPATHS, self._filename)
        return filled


class TextFileStringTableInitializer(TextFileInitializer):
    """The lines of a file by their numbers."""

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE,
                 vocab_size=None, delimiter="\t", name="text_file_string_table_init"):
        super().__init__(filename, _INT64, key_column_index, _STRING, value_column_index, vocab_size, delimiter, name)


class TextFileIdTableInitializer(TextFileInitializer):
    """The numbers of a file's lines by what they say."""

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE, value_column_index=TextFileIndex.LINE_NUMBER,
                 vocab_size=None, delimiter="\t", name="text_file_id_table_init", key_dtype=_STRING):
        super().__init__(filename, key_dtype, key_column_index, _INT64, value_column_index, vocab_size, delimiter, name)


# ---- tables that are filled once


class StaticHashTable(_Table):
    """A table that is filled by its initializer, and then stays as it is."""

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        if experimental_is_anonymous:
            raise NotImplementedError("experimental_is_anonymous is not there yet: leave it out")
        self._key_dtype, self._value_dtype = initializer.key_dtype, initializer.value_dtype
        self._default_value = _native.convert_to_tensor(default_value, self._value_dtype)
        self._default_value.get_shape().merge_with([])
        with _init_scope():
            self._named(_ops.HashTableV2(self._key_dtype, self._value_dtype,
                                         shared_name=initializer._shared_name or "hash_table_%s" % _uuid.uuid4(), name=name or "hash_table"))
        self._init_op = initializer.initialize(self)

    default_value = property(lambda self: self._default_value)
    initializer = property(lambda self: self._init_op)

    def size(self, name=None):
        """How many keys there are."""
        with _scope(name, "%s_Size" % self.name, [self._handle]):
            return _ops.LookupTableSizeV2(self._handle)

    def lookup(self, keys, name=None):
        """The values of keys; the default for those that are not there."""
        tensor, like = _values_of(keys)
        _check_keys(keys, self._key_dtype)
        with _scope(name, "%s_Lookup" % self.name, (self._handle, tensor, self._default_value)):
            values = _ops.LookupTableFindV2(self._handle, tensor, self._default_value)
        values.set_shape(tensor.get_shape())
        return like(values)

    def export(self, name=None):
        """All keys and their values."""
        with _scope(name, "%s_Export" % self.name, [self._handle]):
            keys, values = _ops.LookupTableExportV2(self._handle, self._key_dtype, self._value_dtype)
        values.set_shape(keys.get_shape().concatenate(self._default_value.get_shape()))
        return keys, values


class HashTable(StaticHashTable):
    """tf.contrib.lookup.HashTable."""

    init = property(lambda self: self._init_op)


class HasherSpec(_namedtuple("HasherSpec", ["hasher", "key"])):
    """How words that are in no table get their numbers."""


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """By SipHash with two numbers as the key."""

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError("`key` must have size 2, received %s" % len(key))
        if not all(isinstance(part, int) for part in key):
            raise TypeError("Invalid key %s. Must be unsigned integer values." % (key,))
        return super().__new__(cls, "stronghash", key)


def _buckets(values, count, spec):
    words = values if values.dtype.base_dtype == _STRING else _ops.AsString(values)
    if spec.hasher == "fasthash":
        return _ops.StringToHashBucketFast(words, count, name="hash_bucket")
    if spec.hasher == "legacy":
        return _ops.StringToHashBucket(words, count, name="hash_bucket")
    if spec.hasher == "stronghash":
        return _ops.StringToHashBucketStrong(words, count, list(spec.key), name="hash_bucket")
    raise ValueError("Found unknown hasher %s in `hasher_spec`" % spec.hasher)


class _TableWithBuckets(_Table):
    """Numbers of a table's keys, and behind them those of buckets for all others."""

    _value_dtype = _INT64

    def _begin(self, table, num_oov_buckets, hasher_spec, name, key_dtype):
        if not key_dtype.is_integer and key_dtype != _STRING:
            raise TypeError("Invalid `key_dtype`, expected integer or string, got %s." % key_dtype)
        self._table, self._num_oov_buckets, self._hasher_spec, self._key_dtype = table, num_oov_buckets, hasher_spec, key_dtype
        self._handle = None if table is None else table.resource_handle
        self._table_name = name.split("/")[-1] if name else None

    @property
    def initializer(self):
        if self._table is not None:
            return self._table.initializer
        with _scope(None, "init"):
            return _native.no_op()

    init = initializer

    def size(self, name=None):
        """The table's size and the number of buckets."""
        with _scope(name, "%s_Size" % self.name):
            size = self._table.size() if self._table is not None else _native.convert_to_tensor(0, _INT64)
            return size + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The numbers of keys."""
        _check_keys(keys, self._key_dtype)
        values, like = _values_of(keys)
        if self._table is not None and self._table.key_dtype == _INT64:
            values = _native.cast(values, _INT64)
        if self._num_oov_buckets == 0:
            return like(self._table.lookup(values, name=name))
        with _scope(name, "%s_Lookup" % self.name):
            buckets = _buckets(values, self._num_oov_buckets, self._hasher_spec)
            if self._table is None:
                return like(buckets)
            ids = self._table.lookup(values)
            buckets = _native.add(buckets, self._table.size())
            is_known = _native.not_equal(ids, self._table.default_value)
            return like(_ops.SelectV2(is_known, ids, buckets))


def _checked_key_dtype(table_key_dtype, key_dtype):
    if table_key_dtype not in (_INT64, _STRING):
        raise TypeError("Invalid `key_dtype`, expected one of %s, received %s." % ((_INT64, _STRING), key_dtype))
    if table_key_dtype.is_integer != key_dtype.is_integer:
        raise TypeError("Invalid `key dtype`, expected %s but got %s." % ("integer" if key_dtype.is_integer else "non-integer",
                                                                          table_key_dtype))


class IdTableWithHashBuckets(_TableWithBuckets):
    """tf.contrib.lookup.IdTableWithHashBuckets."""

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        name = name.rstrip("/") if name else None
        key_dtype = None if key_dtype is None else _native.as_dtype(key_dtype)
        if table is not None:
            key_dtype = table.key_dtype if key_dtype is None else key_dtype
            _checked_key_dtype(table.key_dtype, key_dtype)
            if table.value_dtype != _INT64:
                raise TypeError("Invalid `value_dtype`: expected int64 but got %s." % table.value_dtype)
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
            key_dtype, name = _STRING if key_dtype is None else key_dtype, name or "hash_bucket"
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError("`hasher_spec` must be of type HasherSpec, got %s." % type(hasher_spec))
        self._begin(table, num_oov_buckets, hasher_spec, name, key_dtype)


class StaticVocabularyTable(_TableWithBuckets):
    """Numbers of words: those of the initializer, and buckets for all others."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        name, table = name.rstrip("/") if name else None, None
        lookup_key_dtype = None if lookup_key_dtype is None else _native.as_dtype(lookup_key_dtype)
        if initializer:
            lookup_key_dtype = initializer.key_dtype if lookup_key_dtype is None else lookup_key_dtype
            _checked_key_dtype(initializer.key_dtype, lookup_key_dtype)
            if initializer.value_dtype != _INT64:
                raise TypeError("Invalid `value_dtype`, expected %s but got %s." % (_INT64, initializer.value_dtype))
            table = HashTable(initializer, -1, experimental_is_anonymous=experimental_is_anonymous)
            name = name or table.name
        else:
            lookup_key_dtype, name = _STRING, name or "hash_bucket"
        self._begin(table, num_oov_buckets, FastHashSpec, name, lookup_key_dtype)


# ---- tables that change


class MutableHashTable(_Table):
    """A table that steps insert into and remove from."""

    def __init__(self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True, experimental_is_anonymous=False):
        if experimental_is_anonymous:
            raise NotImplementedError("experimental_is_anonymous is not there yet: leave it out")
        self._key_dtype, self._value_dtype = _native.as_dtype(key_dtype), _native.as_dtype(value_dtype)
        self._default_value = _native.convert_to_tensor(default_value, self._value_dtype)
        if self._default_value.get_shape().ndims != 0:
            raise NotImplementedError("A MutableHashTable has one value for each key here, and default_value has shape %s"
                                      % self._default_value.get_shape())
        with _init_scope():
            self._named(_ops.MutableHashTableV2(self._key_dtype, self._value_dtype, use_node_name_sharing=bool(checkpoint), name=name))

    default_value = property(lambda self: self._default_value)

    def size(self, name=None):
        """How many keys there are."""
        with _scope(name, "%s_Size" % self.name, [self._handle]), _native.colocate_with(self._handle):
            return _ops.LookupTableSizeV2(self._handle)

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys; a default for those that are not there."""
        with _scope(name, "%s_lookup_table_find" % self.name, (self._handle, keys, self._default_value)):
            keys = _native.convert_to_tensor(keys, self._key_dtype, "keys")
            with _native.colocate_with(self._handle):
                return _ops.LookupTableFindV2(self._handle, keys,
                                              self._default_value if dynamic_default_values is None else dynamic_default_values)

    def insert(self, keys, values, name=None):
        """The operation that gives keys their values."""
        with _scope(name, "%s_lookup_table_insert" % self.name, [self._handle, keys, values]):
            keys = _native.convert_to_tensor(keys, self._key_dtype, "keys")
            values = _native.convert_to_tensor(values, self._value_dtype, "values")
            with _native.colocate_with(self._handle):
                return _ops.LookupTableInsertV2(self._handle, keys, values)

    def remove(self, keys, name=None):
        """The operation that takes keys away."""
        _check_keys(keys, self._key_dtype)
        with _scope(name, "%s_lookup_table_remove" % self.name, (self._handle, keys, self._default_value)):
            return _ops.LookupTableRemoveV2(self._handle, keys)

    def export(self, name=None):
        """All keys and their values."""
        with _scope(name, "%s_lookup_table_export_values" % self.name, [self._handle]), _native.colocate_with(self._handle):
            return tuple(_ops.LookupTableExportV2(self._handle, self._key_dtype, self._value_dtype))


# ---- tf.contrib.lookup's functions


def _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype):
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)


def _check_file(vocabulary_file):
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=FastHashSpec,
                          key_dtype=_STRING, name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter="\t"):
    """The numbers of a file's lines by what they say."""
    _check_file(vocabulary_file)
    key_dtype = _native.as_dtype(key_dtype)
    if num_oov_buckets < 0:
        raise ValueError("num_oov_buckets must be greater or equal than 0, got %d." % num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError("`vocab_size` must be greater than 0, got %d for vocabulary_file: %s." % (vocab_size, vocabulary_file))
    if not key_dtype.is_integer and key_dtype != _STRING:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    with _scope(name, "string_to_index"):
        with _scope(None, "hash_table"):
            lines = TextFileIdTableInitializer(vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init",
                                               _INT64 if key_dtype.is_integer else key_dtype)
            table = HashTable(lines, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(vocabulary_list, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=_STRING, name=None):
    """The places of a list's words by the words."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    dtype = _native.as_dtype(dtype)
    if num_oov_buckets < 0:
        raise ValueError("`num_oov_buckets` must be greater or equal than 0, got %d." % num_oov_buckets)
    if not dtype.is_integer and dtype != _STRING:
        raise TypeError("`dtype` must either be integer or string.")
    with _scope(name, "string_to_index"):
        keys = _native.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            raise ValueError("Invalid `dtype`: Expected %s, got %s." % ("integer" if dtype.is_integer else "non-integer", keys.dtype))
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError("Invalid `dtype`: Expected %s, got %s." % (dtype, keys.dtype))
        values = _native.cast(_native.range(_native.size(keys)), _INT64)
        with _scope(None, "hash_table"):
            table_keys = _native.cast(keys, _INT64) if keys.dtype.is_integer else keys
            table = HashTable(KeyValueTensorInitializer(table_keys, values, table_keys.dtype.base_dtype, _INT64, "table_init"), default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value="UNK", name=None,
                                    key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE,
                                    delimiter="\t"):
    """The lines of a file by their numbers."""
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError("`vocab_size` must be greater than 0, got %s." % vocab_size)
    with _scope(name, "index_to_string"):
        return HashTable(TextFileStringTableInitializer(vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter,
                                                        "table_init"), default_value)


def index_to_string_table_from_tensor(vocabulary_list, default_value="UNK", name=None):
    """The words of a list by their places."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    with _scope(name, "index_to_string"):
        words = _native.convert_to_tensor(vocabulary_list, _STRING)
        keys = _native.cast(_native.range(_native.size(words)), _INT64)
        return HashTable(KeyValueTensorInitializer(keys, words, _INT64, _STRING, "table_init"), default_value)

