"""tf.gfile and tf.io.gfile, on the files of this machine."""

import os as _os

from flowray.tf import errors as _errors


def _path(name):
    return _os.fsdecode(name)


def _error(error, name):
    """What TensorFlow raises for an error of the system."""
    kind = {FileNotFoundError: _errors.NotFoundError, NotADirectoryError: _errors.FailedPreconditionError,
            IsADirectoryError: _errors.FailedPreconditionError, FileExistsError: _errors.AlreadyExistsError,
            PermissionError: _errors.PermissionDeniedError}.get(type(error), _errors.UnknownError)
    if error.errno == 39:  # ENOTEMPTY
        kind = _errors.FailedPreconditionError
    return kind(None, None, "%s; %s" % (name, error.strerror))


class _Asked:
    """Turns errors of the system into TensorFlow's."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self.name

    def __exit__(self, kind, error, trace):
        if isinstance(error, OSError):
            raise _error(error, self.name) from None


class GFile:
    """A file, opened when it is first read or written: text, or bytes where "b" is in the mode."""

    def __init__(self, name, mode="r"):
        self._name, self._mode, self._file, self._reads = _path(name), mode, None, False
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise _errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _opened(self, writes=False):
        can_write, can_read = any(c in self._mode for c in "wa+"), any(c in self._mode for c in "r+")
        if writes and not can_write or not writes and not can_read:
            raise _errors.PermissionDeniedError(None, None, "File isn't open for %s" % ("writing" if writes else "reading"))
        if self._file is None:
            with _Asked(self._name):
                self._file = open(self._name, self._mode.replace("b", "") + "b")
        return self._file

    def _given(self, data):
        return data if "b" in self._mode else data.decode("utf-8")

    def read(self, n=-1):
        """The next `n` bytes, or all that are left."""
        return self._given(self._opened().read(n))

    def readline(self):
        return self._given(self._opened().readline())

    def readlines(self):
        return [self._given(line) for line in self._opened()]

    def write(self, file_content):
        data = file_content.encode("utf-8") if isinstance(file_content, str) else file_content
        self._opened(writes=True).write(data)

    def seek(self, offset=None, whence=0, position=None):
        """Moves to `offset` bytes from the start (0), from here (1) or from the end (2)."""
        self._opened().seek(position if offset is None else offset, whence)

    def seekable(self):
        return True

    def tell(self):
        return (self._file or self._opened()).tell()

    def size(self):
        """The number of bytes of the file."""
        return Stat(self._name).length

    def flush(self):
        if self._file is not None:
            self._file.flush()

    def close(self):
        file, self._file = self._file, None
        if file is not None:
            file.close()
        elif "w" in self._mode:  # a file that nothing was written into is there, too
            with _Asked(self._name):
                open(self._name, "wb").close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__


class FastGFile(GFile):
    """The same by its older name."""


Open = GFile


class FileStatistics:
    """What is known of a file: length, mtime_nsec, is_directory."""

    def __init__(self, name):
        with _Asked(name):
            found = _os.stat(name)
        self.length, self.mtime_nsec, self.is_directory = found.st_size, found.st_mtime_ns, _os.path.isdir(name)


def Stat(filename):
    """The FileStatistics of a file or folder."""
    return FileStatistics(_path(filename))


def Exists(filename):
    """Whether there is a file or folder of this name."""
    return _os.path.exists(_path(filename))


def IsDirectory(dirname):
    """Whether there is a folder of this name."""
    return _os.path.isdir(_path(dirname))


def Remove(filename):
    """Removes a file."""
    with _Asked(_path(filename)) as name:
        _os.remove(name)


def _refuse_existing(name, overwrite):
    if not overwrite and _os.path.exists(name):
        raise _errors.AlreadyExistsError(None, None, "file already exists")


def Copy(oldpath, newpath, overwrite=False):
    """Copies a file; AlreadyExistsError where there is one of the new name, unless it may be overwritten."""
    import shutil
    _refuse_existing(_path(newpath), overwrite)
    with _Asked(_path(oldpath)) as name:
        shutil.copyfile(name, _path(newpath))


def Rename(oldname, newname, overwrite=False):
    """Renames a file; AlreadyExistsError where there is one of the new name, unless it may be overwritten."""
    _refuse_existing(_path(newname), overwrite)
    with _Asked(_path(oldname)) as name:
        _os.replace(name, _path(newname))


def Glob(filename):
    """The names that match a pattern, or any of several."""
    import glob
    patterns = [filename] if isinstance(filename, (str, bytes, _os.PathLike)) else filename
    return [name for pattern in patterns for name in sorted(glob.glob(_path(pattern)))]


def MkDir(dirname):
    """Makes a folder in one that is there."""
    with _Asked(_path(dirname)) as name:
        if not _os.path.isdir(name):
            _os.mkdir(name)


def MakeDirs(dirname):
    """Makes a folder and those above it."""
    with _Asked(_path(dirname)) as name:
        _os.makedirs(name, exist_ok=True)


def DeleteRecursively(dirname):
    """Removes a folder and all in it."""
    import shutil
    name = _path(dirname)
    if not _os.path.exists(name):
        raise _errors.NotFoundError(None, None, "%s not found" % name)
    with _Asked(name):
        shutil.rmtree(name)


def ListDirectory(dirname):
    """The names of what is in a folder."""
    name = _path(dirname)
    if not _os.path.isdir(name):
        raise _errors.NotFoundError(None, None, "Could not find directory %s" % name)
    return _os.listdir(name)


def Walk(top, in_order=True):
    """(folder, folders in it, files in it) of a folder and all below it, which comes first where not `in_order`."""
    return _walk(top, in_order, None)


def _walk(top, topdown, onerror):
    def tell(error):
        if onerror is not None:
            gone = isinstance(error, FileNotFoundError)
            onerror(_errors.NotFoundError(None, None, "Could not find directory %s" % error.filename) if gone else error)

    for folder, folders, files in _os.walk(_path(top), topdown=topdown, onerror=tell):
        folders.sort()
        yield folder, list(folders), sorted(files)


# ---- the names of tf.io.gfile


class _IO:
    """What tf.io.gfile has, by its names."""

    GFile = GFile

    @staticmethod
    def copy(src, dst, overwrite=False):
        """Copies a file; AlreadyExistsError where there is one of the new name, unless it may be overwritten."""
        Copy(src, dst, overwrite)

    @staticmethod
    def exists(path):
        """Whether there is a file or folder of this name."""
        return Exists(path)

    @staticmethod
    def get_registered_schemes():
        """What may stand before "://" in a name: files of this machine, by their names alone or as file://."""
        return ["file", ""]

    @staticmethod
    def glob(pattern):
        """The names that match a pattern, or any of several."""
        return Glob(pattern)

    @staticmethod
    def isdir(path):
        """Whether there is a folder of this name."""
        return IsDirectory(path)

    @staticmethod
    def join(path, *paths):
        """The parts of a name put together as this machine writes them."""
        return _os.path.join(path, *paths)

    @staticmethod
    def listdir(path):
        """The names of what is in a folder."""
        return ListDirectory(path)

    @staticmethod
    def makedirs(path):
        """Makes a folder and those above it."""
        MakeDirs(path)

    @staticmethod
    def mkdir(path):
        """Makes a folder in one that is there."""
        MkDir(path)

    @staticmethod
    def remove(path):
        """Removes a file."""
        Remove(path)

    @staticmethod
    def rename(src, dst, overwrite=False):
        """Renames a file; AlreadyExistsError where there is one of the new name, unless it may be overwritten."""
        Rename(src, dst, overwrite)

    @staticmethod
    def rmtree(path):
        """Removes a folder and all in it."""
        DeleteRecursively(path)

    @staticmethod
    def stat(path):
        """The length and time of change of a file, and whether it is a folder."""
        return Stat(path)

    @staticmethod
    def walk(top, topdown=True, onerror=None):
        """(folder, folders in it, files in it) of a folder and all below it, which comes first where not `topdown`.
        `onerror` is called with the error of a folder that cannot be read."""
        return _walk(top, topdown, onerror)
