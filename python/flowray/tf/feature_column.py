"""tf.feature_column: features of examples as columns of numbers, and models over them."""

import math as _math
from collections import namedtuple as _namedtuple

import numpy as _np

from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf import _initializers, _language, _lookup, _parsing, _variable_scopes
from flowray.tf._shape import TensorShape
from flowray.tf._sparse import convert_to_tensor_or_sparse_tensor as _tensor_or_sparse, cross_hashed as _cross_hashed

_FLOAT, _INT64, _STRING = (_native.as_dtype(name) for name in ("float32", "int64", "string"))
_IdWeightPair = _namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])


def _check_key(key):
    if not isinstance(key, str):
        raise ValueError("key must be a string. Got: type %s. Given key: %s." % (type(key), key))


def _check_string_or_int(dtype, prefix):
    if dtype != _STRING and not dtype.is_integer:
        raise ValueError("%s dtype must be string or integer. dtype: %s." % (prefix, dtype))


# ---- features, each made once


class _Features:
    """What is known of the examples: features by key, and columns as they are asked for."""

    def __init__(self, features, tables=None):
        """`tables`: {embedding column: its variable}, where they are not those of the variable scope."""
        self._features, self._made, self.tables = dict(features), {}, tables or {}

    def get(self, key):
        if key not in self._made:
            if key in self._features:
                self._made[key] = self._raw(key)
            elif isinstance(key, str):
                raise ValueError("Feature %s is not in features dictionary." % key)
            else:
                self._made[key] = key._transformed(self)
        return self._made[key]

    def _raw(self, key):
        feature = _tensor_or_sparse(self._features[key])
        rank = feature.get_shape().ndims
        if rank is None:
            raise NotImplementedError("Feature (key: %s) must have a known rank here. Given: %s" % (key, feature))
        if rank == 0:
            raise ValueError("Feature (key: %s) cannot have rank 0. Given: %s" % (key, feature))
        if rank != 1:
            return feature
        if isinstance(feature, _native.SparseTensor):
            return _native.sparse.reshape(feature, [_native.cast(feature.dense_shape[0], _INT64), 1])
        return _native.expand_dims(feature, -1)


def _as_sparse(feature):
    """A dense feature without those elements that stand for none."""
    feature = _tensor_or_sparse(feature)
    if isinstance(feature, _native.SparseTensor):
        return feature
    with _native.name_scope(None, "to_sparse_input", [feature]):
        ignored = "" if feature.dtype == _STRING else -1 if feature.dtype.is_integer else 0.0
        indices = _native.where(_native.not_equal(feature, _native.convert_to_tensor(ignored, feature.dtype, "ignore_value")), name="indices")
        return _native.SparseTensor(indices, _ops.GatherNd(feature, indices, name="values"),
                                    _native.shape(feature, out_type=_INT64, name="dense_shape"))


# ---- columns


class _Column:
    """What all columns have: a name, and what they parse."""

    _scope_name = property(lambda self: self.name)
    _var_scope_name = property(lambda self: self.name)

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)


class _Dense(_Column):
    """A column of numbers: `variable_shape` of them for each example."""

    def _dense_tensor(self, features, collections, trainable):
        return features.get(self)


class _Categorical(_Column):
    """A column of numbers of categories, below `num_buckets`."""

    def _pair(self, features):
        return _IdWeightPair(features.get(self), None)

    @property
    def _spec_dtype(self):
        return self.dtype

    @property
    def parse_example_spec(self):
        return {self.key: _parsing.VarLenFeature(self._spec_dtype)}

    name = property(lambda self: self.key)


class NumericColumn(_Dense, _namedtuple("NumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"])):
    """Numbers as they are, or as a function makes them."""

    name = property(lambda self: self.key)
    variable_shape = property(lambda self: TensorShape(self.shape))
    parse_example_spec = property(lambda self: {self.key: _parsing.FixedLenFeature(self.shape, self.dtype, self.default_value)})

    def _transformed(self, features):
        feature = features.get(self.key)
        if isinstance(feature, _native.SparseTensor):
            raise ValueError("The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: %s" % self.key)
        if self.normalizer_fn is not None:
            feature = self.normalizer_fn(feature)
        return _native.cast(feature, _FLOAT)


def _default_of_shape(shape, value, dtype, key):
    if value is None:
        return None
    array = _np.asarray(value)
    fits = array.dtype.kind in "iu" or (array.dtype.kind == "f" and dtype.is_floating)
    if not fits or array.dtype.kind == "b":
        raise TypeError("default_value must be compatible with dtype. default_value: %s, dtype: %s, key: %s" % (value, dtype, key))
    if array.ndim == 0:
        array = _np.full(shape, array)
    if array.shape != tuple(shape):
        raise ValueError("The shape of default_value must be equal to given shape. default_value: %s, shape: %s, key: %s" % (value, shape, key))

    def nested(part):
        return tuple(nested(item) for item in part) if isinstance(part, list) else part
    return nested(array.tolist())


def numeric_column(key, shape=(1,), default_value=None, dtype=_FLOAT, normalizer_fn=None):
    """Numbers of a feature."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in shape:
        if not isinstance(size, (int, _np.integer)):
            raise TypeError("shape dimensions must be integer. shape: %s, key: %s" % (shape, key))
        if size < 1:
            raise ValueError("shape dimensions must be greater than 0. shape: %s, key: %s" % (shape, key))
    dtype = _native.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError("dtype must be convertible to float. dtype: %s, key: %s" % (dtype, key))
    default_value = _default_of_shape(shape, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError("normalizer_fn must be a callable. Given: %s" % (normalizer_fn,))
    _check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


class BucketizedColumn(_Dense, _Categorical, _namedtuple("BucketizedColumn", ["source_column", "boundaries"])):
    """Which of several ranges a number is in."""

    name = property(lambda self: self.source_column.name + "_bucketized")
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])
    variable_shape = property(lambda self: TensorShape(tuple(self.source_column.shape) + (len(self.boundaries) + 1,)))
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)

    def _transformed(self, features):
        numbers = features.get(self.source_column)
        reached = _native.greater_equal(_native.expand_dims(numbers, -1), _native.constant(list(self.boundaries), numbers.dtype))
        return _native.reduce_sum(_native.cast(reached, "int32"), -1)

    def _dense_tensor(self, features, collections, trainable):
        return _native.one_hot(_native.cast(features.get(self), _INT64), len(self.boundaries) + 1, 1.0, 0.0)

    def _pair(self, features):
        buckets, width = features.get(self), self.source_column.shape[0]
        batch = _native.shape(buckets)[0]
        rows = _native.reshape(_native.tile(_native.expand_dims(_native.range(batch), 1), [1, width]), [-1])
        columns = _native.tile(_native.range(width), _native.expand_dims(batch, 0))
        ids = _native.reshape(buckets, [-1]) + (len(self.boundaries) + 1) * columns
        indices = _native.cast(_native.transpose(_native.stack([rows, columns])), _INT64)
        return _IdWeightPair(_native.SparseTensor(indices, ids, _native.cast(_native.stack([batch, width]), _INT64)), None)


def bucketized_column(source_column, boundaries):
    """Ranges of numbers, between boundaries."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError("source_column must be a column generated with numeric_column(). Given: %s" % (source_column,))
    if len(source_column.shape) > 1:
        raise ValueError("source_column must be one-dimensional column. Given: %s" % (source_column,))
    if not boundaries or not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


def _checked_ids(feature, key, dtype):
    sparse = _as_sparse(feature)
    if dtype.is_integer != sparse.dtype.is_integer:
        raise ValueError("Column dtype and SparseTensors dtype must be compatible. key: %s, column dtype: %s, tensor dtype: %s"
                         % (key, dtype, sparse.dtype))
    _check_string_or_int(sparse.dtype, "column_name: %s input_tensor" % key)
    return sparse


class HashedCategoricalColumn(_Categorical, _namedtuple("HashedCategoricalColumn", ["key", "hash_bucket_size", "dtype"])):
    """Categories by their hash."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    def _transformed(self, features):
        sparse = _as_sparse(features.get(self.key))
        _check_string_or_int(sparse.dtype, "column_name: %s input_tensor" % self.key)
        if self.dtype.is_integer != sparse.dtype.is_integer:
            raise ValueError("Column dtype and SparseTensors dtype must be compatible. key: %s, column dtype: %s, tensor dtype: %s"
                             % (self.key, self.dtype, sparse.dtype))
        words = sparse.values if self.dtype == _STRING else _ops.AsString(sparse.values)
        return _native.SparseTensor(sparse.indices, _ops.StringToHashBucketFast(words, self.hash_bucket_size, name="lookup"),
                                    sparse.dense_shape)


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=_STRING):
    """Categories by their hash."""
    if hash_bucket_size is None:
        raise ValueError("hash_bucket_size must be set. key: %s" % key)
    if hash_bucket_size < 1:
        raise ValueError("hash_bucket_size must be at least 1. hash_bucket_size: %s, key: %s" % (hash_bucket_size, key))
    _check_key(key)
    dtype = _native.as_dtype(dtype)
    _check_string_or_int(dtype, "column_name: %s" % key)
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class VocabularyFileCategoricalColumn(_Categorical, _namedtuple("VocabularyFileCategoricalColumn", [
        "key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"])):
    """Categories by their lines in a file."""

    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def _transformed(self, features):
        sparse = _checked_ids(features.get(self.key), self.key, self.dtype)
        dtype = self.dtype
        if sparse.dtype.is_integer:
            dtype, sparse = _INT64, sparse.with_values(_native.cast(sparse.values, _INT64))
        return _lookup.index_table_from_file(self.vocabulary_file, self.num_oov_buckets, self.vocabulary_size, self.default_value,
                                             key_dtype=dtype, name="%s_lookup" % self.key).lookup(sparse)


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None,
                                            dtype=_STRING):
    """Categories by their lines in a file."""
    if not vocabulary_file:
        raise ValueError("Missing vocabulary_file in %s." % key)
    if vocabulary_size is None:
        from flowray.tf import gfile
        if not gfile.Exists(vocabulary_file):
            raise ValueError("vocabulary_file in %s does not exist." % key)
        with gfile.GFile(vocabulary_file) as lines:
            vocabulary_size = sum(1 for _ in lines)
    if vocabulary_size < 1:
        raise ValueError("Invalid vocabulary_size in %s." % key)
    _check_buckets(key, num_oov_buckets, default_value is not None)
    dtype = _native.as_dtype(dtype)
    _check_string_or_int(dtype, "column_name: %s" % key)
    _check_key(key)
    return VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, dtype,
                                           -1 if default_value is None else default_value)


def _check_buckets(key, num_oov_buckets, has_default):
    if num_oov_buckets and has_default:
        raise ValueError("Can't specify both num_oov_buckets and default_value in %s." % key)
    if num_oov_buckets and num_oov_buckets < 0:
        raise ValueError("Invalid num_oov_buckets %s in %s." % (num_oov_buckets, key))


class VocabularyListCategoricalColumn(_Categorical, _namedtuple("VocabularyListCategoricalColumn", [
        "key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"])):
    """Categories by their places in a list."""

    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def _transformed(self, features):
        sparse = _checked_ids(features.get(self.key), self.key, self.dtype)
        dtype = self.dtype
        if sparse.dtype.is_integer:
            dtype, sparse = _INT64, sparse.with_values(_native.cast(sparse.values, _INT64))
        return _lookup.index_table_from_tensor(tuple(self.vocabulary_list), self.num_oov_buckets, self.default_value, dtype=dtype,
                                               name="%s_lookup" % self.key).lookup(sparse)


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """Categories by their places in a list."""
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError("vocabulary_list %s must be non-empty, column_name: %s" % (vocabulary_list, key))
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError("Duplicate keys in vocabulary_list %s, column_name: %s" % (vocabulary_list, key))
    array = _np.array(vocabulary_list)
    own = _STRING if array.dtype.kind in "OSU" else _native.as_dtype(array.dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    _check_string_or_int(own, "column_name: %s vocabulary" % key)
    dtype = own if dtype is None else _native.as_dtype(dtype)
    if dtype.is_integer != own.is_integer:
        raise ValueError("dtype %s and vocabulary dtype %s do not match, column_name: %s" % (dtype, own, key))
    _check_string_or_int(dtype, "column_name: %s" % key)
    _check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


class IdentityCategoricalColumn(_Categorical, _namedtuple("IdentityCategoricalColumn", ["key", "number_buckets", "default_value"])):
    """Categories that are numbers already."""

    num_buckets = property(lambda self: self.number_buckets)
    _spec_dtype = property(lambda self: _INT64)

    def _transformed(self, features):
        sparse = _as_sparse(features.get(self.key))
        if not sparse.dtype.is_integer:
            raise ValueError("Invalid input, not integer. key: %s dtype: %s" % (self.key, sparse.dtype))
        ids = _native.cast(sparse.values, _INT64)
        count = _native.cast(self.num_buckets, _INT64, name="num_buckets")
        zero = _native.cast(0, _INT64, name="zero")
        if self.default_value is None:
            checks = [_native.assert_less(ids, count, data=[ids, count], name="assert_less_than_num_buckets"),
                      _native.assert_greater_equal(ids, zero, data=[ids, zero], name="assert_greater_or_equal_0")]
            with _native.control_dependencies(checks):
                ids = _native.identity(ids)
        else:
            is_out = _native.logical_or(_native.less(ids, zero), _native.greater_equal(ids, count), name="out_of_range")
            fallback = _native.fill(_native.shape(ids), _native.cast(self.default_value, _INT64, name="default_values"))
            ids = _native.where(is_out, fallback, ids)
        return _native.SparseTensor(sparse.indices, ids, sparse.dense_shape)


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Categories that are numbers already."""
    if num_buckets < 1:
        raise ValueError("num_buckets %s < 1, column_name %s" % (num_buckets, key))
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError("default_value %s not in range [0, %s), column_name %s" % (default_value, num_buckets, key))
    _check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class WeightedCategoricalColumn(_Categorical, _namedtuple("WeightedCategoricalColumn", ["categorical_column", "weight_feature_key", "dtype"])):
    """Categories with a weight each."""

    name = property(lambda self: "%s_weighted_by_%s" % (self.categorical_column.name, self.weight_feature_key))
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self):
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError("Parse config %s already exists for %s." % (spec[self.weight_feature_key], self.weight_feature_key))
        spec[self.weight_feature_key] = _parsing.VarLenFeature(self.dtype)
        return spec

    def _transformed(self, features):
        weights = features.get(self.weight_feature_key)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError("Bad dtype, expected %s, but got %s." % (self.dtype, weights.dtype))
        if not isinstance(weights, _native.SparseTensor):
            weights = _as_sparse(weights)
        if not weights.dtype.is_floating:
            weights = weights.with_values(_native.cast(weights.values, _FLOAT))
        return self.categorical_column._pair(features).id_tensor, weights

    def _pair(self, features):
        return _IdWeightPair(*features.get(self))


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=_FLOAT):
    """Categories with a weight each."""
    dtype = None if dtype is None else _native.as_dtype(dtype)
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError("dtype %s is not convertible to float." % dtype)
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


class CrossedColumn(_Categorical, _namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])):
    """Combinations of categories by their hash."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    def _leaves(self):
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def name(self):
        return "_X_".join(sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves()))

    @property
    def parse_example_spec(self):
        spec = {}
        for key in self.keys:
            spec.update({key: _parsing.VarLenFeature(_STRING)} if isinstance(key, str) else key.parse_example_spec)
        return spec

    def _transformed(self, features):
        tensors = []
        for leaf in self._leaves():
            if isinstance(leaf, str):
                tensors.append(features.get(leaf))
                continue
            pair = leaf._pair(features)
            if pair.weight_tensor is not None:
                raise ValueError("crossed_column does not support weight_tensor, but the given column populates weight_tensor. Given "
                                 "column: %s" % leaf.name)
            tensors.append(pair.id_tensor)
        return _cross_hashed(tensors, self.hash_bucket_size, self.hash_key)


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Combinations of categories by their hash."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError("hash_bucket_size must be > 1. hash_bucket_size: %s" % hash_bucket_size)
    if not keys or len(keys) < 2:
        raise ValueError("keys must be a list with length > 1. Given: %s" % (keys,))
    for key in keys:
        if not isinstance(key, (str, _Categorical)):
            raise ValueError("Unsupported key type. All keys must be either string, or categorical column except "
                             "HashedCategoricalColumn. Given: %s" % (key,))
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError("categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase "
                             "probability of collision. Instead, use the feature name as a string. Given: %s" % (key,))
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


class IndicatorColumn(_Dense, _namedtuple("IndicatorColumn", ["categorical_column"])):
    """Of each category how often it is there."""

    name = property(lambda self: "%s_indicator" % self.categorical_column.name)
    variable_shape = property(lambda self: TensorShape([1, self.categorical_column.num_buckets]))
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def _transformed(self, features):
        ids, weights = self.categorical_column._pair(features)
        size = self.categorical_column.num_buckets
        if weights is not None:
            weighted = _native.sparse.merge(ids, weights, size)
            weighted = _native.sparse.slice(weighted, [0, 0], weighted.dense_shape)
            return _ops.ScatterNd(weighted.indices, weighted.values, weighted.dense_shape)
        dense = _native.sparse.to_dense(ids, default_value=-1)
        return _native.reduce_sum(_native.one_hot(dense, size, 1.0, 0.0), axis=[-2])


def indicator_column(categorical_column):
    """Of each category how often it is there."""
    if not isinstance(categorical_column, _Categorical):
        raise ValueError("Unsupported input type. Input must be a CategoricalColumn. Given: %s" % (categorical_column,))
    return IndicatorColumn(categorical_column)


class _Embedding(_Dense):
    """Rows of a table by category, combined."""

    variable_shape = property(lambda self: TensorShape([self.dimension]))
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def _transformed(self, features):
        return features.get(self.categorical_column)

    def _variable(self, collections, trainable):
        return _variable_scopes.get_variable("embedding_weights", [self.categorical_column.num_buckets, self.dimension], _FLOAT,
                                             self.initializer, trainable=self.trainable and trainable, collections=collections)

    def _dense_tensor(self, features, collections, trainable):
        pair = self.categorical_column._pair(features)
        table = features.tables[self] if self in features.tables else self._variable(collections, trainable)
        return _native.nn.safe_embedding_lookup_sparse(table, pair.id_tensor, pair.weight_tensor, combiner=self.combiner,
                                                       name="%s_weights" % self.name, max_norm=self.max_norm)


class EmbeddingColumn(_Embedding, _namedtuple("EmbeddingColumn", [
        "categorical_column", "dimension", "combiner", "initializer", "max_norm", "trainable"])):
    """Rows of a table of its own."""

    name = property(lambda self: "%s_embedding" % self.categorical_column.name)


class SharedEmbeddingColumn(_Embedding, _namedtuple("SharedEmbeddingColumn", [
        "categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name", "max_norm", "trainable"])):
    """Rows of a table that other columns use as well."""

    name = property(lambda self: "%s_shared_embedding" % self.categorical_column.name)
    _var_scope_name = property(lambda self: self.shared_embedding_collection_name)

    def _variable(self, collections, trainable):
        there = _language.get_collection(self.shared_embedding_collection_name)
        if there:
            return there[0]
        made = super()._variable(collections, trainable)
        _language.add_to_collection(self.shared_embedding_collection_name, made)
        return made


def _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, words=""):
    if dimension is None or dimension < 1:
        raise ValueError("Invalid dimension %s." % dimension)
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if ckpt_to_load_from is not None:
        raise NotImplementedError("ckpt_to_load_from is not there yet: restore the variable by a tf.train.Saver")
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.%s" % words)
    return initializer or _initializers.truncated_normal_initializer(mean=0.0, stddev=1 / _math.sqrt(dimension))


def _check_safe(use_safe_embedding_lookup):
    if not use_safe_embedding_lookup:
        raise NotImplementedError("use_safe_embedding_lookup=False is not there yet: leave it out")


def embedding_column(categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                     max_norm=None, trainable=True, use_safe_embedding_lookup=True):
    """Rows of a table by category, combined."""
    _check_safe(use_safe_embedding_lookup)
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                       " Embedding of column_name: %s" % categorical_column.name)
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, max_norm, trainable)


def shared_embedding_columns(categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
                             ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True,
                             use_safe_embedding_lookup=True):
    """Rows of one table by categories of several features."""
    _check_safe(use_safe_embedding_lookup)
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    by_name = sorted(categorical_columns, key=lambda column: column.name)

    def inner(column):
        return inner(column.categorical_column) if isinstance(column, WeightedCategoricalColumn) else column
    first = inner(by_name[0])
    if not isinstance(first, _Categorical):
        raise ValueError("All categorical_columns must be subclasses of _CategoricalColumn. Given: %s, of type: %s" % (first, type(first)))
    for column in map(inner, by_name[1:]):
        if not isinstance(column, type(first)):
            raise ValueError("To use shared_embedding_column, all categorical_columns must have the same type, or be "
                             "weighted_categorical_column or sequence column of the same type. Given column: %s of type: %s does not match "
                             "given column: %s of type: %s" % (first, type(first), column, type(column)))
        if column.num_buckets != first.num_buckets:
            raise ValueError("To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
                             "%s with buckets: %s does  not match column: %s with buckets: %s"
                             % (first, first.num_buckets, column, column.num_buckets))
    name = shared_embedding_collection_name or "_".join(column.name for column in by_name) + "_shared_embedding"
    return [SharedEmbeddingColumn(column, dimension, combiner, initializer, name, max_norm, trainable) for column in categorical_columns]


# ---- what is made of columns


def make_parse_example_spec(feature_columns):
    """What tf.parse_example has to parse for the columns."""
    spec = {}
    for column in feature_columns:
        if not isinstance(column, _Column):
            raise ValueError("All feature_columns must be _FeatureColumn instances. Given: %s" % (column,))
        for key, feature in column.parse_example_spec.items():
            if key in spec and spec[key] != feature:
                raise ValueError("feature_columns contain different parse_spec for key %s. Given %s and %s" % (key, feature, spec[key]))
            spec[key] = feature
    return spec


def _checked_columns(columns):
    columns = [columns] if isinstance(columns, _Column) else columns
    if isinstance(columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(columns)
    for column in columns:
        if not isinstance(column, _Column):
            raise ValueError("Items of feature_columns must be a _FeatureColumn. Given (type %s): %s." % (type(column), column))
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    names = {}
    for column in columns:
        if column.name in names:
            raise ValueError("Duplicate feature column name found for columns: %s and %s. This usually means that these columns refer to same "
                             "base feature. Either one must be discarded or a duplicated but renamed item must be inserted in features dict."
                             % (column, names[column.name]))
        names[column.name] = column
    return columns


def _all_collections(collections):
    return list(collections or []) + [name for name in (_language.GraphKeys.GLOBAL_VARIABLES, _language.GraphKeys.MODEL_VARIABLES)
                                      if name not in (collections or [])]


def _rows(tensor, column):
    count = column.variable_shape.num_elements()
    return _native.reshape(tensor, [_native.shape(tensor)[0], count])


def _variables_here():
    return _language.get_collection(_language.GraphKeys.GLOBAL_VARIABLES, scope=_variable_scopes.get_variable_scope().name)


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None):
    """A matrix with a row for each example: what its dense columns have, by the columns' names."""
    columns = _checked_columns(feature_columns)
    for column in columns:
        if not isinstance(column, _Dense):
            raise ValueError("Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column or "
                             "indicator_column. Given: %s" % (column,))
    collections = _all_collections(weight_collections)
    with _variable_scopes.variable_scope(None, default_name="input_layer", values=list(features.values())):
        made, parts = _Features(features), []
        for column in sorted(columns, key=lambda column: column.name):
            with _variable_scopes.variable_scope(None, default_name=column._var_scope_name):
                part = _rows(column._dense_tensor(made, collections, trainable), column)
                parts.append(part)
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = part
        return _native.concat(parts, 1)


def _weights(shape, collections, trainable, name="weights"):
    return _variable_scopes.get_variable(name, shape, _FLOAT, _initializers.zeros_initializer(), trainable=trainable,
                                         collections=collections)


def _weighted_sum(column, made, units, combiner, collections, trainable):
    if not isinstance(column, _Categorical):
        tensor = _rows(column._dense_tensor(made, collections, trainable), column)
        return _native.matmul(tensor, _weights([column.variable_shape.num_elements(), units], collections, trainable), name="weighted_sum")
    ids, weights = column._pair(made)

    def as_matrix(sparse):
        return _native.sparse.reshape(sparse, [_native.cast(sparse.dense_shape[0], _INT64), -1])
    ids, weights = as_matrix(ids), None if weights is None else as_matrix(weights)
    table = _weights([column.num_buckets, units], collections, trainable)
    return _native.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner=combiner, name="weighted_sum")


def linear_model(features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True, cols_to_vars=None):
    """A weighted sum of all columns and a bias."""
    columns = _checked_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (_Dense, _Categorical)):
            raise ValueError("Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: %s" % (column,))
    collections = _all_collections(weight_collections)
    with _variable_scopes.variable_scope(None, "linear_model"):
        made, sums = _Features(features), []
        for column in sorted(columns, key=lambda column: column.name):
            with _variable_scopes.variable_scope(None, default_name=column._var_scope_name):
                sums.append(_weighted_sum(column, made, units, sparse_combiner, collections, trainable))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_here()
        total = _native.add_n(sums, name="weighted_sum_no_bias")
        bias = _weights([units], collections, trainable, "bias_weights")
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return _native.nn.bias_add(total, bias, name="weighted_sum")
