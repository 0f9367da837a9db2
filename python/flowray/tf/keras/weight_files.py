"""Weights in HDF5 files, in tf.keras' layout: a group for each layer with its weights by their names. By h5py, which is the HDF5
library's own door to Python; the package works without it until a file is written or read."""

import os as _os

import numpy as _np

from flowray import _whole_files


def _h5py():
    try:
        import h5py
    except ImportError:
        raise ImportError("`save_weights` requires h5py when saving in hdf5, but h5py is not available.\npip install h5py") from None
    return h5py


def is_checkpoint(filepath, save_format):
    """Whether a path is that of a checkpoint of TensorFlow's: it has no ending of HDF5 files, and none is asked for."""
    if save_format in ("tf", "tensorflow"):
        return True
    return save_format is None and not _os.fspath(filepath).endswith((".h5", ".hdf5", ".keras"))


def check_overwrite(path, overwrite):
    """Writes over a file only where that is said."""
    if not overwrite and _os.path.exists(path):
        raise FileExistsError("%s is there already, and overwrite is False" % path)


def _checked_path(filepath, save_format):
    path = _os.fspath(filepath)
    if save_format not in (None, "h5", "hdf5", "keras"):
        raise ValueError("Unknown format \"%s\". Was expecting one of {\"tf\", \"h5\"}." % (save_format,))
    return path


def _weights_of_layers(model):
    """(layer, its variables), the trainable ones first, as tf.keras writes them."""
    return [(layer, [*layer.trainable_weights, *layer.non_trainable_weights]) for layer in model.layers]


def _names(values):
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def save(model, filepath, overwrite=True, save_format=None):
    path = _checked_path(filepath, save_format)
    if not overwrite and _os.path.exists(path):
        raise FileExistsError("%s is there already, and overwrite is False" % path)
    h5py = _h5py()
    with _whole_files.replacing(path) as temporary, h5py.File(temporary, "w") as file:
        write_weights(model, file)


def write_weights(model, file):
    """Into a file, or a group of one."""
    values = dict(zip((weight.name for weight in model.weights), model.get_weights()))
    layers = _weights_of_layers(model)
    file.attrs["layer_names"] = [layer.name for layer, _ in layers]
    file.attrs["backend"] = "tensorflow"
    file.attrs["keras_version"] = "2.21.0"
    written = set()
    for layer, weights in layers:
        _write_group(file.require_group(layer.name), weights, values)
        written.update(weight.name for weight in weights)
    own = [weight for weight in model.weights if weight.name not in written]
    _write_group(file.create_group("top_level_model_weights"), own, values)


def _write_group(group, weights, values):
    group.attrs["weight_names"] = [weight.name for weight in weights] or _np.zeros(0)
    for weight in weights:
        group.create_dataset(weight.name, data=values[weight.name])


def _arrays_in(group):
    return [_np.asarray(group[name]) for name in _names(group.attrs["weight_names"])]


def _check_shape(variable, array, path):
    if tuple(variable.shape.as_list()) != array.shape:
        raise ValueError("Shape mismatch in %s for weight %s. Weight expects shape %s. Received saved weight with shape %s"
                         % (path, variable.name, tuple(variable.shape.as_list()), array.shape))


def _pairs_in_order(layers, saved, path):
    layers = [(layer, weights) for layer, weights in layers if weights]
    saved = [(name, arrays) for name, arrays in saved if arrays]
    if len(layers) != len(saved):
        raise ValueError("Layer count mismatch when loading weights from file. Model expected %d layers, found %d saved layers."
                         % (len(layers), len(saved)))
    for number, ((layer, weights), (_, arrays)) in enumerate(zip(layers, saved)):
        if len(weights) != len(arrays):
            raise ValueError("Weight count mismatch for layer #%d (named %s in the current model, %s in the save file). Layer expects %d "
                             "weight(s). Received %d saved weight(s)"
                             % (number, layer.name, saved[number][0], len(weights), len(arrays)))
        for variable, array in zip(weights, arrays):
            _check_shape(variable, array, path)
            yield variable, array


def _pairs_by_name(layers, saved, path, skip_mismatch):
    saved = dict(saved)
    for layer, weights in layers:
        arrays = saved.get(layer.name)
        if arrays is None:
            continue
        if skip_mismatch and [tuple(weight.shape.as_list()) for weight in weights] != [array.shape for array in arrays]:
            continue
        yield from _pairs_in_order([(layer, weights)], [(layer.name, arrays)], path)


def load(model, filepath, by_name=False, skip_mismatch=False):
    path = _checked_path(filepath, "h5")
    if skip_mismatch and not by_name:
        raise ValueError("When calling model.load_weights, skip_mismatch can only be set to True when by_name is True.")
    if not model.built or not model._has_ends() and not model.weights:
        raise ValueError("Unable to load weights saved in HDF5 format into a subclassed Model which has not created its variables yet. "
                         "Call the Model first, then load the weights.")
    with _h5py().File(path, "r") as file:
        root = file["model_weights"] if "layer_names" not in file.attrs and "model_weights" in file else file
        read_weights(model, root, path, by_name, skip_mismatch)


def read_weights(model, root, path, by_name=False, skip_mismatch=False):
    """Of a file, or of a group of one."""
    saved = [(name, _arrays_in(root[name])) for name in _names(root.attrs["layer_names"])]
    layers = _weights_of_layers(model)
    if "top_level_model_weights" in root and not by_name:
        known = {weight.name for _, weights in layers for weight in weights}
        own = [weight for weight in model.weights if weight.name not in known]
        if own:
            layers.append((model, own))
            saved.append(("top_level_model_weights", _arrays_in(root["top_level_model_weights"])))
    pairs = _pairs_by_name(layers, saved, path, skip_mismatch) if by_name else _pairs_in_order(layers, saved, path)
    given = {variable.name: array for variable, array in pairs}
    model.set_weights([given.get(variable.name, value) for variable, value in zip(model.weights, model.get_weights())])
