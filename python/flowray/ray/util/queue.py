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
        """How many items it has."""
        return _runtime.get(self.actor.qsize.remote())

    qsize = size

    def empty(self):
        """Whether it has nothing."""
        return self.size() == 0

    def full(self):
        """Whether it has no room; one without `maxsize` always has."""
        return 0 < self.maxsize <= self.size()

    def put(self, item, block=True, timeout=None):
        """Puts an item in at the end. Waits for room unless `block` is False; raises Full where there is none, at once or after `timeout`
        seconds."""
        if not _until(lambda: _runtime.get(self.actor.put.remote([item])), block, timeout):
            raise Full

    def get(self, block=True, timeout=None):
        """Takes the first item. Waits for one unless `block` is False; raises Empty where there is none, at once or after `timeout` seconds."""
        found = []
        if not _until(lambda: _taken(found, _runtime.get(self.actor.get.remote(1))), block, timeout):
            raise Empty
        return found[0]

    async def put_async(self, item, block=True, timeout=None):
        """As put; other coroutines run while it waits."""
        if not await _until_async(lambda: self.actor.put.remote([item]), bool, block, timeout):
            raise Full

    async def get_async(self, block=True, timeout=None):
        """As get; other coroutines run while it waits."""
        found = []
        if not await _until_async(lambda: self.actor.get.remote(1), lambda items: _taken(found, items), block, timeout):
            raise Empty
        return found[0]

    def put_nowait(self, item):
        """Puts an item in at the end, or raises Full at once."""
        self.put(item, block=False)

    def get_nowait(self):
        """Takes the first item, or raises Empty at once."""
        return self.get(block=False)

    def put_nowait_batch(self, items):
        """Puts all items in at the end, or none and raises Full."""
        if not hasattr(items, "__iter__"):
            raise TypeError("Argument 'items' must be an Iterable")
        items = list(items)
        if not _runtime.get(self.actor.put.remote(items)):
            raise Full("Cannot add %d items to queue of size %d and maxsize %d." % (len(items), self.size(), self.maxsize))

    def get_nowait_batch(self, num_items):
        """Takes the first `num_items`, as a list, or none and raises Empty."""
        if not isinstance(num_items, int):
            raise TypeError("Argument 'num_items' must be an int")
        if num_items < 0:
            raise ValueError("'num_items' must be nonnegative")
        found = _runtime.get(self.actor.get.remote(num_items))
        if found is None:
            raise Empty("Cannot get %d items from queue of size %d." % (num_items, self.size()))
        return found

    def shutdown(self, force=False, grace_period_s=5):
        """Ends the actor, after the calls that were made before.

        Args:
            force: at once.
            grace_period_s: after so many seconds by force.
        """
        from flowray.ray._actor import kill
        if force or not _runtime.wait([self.actor.__ray_terminate__.remote()], timeout=grace_period_s)[0]:
            kill(self.actor)


def _taken(found, items):
    found.extend(items or ())
    return items is not None


def _checked_pauses(block, timeout):
    if timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    return _pauses(block, timeout)


def _pauses(block, timeout):
    """How long to wait, again and again, before the next attempt, up to `timeout` seconds in all; none where there is no waiting."""
    end = None if timeout is None else _time.monotonic() + timeout
    pause = 0.0002
    while block and (end is None or _time.monotonic() < end):
        yield pause
        pause = min(2 * pause, 0.01)


def _until(attempt, block, timeout):
    """Whether `attempt` succeeded, at once or, where it may block, before `timeout` seconds were over."""
    pauses = _checked_pauses(block, timeout)
    while not attempt():
        pause = next(pauses, None)
        if pause is None:
            return False
        _time.sleep(pause)
    return True


async def _until_async(ask, is_right, block, timeout):
    """As _until, for answers that are waited for."""
    import asyncio  # here: see _coroutines
    pauses = _checked_pauses(block, timeout)
    while not is_right(await ask()):
        pause = next(pauses, None)
        if pause is None:
            return False
        await asyncio.sleep(pause)
    return True
