"""tf.contrib: the names that programs of TensorFlow 1 use most."""

import sys as _sys
import types as _types

import flowray.tf as _tf
from flowray import _native
from flowray.tf import _cluster_resolver, _datasets, _eager, _functions, _gradients, _language, _lookup, _nest, _rnn
from flowray.tf.contrib import _eager_metrics, _layers, _load_balancing
from flowray.tf.examples.tutorials.mnist import input_data as _input_data


def _module(path, **names):
    """tensorflow.contrib.PATH, which may be imported, too."""
    name = __name__ + "." + path
    module = _sys.modules[name] = _types.ModuleType(name)
    module.__path__ = []
    for name, value in names.items():
        setattr(module, name, _tf._with_python_words(value) if type(value) is _tf._NativeFunction else value)
    return module


def _one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """Vectors that are `on_value` at the label."""
    with _native.name_scope(scope, "OneHotEncoding"):
        result = _native.one_hot(_native.to_int64(labels), num_classes, on_value=on_value, off_value=off_value)
    if outputs_collections:
        _language.add_to_collections(outputs_collections, result)
    return result


def _get_variables(scope=None, suffix=None, collection="variables"):
    """Variables whose names begin with `scope` and end with `suffix`."""
    name = getattr(scope, "name", scope)
    found = _language.get_collection(collection, name)
    return [variable for variable in found if suffix is None or variable.op.name.endswith(suffix)]


def _trainable_variables(scope=None, suffix=None):
    return _get_variables(scope, suffix, "trainable_variables")


def _model_variables(scope=None, suffix=None):
    return _get_variables(scope, suffix, "model_variables")


_RNN_CELLS = ("RNNCell", "BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell", "MultiRNNCell", "DropoutWrapper", "ResidualWrapper",
              "LSTMStateTuple")
rnn = _module("rnn", **{name: getattr(_rnn, name) for name in _RNN_CELLS},
              static_rnn=_rnn.static_rnn, static_bidirectional_rnn=_rnn.static_bidirectional_rnn)
layers = _module("layers", **_layers.NAMES, one_hot_encoding=_one_hot_encoding)
framework = _module("framework", get_or_create_global_step=_native.train.get_or_create_global_step, nest=_nest,
                    get_global_step=_functions.get_global_step, get_variables=_get_variables, is_tensor=_language.is_tensor,
                    get_trainable_variables=_trainable_variables, get_model_variables=_model_variables)
data = _module("data", AUTOTUNE=_datasets.AUTOTUNE, **{
    name: getattr(_datasets, name) for name in ("batch_and_drop_remainder", "enumerate_dataset", "map_and_batch", "shuffle_and_repeat", "unbatch")})
eager = _module("eager", Variable=_native.Variable, Iterator=_datasets.EagerIterator, custom_gradient=_gradients.custom_gradient, **{
    name: getattr(_eager, name) for name in (
        "GradientTape", "defun", "function", "enable_eager_execution", "executing_eagerly", "gradients_function", "implicit_gradients",
        "implicit_value_and_gradients", "in_eager_mode", "list_devices", "num_gpus", "run", "value_and_gradients_function")},
    Saver=_eager_metrics.Saver, TensorSpec=_tf.TensorSpec)
eager.metrics = _module("eager.metrics", **{name: getattr(_eager_metrics, name) for name in (
    "Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric", "SparseAccuracy")})


def _later_names_of_eager(name):
    """Names of the language that stand in tf.contrib.eager, too; it has them once all of it is there."""
    if name == "Checkpoint":
        return _tf.train.Checkpoint
    if name in ("py_func", "make_template"):
        return {"py_func": _tf.py_function, "make_template": _tf.make_template}[name]
    raise AttributeError("module 'tensorflow.contrib.eager' has no attribute %r" % name)


eager.__getattr__ = _later_names_of_eager
cluster_resolver = _module("cluster_resolver", **{name: getattr(_cluster_resolver, name) for name in (
    "ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver", "UnionClusterResolver")})
training = _module("training", GreedyLoadBalancingStrategy=_load_balancing.GreedyLoadBalancingStrategy,
                   byte_size_load_fn=_load_balancing.byte_size_load_fn)
lookup = _module("lookup", **{name: getattr(_lookup, name) for name in (
    "FastHashSpec", "HashTable", "HasherSpec", "IdTableWithHashBuckets", "KeyValueTensorInitializer", "MutableHashTable", "StrongHashSpec",
    "TableInitializerBase", "TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer", "TextFileStringTableInitializer",
    "index_table_from_file", "index_table_from_tensor", "index_to_string_table_from_file", "index_to_string_table_from_tensor")})
learn = _module("learn")
learn.datasets = _module("learn.datasets", mnist=_input_data, load_dataset=lambda name: _input_data.read_data_sets(name))
_module("learn.python")
_module("learn.python.learn", datasets=learn.datasets)
for _path in ("learn.datasets.mnist", "learn.python.learn.datasets.mnist"):
    _sys.modules[f"{__name__}.{_path}"] = _input_data
_sys.modules[__name__ + ".learn.python.learn.datasets"] = learn.datasets
