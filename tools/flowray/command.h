#pragma once

/// The command `flowray`. It is part of the shared library, which the program of that name only starts: what
/// it needs of the rooms is not exported, and a copy of them in the program would be as large as the library.

#pragma GCC visibility push(default)

namespace flowray::tools {

/// What main() returns: 0, 1 for a failure, 2 for invalid arguments. Does not throw.
int run_command(int argc, char** argv);

}  // namespace flowray::tools

#pragma GCC visibility pop
