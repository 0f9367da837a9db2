"""python -m flowray [--py2] PROGRAM [ARGUMENTS]: runs a program that imports tensorflow, keras or ray, unchanged.

    --py2        the program is Python 2's: print statements, `except E, e`, xrange
    --aliases    prints the folder with which on their PYTHONPATH other processes find tensorflow and ray, too
"""

import builtins
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


def main(arguments):
    python2 = arguments[:1] == ["--py2"]
    arguments = arguments[1:] if python2 else arguments
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    program = arguments[0]
    if program == "--aliases":
        print(flowray.aliases)
        return 0
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
