"""Values that a task or method gives one by one, as it yields them."""

import collections

from flowray import _native

_ray = _native._ray


class DynamicObjectRefGenerator:
    """What `get` of a call with num_returns="dynamic" gives: references to all that its generator has yielded, each once.

    What the generator has raised is raised by `get` of the last one. It may be sent, and keeps what it refers to.
    """

    def __init__(self, refs):
        self._refs = collections.deque(refs)

    def __iter__(self):
        while self._refs:
            yield self._refs.popleft()

    def __len__(self):
        return len(self._refs)

    def __reduce__(self):
        return DynamicObjectRefGenerator, (list(self._refs),)

    def __repr__(self):
        return "DynamicObjectRefGenerator(%d references)" % len(self._refs)


class ObjectRefGenerator:
    """What a call of a generator returns: an iterator, and an asynchronous one, of references to what it yields, each as soon as it does.

    What it raises is raised by `get` of the last reference. Dropped before its end it lets the call go on, whose values nobody has.
    """

    def __init__(self, generator_ref):
        self._generator_ref = generator_ref
        self._is_over = False

    def __iter__(self):
        return self

    def __next__(self):
        return self._next_sync()

    def _next_sync(self, timeout_s=None):
        """The next reference; None where there is none after so many seconds."""
        found = None if self._is_over else _ray.next_item(self._generator_ref, timeout_s)
        if self._is_over or found is False:
            self._is_over = True
            raise StopIteration
        return found

    def __aiter__(self):
        return self

    async def __anext__(self):
        from flowray.ray import _futures
        if not self._is_over and not _ray.is_next_there(self._generator_ref, 0):
            await _futures.in_thread(_ray.is_next_there, self._generator_ref, None)
        try:
            return self._next_sync()
        except StopIteration:
            raise StopAsyncIteration from None

    def completed(self):
        """A reference to None, which is there when the call has ended."""
        return self._generator_ref

    def next_ready(self):
        """Whether `next` would not wait."""
        return not self._is_over and _ray.is_next_there(self._generator_ref, 0)

    def _wait_for_next(self, timeout_s):
        """Whether `next` would not wait, for a value or for the end, after at most so many seconds."""
        return self._is_over or _ray.is_next_there(self._generator_ref, timeout_s)

    def is_finished(self):
        """Whether there is nothing more to come, and all that came was taken."""
        return self._is_over

    def __reduce__(self):
        raise TypeError("A generator of references cannot be sent to another process. Send the references that it gives.")

    def __repr__(self):
        return "ObjectRefGenerator(%s)" % self._generator_ref.hex()
