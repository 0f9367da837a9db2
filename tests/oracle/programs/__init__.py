"""Small compat.v1 programs whose graphs are recorded. Each module holds one family; `PROGRAMS` maps a name to its function, which builds
into the default graph."""

from named_functions import NamedFunctions

PROGRAMS = NamedFunctions("programs")
program = PROGRAMS.add
