"""Where the methods of an actor run whose class has coroutines: all in one event loop, in a thread of its own."""

import asyncio
import inspect
import threading

from flowray import _native
from flowray.ray import _coroutines, _futures, _worker
from flowray.ray._generator import DynamicObjectRefGenerator

_lock = threading.Lock()
_loop = None
_tasks = set()  # that run


def _started():
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, daemon=True, name="ray-event-loop").start()
        return _loop


def begin(function, args, kwargs, answer, name, named, is_dynamic):
    """Runs a method in the loop, which is not waited for; the answer is sent when it is done."""
    _started().call_soon_threadsafe(_start, function, args, kwargs, answer, name, named, is_dynamic, _native._ray.current_call())


def _start(function, args, kwargs, answer, name, named, is_dynamic, number):
    task = _loop.create_task(_run(function, args, kwargs, answer, name, named, is_dynamic, number))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    answer.when_cancelled(lambda: _loop.call_soon_threadsafe(task.cancel))


async def _terminate(actor_id):
    others = _tasks - {asyncio.current_task()}
    if others:
        await asyncio.wait(others)
    _worker.end_actor(actor_id)


async def _all(values):
    """Those of a generator of either kind."""
    if inspect.isasyncgen(values):
        async for value in values:
            yield value
    else:
        for value in values:
            yield value


async def _give(values, told):
    """As _worker.give, which others need not wait for."""
    ray, index = _native._ray, 0
    async for value in _all(values):
        ray.give_item(told, index, value)
        index += 1
        if told[2]:
            await _futures.in_thread(ray.wait_to_give, told, index)
        else:
            await asyncio.sleep(0)


async def _all_given(values, name):
    """As _worker.all_given."""
    if not inspect.isasyncgen(values):
        return _worker.all_given(values, name)
    refs = []
    try:
        async for value in values:
            refs.append(_native._ray.put(value))
    except Exception as error:  # noqa: BLE001: it is the caller's
        refs.append(_native._ray.put_error(error, name))
    return DynamicObjectRefGenerator(refs)


async def _run(function, args, kwargs, answer, name, named, is_dynamic, number):
    _coroutines.running.set(name)
    _coroutines.task_name.set(named)
    _coroutines.call.set(number[0])
    try:
        await asyncio.sleep(0)  # so that one that is cancelled before it begins is told here
        value = (_terminate if function is _worker.terminate else function)(*args, **kwargs)
        if inspect.isawaitable(value):
            value = await value
        if is_dynamic:
            value = await _all_given(value, name)
        elif number[1]:
            value = await _give(value, number)
    except asyncio.CancelledError:
        answer.cancel()
    except BaseException as error:  # noqa: BLE001: it is the caller's
        if isinstance(error, SystemExit) and _native._ray.is_worker():
            _worker.leave(error)
        answer.fail(error)
    else:
        answer.send(value)
