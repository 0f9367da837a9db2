"""python -m flowray [--py2] PROGRAM [ARGUMENTS]: runs a program that imports tensorflow, keras or ray, unchanged.

    -m MODULE [ARGUMENTS]   runs a module as `python -m MODULE` does: `python -m flowray -m pytest tests`
    --py2        the program is Python 2's: print statements, `except E, e`, xrange
    --aliases    prints the folder with which on their PYTHONPATH other processes find tensorflow and ray, too
"""

import builtins
import importlib.util
import os
import runpy
import sys

import flowray


def _run_python2(program):
    from flowray._python2 import translate
    with open(program, encoding="utf-8") as file:
        source = translate(file.read())
    builtins.xrange, builtins.raw_input, builtins.unicode, builtins.long = range, input, str, int
    module = type(sys)("__main__")
    module.__file__ = program
    sys.modules["__main__"] = module
    exec(compile(source, program, "exec", dont_inherit=True), module.__dict__)  # noqa: S102


def _why_not(module):
    """Why `python -m` would not run the module, in its words; None if it would."""
    if module.startswith("."):
        return "Relative module names not supported"
    try:
        found = importlib.util.find_spec(module)
        if found is not None and found.submodule_search_locations is not None and importlib.util.find_spec(module + ".__main__") is None:
            return "No module named %s.__main__; %r is a package and cannot be directly executed" % (module, module)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        return "Error while finding module specification for %r (%s: %s)" % (module, type(error).__name__, error)
    return None if found is not None else "No module named " + module


def _run_module(arguments):
    """As python -m, whose first entry of sys.path, the working directory, is there already."""
    if not arguments:
        print("python -m flowray: -m needs the name of a module", file=sys.stderr)
        return 2
    sys.argv = ["-m", *arguments[1:]]  # while it is looked for
    sys.path.insert(1, flowray.aliases)
    flowray.install()
    why_not = _why_not(arguments[0])
    if why_not is not None:
        print("python -m flowray: " + why_not, file=sys.stderr)
        return 1
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    return 0


def main(arguments):
    if arguments[:1] == ["-m"]:
        return _run_module(arguments[1:])
    python2 = arguments[:1] == ["--py2"]
    arguments = arguments[1:] if python2 else arguments
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    program = arguments[0]
    if program == "--aliases":
        print(flowray.aliases)
        return 0
    if python2 and program == "-m":
        print("python -m flowray: --py2 is for files, not for -m", file=sys.stderr)
        return 2
    if not os.path.exists(program):
        print("python -m flowray: there is no file %r" % program, file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    sys.path.insert(1, flowray.aliases)  # for the children that multiprocessing spawns, which get this path
    flowray.install()
    if python2:
        _run_python2(program)
    else:
        runpy.run_path(program, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
