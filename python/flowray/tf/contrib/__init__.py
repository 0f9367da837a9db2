"""tf.contrib: the names that programs of TensorFlow 1 use most."""

import sys as _sys
import types as _types

import flowray.tf as _tf
from flowray import _native
from flowray.tf import _cluster_resolver, _datasets, _eager, _functions, _gradients, _language, _lookup, _nest, _rnn
from flowray.tf.contrib import (_arg_scope, _crf, _eager_metrics, _end_points, _hparams, _layers, _load_balancing, _losses, _model_variables,
                                _normalizing_layers, _sequence_loss, _stacked_layers, _stacked_rnns, _streaming_metrics, _train_op, _weighted_layers)
from flowray.tf.examples.tutorials.mnist import input_data as _input_data


def _module(path, **names):
    """tensorflow.contrib.PATH, which may be imported, too."""
    name = __name__ + "." + path
    module = _sys.modules[name] = _types.ModuleType(name)
    module.__path__ = []
    for name, value in names.items():
        setattr(module, name, _tf._with_python_words(value) if type(value) is _tf._NativeFunction else value)
    return module


@_arg_scope.add_arg_scope
def _one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """Vectors that are `on_value` at the label."""
    with _native.name_scope(scope, "OneHotEncoding"):
        result = _native.one_hot(_native.to_int64(labels), num_classes, on_value=on_value, off_value=off_value)
    if outputs_collections:
        _language.add_to_collections(outputs_collections, result)
    return result


_RNN_CELLS = ("RNNCell", "BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell", "MultiRNNCell", "DropoutWrapper", "ResidualWrapper",
              "LSTMStateTuple")
rnn = _module("rnn", **{name: getattr(_rnn, name) for name in _RNN_CELLS},
              static_rnn=_rnn.static_rnn, static_bidirectional_rnn=_rnn.static_bidirectional_rnn,
              **{name: getattr(_stacked_rnns, name) for name in ("stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn", "transpose_batch_time")})
_SCOPES = {name: getattr(_arg_scope, name) for name in ("add_arg_scope", "arg_scope", "arg_scoped_arguments", "current_arg_scope", "has_arg_scope")}
_VARIABLES = {name: value for name, value in vars(_model_variables).items() if getattr(value, "__module__", "") == _model_variables.__name__
              and not name.startswith("_") and name != "with_collections"}
_OTHER_LAYERS = dict(
    batch_norm=_normalizing_layers.batch_norm, layer_norm=_normalizing_layers.layer_norm, unit_norm=_normalizing_layers.unit_norm,
    conv2d_transpose=_weighted_layers.convolution2d_transpose, convolution2d_transpose=_weighted_layers.convolution2d_transpose,
    separable_conv2d=_weighted_layers.separable_convolution2d, separable_convolution2d=_weighted_layers.separable_convolution2d,
    bias_add=_weighted_layers.bias_add, repeat=_stacked_layers.repeat, stack=_stacked_layers.stack, softmax=_stacked_layers.softmax,
    one_hot_encoding=_one_hot_encoding)
layers = _module("layers", **_layers.NAMES, **_OTHER_LAYERS)
layers.utils = _module("layers.utils", **{name: getattr(_end_points, name) for name in (
    "collect_named_outputs", "convert_collection_to_dict", "gather_tensors_aliases", "get_tensor_aliases")})
framework = _module("framework", get_or_create_global_step=_native.train.get_or_create_global_step, nest=_nest,
                    get_global_step=_functions.get_global_step, is_tensor=_language.is_tensor, **_SCOPES, **_VARIABLES)
data = _module("data", AUTOTUNE=_datasets.AUTOTUNE, **{
    name: getattr(_datasets, name) for name in ("batch_and_drop_remainder", "enumerate_dataset", "map_and_batch", "shuffle_and_repeat", "unbatch")})
eager = _module("eager", Variable=_native.Variable, Iterator=_datasets.EagerIterator, custom_gradient=_gradients.custom_gradient, **{
    name: getattr(_eager, name) for name in (
        "GradientTape", "defun", "function", "enable_eager_execution", "executing_eagerly", "gradients_function", "implicit_gradients",
        "implicit_value_and_gradients", "in_eager_mode", "list_devices", "num_gpus", "run", "value_and_gradients_function")},
    Saver=_eager_metrics.Saver, TensorSpec=_tf.TensorSpec)
eager.metrics = _module("eager.metrics", **{name: getattr(_eager_metrics, name) for name in (
    "Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric", "SparseAccuracy")})


def _names_of(module, path, names, **by_other_names):
    """tensorflow.PATH gives names of the language by their first use: it has them once all of it is there."""
    by_name = {**{name: name for name in names.split()}, **by_other_names}

    def find(name):
        if name not in by_name:
            raise AttributeError("module 'tensorflow.contrib.%s' has no attribute %r" % (module.__name__[len(__name__) + 1:], name))
        found = _tf
        for part in [*path.split("."), *by_name[name].split(".")]:
            found = getattr(found, part) if part else found
        return found
    module.__getattr__ = find


_names_of(data, "data.experimental", """group_by_window bucket_by_sequence_length make_csv_dataset parallel_interleave Counter
          CheckpointInputPipelineHook make_saveable_from_iterator sample_from_datasets choose_from_datasets ignore_errors scan unique
          get_single_element CsvDataset""")
_names_of(framework, "train", "create_global_step assert_global_step list_variables load_variable load_checkpoint init_from_checkpoint")
util = _module("util")
_names_of(util, "", "make_tensor_proto make_ndarray", constant_value="get_static_value")


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
                   byte_size_load_fn=_load_balancing.byte_size_load_fn, HParams=_hparams.HParams, parse_values=_hparams.parse_values, create_train_op=_train_op.create_train_op,
                   clip_gradient_norms=_train_op.clip_gradient_norms, multiply_gradients=_train_op.multiply_gradients,
                   add_gradients_summaries=_train_op.add_gradients_summaries)
crf = _module("crf", **{name: getattr(_crf, name) for name in (
    "crf_binary_score", "crf_decode", "crf_log_likelihood", "crf_log_norm", "crf_multitag_sequence_score", "crf_sequence_score", "crf_unary_score",
    "viterbi_decode")})
seq2seq = _module("seq2seq", sequence_loss=_sequence_loss.sequence_loss)
losses = _module("losses", **_losses.NAMES)
metrics = _module("metrics", **_streaming_metrics.NAMES)
slim = _module("slim", **_layers.NAMES, **_OTHER_LAYERS, **_SCOPES, **_VARIABLES, get_global_step=_functions.get_global_step,
               get_or_create_global_step=_native.train.get_or_create_global_step, utils=layers.utils, losses=losses, metrics=metrics)
slim.learning = _module("slim.learning", create_train_op=_train_op.create_train_op_of_slim, clip_gradient_norms=_train_op.clip_gradient_norms,
                        multiply_gradients=_train_op.multiply_gradients, add_gradients_summaries=_train_op.add_gradients_summaries)
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
