"""tf.parse_example and tf.parse_single_example: the table of features as the arguments of one op."""

import collections as _collections
import re as _re

from flowray import _native
from flowray.tf import _generated as _ops

FixedLenFeature = _collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])
FixedLenSequenceFeature = _collections.namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"],
                                                  defaults=[False, None])
SparseFeature = _collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False])
VarLenFeature = _collections.namedtuple("VarLenFeature", ["dtype"])


def _node_name(prefix, key):
    return prefix + _re.sub("[^A-Za-z0-9_.\\-/]", "_", key)


def _default(key, feature):
    """An empty vector says that there is none; of a sequence it is what fills up the shorter ones."""
    import numpy as np
    dtype = _native.as_dtype(feature.dtype)
    is_text = dtype == _native.as_dtype("string")
    if isinstance(feature, FixedLenSequenceFeature):
        if feature.default_value is None:
            return _native.convert_to_tensor("" if is_text else 0, dtype)
        return _native.reshape(_native.convert_to_tensor(feature.default_value, dtype, _node_name("padding_", key)), [])
    if feature.default_value is None:
        return _native.constant(np.zeros([0], object if is_text else dtype.as_numpy_dtype), dtype)
    if isinstance(feature.default_value, _native.Tensor):
        return feature.default_value
    value = _native.convert_to_tensor(feature.default_value, dtype, _node_name("key_", key))
    return _native.reshape(value, feature.shape)


def _dense_shape(feature):
    if isinstance(feature, FixedLenFeature):
        return feature.shape
    return [None] + list(feature.shape)


def _check(key, feature):
    if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    if isinstance(feature, SparseFeature):
        if not feature.index_key:
            raise ValueError("Missing index_key for SparseFeature %s." % (feature,))
        if not feature.value_key:
            raise ValueError("Missing value_key for SparseFeature %s." % (feature,))
        if not isinstance(feature.index_key, str):
            raise NotImplementedError("Flowray parses a tf.SparseFeature with one index_key, and %r has %s" % (key, feature.index_key))
    if not isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature)):
        raise ValueError("Unsupported FixedLenFeature type(s): %r has the type %s" % (key, type(feature).__name__))
    if not isinstance(feature, SparseFeature) and not feature.dtype:
        raise ValueError("Missing type for feature %s. Received feature=%s." % (key, feature))


def _sparse_dtypes(features):
    """The dtypes of all that is parsed without a shape, by key."""
    dtypes = {}

    def add(key, dtype):
        dtype = _native.as_dtype(dtype)
        if dtypes.setdefault(key, dtype) != dtype:
            raise ValueError("Conflicting type %s vs %s for feature %s." % (dtypes[key], dtype, key))
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, VarLenFeature):
            add(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            add(feature.index_key, "int64")
            add(feature.value_key, feature.dtype)
    return dtypes


def _parsed(serialized, features, example_names, name, scope):
    if not features:
        raise ValueError("Argument `features` cannot be None or falsy. Got %s" % (features,))
    for key, feature in features.items():
        _check(key, feature)
    sparse = _sparse_dtypes(features)
    dense = [key for key in sorted(features) if isinstance(features[key], (FixedLenFeature, FixedLenSequenceFeature))]
    with _native.name_scope(name, scope, [serialized]):
        serialized = _native.convert_to_tensor(serialized, name="serialized")
        defaults = [_default(key, features[key]) for key in dense]
        parts = _ops.ParseExampleV2(serialized, [] if example_names is None else example_names, list(sparse), dense, [], defaults,
                                    len(sparse), list(sparse.values()), [], [], [_dense_shape(features[key]) for key in dense], name=name)
        found = {key: _native.SparseTensor(*three)
                 for key, *three in zip(sparse, parts.sparse_indices, parts.sparse_values, parts.sparse_shapes)}
    found.update(zip(dense, parts.dense_values))
    return _composed(features, found)


def _composed(features, found):
    """What was asked for, of what was parsed."""
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            found[key] = _native.sparse.merge(found[feature.index_key], found[feature.value_key], feature.size,
                                              already_sorted=feature.already_sorted)
    return {key: found[key] for key in features}


def parse_example(serialized, features, name=None, example_names=None):
    """The features of a vector of tf.train.Examples, by their keys."""
    return _parsed(serialized, features, example_names, name, "ParseExample")


def parse_single_example(serialized, features, name=None, example_names=None):
    """The features of one tf.train.Example, by their keys."""
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    with _native.name_scope(name, "ParseSingleExample", [serialized]):
        serialized = _scalar(_native.convert_to_tensor(serialized, name="serialized"))
        return _parsed(serialized, features, example_names, name, "ParseExample")


def _scalar(serialized):
    """The tensor, which must be a scalar."""
    if serialized.shape.ndims == 0:
        return serialized
    if serialized.shape.ndims is not None:
        raise ValueError("Input serialized must be a scalar")
    is_scalar = _native.equal(_native.rank(serialized), 0)
    check = _native.Assert(is_scalar, ["Input serialized must be a scalar"], name="SerializedIsScalar")
    with _native.name_scope("serializedDependencies") as scope, _native.colocate_with(serialized), _native.control_dependencies([check]):
        result = _native.identity(serialized, name=scope)
    result.set_shape([])
    return result
