"""Files that are written as a whole: a reader finds the one that was there before, or the new one."""

import contextlib as _contextlib
import errno as _errno
import os as _os
import stat as _stat


@_contextlib.contextmanager
def replacing(path):
    """A name beside `path` to write a file at. At the end what was written is on the disk and then takes the place of `path`, in one
    step; if writing fails, what was there before stays, and nothing else."""
    path = _os.path.realpath(path)
    if _os.path.exists(path) and not _os.path.isfile(path):
        raise OSError(_errno.EINVAL, "is not a regular file, which another could replace", path)
    folder, name = _os.path.split(path)
    name = _os.fsdecode(_os.fsencode(name)[:200])  # with what is added at most as long as a name may be
    temporary = _os.path.join(folder, "%s.tempstate%d" % (name, int.from_bytes(_os.urandom(4), "little")))
    _os.close(_os.open(temporary, _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL, 0o666))
    try:
        if _os.path.isfile(path):
            _os.chmod(temporary, _stat.S_IMODE(_os.stat(path).st_mode))
        yield temporary
        with open(temporary, "rb") as written:
            _os.fsync(written.fileno())
        _os.replace(temporary, path)
    except BaseException:
        with _contextlib.suppress(FileNotFoundError):
            _os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder):
    number = _os.open(folder, _os.O_RDONLY | _os.O_DIRECTORY)
    try:
        with _contextlib.suppress(OSError):  # some file systems have nothing to sync there
            _os.fsync(number)
    finally:
        _os.close(number)
