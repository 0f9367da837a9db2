"""A first-in, first-out queue that any process can put into and get from."""

import queue as _queue
import time as _time

from flowray.ray import _runtime
from flowray.ray._remote import remote as _remote

__all__ = ["Empty", "Full", "Queue"]


class Empty(_queue.Empty):
    """The queue has nothing."""


class Full(_queue.Full):
    """The queue has no room."""


class _Items:
    """The actor."""

    def __init__(self, maxsize):
        self._queue = _queue.Queue(maxsize)

    def qsize(self):
        return self._queue.qsize()

    def put(self, items):
        """Whether there was room for all."""
        if self._queue.maxsize > 0 and self._queue.qsize() + len(items) > self._queue.maxsize:
            return False
        for item in items:
            self._queue.put_nowait(item)
        return True

    def get(self, count):
        """A list of so many, or None."""
        if self._queue.qsize() < count:
            return None
        return [self._queue.get_nowait() for _ in range(count)]


class Queue:
    """A queue in an actor of its own. Those who wait ask it again and again, up to a hundred times a second.

    Args:
        maxsize: how many items it holds; 0: any number.
        actor_options: options of the actor.
    """

    def __init__(self, maxsize=0, actor_options=None):
        self.maxsize = maxsize
        self.actor = _remote(_Items).options(**(actor_options or {})).remote(maxsize)

    def __len__(self):
        return self.size()

    def size(self):
        return _runtime.get(self.actor.qsize.remote())

    qsize = size

    def empty(self):
        return self.size() == 0

    def full(self):
        return 0 < self.maxsize <= self.size()

    def put(self, item, block=True, timeout=None):
        """Raises Full where there is no room, at once or after `timeout` seconds."""
        if not _until(lambda: _runtime.get(self.actor.put.remote([item])), block, timeout):
            raise Full

    def get(self, block=True, timeout=None):
        """Raises Empty where there is nothing, at once or after `timeout` seconds."""
        found = []
        if not _until(lambda: _taken(found, _runtime.get(self.actor.get.remote(1))), block, timeout):
            raise Empty
        return found[0]

    def put_nowait(self, item):
        self.put(item, block=False)

    def get_nowait(self):
        return self.get(block=False)

    def put_nowait_batch(self, items):
        items = list(items)
        if not _runtime.get(self.actor.put.remote(items)):
            raise Full("Cannot add %d items to queue of size %d and maxsize %d." % (len(items), self.size(), self.maxsize))

    def get_nowait_batch(self, num_items):
        found = _runtime.get(self.actor.get.remote(num_items))
        if found is None:
            raise Empty("Cannot get %d items from queue of size %d." % (num_items, self.size()))
        return found

    def shutdown(self, force=False, grace_period_s=5):
        """Ends the actor."""
        from flowray.ray._actor import kill
        kill(self.actor)


def _taken(found, items):
    found.extend(items or ())
    return items is not None


def _until(attempt, block, timeout):
    """Whether `attempt` succeeded, at once or, where it may block, before `timeout` seconds were over."""
    if timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    end = None if timeout is None else _time.monotonic() + timeout
    pause = 0.0002
    while not attempt():
        if not block or end is not None and _time.monotonic() >= end:
            return False
        _time.sleep(pause)
        pause = min(2 * pause, 0.01)
    return True
