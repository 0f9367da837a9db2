"""What a worker writes to its standard output and error output, which the driver shows."""

import io
import sys

from flowray import _native

_write = _native._ray.write_output


class _Output(io.BufferedIOBase):
    """Gives away what is written at once, be it a part of a line, with the name of the task that runs."""

    def __init__(self, stream, descriptor):
        self._stream = stream  # which somebody may have kept. Freed, it would close what lies below it
        self._descriptor = descriptor
        self.name, self.mode = stream.name, "wb"

    def writable(self):
        return True

    def fileno(self):
        return self._descriptor

    def write(self, data):
        if type(data) is not bytes:
            data = bytes(data)
        _write(self._descriptor, data)
        return len(data)

    def flush(self):
        self._stream.flush()

    def close(self):
        self.flush()


def _is_own(stream, descriptor):
    """Whether it is the one that Python begins with: a program may have set others."""
    try:
        return type(stream) is io.TextIOWrapper and stream.fileno() == descriptor
    except (OSError, ValueError):
        return False


_begun_with = {}  # (the stream in its place, the stream of the driver) by the first one's id: a program's own may have no hash


def begin():
    """Before the first call of a worker."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
        if _is_own(stream, descriptor):
            output = io.TextIOWrapper(_Output(stream, descriptor), encoding=stream.encoding, errors=stream.errors, newline="\n", write_through=True)
            _begun_with[id(output)] = output, stream
            setattr(sys, name, output)


def flush():
    """At the end of a call."""
    stdout = sys.stdout
    if stdout is not None:
        _begun_with.get(id(stdout), (None, stdout))[1].flush()  # the others hold nothing back
