#pragma once
/// Lets one call of the system fail that a program or its children make, whichever library makes it: the test
/// traces them (ptrace) and answers the call itself.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flowray::testing {

/// Calls of one kind, and the errors with which the system may answer them when something is scarce or a
/// signal comes.
struct TracedCall {
  const char* name;
  long number;
  std::vector<int> errors;
  /// Which of them are meant, by their arguments; all of them without one.
  bool (*is_meant)(std::span<const unsigned long long> arguments) = nullptr;
};

/// Those that a driver of tasks and actors and its workers may make.
const std::vector<TracedCall>& traced_calls();

struct TracedRun {
  int status = 0;              // exit status, or minus the number of the signal that ended it
  std::vector<size_t> counts;  // of each of traced_calls(), between the marks
  bool has_failed = false;     // whether the call that was to fail was made
  std::string output;          // of both streams
};

/// Which call fails: the n-th, from 1, of traced_calls()[call], and all behind it where that lasts.
struct CallToFail {
  size_t call = 0;
  size_t n = 0;
  int error = 0;
  bool lasts = false;
};

/// Whose calls count, and fail: those of all threads of the program, or of all processes that come of it.
enum class Whose { kProgram, kDescendants };

/// Runs a program that raises SIGWINCH where the calls begin to count, and once more where they end. It is
/// ended by SIGALRM if it takes more than a minute. Descendants that are traced are killed when it has ended.
/// Nothing where the system lets no process be traced, or has another processor than x86-64.
std::optional<TracedRun> run_traced(const std::vector<std::string>& command,
                                    const std::optional<CallToFail>& failing = {},
                                    Whose whose = Whose::kProgram);

}  // namespace flowray::testing
