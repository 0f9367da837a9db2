"""Arrays out of files that have pickles in them, of which only those of arrays, lists, dictionaries, numbers and text are read."""

import pickle as _pickle
import zipfile as _zipfile

import numpy as _np

_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_ALLOWED = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"),
            *((module, name) for module in _MODULES for name in ("_reconstruct", "scalar"))}


class _Unpickler(_pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in _ALLOWED:
            raise _pickle.UnpicklingError("%s.%s is not read from a file of a data set: only arrays, lists, numbers and text are" % (module, name))
        return super().find_class(module, name)


def dictionary_of(path):
    """What is in a file of CIFAR: {name: value}."""
    with open(path, "rb") as file:
        return {key.decode() if isinstance(key, bytes) else key: value for key, value in _Unpickler(file, encoding="bytes").load().items()}


def _array_of(file):
    version = _np.lib.format.read_magic(file)
    read_header = _np.lib.format.read_array_header_1_0 if version == (1, 0) else _np.lib.format.read_array_header_2_0
    shape, in_columns, dtype = read_header(file)
    if dtype.hasobject:
        return _np.asarray(_Unpickler(file, encoding="latin1").load(), dtype=object).reshape(shape)
    return _np.frombuffer(file.read(), dtype).reshape(shape, order="F" if in_columns else "C")


def arrays_of(path):
    """{name: array} of an .npz file."""
    with _zipfile.ZipFile(path) as archive:
        found = {}
        for name in archive.namelist():
            with archive.open(name) as file:
                found[name.removesuffix(".npy")] = _array_of(file)
        return found
