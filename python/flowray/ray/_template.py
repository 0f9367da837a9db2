"""The process that forks workers: a fork of the driver, or, where that runs threads, an interpreter that is started for it."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading

from flowray import _native

_SOCKET = 3


def may_fork():
    """Whether a fork of this process could be the template: it runs no other thread of Python's."""
    return threading.active_count() == 1 and threading.current_thread() is threading.main_thread()


# Libraries that start threads, now or when they are used, and that no process can be forked from.
_WITH_THREADS = frozenset({"tensorflow", "ray", "grpc", "torch", "jax", "jaxlib"})
# What a program is run and debugged with, which its workers do not use.
_FRONT_ENDS = frozenset("""IPython debugpy execnet ipykernel jedi jupyter_client jupyter_core parso pdb pexpect pluggy prompt_toolkit pydevd
    pytest tornado traitlets unittest xdist zmq""".split())
_LEFT_OUT = _WITH_THREADS | _FRONT_ENDS
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_MOST_RESTARTS = 3
_MOST_LETTERS = 60_000  # of names: an argument of a process has up to 128 KB


def _is_own(module, folders):
    """Whether it is a part of the program, whose import may do more than define names."""
    file = getattr(module, "__file__", None)
    if file is None or not _INSTALLED.isdisjoint(file.split(os.sep)):  # as in an environment below the program's folder
        return False
    return any(os.path.abspath(file).startswith(folder + os.sep) for folder in folders)


def imported_modules():
    """The libraries that the program has imported, in that order."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    folders = {os.path.abspath(folder) for folder in (sys.path[:1] or [""])} | {os.getcwd()}
    if main:
        folders.add(os.path.dirname(os.path.abspath(main)))
    folders -= {"/"}
    names, letters = [], 0
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.name != name or getattr(spec, "_initializing", False) or name.partition(".")[0] in _LEFT_OUT:
            continue
        if name.startswith(("_", "flowray")) or "._" in name or name.count(".") > 1 or name == "antigravity" or _is_own(module, folders):
            continue
        letters += len(name) + 4
        if letters > _MOST_LETTERS:
            break
        names.append(name)
    return names


def _num_threads():
    return len(os.listdir("/proc/self/task"))


def import_all(names):
    """Imports the libraries, as far as it goes and without a word; the name of the first one that has started a thread, if one has."""
    with _silent():
        for name in names:
            try:
                importlib.import_module(name)
            except (Exception, SystemExit):  # noqa: BLE001: the call that needs it imports it again, and is told
                pass
            if _num_threads() > 1:
                return name
    return None


@contextlib.contextmanager
def _silent():
    """Has the standard descriptors lead nowhere. The streams stay the same: a library may keep one that it finds as it is imported."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
    for stream in streams:
        stream.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    saved = [(number, os.dup(number)) for number in (0, 1, 2) if _is_open(number)]
    for number, _ in saved:
        os.dup2(nothing, number)
    try:
        yield
    finally:
        for stream in streams:
            stream.flush()
        for number, copy in saved:
            os.dup2(copy, number)
            os.close(copy)
        os.close(nothing)


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _command(state):
    code = "import sys, json; state = json.loads(sys.argv[1]); sys.path[:] = state['path']; " \
           "from flowray.ray import _template; _template.main(state)"
    return [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", code, json.dumps(state)]


def start(socket):
    """Starts an interpreter that forks workers, with `socket` to the driver; its process id."""
    from flowray import _install
    from flowray.ray import _runtime
    state = {"path": [entry or os.getcwd() for entry in sys.path], "names": _install.is_installed(), "runtime": _runtime.state.told(),
             "modules": imported_modules()}
    return os.posix_spawn(sys.executable, _command(state), os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, socket, _SOCKET)], setpgroup=0,
                          setsigmask=())


def main(state):
    """Imports what workers need as a rule and what the program has imported, and forks them until the driver is gone."""
    del sys.argv[1:]
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # there are as many workers as there are cores
    import numpy  # noqa: F401

    import flowray
    import flowray.tf  # noqa: F401
    from flowray import ray  # noqa: F401
    from flowray.ray import _runtime, _worker  # noqa: F401
    vars(_runtime.state).update(state["runtime"])
    _runtime.state.is_template = True
    for library in _runtime.state.libraries:
        _native._ray.open_library(library)
    if state["names"]:
        flowray.install()
    with_threads = import_all(state["modules"]) if _num_threads() == 1 else None
    if with_threads is not None:  # once more without it, and in the end without any
        package = with_threads.partition(".")[0]
        state["restarts"] = state.get("restarts", 0) + 1
        state["modules"] = [name for name in state["modules"]
                            if name.partition(".")[0] != package and state["restarts"] < _MOST_RESTARTS]
        os.execv(sys.executable, _command(state))
    _runtime.state.is_template = False
    if "complaint" in state:  # where a C++ program would have read why there is no template
        os.close(state["complaint"])
    _native._ray.become_template(_SOCKET)
