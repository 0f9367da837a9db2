"""What is asked of coroutines before one runs: which methods are some, and what runs. Their loop is in _event_loop.py, which imports asyncio;
that takes 30 ms, which programs without coroutines need not wait."""

import contextvars
import inspect

running = contextvars.ContextVar("the method that runs", default=None)
call = contextvars.ContextVar("its number", default=0)
task_name = contextvars.ContextVar("what the caller has named the call", default=None)


def has_coroutines(kind):
    return any(inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function) for _, function in inspect.getmembers(kind, inspect.isfunction))
