"""tf.keras.utils."""

import os as _os
import sys as _sys
import time as _time

import numpy as _np

from flowray.tf.keras._custom_objects import made as _made
from flowray.tf.keras._custom_objects import serialize as _serialize
from flowray.tf.keras._custom_objects import (  # noqa: F401: of this module, too
    CustomObjectScope, custom_object_scope, get_custom_objects, get_registered_name, get_registered_object, register_keras_serializable)


def to_categorical(y, num_classes=None, dtype="float32"):
    """A vector for each class in `y`, with 1 in the place of the class."""
    y = _np.array(y, dtype="int64")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    y = y.ravel()
    num_classes = int(y.max()) + 1 if num_classes is None else num_classes
    result = _np.zeros((len(y), num_classes), dtype)
    result[_np.arange(len(y)), y] = 1
    return result.reshape((*shape, num_classes))


def normalize(x, axis=-1, order=2):
    """Vectors along an axis, divided by their length."""
    lengths = _np.atleast_1d(_np.linalg.norm(x, order, axis))
    lengths[lengths == 0] = 1
    return x / _np.expand_dims(lengths, axis)


class Sequence:
    """Batches by their numbers: a class of the program's has __getitem__ and __len__, and on_epoch_end if it likes."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def on_epoch_end(self):
        pass

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]


def serialize_keras_object(instance):
    """The config of a layer, initializer, loss or the like; the name of a function."""
    return _serialize(instance)


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name="object"):
    """What a name or a config stands for: of the program's names, or of `module_objects`."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return _made(identifier, module_objects or {}, printable_module_name, custom_objects)
    raise ValueError("Could not interpret serialized %s: %s" % (printable_module_name, identifier))


def get_source_inputs(tensor, layer=None, node_index=None):
    """The tensors of tf.keras.Input that a tensor of a functional model comes from."""
    found, waiting, seen = [], [tensor], set()
    while waiting:
        one = waiting.pop(0)
        if one.name in seen:
            continue
        seen.add(one.name)
        inputs = list(one._history[3] or ())
        if not inputs:
            found.append(one)
        waiting += inputs
    return found


def get_file(fname=None, origin=None, cache_subdir="datasets", cache_dir=None, **options):
    """The path of a file that is there already: in ~/.keras, or where an `origin` that begins with file: says."""
    if origin is not None and origin.startswith("file:"):
        path = origin[len("file:"):]
        path = path[2:] if path.startswith("//") else path
        if _os.path.exists(path):
            return path
    home = cache_dir or _os.environ.get("KERAS_HOME") or _os.path.join(_os.path.expanduser("~"), ".keras")
    name = fname or _os.path.basename(origin or "")
    path = _os.path.join(home, cache_subdir, name)
    if not _os.path.exists(path):
        raise FileNotFoundError("get_file: there is no file %s.\nNothing is fetched%s: put it there." % (path, " from " + origin if origin else ""))
    for option in options:
        raise NotImplementedError("get_file(%s=) is not there: nothing is fetched, checked or extracted" % option)
    return path


def told(name, value):
    """ - loss: 0.1234"""
    return " - %s: %.4f" % (name, value) if abs(value) > 1e-3 else " - %s: %.4e" % (name, value)


def _time_text(seconds):
    scale, unit = (1, "s") if seconds >= 1 or seconds == 0 else (1e3, "ms") if seconds >= 1e-3 else (1e6, "us")
    return "%.0f%s" % (seconds * scale, unit)


class Progbar:
    """A line that tells how far something is. `target`: the number of steps, None where it is not known."""

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name="step"):
        self.target, self.width, self.verbose, self.interval, self.unit_name = target, width, verbose, interval, unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._values, self._width, self._seen, self._begun, self._last = {}, 0, 0, _time.time(), 0.0
        self._means = {}

    def update(self, current, values=None, finalize=None):
        """`values`: (name, value) of this many steps; those of other metrics than stateful ones are averaged."""
        finalize = self.target is not None and current >= self.target if finalize is None else finalize
        for name, value in values or ():
            if name in self.stateful_metrics or self._sets_values:
                self._values[name] = value
            else:
                steps = max(current - self._seen, 1)
                total, count = self._means.get(name, (0.0, 0))
                self._means[name] = total + value * steps, count + steps
                self._values[name] = self._means[name][0] / max(1, self._means[name][1])
        self._seen = current
        now = _time.time()
        if not self.verbose or not finalize and now - self._last < self.interval:
            return
        self._last = now
        values = "".join(told(name, value) for name, value in self._values.items())
        text = self._bar(current) + self._times(current, now - self._begun, finalize) + values
        if self.verbose == 2 and finalize:
            seconds = now - self._begun
            text = "%*d/%d%s - %s/epoch - %s/%s" % (len(str(self.target)), current, self.target, values, _time_text(seconds),
                                                    _time_text(seconds / self.target), self.unit_name)
        if self.verbose == 1:
            padded = text + " " * max(self._width - len(text), 0)
            _sys.stdout.write("\b" * self._width + "\r" + padded + ("\n" if finalize else ""))
            self._width = len(padded)
        elif finalize:
            _sys.stdout.write(text + "\n")
        _sys.stdout.flush()

    _sets_values = False

    def _bar(self, current):
        if self.target is None:
            return "%7d/Unknown" % current
        digits = len(str(self.target))
        filled = int(self.width * current / max(self.target, 1))
        line = "=" * (filled - 1) + (">" if current < self.target else "=") if filled > 0 else ""
        return "%*d/%d [%s%s]" % (digits, current, self.target, line, "." * max(self.width - filled, 0))

    def _times(self, current, seconds, finalize):
        each = seconds / current if current else 0
        if self.target is not None and not finalize:
            left = int(each * (self.target - current))
            if left > 3600:
                return " - ETA: %d:%02d:%02d" % (left // 3600, left % 3600 // 60, left % 60)
            return " - ETA: %d:%02d" % (left // 60, left % 60) if left > 60 else " - ETA: %ds" % left
        return " - %.0fs %s/%s" % (seconds, _time_text(each), self.unit_name)

    def add(self, n, values=None):
        """update() by n more steps."""
        self.update(self._seen + n, values)


def model_to_dot(model, show_shapes=False, show_dtype=False, show_layer_names=True, rankdir="TB", expand_nested=False, dpi=96, subgraph=False,
                 layer_range=None, show_layer_activations=False, show_trainable=False):
    """A drawing of a model, for which TensorFlow needs pydot; here model.summary() shows the layers."""
    raise ImportError("You must install pydot (`pip install pydot`) for model_to_dot to work.\nFlowray draws no models yet, with pydot or without: "
                      "model.summary() shows the layers, and the graph stands in TensorBoard.")


def plot_model(model, to_file="model.png", show_shapes=False, show_dtype=False, show_layer_names=True, rankdir="TB", expand_nested=False, dpi=96,
               layer_range=None, show_layer_activations=False, show_trainable=False):
    """The same in a file. TensorFlow's raises ImportError, too, where pydot and graphviz are not there."""
    raise ImportError("You must install pydot (`pip install pydot`) and install graphviz (see instructions at "
                      "https://graphviz.gitlab.io/download/) for plot_model to work.\nFlowray draws no models yet, with both or without: "
                      "model.summary() shows the layers, and the graph stands in TensorBoard.")
