"""Makes `import tensorflow` mean flowray.tf, `import keras` flowray.tf.keras, and `import ray` flowray.ray."""

import importlib
import importlib.machinery
import sys
import types

NAMES = {"tensorflow": "tf", "keras": "tf.keras", "ray": "ray"}


def _is_answered(name):
    return name.partition(".")[0] in NAMES


def _module(name):
    """tensorflow.compat.v1.nn is flowray.tf.nn; what is below tensorflow.python and tensorflow.core is made of what is there."""
    root, *parts = name.split(".")
    if root != "tensorflow":
        importlib.import_module("flowray.tf" if root == "keras" else "flowray")
        return importlib.import_module(".".join(["flowray", NAMES[root], *parts]))
    if parts[:2] == ["compat", "v1"]:
        parts = parts[2:]
    if parts[:1] in (["python"], ["core"]) or parts[:2] == ["compat", "v2"]:
        return importlib.import_module("flowray.tf._inner").module(".".join(parts))
    if parts == ["pywrap_tensorflow"]:
        return importlib.import_module("flowray.tf._inner").module("python.pywrap_tensorflow")
    return importlib.import_module(".".join(["flowray", "tf", *parts]))


def _reason(name):
    """Why it is not there, if what it would be a part of knows."""
    parent, _, last = name.rpartition(".")
    reason = getattr(sys.modules.get(parent), "_MISSING", {}).get(last)
    return ": " + reason if reason else ""


class _Loader:
    def __init__(self, module):
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec  # the module stays what it is, it only goes by a second name


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if not _is_answered(name):
            return None
        try:
            module = _module(name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(("flowray.tf", "flowray.ray", "tensorflow")):
                raise
            raise ModuleNotFoundError("No module named '%s'\nFlowray has no such part of %s%s." % (name, name.partition(".")[0], _reason(name)),
                                      name=name) from None
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


class _WithoutProtobuf:
    """Programs read graphs with google.protobuf.text_format; where protobuf is not installed, what there is of it here is found, which
    is asked for last."""

    _NAMES = {"google": None, "google.protobuf": None, "google.protobuf.text_format": "flowray.tf._text_format"}

    def find_spec(self, name, path=None, target=None):
        if name not in self._NAMES:
            return None
        module = importlib.import_module(self._NAMES[name]) if self._NAMES[name] else _empty_package(name)
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


def _empty_package(name):
    package = types.ModuleType(name)
    package.__path__ = []
    return package


def is_installed():
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install():
    if is_installed():
        return
    for name in [name for name in sys.modules if _is_answered(name)]:
        del sys.modules[name]  # those who imported the real one keep it
    sys.meta_path.insert(0, _Finder())
    sys.meta_path.append(_WithoutProtobuf())
