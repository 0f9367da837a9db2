"""Makes `import tensorflow` mean flowray.tf."""

import importlib
import importlib.abc
import importlib.machinery
import sys

NAME = "tensorflow"


def _ours(name):
    """tensorflow.compat.v1.nn -> flowray.tf.nn"""
    parts = name.split(".")[1:]
    if parts[:2] == ["compat", "v1"]:
        parts = parts[2:]
    return ".".join(["flowray", "tf"] + parts)


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
        if name != NAME and not name.startswith(NAME + "."):
            return None
        try:
            module = importlib.import_module(_ours(name))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("flowray.tf"):
                raise
            raise ModuleNotFoundError("Flowray has no %s" % name, name=name) from None
        return importlib.machinery.ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))


def install():
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    for name in [name for name in sys.modules if name == NAME or name.startswith(NAME + ".")]:
        del sys.modules[name]  # those who imported the real one keep it
    sys.meta_path.insert(0, _Finder())
