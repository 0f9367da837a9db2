"""What identifies jobs, machines, processes, calls, actors and placement groups."""

import os as _os

__all__ = ["ActorClassID", "ActorID", "BaseID", "ClusterID", "FunctionID", "JobID", "NodeID", "PlacementGroupID", "TaskID", "UniqueID", "WorkerID"]


class BaseID:
    """Some bytes; equal ones of one class identify the same."""

    _size = 8

    def __init__(self, binary):
        if not isinstance(binary, bytes) or len(binary) != self._size:
            raise ValueError("%s has %d bytes, got %r" % (type(self).__name__, self._size, binary))
        self._binary = binary

    @classmethod
    def from_binary(cls, binary):
        return cls(binary)

    @classmethod
    def from_hex(cls, text):
        return cls(bytes.fromhex(text))

    @classmethod
    def from_random(cls):
        return cls(_os.urandom(cls._size))

    @classmethod
    def nil(cls):
        """That of nothing."""
        return cls(b"\xff" * cls._size)

    @classmethod
    def size(cls):
        """How many bytes it has."""
        return cls._size

    def binary(self):
        return self._binary

    __bytes__ = binary

    def hex(self):
        return self._binary.hex()

    def is_nil(self):
        """Whether it is that of nothing."""
        return self._binary == b"\xff" * self._size

    def __eq__(self, other):
        return type(other) is type(self) and other._binary == self._binary

    def __hash__(self):
        return hash(self._binary)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, self.hex())

    def __reduce__(self):
        return type(self), (self._binary,)


class JobID(BaseID):
    """A program that uses the runtime: there is one."""

    _size = 4

    @classmethod
    def from_int(cls, value):
        return cls(value.to_bytes(cls._size, "little"))

    def int(self):
        return int.from_bytes(self._binary, "little")


def job_id():
    """That of the one program."""
    return JobID.from_int(1)


class UniqueID(BaseID):
    """An ID without a kind of its own."""

    _size = 28


class NodeID(UniqueID):
    """A machine: there is one."""


class ClusterID(UniqueID):
    """The machines of a runtime."""


class FunctionID(UniqueID):
    """A function that tasks run."""


class ActorClassID(UniqueID):
    """A class of actors."""


class WorkerID(UniqueID):
    """A process."""

    _size = 20


class TaskID(BaseID):
    """A call of a function or a method."""

    def job_id(self):
        return job_id()


class ActorID(BaseID):
    """An actor."""

    @property
    def job_id(self):
        return job_id()


class PlacementGroupID(BaseID):
    """A placement group."""

    @classmethod
    def _of(cls, number):
        return cls(number.to_bytes(8, "big")) if number else cls.nil()

    @property
    def _number(self):
        return 0 if self.is_nil() else int.from_bytes(self._binary, "big")
