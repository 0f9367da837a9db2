#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What a process may change of its surroundings while it runs, and what a process that was forked from it
/// before takes over: standard output and error output, working directory, environment, umask, limits.
struct Surroundings {
  Descriptor out;
  Descriptor err;
  Descriptor folder;
  Descriptor environment;  ///< a memfd: NAME=value, each with a zero behind
  mode_t umask = 0;
  pid_t process = 0;  ///< whose limits they are

  /// The surroundings of this process. Throws errors::ResourceExhaustedError. `environment`: as in
  /// CallOptions, in place of variables of those names.
  static Surroundings here(const std::string& environment = {});
  /// Makes them those of this process, which has one thread; what cannot be had stays as it is.
  void enter() noexcept;
};

/// A descriptor of this process (a pidfd). Throws RuntimeError where the system knows none,
/// errors::ResourceExhaustedError where there is none left.
Descriptor descriptor_of_this_process();

/// What a process (its number, or "self") may do and where it lives: user, groups, capabilities, filters of
/// system calls, root and namespaces; to be compared with another's. None where /proc does not tell.
std::optional<std::string> rights_and_places_of(const std::string& process);

/// Lets go of all files but `kept` and the standard ones, so that no reader waits for the end of a pipe that
/// this process holds open. Their numbers stay taken: a library that keeps one must not write into a file
/// that is opened later.
void let_go_of_files(int kept) noexcept;

}  // namespace flowray::ray
