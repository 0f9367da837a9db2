"""Models in HDF5 files and as JSON, as tf.keras reads and writes them, and copies of models."""

import json as _json
import os as _os

import numpy as _np

from flowray import _native, _whole_files
from flowray.tf.keras import _configs, _custom_objects, weight_files
from flowray.tf.keras import optimizers as _optimizers

_VERSION = "2.21.0"


def _json_value(value):
    if hasattr(value, "as_list"):
        return {"class_name": "TensorShape", "items": value.as_list()}
    if isinstance(value, _np.ndarray):
        return value.tolist()
    if isinstance(value, _np.generic):
        return value.item()
    if isinstance(value, _native.DType):
        return value.name
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if callable(value):
        return value.__name__
    raise TypeError("Unable to serialize %s to JSON. Unrecognized type %s." % (value, type(value)))


def _read(text):
    def decoded(thing):
        if thing.get("class_name") == "__tuple__":
            return tuple(thing["items"])
        return tuple(thing["items"]) if thing.get("class_name") == "TensorShape" and thing["items"] is not None else thing
    return _json.loads(text, object_hook=decoded)


def _model_config(model):
    return {"class_name": _configs.class_name_of(model), "config": model.get_config()}


def to_json(model, **options):
    return _json.dumps({**_model_config(model), "keras_version": _VERSION, "backend": "tensorflow"}, default=_json_value, **options)


def model_from_json(json_string, custom_objects=None):
    """The model that to_json() told of, with new weights."""
    return _configs.layer_from(_read(json_string), custom_objects)


def clone_model(model, input_tensors=None, clone_function=None):
    """A model like it with new weights. `clone_function` makes the layers' copies."""
    if input_tensors is not None:
        raise NotImplementedError("clone_model(input_tensors=) is not there yet: call the copy on them")
    if not isinstance(model, _native.keras.Model):
        raise ValueError("Expected `model` argument to be a functional `Model` instance, but got a subclassed model instead: %s" % model)
    if model._is_own:
        if clone_function is not None:
            raise ValueError("Expected `model` argument to be a functional `Model` instance, but got a subclassed model instead: %s" % model)
        return type(model).from_config(model.get_config())
    told = model.get_config()
    with model._own_graph.as_default():
        if clone_function is None:
            with _custom_objects.CustomObjectScope(_own_classes(model)):
                return type(model).from_config(told)
        if isinstance(told.get("layers"), list):
            made = iter([clone_function(layer) for layer in model.layers if not isinstance(layer, _native.keras.InputLayer)])
            for one in told["layers"]:
                if one["class_name"] != "InputLayer":
                    one["config"] = {"layer": next(made)}
                    one["class_name"] = "__given__"
        with _custom_objects.CustomObjectScope({"__given__": _Given}):
            return type(model).from_config(told)


def _own_classes(model):
    """{name: class} of the layers that are of the program's classes, in models inside, too."""
    found = {}
    for layer in model.layers:
        if isinstance(layer, _native.keras.Model) and not layer._is_own:
            found.update(_own_classes(layer))
        elif layer._is_own and not type(layer).__module__.startswith("flowray."):
            found[_configs.class_name_of(layer)] = type(layer)
    return found


class _Given(_native.keras.Layer):
    """Stands in a config for a layer that is there."""

    @classmethod
    def from_config(cls, config):
        return config["layer"]


# ---- files

def _training_config(model):
    optimizer, loss, metrics, loss_weights, weighted_metrics = model._compiled
    return {"loss": _told(loss), "metrics": _told(metrics), "weighted_metrics": _told(weighted_metrics), "loss_weights": loss_weights,
            "sample_weight_mode": model.sample_weight_mode,
            "optimizer_config": {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}}


def _told(scores):
    if isinstance(scores, dict):
        return {name: _told(one) for name, one in scores.items()}
    if isinstance(scores, (list, tuple)):
        return [_told(one) for one in scores]
    return _custom_objects.serialize(scores)


def save_model(model, filepath, overwrite=True, include_optimizer=True, save_format=None):
    """Writes a model into an HDF5 file."""
    is_open = _is_open_file(filepath)
    path = filepath.filename if is_open else _os.fspath(filepath)
    if save_format not in (None, "h5", "hdf5") or save_format is None and not is_open and not path.endswith((".h5", ".hdf5", ".keras")):
        raise NotImplementedError("A SavedModel of a Keras model is not there yet: let the path end with .h5.\nTo serve it: "
                                  "tf.saved_model.simple_save(tf.keras.backend.get_session(), path, {\"x\": model.input}, {\"y\": model.output})")
    if model._is_own:
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a Sequential model. It does not work for subclassed "
            "models, because such models are defined via the body of a Python method, which isn't safely serializable. Consider saving to the "
            "Tensorflow SavedModel format (by setting save_format=\"tf\") or using `save_weights`.\nsave_weights keeps what was trained.")
    if not is_open and not overwrite and _os.path.exists(path):
        raise FileExistsError("%s is there already, and overwrite is False" % path)
    config = _json.dumps(_model_config(model), default=_json_value)
    h5py = weight_files._h5py()
    if is_open:
        return _write_model(model, filepath, config, include_optimizer)
    folder = _os.path.dirname(path)
    if folder:
        _os.makedirs(folder, exist_ok=True)
    with _whole_files.replacing(path) as temporary, h5py.File(temporary, "w") as file:
        _write_model(model, file, config, include_optimizer)


def _is_open_file(filepath):
    """Whether it is a file that the program opened by h5py."""
    return type(filepath).__module__.startswith("h5py.") and hasattr(filepath, "filename")


def _write_model(model, file, config, include_optimizer):
    file.attrs["keras_version"], file.attrs["backend"] = _VERSION, "tensorflow"
    file.attrs["model_config"] = config.encode()
    keeps_optimizer = include_optimizer and model._compiled is not None and isinstance(model.optimizer, _optimizers.Optimizer)
    if keeps_optimizer:
        file.attrs["training_config"] = _json.dumps(_training_config(model), default=_json_value).encode()
    weight_files.write_weights(model, file.create_group("model_weights"))
    state = _optimizers.state_of(model) if keeps_optimizer else []
    if state:
        group = file.create_group("optimizer_weights")
        group.attrs["weight_names"] = [name.encode() for name, _ in state]
        for name, value in state:
            group.create_dataset(name, data=value)


def load_model(filepath, custom_objects=None, compile=True):  # noqa: A002: tf.keras' name
    """The model of an HDF5 file that save_model or tf.keras wrote."""
    if _is_open_file(filepath):
        return _read_model(filepath, filepath.filename, custom_objects, compile)
    path = _os.fspath(filepath)
    if not _os.path.exists(path):
        raise OSError("No file or directory found at %s" % path)
    if _os.path.isdir(path):
        raise NotImplementedError("A SavedModel of a Keras model is not there yet: %s is a folder, and no .h5 file" % path)
    with weight_files._h5py().File(path, "r") as file:
        return _read_model(file, path, custom_objects, compile)


def _read_model(file, path, custom_objects, compile):  # noqa: A002: tf.keras' name
    with _custom_objects.CustomObjectScope(custom_objects):
        config = file.attrs.get("model_config")
        if config is None:
            raise ValueError("No model config found in the file at %s." % path)
        model = _configs.layer_from(_read(_text(config)))
        weight_files.read_weights(model, file["model_weights"], path)
        training = file.attrs.get("training_config")
        if training is None or not compile:
            if compile:
                from flowray import tf
                tf.logging.warning("No training configuration found in the save file, so the model was *not* compiled. Compile it manually.")
            return model
        training = _read(_text(training))
        model.compile(_optimizers.deserialize(training["optimizer_config"]), _score(training.get("loss")), metrics=_score(training.get("metrics")),
                      loss_weights=training.get("loss_weights"), sample_weight_mode=training.get("sample_weight_mode"),
                      weighted_metrics=_score(training.get("weighted_metrics")))
        if "optimizer_weights" in file:
            group = file["optimizer_weights"]
            _optimizers.set_state(model, [_np.asarray(group[name]) for name in weight_files._names(group.attrs["weight_names"])])
    return model


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _score(told):
    """A loss or metric, or a structure of them, as compile takes it."""
    if isinstance(told, dict) and "class_name" not in told:
        return {name: _score(one) for name, one in told.items()}
    if isinstance(told, (list, tuple)):
        return [_score(one) for one in told]
    if isinstance(told, dict):
        from flowray.tf.keras import losses, metrics
        for module in (losses, metrics):
            try:
                return module.deserialize(told)
            except ValueError:
                continue
        raise ValueError("Unknown loss or metric: %s" % (told,))
    return _custom_objects.found(told) or told if isinstance(told, str) else told
