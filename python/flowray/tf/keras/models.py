"""tf.keras.models: layers one after the other, and how they are trained."""

import sys as _sys

import numpy as _np

from flowray import _native
from flowray.tf.keras import callbacks as _callbacks
from flowray.tf.keras.layers import Layer as _Layer


def _array(value, what):
    if hasattr(value, "make_one_shot_iterator") or hasattr(value, "__next__") or isinstance(value, _native.Tensor):
        raise NotImplementedError("%s must be an array here: datasets, generators and tensors are not there yet" % what)
    if isinstance(value, (list, tuple)) and len(value) == 1 and hasattr(value[0], "shape"):
        value = value[0]  # of the only input
    if value is None:
        raise ValueError("fit, evaluate and predict need %s: an array with the elements along its first dimension" % what)
    return _np.asarray(value)


def _sample_weight(sample_weight, class_weight, y):
    if class_weight is None:
        return None if sample_weight is None else _np.asarray(sample_weight)
    y = _np.asarray(y)
    classes = y.argmax(axis=1) if y.ndim > 1 and y.shape[1] > 1 else y.reshape(len(y)).astype(int)
    missing = set(classes.tolist()) - set(class_weight)
    if missing:
        raise ValueError("`class_weight` must contain all classes in the data. The classes %s exist in the data but not in `class_weight`."
                         % missing)
    weights = _np.array([class_weight[int(one)] for one in classes], _np.float32)
    return weights if sample_weight is None else weights * _np.asarray(sample_weight)


def _refuse(function, options):
    for name, (value, default) in options.items():
        if value != default and value is not default:
            raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (function, name, value))


def _one_or_list(values):
    return values[0] if len(values) == 1 else values


class Sequential(_native.keras.Model):
    """Layers one after the other."""

    def __init__(self, layers=None, name=None):
        if name is None:
            super().__init__()
        else:
            super().__init__(name)
        self._layers = []
        self.history = None
        for layer in layers or ():
            self.add(layer)

    layers = property(lambda self: list(self._layers))

    def add(self, layer):
        """Adds a layer behind the others."""
        if not isinstance(layer, _Layer):
            raise TypeError("The added layer must be an instance of class Layer. Received: layer=%r of type %s." % (layer, type(layer)))
        self._add(layer)
        self._layers.append(layer)

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape, the batch in front."""
        self._build(input_shape)

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None, sample_weight_mode=None, weighted_metrics=None,
                target_tensors=None, distribute=None, **options):
        """Says how it is trained."""
        _refuse("compile", {"loss_weights": (loss_weights, None), "sample_weight_mode": (sample_weight_mode, None),
                            "weighted_metrics": (weighted_metrics, None), "target_tensors": (target_tensors, None),
                            "distribute": (distribute, None), **{name: (value, None) for name, value in options.items()}})
        if isinstance(loss, (list, tuple, dict)) and len(loss) == 1:
            loss = next(iter(loss.values() if isinstance(loss, dict) else loss))
        if loss is None:
            raise ValueError("compile: a loss is needed")
        metrics = list(metrics or ()) if not isinstance(metrics, str) else [metrics]
        self._compile(optimizer, loss, metrics)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False):
        """Trains; gives the History."""
        _refuse("fit", {"steps_per_epoch": (steps_per_epoch, None), "validation_steps": (validation_steps, None),
                        "validation_freq": (validation_freq, 1), "max_queue_size": (max_queue_size, 10), "workers": (workers, 1),
                        "use_multiprocessing": (use_multiprocessing, False)})
        if isinstance(shuffle, str):
            raise NotImplementedError("fit(shuffle=%r) is not there: True or False" % shuffle)
        x, y = _array(x, "x"), _array(y, "y")
        if validation_data is not None:
            if len(validation_data) != 2:
                raise NotImplementedError("fit(validation_data=) takes a pair (x, y) here")
            validation_data = (_array(validation_data[0], "validation_data"), _array(validation_data[1], "validation_data"))
        batch_size = 32 if batch_size is None else batch_size
        history = _callbacks.History()
        watchers = [*(callbacks or ()), history]
        kept = len(x) - int(len(x) * (1 - validation_split)) if validation_split else 0
        params = {"batch_size": batch_size, "epochs": epochs, "steps": None, "samples": len(x) - kept, "verbose": verbose,
                  "do_validation": bool(kept) or validation_data is not None, "metrics": self._metrics_of_fit(kept or validation_data)}
        for callback in watchers:
            callback.set_params(params)
            callback.set_model(self)
        verbose = {"auto": 1}.get(verbose, verbose)
        self._fit(x, y, batch_size, epochs, int(verbose), watchers, validation_split, validation_data,
                  _np.random.shuffle if shuffle else None, _sample_weight(sample_weight, class_weight, y), initial_epoch, _write)
        self.history = history
        return history

    def _metrics_of_fit(self, validates):
        names = list(self.metrics_names)
        return names + ["val_" + name for name in names] if validates else names

    def evaluate(self, x=None, y=None, batch_size=None, verbose=0, sample_weight=None, steps=None, callbacks=None):
        """The loss, or a list of it and the metrics."""
        _refuse("evaluate", {"steps": (steps, None), "callbacks": (callbacks, None)})
        return _one_or_list(self._evaluate(_array(x, "x"), _array(y, "y"), 32 if batch_size is None else batch_size,
                                           _sample_weight(sample_weight, None, y)))

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None):
        """What it gives for each element."""
        _refuse("predict", {"steps": (steps, None), "callbacks": (callbacks, None)})
        return self._predict(_array(x, "x"), 32 if batch_size is None else batch_size)

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None):
        """One step of training; what it scored before it."""
        y = _array(y, "y")
        return _one_or_list(self._step(_array(x, "x"), y, _sample_weight(sample_weight, class_weight, y), True))

    def test_on_batch(self, x, y=None, sample_weight=None):
        """The scores of one batch."""
        return _one_or_list(self._step(_array(x, "x"), _array(y, "y"), _sample_weight(sample_weight, None, y), False))

    def predict_on_batch(self, x):
        """What it gives for the elements of one batch."""
        x = _array(x, "x")
        return self._predict(x, max(len(x), 1))

    def predict_classes(self, x, batch_size=32):
        """The class of each element that it gives the greatest number."""
        chances = self.predict(x, batch_size)
        return chances.argmax(axis=-1) if chances.shape[-1] > 1 else (chances > 0.5).astype("int32")

    def get_weights(self):
        """The values of all weights."""
        return self._get_weights()

    def set_weights(self, weights):
        """Values for all weights, in the order of get_weights."""
        self._set_weights([_np.asarray(weight, _np.float32) for weight in weights])

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
        if name in ("save", "save_weights", "load_weights", "to_json", "to_yaml", "get_config", "fit_generator", "get_layer", "inputs",
                    "outputs", "input", "output"):
            raise NotImplementedError("Sequential.%s is not there yet; get_weights and set_weights, and tf.train.Saver, keep what was trained"
                                      % name)
        raise AttributeError("'Sequential' object has no attribute %r" % name)


def _write(text):
    _sys.stdout.write(text)
    _sys.stdout.flush()
