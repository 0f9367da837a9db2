"""Makes `import tensorflow` mean flowray.tf, and `import ray` flowray.ray."""

import importlib
import importlib.abc
import importlib.machinery
import sys

NAMES = {"tensorflow": "tf", "ray": "ray"}


def _is_answered(name):
    return name.partition(".")[0] in NAMES


def _ours(name):
    """tensorflow.compat.v1.nn -> flowray.tf.nn"""
    root, *parts = name.split(".")
    if root == "tensorflow" and parts[:2] == ["compat", "v1"]:
        parts = parts[2:]
    return ".".join(["flowray", NAMES[root]] + parts)


class _Loader(importlib.abc.Loader):
    def __init__(self, module):
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec  # the module stays what it is, it only goes by a second name


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if not _is_answered(name):
            return None
        try:
            module = importlib.import_module(_ours(name))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(("flowray.tf", "flowray.ray")):
                raise
            raise ModuleNotFoundError("Flowray has no %s" % name, name=name) from None
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


def is_installed():
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install():
    if is_installed():
        return
    for name in [name for name in sys.modules if _is_answered(name)]:
        del sys.modules[name]  # those who imported the real one keep it
    sys.meta_path.insert(0, _Finder())
