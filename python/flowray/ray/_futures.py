"""References as futures, and as what coroutines wait for."""

import concurrent.futures
import threading

from flowray.ray import _runtime


def _call(function, args, future):
    try:
        value = function(*args)
    except BaseException as error:  # noqa: BLE001: it is the future's
        future.set_exception(error)
    else:
        future.set_result(value)


def _wrapped(made):
    import asyncio  # here: see _coroutines
    return asyncio.wrap_future(made)


def in_thread(function, *args):
    """An asyncio.Future of what the function returns in a thread of its own."""
    made = concurrent.futures.Future()
    made.set_running_or_notify_cancel()
    threading.Thread(target=_call, args=(function, args, made), daemon=True, name="ray-future").start()
    return _wrapped(made)


def future(ref):
    """A concurrent.futures.Future of the reference's value."""
    made = concurrent.futures.Future()
    made.set_running_or_notify_cancel()
    if _runtime.wait([ref], timeout=0)[0]:
        _call(_runtime.get, (ref,), made)
        return made
    # A thread each: one that waits must not keep others from being heard. They are daemons, as a value may never come.
    threading.Thread(target=_call, args=(_runtime.get, (ref,), made), daemon=True, name="ray-future").start()
    return made


def as_future(ref):
    """An asyncio.Future of the reference's value, of the running loop."""
    return _wrapped(future(ref))


def wait_for(ref):
    """What `await ref` iterates."""
    return as_future(ref).__await__()


def as_html(ref):
    """What a notebook shows of a reference."""
    try:
        state = "its value is there" if _runtime.wait([ref], timeout=0)[0] else "its value is not there yet"
    except Exception:  # noqa: BLE001: of a runtime that has ended
        state = "of a runtime that has ended"
    return "<code>ObjectRef(%s)</code>: %s" % (ref.hex(), state)


_MISSING = {
    "task_id": "the task itself knows its own: ray.get_runtime_context().get_task_id()",
    "owner_address": "references belong to the one runtime of the program",
    "redis_shard_hash": "there is no Redis",
    "tensor_transport": "values travel through the object store",
    "from_random": "a reference is to something: ray.put returns one, or ObjectRef.nil() one to nothing",
}


def refuse_attribute(name):
    """What a reference says to a name that it has not."""
    reason = _MISSING.get(name)
    raise AttributeError("'ObjectRef' object has no attribute '%s'%s" % (name, reason and ": " + reason or ""))
