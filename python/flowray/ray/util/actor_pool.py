"""A pool of actors that work through a list."""

from flowray.ray import _runtime


class ActorPool:
    """Gives work to whichever of some actors has none.

        pool = ActorPool([Worker.remote(), Worker.remote()])
        print(list(pool.map(lambda actor, value: actor.double.remote(value), [1, 2, 3, 4])))
    """

    def __init__(self, actors):
        self._idle = list(actors)
        self._actor_of = {}     # by the reference of what it works on
        self._ref_at = {}       # by the number of the submission
        self._next_number = 0   # of a submission
        self._next_return = 0   # what get_next gives next
        self._waiting = []

    def map(self, fn, values):
        """The results of fn(actor, value) for each value, in order."""
        self._finish()
        for value in values:
            self.submit(fn, value)

        def results():
            while self.has_next():
                yield self.get_next()
        return results()

    def map_unordered(self, fn, values):
        """The results of fn(actor, value) for each value, as they come."""
        self._finish()
        for value in values:
            self.submit(fn, value)

        def results():
            while self.has_next():
                yield self.get_next_unordered()
        return results()

    def _finish(self):
        """Lets go of results of earlier work that nobody has taken."""
        while self.has_next():
            try:
                self.get_next_unordered(ignore_if_timedout=True, timeout=0)
            except TimeoutError:
                pass

    def submit(self, fn, value):
        """Gives fn(actor, value), which returns a reference, to an actor that is idle, now or when there is one."""
        if not self._idle:
            self._waiting.append((fn, value))
            return
        actor = self._idle.pop()
        ref = fn(actor, value)
        self._actor_of[ref] = (self._next_number, actor)
        self._ref_at[self._next_number] = ref
        self._next_number += 1

    def has_next(self):
        """Whether there is a result to come."""
        return bool(self._actor_of)

    def get_next(self, timeout=None, ignore_if_timedout=False):
        """The next result in the order of submission."""
        if not self.has_next():
            raise StopIteration("No more results to get")
        if self._next_return not in self._ref_at:
            raise ValueError("It is not allowed to call get_next() after get_next_unordered().")
        ref = self._ref_at[self._next_return]
        if timeout is not None and not _runtime.wait([ref], timeout=timeout)[0]:
            if not ignore_if_timedout:
                raise TimeoutError("Timed out waiting for result")
            return None
        self._next_return += 1
        return self._take(ref)

    def get_next_unordered(self, timeout=None, ignore_if_timedout=False):
        """A result, the first that is there."""
        if not self.has_next():
            raise StopIteration("No more results to get")
        ready, _ = _runtime.wait(list(self._actor_of), num_returns=1, timeout=timeout)
        if not ready:
            if not ignore_if_timedout:
                raise TimeoutError("Timed out waiting for result")
            return None
        self._next_return = max(self._next_return, self._actor_of[ready[0]][0] + 1)
        return self._take(ready[0])

    def _take(self, ref):
        number, actor = self._actor_of.pop(ref)
        self._ref_at.pop(number)
        self.push(actor) if actor not in self._idle else None
        return _runtime.get(ref)

    def has_free(self):
        """Whether an actor is idle and nothing waits for one."""
        return bool(self._idle) and not self._waiting

    def pop_idle(self):
        """Takes an idle actor out of the pool; None if there is none."""
        return self._idle.pop() if self.has_free() else None

    def push(self, actor):
        """Adds an actor."""
        if actor in self._idle or any(actor == busy for _, busy in self._actor_of.values()):
            raise ValueError("Actor already belongs to current ActorPool")
        self._idle.append(actor)
        if self._waiting:
            self.submit(*self._waiting.pop(0))
