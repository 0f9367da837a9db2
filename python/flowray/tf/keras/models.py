"""tf.keras.models: layers one after the other, and how they are trained."""

import sys as _sys

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import callbacks as _callbacks
from flowray.tf.keras import optimizers as _optimizers
from flowray.tf.keras import weight_files as _weight_files
from flowray.tf.keras.layers import Layer as _Layer


def _array(value, what):
    if hasattr(value, "make_one_shot_iterator") or hasattr(value, "__next__") or isinstance(value, _native.Tensor):
        raise NotImplementedError("%s must be an array here: datasets, generators and tensors are not there yet" % what)
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
    classes = y.argmax(axis=1) if y.ndim > 1 and y.shape[1] > 1 else y.reshape(len(y)).astype(int)
    missing = set(classes.tolist()) - set(class_weight)
    if missing:
        raise ValueError("`class_weight` must contain all classes in the data. The classes %s exist in the data but not in `class_weight`."
                         % missing)
    return _np.array([class_weight[int(one)] for one in classes], _np.float32)


def _sample_weight(sample_weight, class_weight, y):
    weights = None if sample_weight is None else _arrays(sample_weight, "sample_weight")
    if class_weight is None:
        return weights
    if isinstance(y, (list, dict)) and len(y) > 1:
        raise NotImplementedError("class_weight for a model of several outputs is not there yet: give sample_weight")
    of_classes = _weights_of_classes(class_weight, _first(y))
    return of_classes if weights is None else of_classes * _first(weights)


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


def _refuse(function, options):
    for name, (value, default) in options.items():
        if value != default and value is not default:
            raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (function, name, value))


def _one_or_list(values):
    return values[0] if len(values) == 1 else values


class Model(_native.keras.Model):
    """What stands between tensors of tf.keras.Input and others that layers made of them."""

    def __init__(self, inputs=None, outputs=None, name=None, trainable=True):
        if inputs is None or outputs is None:
            raise NotImplementedError("Model needs inputs and outputs: models by subclassing are not there yet")
        super().__init__(_checked_tensors(inputs, "inputs"), _checked_tensors(outputs, "outputs"), name)
        self.history, self.optimizer, self._own_graph = None, None, self._outputs[0].graph
        if not trainable:
            self.trainable = False

    inputs = property(lambda self: self._inputs)
    outputs = property(lambda self: self._outputs)
    input = property(lambda self: _one_or_list(self._inputs))
    output = property(lambda self: _one_or_list(self._outputs))

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
                target_tensors=None, distribute=None, **options):
        """Says how it is trained."""
        _refuse("compile", {"sample_weight_mode": (sample_weight_mode, None),
                            "weighted_metrics": (weighted_metrics, None), "target_tensors": (target_tensors, None),
                            "distribute": (distribute, None), **{name: (value, None) for name, value in options.items()}})
        names = self.output_names or ["output"]
        losses = _of_outputs(loss, names, "loss", lambda one: not isinstance(one, (list, tuple)))
        if any(one is None for one in losses):
            raise ValueError("compile: a loss is needed")
        metrics = metrics or ()
        of_outputs = _of_outputs(metrics, names, "metrics",
                                 lambda one: len(names) == 1 or not any(isinstance(item, (list, tuple)) for item in _list(one)))
        weights = _of_outputs(1.0 if loss_weights is None else loss_weights, names, "loss_weights", lambda one: loss_weights is None)
        self.optimizer = _optimizers.get(optimizer)
        native = self.optimizer
        if isinstance(native, _optimizers.Optimizer):
            with self._own_graph.as_default():
                native = native._made()
        self._compile(native, losses, [_list(of_output) for of_output in of_outputs], [1.0 if one is None else one for one in weights])

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False):
        """Trains; gives the History."""
        _refuse("fit", {"steps_per_epoch": (steps_per_epoch, None), "validation_steps": (validation_steps, None),
                        "validation_freq": (validation_freq, 1), "max_queue_size": (max_queue_size, 10), "workers": (workers, 1),
                        "use_multiprocessing": (use_multiprocessing, False)})
        if isinstance(shuffle, str):
            raise NotImplementedError("fit(shuffle=%r) is not there: True or False" % shuffle)
        x, y = _arrays(x, "x"), _arrays(y, "y")
        if validation_data is not None:
            if len(validation_data) != 2:
                raise NotImplementedError("fit(validation_data=) takes a pair (x, y) here")
            validation_data = (_arrays(validation_data[0], "validation_data"), _arrays(validation_data[1], "validation_data"))
        batch_size = 32 if batch_size is None else batch_size
        history = _callbacks.History()
        watchers = [*(callbacks or ()), history]
        samples = len(_first(x))
        kept = samples - int(samples * (1 - validation_split)) if validation_split else 0
        params = {"batch_size": batch_size, "epochs": epochs, "steps": None, "samples": samples - kept, "verbose": verbose,
                  "do_validation": bool(kept) or validation_data is not None, "metrics": self._metrics_of_fit(kept or validation_data)}
        for callback in watchers:
            callback.set_params(params)
            callback.set_model(self)
        verbose = {"auto": 1}.get(verbose, verbose)
        self._fit(x, y, batch_size, epochs, int(verbose), [_callbacks._All(watchers)], validation_split, validation_data,
                  _np.random.shuffle if shuffle else None, _sample_weight(sample_weight, class_weight, y), initial_epoch, _write)
        self.history = history
        return history

    def _metrics_of_fit(self, validates):
        names = list(self.metrics_names)
        return names + ["val_" + name for name in names] if validates else names

    def evaluate(self, x=None, y=None, batch_size=None, verbose=0, sample_weight=None, steps=None, callbacks=None):
        """The loss, or a list of it and the metrics."""
        _refuse("evaluate", {"steps": (steps, None), "callbacks": (callbacks, None)})
        return _one_or_list(self._evaluate(_arrays(x, "x"), _arrays(y, "y"), 32 if batch_size is None else batch_size,
                                           _sample_weight(sample_weight, None, y)))

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None):
        """What it gives for each element."""
        _refuse("predict", {"steps": (steps, None), "callbacks": (callbacks, None)})
        return self._predict(_arrays(x, "x"), 32 if batch_size is None else batch_size)

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None):
        """One step of training; what it scored before it."""
        y = _arrays(y, "y")
        return _one_or_list(self._step(_arrays(x, "x"), y, _sample_weight(sample_weight, class_weight, y), True))

    def test_on_batch(self, x, y=None, sample_weight=None):
        """The scores of one batch."""
        return _one_or_list(self._step(_arrays(x, "x"), _arrays(y, "y"), _sample_weight(sample_weight, None, y), False))

    def predict_on_batch(self, x):
        """What it gives for the elements of one batch."""
        x = _arrays(x, "x")
        return self._predict(x, max(len(_first(x)), 1))

    def get_weights(self):
        """The values of all weights."""
        return self._get_weights()

    def set_weights(self, weights):
        """Values for all weights, in the order of get_weights."""
        self._set_weights([_np.asarray(weight, _np.float32) for weight in weights])

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """Writes the weights into an HDF5 file, which tf.keras reads, too."""
        _weight_files.save(self, filepath, overwrite, save_format)

    def load_weights(self, filepath, by_name=False, skip_mismatch=False):
        """Takes the weights of an HDF5 file that save_weights or tf.keras wrote."""
        _weight_files.load(self, filepath, by_name, skip_mismatch)

    def summary(self, line_length=None, positions=None, print_fn=None):
        """Prints a table of the layers."""
        _refuse("summary", {"line_length": (line_length, None), "positions": (positions, None)})
        text = self._summary()
        if print_fn is None:
            _write(text)
        else:
            for line in text.splitlines():
                print_fn(line)

    def __getattr__(self, name):
        if name in ("save", "to_json", "to_yaml", "get_config", "fit_generator"):
            raise NotImplementedError("%s.%s is not there yet; save_weights and load_weights, and tf.train.Saver, keep what was trained"
                                      % (type(self).__name__, name))
        raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))


class Sequential(Model):
    """Layers one after the other."""

    def __init__(self, layers=None, name=None):
        _native.keras.Model.__init__(self, name)
        self.history, self.optimizer, self._own_graph = None, None, _tf.get_default_graph()
        for layer in layers or ():
            self.add(layer)

    def add(self, layer):
        """Adds a layer behind the others."""
        if not isinstance(layer, _Layer):
            raise TypeError("The added layer must be an instance of class Layer. Received: layer=%r of type %s." % (layer, type(layer)))
        self._add(layer)

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
    tensors = _list(tensors)
    for tensor in tensors:
        if not isinstance(tensor, _native.keras.KerasTensor):
            raise ValueError("%s. Received %s=%s" % (
                "Input tensors to a Functional model must come from `tf.keras.Input`" if what == "inputs" else
                "Output tensors of a Functional model must be the output of a TensorFlow `Layer`", what, tensor))
    return tensors


def _write(text):
    _sys.stdout.write(text)
    _sys.stdout.flush()
