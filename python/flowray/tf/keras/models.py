"""tf.keras.models: layers one after the other, and how they are trained."""

import contextlib as _contextlib
import itertools as _itertools
import os as _os
import sys as _sys

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest
from flowray.tf import _checkpoint, _object_graph as _objects
from flowray.tf.keras import _added_scores as _added
from flowray.tf.keras import _configs, _saving
from flowray.tf.keras import _model_attributes as _attributes
from flowray.tf.keras import _operation_layers as _operations
from flowray.tf.keras import _summaries
from flowray.tf.keras import _training_loops as _loops
from flowray.tf.keras import base_layer as _base_layer
from flowray.tf.keras import callbacks as _callbacks
from flowray.tf.keras import losses as _losses
from flowray.tf.keras import metrics as _metrics
from flowray.tf.keras import optimizers as _optimizers
from flowray.tf.keras import weight_files as _weight_files
from flowray.tf.keras import utils as _utils
from flowray.tf.keras.layers import DenseFeatures as _DenseFeatures
from flowray.tf.keras.layers import Input as _Input
from flowray.tf.keras.layers import Layer as _Layer


def _array(value, what):
    if isinstance(value, _native.Tensor) and _tf.executing_eagerly():
        with _contextlib.suppress(AttributeError):  # a tensor of a graph has no value
            return value.numpy()
    if hasattr(value, "make_one_shot_iterator") or hasattr(value, "__next__") or isinstance(value, _native.Tensor):
        raise NotImplementedError("%s must be an array here: datasets, generators and tensors of graphs are not there yet" % what)
    if value is None:
        raise ValueError("fit, evaluate and predict need %s: an array with the elements along its first dimension" % what)
    return _np.asarray(value)


def _arrays(value, what):
    """One array, a list of them, or a dict of them by the names of inputs or outputs."""
    if isinstance(value, dict):
        return {name: _array(one, what) for name, one in value.items()}
    if isinstance(value, (list, tuple)) and value and all(hasattr(one, "shape") for one in value):
        return [_array(one, what) for one in value]
    return _array(value, what)


def _first(arrays):
    if isinstance(arrays, dict):
        arrays = list(arrays.values())
    return arrays[0] if isinstance(arrays, list) else arrays


def _weights_of_classes(class_weight, y):
    y = _np.asarray(y)
    if y.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    classes = y.argmax(axis=1) if y.ndim > 1 and y.shape[1] > 1 else y.reshape(len(y)).astype(int)
    missing = set(classes.tolist()) - set(class_weight)
    if missing:
        raise ValueError("`class_weight` must contain all classes in the data. The classes %s exist in the data but not in `class_weight`."
                         % missing)
    return _np.array([class_weight[int(one)] for one in classes], _np.float32)


def _weights_of_outputs(given, names, what):
    """A list with those of each output, None where nothing is said of it."""
    if given is None or isinstance(given, (list, tuple)) and not given:
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(given, (list, tuple)) and len(given) == 1:
            return list(given)
        return [given[names[0]] if isinstance(given, dict) and names[0] in given else given]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError("Provided `%s` was a list of %d elements, but the model has %d outputs. You should provide one `%s`array per model "
                             "output." % (what, len(given), len(names), what))
        return list(given)
    if isinstance(given, dict):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError("Unknown entries in %s dictionary: %s. Only expected following keys: %s" % (what, unknown, list(names)))
        return [given.get(name) for name in names]
    raise TypeError("The model has multiple outputs, so `%s` should be either a list or a dict. Provided `%s` type not understood: %s" % (
        what, what, given))


def _weights_of_samples(weight, y, mode):
    weight = _np.asarray(weight)
    shape = y.shape if y.ndim > 1 else (*y.shape, 1)
    if mode == "temporal":
        if y.ndim < 3:
            raise ValueError("Found a sample_weight array for an input with shape %s. Timestep-wise sample weighting (use of "
                             "sample_weight_mode=\"temporal\") is restricted to outputs that are at least 3D, i.e. that have a time dimension."
                             % (shape,))
        if weight.ndim != 2:
            raise ValueError("Found a sample_weight array with shape %s. In order to use timestep-wise sample weighting, you should pass a 2D "
                             "sample_weight array." % (weight.shape,))
    elif weight.ndim != 1:
        raise ValueError("Found a sample_weight array with shape %s. In order to use timestep-wise sample weights, you should specify "
                         "sample_weight_mode=\"temporal\" in compile(); found \"%s\" instead. If you just mean to use sample-wise weights, make "
                         "sure your sample_weight array is 1D." % (weight.shape, mode))
    if weight.shape != shape[:weight.ndim]:
        raise ValueError("Found a sample_weight array with shape %s for an input with shape %s. sample_weight cannot be broadcast." % (
            weight.shape, shape))
    return weight


def _sample_weight(sample_weight, class_weight, y, names, modes):
    """How much each element counts for each output: an array or a list; None where all count 1. `modes`: what of them has weights."""
    of_samples = _weights_of_outputs(sample_weight, names, "sample_weight")
    of_classes = _weights_of_outputs(class_weight, names, "class_weight")
    if all(one is None for one in (*of_samples, *of_classes)):
        return None
    truths = [y.get(name) for name in names] if isinstance(y, dict) else y if isinstance(y, list) else [y]
    if len(truths) != len(names) or any(truth is None for truth in truths):
        return [_np.ones(1, _np.float32)] * len(names)  # what is wrong with y is said where it is looked at
    weights = []
    for weight, classes, truth, mode in zip(of_samples, of_classes, truths, modes):
        weight = (_np.ones(truth.shape[:2 if mode == "temporal" else 1], _np.float32) if weight is None else
                  _weights_of_samples(weight, truth, mode))
        if isinstance(classes, dict):
            weight = weight * _weights_of_classes(classes, truth)
        elif classes is not None:
            raise TypeError("class_weight of an output is a dict of classes and their weights, but got %r" % (classes,))
        weights.append(weight)
    return weights if len(weights) > 1 else weights[0]


def _of_outputs(given, names, what, shared):
    """A list with one for each output, of one for all (where `shared`), a list or a dict."""
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError("Unknown entries in %s dictionary: %r. Only expected following keys: %r" % (what, unknown, list(names)))
        return [given.get(name) for name in names]
    if shared(given):
        return [given] * len(names)
    if len(given) != len(names):
        raise ValueError("When passing a list as %s, it should have one entry per model outputs. The model has %d outputs, but you passed %s=%r"
                         % (what, len(names), what, given))
    return list(given)


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def _eager_options(function, given, **defaults):
    """What tf.keras takes while operations run at once, and not in graphs."""
    unknown = {name: value for name, value in given.items() if name not in defaults or not _tf.executing_eagerly()}
    if unknown and function == "fit":
        raise TypeError("Unrecognized keyword arguments: %s" % unknown)
    for name in unknown:
        raise TypeError("Model.%s() got an unexpected keyword argument '%s'" % (function, name))
    return {**defaults, **given}


def _refuse(function, options):
    for name, (value, default) in options.items():
        if value != default and value is not default:
            raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (function, name, value))


def _check_weight_modes(given):
    for mode in given.values() if isinstance(given, dict) else given if isinstance(given, (list, tuple)) else [given]:
        if mode not in (None, "temporal", "samplewise"):
            raise ValueError("compile(sample_weight_mode=%r) is not there: \"temporal\", or None for a number for each sample" % (mode,))


def _refuse_run_eagerly():
    if not _tf.executing_eagerly():
        raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")
    raise NotImplementedError("run_eagerly=True is not there: steps of fit and its kin are graphs while operations run at once, too.\nCall the "
                              "model on values, with a GradientTape")


def _one_or_list(values):
    return values[0] if len(values) == 1 else values


class Model(_native.keras.Model):
    """What stands between tensors of tf.keras.Input and others that layers made of them; or a class of the program's whose `call` says what
    it makes of its inputs, by layers in its attributes."""

    def __init__(self, inputs=None, outputs=None, name=None, trainable=True):
        if (inputs is None) != (outputs is None):
            raise TypeError("('Keyword argument not understood:', '%s')" % ("inputs" if outputs is None else "outputs"))
        if inputs is None:
            if type(self).call is Model.call:
                raise NotImplementedError("When subclassing the `Model` class, you should implement a `call()` method.\n"
                                          "A model of the class Model itself needs inputs and outputs.")
            super().__init__(name, True)
            self._own_graph = _native.keras._home_graph()
        else:
            if name is None and type(self) is not Model:
                name = _native.keras._next_class_name(type(self).__name__)
            super().__init__(_checked_tensors(inputs, "inputs"), _checked_tensors(outputs, "outputs"), name)
            self._own_graph = self._outputs[0].graph
        self.history, self.optimizer, self._compiled = None, None, None
        if not trainable:
            self.trainable = False

    inputs = property(lambda self: self._inputs or None)
    outputs = property(lambda self: self._outputs or None)
    input = property(lambda self: _one_or_list(self._inputs) if self._inputs else _not_connected(self, "input"))
    output = property(lambda self: _one_or_list(self._outputs) if self._outputs else _not_connected(self, "output"))
    layers = property(lambda self: self._inner_layers() if self._is_own else _native.keras.Model.layers.__get__(self))
    input_shape = property(lambda self: _shapes_of(self._inputs) if self._inputs else _not_connected(self, "input shape"))
    output_shape = property(lambda self: _shapes_of(self._outputs) if self._outputs else _not_connected(self, "output shape"))

    def call(self, inputs, training=None, mask=None):
        """What comes out; a class of the program's overrides it."""
        if self._is_own:
            raise NotImplementedError("Unimplemented `tf.keras.Model.call()`: if you intend to create a `Model` with the Functional API, please "
                                      "provide `inputs` and `outputs` arguments. Otherwise, subclass `Model` with an overridden `call()` method.")
        return self(inputs, training=training)

    # ---- models of the program's classes

    def _has_ends(self):
        return not self._is_own or bool(self._inputs)

    def _ensure_ends(self, x):
        """Makes the inputs of a model of the program's class, which are those of the first batch that it sees. Gives the arrays as the language
        takes them."""
        if self._is_own and isinstance(x, dict):
            x, self._input_keys = [x[key] for key in sorted(x)], sorted(x)
        if self._has_ends() or not self._is_own:
            return x
        values = _flat_inputs(x)
        # Variables of eager execution get restored values outside of the graph that makes them; in graphs their session gives them.
        with _objects.Paused() if _tf.executing_eagerly() else _contextlib.nullcontext(), self._own_graph.as_default():
            inputs = [_Input(shape=value.shape[1:] if value.ndim > 1 else (1,), dtype=None if value.dtype.kind == "f" else value.dtype.name)
                      for value in values]
            self._input_structure = _nest.map_structure(lambda value: None, x) if _nest.is_nested(x) else None
            if self._input_keys is not None:
                self._input_structure = dict.fromkeys(self._input_keys)
            self._make_ends(inputs)
        if _objects.is_waiting() and _tf.executing_eagerly():
            _objects.sync()
        return x

    _input_keys = None  # of inputs that come as dictionaries

    def _make_ends(self, inputs):
        structure = self._input_structure
        arguments = _nest.pack_sequence_as(structure, inputs) if structure is not None else inputs[0]
        outputs = _nest.flatten(self(arguments))
        self._set_layers(self._inner_layers())
        self._set_ends(inputs, outputs)
        if self._compiled is not None:
            self._compile_now(*self._compiled)

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape, the batch in front."""
        if not self._is_own:
            return
        if input_shape is None:
            raise ValueError("Input shape must be defined when calling `build()` on a `Model` subclass.")
        if self._has_ends() or self._is_being_called:
            return
        is_list = isinstance(input_shape, list)
        shapes = [tuple(_tf.TensorShape(one).as_list()) for one in (input_shape if is_list else [input_shape])]
        self._input_structure = [None] * len(shapes) if is_list else None
        with self._own_graph.as_default():
            self._make_ends([_Input(batch_shape=shape) for shape in shapes])

    _is_being_called = False

    def _build_for(self, shapes, arguments):
        self._is_being_called = True
        try:
            super()._build_for(shapes, arguments)
        finally:
            self._is_being_called = False

    # ---- files and configs

    def _checkpoint_children(self):
        if self._is_own:
            named = super()._checkpoint_children()
        else:
            named, count = [], 0
            for number, layer in enumerate(self.layers):
                if layer.weights:
                    named.append(("layer_with_weights-%d" % count, layer))
                    count += 1
                named.append(("layer-%d" % number, layer))
            named += _objects.children_of_attributes(self, but=_base_layer._NO_STATE)
        return named + [("optimizer", self.optimizer)] if isinstance(self.optimizer, _optimizers.Optimizer) else named

    def get_config(self):
        """The layers and how they hang together."""
        return {} if self._is_own else _configs.of_network(self)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model that get_config() told of, with new weights."""
        if "input_layers" not in config:
            return cls(**config)
        return _configs.network_from(cls, config, custom_objects)

    def to_json(self, **options):
        """The config as text."""
        return _saving.to_json(self, **options)

    def to_yaml(self, **options):
        raise RuntimeError("Method `model.to_yaml()` has been removed due to security risk of arbitrary code execution. Please use "
                           "`model.to_json()` instead.")

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None):
        """Writes the model into an HDF5 file: its config, its weights and how it is trained."""
        _saving.save_model(self, filepath, overwrite, include_optimizer, save_format)

    def get_layer(self, name=None, index=None):
        """A layer by its name or its place."""
        layers = self.layers
        if index is not None and name is not None:
            raise ValueError("Provide only a layer name or a layer index. Received: index=%s, name=%s." % (index, name))
        if index is not None:
            if index >= len(layers):
                raise ValueError("Was asked to retrieve layer at index %s but model only has %d layers." % (index, len(layers)))
            return layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: %s. Existing layers are: %s." % (name, [layer.name for layer in layers]))

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None, sample_weight_mode=None, weighted_metrics=None,
                target_tensors=None, distribute=None, run_eagerly=None, **options):
        """Says how it is trained."""
        self.run_eagerly = run_eagerly
        _refuse("compile", {"target_tensors": (target_tensors, None), "distribute": (distribute, None),
                            **{name: (value, None) for name, value in options.items()}})
        _check_weight_modes(sample_weight_mode)
        arguments = (optimizer, loss, metrics, loss_weights, weighted_metrics)
        self.__dict__.update(loss=loss, loss_weights=loss_weights, sample_weight_mode=sample_weight_mode)
        self.optimizer = _optimizers.get(optimizer)
        self._compiled = (self.optimizer, *arguments[1:])
        if isinstance(self.optimizer, _optimizers.Optimizer) and not _tf.executing_eagerly():
            self.optimizer._settle(self._own_graph)
        if self._has_ends():
            self._compile_now(*self._compiled)

    def _compile_now(self, optimizer, loss, metrics, loss_weights, weighted_metrics=None):
        names = self.output_names or ["output"]
        modes = self._weight_modes(names)
        losses = _of_outputs(loss, names, "loss", lambda one: not isinstance(one, (list, tuple)))
        of_outputs, weighted = (self._metrics_of_outputs(given, names, what) for given, what in (
            (metrics, "metrics"), (weighted_metrics, "weighted_metrics")))
        weights = _of_outputs(1.0 if loss_weights is None else loss_weights, names, "loss_weights", lambda one: loss_weights is None)
        for one, name, of_output, weighted_of_output in zip(losses, names, of_outputs, weighted):
            if one is None and (of_output or weighted_of_output):
                raise NotImplementedError("compile(metrics=) of the output %s, which has no loss, is not there yet: use add_metric" % name)
        first = 1 + (sum(one is not None for one in losses) if len(names) > 1 else 0)
        in_order = self._metrics_in_order = [metric for pair in zip(of_outputs, weighted) for of_output in pair for metric in of_output]
        self._running = {first + number: metric for number, metric in enumerate(in_order) if _metrics.is_running(metric)}
        self._compile(optimizer, [None if one is None else _losses.for_compile(one) for one in losses],
                      [[_metrics.for_compile(metric) for metric in of_output] for of_output in of_outputs],
                      [1.0 if one is None else one for one in weights],
                      [[_metrics.for_compile(metric) for metric in of_output] for of_output in weighted] if any(weighted) else [],
                      [modes[name] or "" for name in names])

    def _metrics_of_outputs(self, given, names, what):
        of_outputs = _of_outputs(given or (), names, what,
                                 lambda one: len(names) == 1 or not any(isinstance(item, (list, tuple)) for item in _list(one)))
        resolved = _metrics.by_given_name if _tf.executing_eagerly() else _metrics.resolved
        return [[resolved(metric) for metric in _list(of_output)] for of_output in of_outputs]

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False, **options):
        """Trains; gives the History."""
        validation_batch_size = _eager_options("fit", options, validation_batch_size=None)["validation_batch_size"]
        if isinstance(shuffle, str) and (shuffle != "batch" or _loops.is_stream(x)):
            raise NotImplementedError("fit(shuffle=%r) is not there: True, False, or \"batch\" for arrays" % shuffle)
        x = _with_workers("fit", x, max_queue_size, workers, use_multiprocessing)
        if isinstance(validation_data, _utils.Sequence):
            validation_data = _with_workers("fit", validation_data, max_queue_size, workers, False)
        verbose = int({"auto": 1}.get(verbose, verbose))
        if _loops.is_stream(x):
            for name, value in (("y", y), ("sample_weight", sample_weight), ("validation_split", validation_split or None)):
                if value is not None:
                    raise ValueError("`%s` argument is not supported when `x` is a dataset, a generator or a Sequence." % name)
            if batch_size is not None:
                raise ValueError("The `batch_size` argument must not be specified for the given input type. Received input: %s, batch_size: %s"
                                 % (x, batch_size))
            self._check_compiled()
            validation = self._validation(validation_data, validation_batch_size or 32, validation_steps)
            return _loops.fit(self, x, epochs, verbose, callbacks, validation, shuffle, class_weight, initial_epoch, steps_per_epoch,
                              validation_steps, validation_freq, _write)
        self._check_compiled()
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        y = self._targets(y)
        if steps_per_epoch is not None:
            if validation_split:
                raise NotImplementedError("fit(steps_per_epoch=, validation_split=) of arrays is not there: give validation_data")
            weights = _sample_weight(sample_weight, class_weight, y, *self._names_and_modes())
            validation = self._validation(validation_data, len(_first(x)), validation_steps)
            return _loops.fit(self, _whole(x, y, weights), epochs, verbose, callbacks, validation, False, None, initial_epoch, steps_per_epoch,
                              None, validation_freq, _write)
        batch_size = 32 if batch_size is None else batch_size
        of_validation = batch_size if validation_batch_size is None else validation_batch_size
        if (validation_data is not None and (_loops.is_stream(validation_data) or validation_steps is not None) or
                not hasattr(validation_freq, "__index__") or self._running or
                of_validation != batch_size):
            if validation_split and validation_data is None and (self._running or of_validation != batch_size):
                kept = int(len(_first(x)) * (1 - validation_split))
                if sample_weight is not None or class_weight is not None:
                    raise NotImplementedError("fit(validation_split=) with weights and metrics that are not means is not there yet: give "
                                              "validation_data")
                validation_data = (_rows(x, slice(kept, None)), _rows(y, slice(kept, None)))
                x, y = _rows(x, slice(kept)), _rows(y, slice(kept))
            elif validation_split and validation_data is None:
                raise NotImplementedError("fit(validation_split=, validation_freq=) at once is not there yet: give validation_data")
            validation = self._validation(validation_data, of_validation, validation_steps)
            return self._fit_by_batches(x, y, batch_size, epochs, verbose, callbacks, validation, shuffle,
                                        _sample_weight(sample_weight, class_weight, y, *self._names_and_modes()), initial_epoch, validation_freq)
        if validation_data is not None:
            validation_data = self._checked_validation(validation_data)
        if validation_steps is not None:
            raise ValueError("`validation_steps` should not be specified if `validation_data` is None.")
        weights = _sample_weight(sample_weight, class_weight, y, *self._names_and_modes())
        self._put_back(x, y, weights)
        history = _callbacks.History()
        watchers = [*(callbacks or ()), history]
        samples = len(_first(x))
        kept = samples - int(samples * (1 - validation_split)) if validation_split else 0
        params = {"batch_size": batch_size, "epochs": epochs, "steps": None, "samples": samples - kept, "verbose": verbose,
                  "do_validation": bool(kept) or validation_data is not None, "metrics": self._metrics_of_fit(kept or validation_data)}
        for callback in watchers:
            callback.set_params(params)
            callback.set_model(self)
        self._fit(x, y, batch_size, epochs, verbose, [_callbacks._All(watchers)], validation_split, validation_data, validation_freq,
                  _shuffles(shuffle, batch_size), weights, initial_epoch, _write)
        self.history = history
        return history

    def _fit_by_batches(self, x, y, batch_size, epochs, verbose, callbacks, validation, shuffle, weights, initial_epoch, validation_freq):
        """fit() of arrays whose validation the language's loop does not know."""
        source = _BatchesOfArrays(x, y, weights, batch_size, shuffle)
        return _loops.fit(self, source, epochs, verbose, callbacks, validation, False, None, initial_epoch, None, None, validation_freq, _write)

    def _validation(self, data, batch_size, steps):
        """A function that gives the logs of a validation; None for none."""
        if data is None:
            return None
        if _loops.is_stream(data):
            stream = _loops.stream_of(self, data, steps, "validation_steps")
            return lambda callbacks: _loops.validated(self, stream, callbacks)
        x, y, weights = self._checked_validation(data)
        if steps is not None:
            stream = _loops.stream_of(self, _whole(x, y, weights), steps, "validation_steps")
            return lambda callbacks: _loops.validated(self, stream, callbacks)
        stream = _loops.stream_of(self, _BatchesOfArrays(x, y, weights, batch_size, False), None, "")
        return lambda callbacks: _loops.validated(self, stream, callbacks)

    def _checked_validation(self, data):
        """(x, y, weights) of what validation_data= was given; weights may be None."""
        if len(data) not in (2, 3):
            raise ValueError("`validation_data` should be a tuple `(val_x, val_y, val_sample_weight)` or `(val_x, val_y)`. Found: %s" % (data,))
        x, y = self._ensure_ends(_arrays(data[0], "validation_data")), self._targets(data[1], "validation_data")
        return x, y, _sample_weight(data[2], None, y, *self._names_and_modes()) if len(data) == 3 else None

    def _names_and_modes(self):
        """Of the outputs that have a loss, and so true values: their names, and what sample weights they have."""
        names = self._names_with_loss or ["output"]
        modes = self._weight_modes(self.output_names or names)
        return names, [modes.get(name) for name in names]

    def _weight_modes(self, names):
        """{output: its sample_weight_mode}"""
        given = self.sample_weight_mode
        if isinstance(given, dict):
            unknown = sorted(set(given) - set(names))
            if unknown:
                raise ValueError("Unknown entries in sample_weight_mode dictionary: %s. Only expected following keys: %s" % (unknown, list(names)))
            for name in names:
                if name not in given:
                    raise ValueError("Output %s missing from `_sample_weight_modes` dictionary" % name)
            return given
        if isinstance(given, (list, tuple)):
            if len(given) != len(names):
                raise ValueError("When passing a list as sample_weight_mode, it should have one entry per model output. The model has %d outputs, "
                                 "but you passed %d." % (len(names), len(given)))
            return dict(zip(names, given))
        return dict.fromkeys(names, given)

    def _targets(self, y, what="y"):
        """The true values as arrays; none where no output has a loss."""
        if y is None and self._has_ends() and not self._names_with_loss:
            return []
        return _arrays(y, what)

    def _check_compiled(self):
        if self._compiled is None:
            raise RuntimeError("You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.")

    def _stop_anew(self):
        self.stop_training = False

    _running = {}  # {number of a score: a metric that is not the mean of its batches}

    def _begin_scores(self, x, y, weights, training):
        """Metrics that are not means of their batches count from here on."""
        if self._running:
            self._prepare(_listed(x), y, weights, training)
            for metric in self._running.values():
                metric.begin()

    def _step_of(self, x, y, sample_weight, class_weight, training, begins=False):
        """(scores, how much each counts) of a batch; `begins`: the first one of an epoch."""
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        y = self._targets(y)
        weights = _sample_weight(sample_weight, class_weight, y, *self._names_and_modes())
        if training:
            self._put_back(x, y, weights)
        if begins:
            self._begin_scores(x, y, weights, training)
        return self._counted_step(_listed(x), y, weights, training)

    def _put_back(self, x, y, weights):
        """Of a loaded model: what its optimizer kept."""
        if _objects.is_waiting():
            self._prepare(_listed(x), y, weights, True)
            _objects.sync()
        if isinstance(self.optimizer, _optimizers.Optimizer) and self.optimizer._restored is not None:
            self._prepare(_listed(x), y, weights, True)
            _optimizers.put_back(self)

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None, validation_steps=None,
                      validation_freq=1, class_weight=None, max_queue_size=10, workers=1, use_multiprocessing=False, shuffle=True,
                      initial_epoch=0):
        """fit() of a generator."""
        return self.fit(generator, steps_per_epoch=steps_per_epoch, epochs=epochs, verbose=verbose, callbacks=callbacks,
                        validation_data=validation_data, validation_steps=validation_steps, validation_freq=validation_freq,
                        class_weight=class_weight, max_queue_size=max_queue_size, workers=workers, use_multiprocessing=use_multiprocessing,
                        shuffle=shuffle, initial_epoch=initial_epoch)

    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False, verbose=0):
        """evaluate() of a generator."""
        return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose, max_queue_size=max_queue_size, workers=workers,
                             use_multiprocessing=use_multiprocessing)

    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False, verbose=0):
        """predict() of a generator."""
        return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose, max_queue_size=max_queue_size, workers=workers,
                            use_multiprocessing=use_multiprocessing)

    def _metrics_of_fit(self, validates):
        names = list(self.metrics_names)
        return names + ["val_" + name for name in names] if validates else names

    def evaluate(self, x=None, y=None, batch_size=None, verbose=0, sample_weight=None, steps=None, callbacks=None, max_queue_size=10, workers=1,
                 use_multiprocessing=False, **options):
        """The loss, or a list of it and the metrics; with return_dict=True (eager execution) all of them by their names."""
        x = _with_workers("evaluate", x, max_queue_size, workers, use_multiprocessing)
        return self._scored("evaluate", options, self._scores_of(x, y, batch_size, sample_weight, steps, callbacks))

    def _scored(self, function, options, scores):
        """What `function` gives of a loss, or of a list of it and the metrics."""
        return_dict = _eager_options(function, options, return_dict=False)["return_dict"]
        return dict(zip(self.metrics_names, scores if isinstance(scores, list) else [scores])) if return_dict else scores

    def _scores_of(self, x, y, batch_size, sample_weight, steps, callbacks):
        self._check_compiled()
        if _loops.is_stream(x):
            return _one_or_list(_loops.evaluate(self, x, steps, callbacks))
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        y = self._targets(y)
        batch_size = 32 if batch_size is None else batch_size
        weights = _sample_weight(sample_weight, None, y, *self._names_and_modes())
        if steps is not None:
            return _one_or_list(_loops.evaluate(self, _whole(x, y, weights), steps, callbacks))
        if callbacks or self._running:
            return _one_or_list(_loops.evaluate(self, _BatchesOfArrays(x, y, weights, batch_size, False), None, callbacks))
        return _one_or_list(self._evaluate(_listed(x), y, batch_size, weights))

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False):
        """What it gives for each element."""
        x = _with_workers("predict", x, max_queue_size, workers, use_multiprocessing)
        if _loops.is_stream(x):
            return _loops.predict(self, x, steps, callbacks)
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        if steps is not None:
            return _loops.predict(self, _whole(x, None, None), steps, callbacks)
        batch_size = 32 if batch_size is None else batch_size
        if callbacks:
            return _loops.predict(self, _BatchesOfArrays(x, None, None, batch_size, False), None, callbacks)
        return self._predict(_listed(x), batch_size)

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, **options):
        """One step of training; what it scored before it."""
        return self._scored("train_on_batch", options, self._trained_on(x, y, sample_weight, class_weight))

    def _trained_on(self, x, y, sample_weight, class_weight):
        self._check_compiled()
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        y = self._targets(y)
        weights = _sample_weight(sample_weight, class_weight, y, *self._names_and_modes())
        self._put_back(x, y, weights)
        self._begin_scores(x, y, weights, True)
        return _one_or_list(self._step(_listed(x), y, weights, True))

    def test_on_batch(self, x, y=None, sample_weight=None, **options):
        """The scores of one batch."""
        return self._scored("test_on_batch", options, self._tested_on(x, y, sample_weight))

    def _tested_on(self, x, y, sample_weight):
        self._check_compiled()
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        y = self._targets(y)
        weights = _sample_weight(sample_weight, None, y, *self._names_and_modes())
        self._begin_scores(x, y, weights, False)
        return _one_or_list(self._step(_listed(x), y, weights, False))

    def predict_on_batch(self, x):
        """What it gives for the elements of one batch."""
        x = _arrays(x, "x")
        x = self._ensure_ends(x)
        return self._predict(_listed(x), max(len(_first(x)), 1))

    def reset_states(self):
        """Zeros for what layers keep between batches."""
        for layer in self.layers:
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_states"):
                layer.reset_states()

    def reset_metrics(self):
        """Metrics that count on begin anew; each call of fit and its kin does so by itself."""
        for metric in self.metrics:
            if isinstance(metric, _metrics.Metric):
                metric.reset_states()

    metrics = property(lambda self: _attributes.metrics_of(self))
    loss = loss_weights = sample_weight_mode = None  # compile() sets them; a program's own class may have others by these names

    @property
    def run_eagerly(self):
        return False

    @run_eagerly.setter
    def run_eagerly(self, value):
        if value:
            _refuse_run_eagerly()

    _metrics_in_order = ()

    stateful = property(lambda self: any(getattr(layer, "stateful", False) for layer in self.layers))

    # ---- losses and metrics beside those of compile

    def add_loss(self, losses, inputs=None):
        """Adds to the loss: in `call` of a class of the program's, or tensors that are made of those of a functional model."""
        if self._is_own:
            return super().add_loss(losses, inputs=inputs)
        for loss in _nest.flatten(losses):
            if callable(loss):
                raise NotImplementedError("Model.add_loss of a function is not there yet: give a tensor, or layers a regularizer")
            self._add_beside_outputs(_added.tensor_of(self, "add_loss", _added.AddLoss, loss))

    def add_metric(self, value, name=None, aggregation="mean"):
        """Shows the mean of a tensor in the progress: in `call` of a class of the program's, or of one that is made of those of a functional
        model."""
        if self._is_own:
            return super().add_metric(value, name=name, aggregation=aggregation)
        _base_layer.check_metric(value, name, aggregation)
        self._add_beside_outputs(_added.tensor_of(self, "add_metric", _added.AddMetric, value, name))

    def get_weights(self):
        """The values of all weights."""
        return super().get_weights() if self._is_own else self._get_weights()

    def set_weights(self, weights):
        """Values for all weights, in the order of get_weights."""
        if self._is_own:
            super().set_weights(weights)
        else:
            self._set_weights([_np.asarray(weight) for weight in weights])

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """Writes the weights into an HDF5 file, or those and what the optimizer keeps into a checkpoint; tf.keras reads them, too."""
        if not _weight_files.is_checkpoint(filepath, save_format):
            return _weight_files.save(self, filepath, overwrite, save_format)
        _weight_files.check_overwrite(_os.fspath(filepath) + ".index", overwrite)
        _checkpoint.note_newest(_checkpoint.write(self, _os.fspath(filepath)))

    def load_weights(self, filepath, by_name=False, skip_mismatch=False):
        """Takes the weights of a file that save_weights or tf.keras wrote. Of a checkpoint it gives the status, as tf.train.Checkpoint.restore."""
        if not _weight_files.is_checkpoint(filepath, None):
            return _weight_files.load(self, filepath, by_name, skip_mismatch)
        if by_name or skip_mismatch:
            raise NotImplementedError("Weights may only be loaded based on topology into Models when loading TensorFlow-formatted weights (got "
                                      "by_name=True to load_weights).")
        status = _checkpoint.restore(self, filepath)
        status.run_restore_ops()
        return status

    def summary(self, line_length=None, positions=None, print_fn=None, expand_nested=False, show_trainable=False, layer_range=None):
        """Prints a table of the layers. `positions`: where its columns end, as numbers or parts of `line_length`; `layer_range`: the names of
        the first and the last layer of the table, or patterns of them."""
        if self._is_own:
            self._set_layers(self._inner_layers())
        text = self._summary()
        if line_length or positions or expand_nested or show_trainable or layer_range is not None:
            text = _summaries.table(self, text, line_length, positions, expand_nested, show_trainable, layer_range)
        if print_fn is None:
            _write(text)
        else:
            for line in text.splitlines():
                print_fn(line)


class Sequential(Model):
    """Layers one after the other."""

    def __init__(self, layers=None, name=None):
        _native.keras.Model.__init__(self, name)
        self.history, self.optimizer, self._compiled, self._own_graph = None, None, None, _native.keras._home_graph()
        for layer in layers or ():
            self.add(layer)

    def add(self, layer):
        """Adds a layer behind the others."""
        if isinstance(layer, _native.keras.KerasTensor) and not self.layers:
            layer = layer._history[0]
        if isinstance(layer, _native.keras.InputLayer):
            return self._begin_with(_configs.input_options(layer.get_config()))
        if not isinstance(layer, _Layer):
            raise TypeError("The added layer must be an instance of class Layer. Received: layer=%r of type %s." % (layer, type(layer)))
        shape = getattr(layer, "_batch_input_shape", None)
        if shape is not None and not self._knows_inputs and not self.layers and not isinstance(layer, _native.keras.Model):
            self._begin_with((tuple(shape), getattr(layer, "_dtype", None), layer.name + "_input"))
        self._add(layer)

    _knows_inputs = False  # before there are layers

    def _check_has_weights(self):
        if self.layers and not self.built:
            raise ValueError("Weights for model '%s' have not yet been created. Weights are created when the model is first called on inputs or "
                             "`build()` is called with an `input_shape`." % self.name)
        return _native.keras.Model

    weights = property(lambda self: self._check_has_weights().weights.__get__(self))
    trainable_weights = property(lambda self: self._check_has_weights().trainable_weights.__get__(self))
    non_trainable_weights = property(lambda self: self._check_has_weights().non_trainable_weights.__get__(self))

    def _begin_with(self, options):
        if self.layers or self.built:
            raise NotImplementedError("Sequential.add(InputLayer) behind other layers is not there: add it first")
        shape, dtype, name = options
        super()._begin_with(shape, dtype or _tf.keras.backend.floatx(), name)
        self._knows_inputs = True

    def _ensure_ends(self, x):
        """Features by their names are what a first layer of feature columns takes."""
        if not isinstance(x, dict) or self.built and self._input_keys is None:
            return x
        if self._input_keys is None:
            if not self.layers or not isinstance(self.layers[0], _DenseFeatures):
                raise ValueError("Passing a dictionary input to a Sequential Model which doesn't have FeatureLayer as the first layer is an error.")
            self._input_keys = sorted(x)
            with self._own_graph.as_default(), _native.name_scope(self.name):
                inputs = [_Input(shape=x[key].shape[1:] or (1,), dtype=None if x[key].dtype.kind == "f" else x[key].dtype.name)
                          for key in self._input_keys]
                made = self.layers[0](dict(zip(self._input_keys, inputs)))
                self.layers[0]._input_structure = dict.fromkeys(self._input_keys)  # in the calls of steps
                for layer in self.layers[1:]:
                    made = layer(made)
            self._set_ends_of_sequence(inputs, made)
        missing = [key for key in self._input_keys if key not in x]
        if missing:
            raise ValueError("No data provided for \"%s\". Need data for each key in: %s" % (missing[0], self._input_keys))
        return [x[key] for key in self._input_keys]

    def pop(self):
        """Takes the last layer away."""
        self._pop()
        if not self.layers:
            self._knows_inputs = False

    def get_config(self):
        """The layers in their order."""
        return _configs.of_sequence(self)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The model that get_config() told of, with new weights."""
        return _configs.sequence_from(cls, config, custom_objects)

    def predict_proba(self, x, batch_size=32, verbose=0):
        """predict()"""
        return self.predict(x, batch_size, verbose)

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape, the batch in front."""
        self._build(input_shape)

    def predict_classes(self, x, batch_size=32):
        """The class of each element that it gives the greatest number."""
        chances = self.predict(x, batch_size)
        return chances.argmax(axis=-1) if chances.shape[-1] > 1 else (chances > 0.5).astype("int32")


def _checked_tensors(tensors, what):
    if isinstance(tensors, dict):
        raise NotImplementedError("Model(%s={...}) is not there yet: give a list" % what)
    tensors = _nest.flatten(tensors)
    if what == "outputs":
        tensors = [_operations.keras_tensor_of(tensor) if isinstance(tensor, _native.keras.DerivedTensor) else tensor for tensor in tensors]
    for tensor in tensors:
        if not isinstance(tensor, _native.keras.KerasTensor):
            raise ValueError("%s. Received %s=%s" % (
                "Input tensors to a Functional model must come from `tf.keras.Input`" if what == "inputs" else
                "Output tensors of a Functional model must be the output of a TensorFlow `Layer`", what, tensor))
    return tensors


def _not_connected(model, what):
    raise AttributeError("Layer %s is not connected, no %s to return." % (model.name, what))


def _shapes_of(tensors):
    shapes = [tuple(tensor.shape.as_list()) for tensor in tensors]
    return shapes[0] if len(shapes) == 1 else shapes


def _shuffles(shuffle, batch_size):
    """What brings the numbers of elements into another order, in place; None for what keeps it."""
    def by_batches(numbers):
        whole = numbers[:len(numbers) // batch_size * batch_size].reshape(-1, batch_size)
        _np.random.shuffle(whole)
    return by_batches if shuffle == "batch" else _np.random.shuffle if shuffle else None


def _with_workers(function, source, max_queue_size, workers, use_multiprocessing):
    """What batches come from, made in as many threads where it is a Sequence: only its batches can be made at the same time."""
    if not (hasattr(max_queue_size, "__index__") and hasattr(workers, "__index__")):
        raise TypeError("%s: max_queue_size and workers are numbers" % function)
    is_sequence = isinstance(source, _utils.Sequence)
    if is_sequence and use_multiprocessing:
        _tf.logging.warning("%s(use_multiprocessing=True): the batches of a Sequence are made in threads of this process." % function)
    elif hasattr(source, "__next__") and (workers > 1 or use_multiprocessing):
        _tf.logging.warning("%s(workers=%d, use_multiprocessing=%s): the batches of a generator are made in the calling thread.\n"
                            "Threads make those of a tf.keras.utils.Sequence." % (function, workers, bool(use_multiprocessing)))
    return _loops.MadeInThreads(source, workers, max_queue_size) if is_sequence and workers > 1 else source


def _flat_inputs(x):
    return [_np.asarray(value) for value in _nest.flatten(x)]


def _whole(x, y, weights):
    """Batches that are all of the arrays each, without end: what a number of steps of an epoch means for arrays."""
    return _itertools.repeat((x, y, weights))


def _listed(x):
    """One array, a list, or a dict of them, as the language takes inputs."""
    return list(x) if isinstance(x, tuple) else x


def _rows(arrays, rows):
    if isinstance(arrays, dict):
        return {name: array[rows] for name, array in arrays.items()}
    return [array[rows] for array in arrays] if isinstance(arrays, list) else arrays[rows]


class _BatchesOfArrays(_utils.Sequence):
    """Arrays in batches, in another order each epoch where they are shuffled, as fit() of arrays has it."""

    are_arrays = True

    def __init__(self, x, y, weights, batch_size, shuffle):
        self._parts, self._size, self._shuffle = (x, y, weights), batch_size, shuffle
        self._numbers = _np.arange(len(_first(x)))
        self.batch_size, self.size = batch_size, len(self._numbers)
        self.on_epoch_begin()

    def on_epoch_begin(self):
        change = _shuffles(self._shuffle, self._size)
        if change is not None:
            change(self._numbers)

    def __len__(self):
        return -(-len(self._numbers) // self._size)

    def __getitem__(self, index):
        numbers = self._numbers[index * self._size:(index + 1) * self._size]

        def rows(part):
            if isinstance(part, dict):
                return {name: array[numbers] for name, array in part.items()}
            return [array[numbers] for array in part] if isinstance(part, list) else part if part is None else part[numbers]
        return tuple(rows(part) for part in self._parts)

    def on_epoch_end(self):
        self._numbers = _np.arange(len(self._numbers))
        self.on_epoch_begin()


load_model, save_model, model_from_json, clone_model = _saving.load_model, _saving.save_model, _saving.model_from_json, _saving.clone_model
model_from_config = _configs.layer_from


def _write(text):
    _sys.stdout.write(text)
    _sys.stdout.flush()
