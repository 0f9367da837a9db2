"""tf.app: runs a program's main after its flags were read."""

import sys

from flowray.tf import flags

__all__ = ["flags", "run"]


def run(main=None, argv=None):
    """Reads the flags, calls main(what is left of the arguments) and ends the program with what it returns."""
    main = main or sys.modules["__main__"].main
    rest = flags.FLAGS(argv or sys.argv)
    sys.exit(main(rest))
