"""Flowray: TensorFlow 1 programs at the speed of the machine, in many processes.

    from flowray import tf            # the language, with TensorFlow 1's names
    from flowray import ray           # tasks and actors, with Ray's names
    flowray.install()                 # from here on `import tensorflow` is flowray.tf, and `import ray` flowray.ray
    %load_ext flowray                 # in a notebook: arrays are shown with their shape (flowray.display)
    python -m flowray program.py      # runs a program that imports them
    PYTHONPATH=$(python -m flowray --aliases) python program.py    # the same, and for all that the program starts
"""

import os as _os
import sys as _sys

_package_folder = _os.path.dirname(_os.path.abspath(__file__)) + _os.sep
aliases = _package_folder + "aliases"
"""The folder in which a process that has it on its path (PYTHONPATH) finds tensorflow and ray: flowray.tf and
flowray.ray."""


def _refuse_sub_interpreters():
    """The native module's objects are of one interpreter."""
    try:
        if _sys.version_info >= (3, 13):
            import _interpreters as interpreters
        else:
            import _xxsubinterpreters as interpreters
    except ImportError:
        return
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError("flowray does not work in a sub-interpreter: import it in the main one, or in a process of its own "
                          "(multiprocessing, ray.remote)")


def _open_native():
    """Opens the native module such that it binds to its own libraries and not to TensorFlow's copies of them, whichever of the
    two is imported first."""
    flags = _sys.getdlopenflags()
    _sys.setdlopenflags(_os.RTLD_NOW | _os.RTLD_LOCAL | getattr(_os, "RTLD_DEEPBIND", 0))
    try:
        from flowray import _native
    finally:
        _sys.setdlopenflags(flags)
    return _native


_refuse_sub_interpreters()
_native = _open_native()
__version__ = _native.__version__


def install():
    """From now on `import tensorflow` in this process is flowray.tf, and `import ray` is flowray.ray."""
    from flowray._install import install as install_names
    install_names()


def __getattr__(name):
    if name == "display":  # when somebody wants it
        import importlib
        return importlib.import_module("flowray.display")
    raise AttributeError("module 'flowray' has no attribute '%s'" % name)


def load_ipython_extension(ipython):
    """%load_ext flowray"""
    from flowray import display
    display.show_arrays(ipython)


def unload_ipython_extension(ipython):
    from flowray import display
    display.hide_arrays(ipython)
