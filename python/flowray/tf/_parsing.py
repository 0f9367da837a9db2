"""tf.parse_example and tf.parse_single_example: the table of features as the arguments of one op."""

import collections as _collections

from flowray import _native
from flowray.tf import _generated as _ops

FixedLenFeature = _collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])
VarLenFeature = _collections.namedtuple("VarLenFeature", ["dtype"])


def _default(key, feature):
    """An empty vector says that there is none."""
    import numpy as np
    dtype = _native.as_dtype(feature.dtype)
    if feature.default_value is None:
        return _native.constant(np.zeros([0], object if dtype == _native.as_dtype("string") else dtype.as_numpy_dtype), dtype)
    value = _native.convert_to_tensor(feature.default_value, dtype, "key_" + key)
    return _native.reshape(value, feature.shape)


def _parsed(serialized, features, example_names, name, scope):
    if not features:
        raise ValueError("Argument `features` cannot be None or falsy. Got %s" % (features,))
    for key, feature in features.items():
        if not isinstance(feature, FixedLenFeature):
            raise NotImplementedError("Flowray parses tf.FixedLenFeature, and %r is %s" % (key, type(feature).__name__))
    keys = sorted(features)
    with _native.name_scope(name, scope, [serialized]):
        defaults = [_default(key, features[key]) for key in keys]
        dense = _ops.ParseExampleV2(serialized, [] if example_names is None else example_names, [], keys, [], defaults, 0, [], [], [],
                                    [features[key].shape for key in keys]).dense_values
    return dict(zip(keys, dense))


def parse_example(serialized, features, name=None, example_names=None):
    """The features of a vector of tf.train.Examples, by their keys."""
    return _parsed(serialized, features, example_names, name, "ParseExample")


def parse_single_example(serialized, features, name=None, example_names=None):
    """The features of one tf.train.Example, by their keys."""
    with _native.name_scope(name, "ParseSingleExample", [serialized]):
        return _parsed(serialized, features, example_names, None, "ParseExample")
