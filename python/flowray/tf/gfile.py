"""tf.gfile, on the files of this machine."""

import glob as _glob
import os as _os
import shutil as _shutil

from flowray.tf import errors as _errors


def GFile(name, mode="r"):
    """Opens a file."""
    try:
        return open(name, mode)  # noqa: SIM115
    except FileNotFoundError:
        raise _errors.NotFoundError(None, None, "%s; No such file or directory" % name) from None


Open = FastGFile = GFile
Exists, IsDirectory, Remove, Copy = _os.path.exists, _os.path.isdir, _os.remove, _shutil.copyfile
Glob, DeleteRecursively, Rename, Walk = _glob.glob, _shutil.rmtree, _os.replace, _os.walk


def MakeDirs(name):
    _os.makedirs(name, exist_ok=True)


MkDir = MakeDirs


def ListDirectory(name):
    return _os.listdir(name)
