#pragma once
/// Counts what programs that a test starts leave behind.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace flowray::testing {

/// The processes that are started while it lives, with all that they start: they carry a variable of their
/// environment that no other has. One at a time.
class OwnProcesses {
 public:
  OwnProcesses();
  ~OwnProcesses();
  OwnProcesses(const OwnProcesses&) = delete;
  OwnProcesses& operator=(const OwnProcesses&) = delete;

  /// Those that live now, zombies not counted.
  std::vector<pid_t> alive() const;
  /// Of those the ones of this name, such as "ray::template", or "ray::worker" for worker1 and all others.
  std::vector<pid_t> named(const std::string& begin) const;
  /// Waits until all have ended; false if one lives after a minute.
  bool all_end() const;

 private:
  std::string tag_;
};

/// What this process has of the things that a runtime takes.
struct Holdings {
  size_t descriptors = 0;
  size_t threads = 0;
  size_t regions = 0;    ///< mappings of Flowray's shared memory
  size_t processes = 0;  ///< children, dead ones that nobody has waited for too
  bool operator==(const Holdings&) const = default;
};
Holdings holdings();
std::ostream& operator<<(std::ostream& out, const Holdings& holdings);

/// Waits until the thread of this process sleeps; false if it ends first.
bool await_sleep(pid_t thread);

}  // namespace flowray::testing
