"""The process that forks workers: a fork of the driver, or, where that runs threads, an interpreter that is started for it."""

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


def start(socket):
    """Starts an interpreter that forks workers, with `socket` to the driver; its process id."""
    from flowray import _install
    from flowray.ray import _runtime
    state = {"path": [entry or os.getcwd() for entry in sys.path], "names": _install.is_installed(), "runtime": _runtime.state.told()}
    code = "import sys, json; state = json.loads(sys.argv[1]); sys.path[:] = state['path']; " \
           "from flowray.ray import _template; _template.main(state)"
    command = [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", code, json.dumps(state)]
    return os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, socket, _SOCKET)], setpgroup=0,
                          setsigmask=())


def main(state):
    """Imports what workers need as a rule, and forks them until the driver is gone."""
    del sys.argv[1:]
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # there are as many workers as there are cores
    import numpy  # noqa: F401

    import flowray
    import flowray.tf  # noqa: F401
    from flowray import ray  # noqa: F401
    from flowray.ray import _runtime, _worker  # noqa: F401
    vars(_runtime.state).update(state["runtime"])
    for library in _runtime.state.libraries:
        _native._ray.open_library(library)
    if state["names"]:
        flowray.install()
    _native._ray.become_template(_SOCKET)
