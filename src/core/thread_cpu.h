#pragma once

#include <sched.h>

namespace flowray {

// The scheduler leaves two threads of a program on one CPU as long as it finds that fair: where others use
// the second one. These move a thread all the same, without changing for longer which CPUs it may run on.
// Where the system does not allow it, or has more CPUs than a cpu_set_t, nothing is moved.

/// Moves the calling thread from `cpu` to another one that it may run on.
void move_from(int cpu);

/// While it lives, `thread` (its kernel's number) may only run on `cpu`: if it waits for another one, it
/// waits for this one instead.
class PulledTo {
 public:
  PulledTo(int cpu, pid_t thread);
  ~PulledTo();
  PulledTo(const PulledTo&) = delete;
  PulledTo& operator=(const PulledTo&) = delete;

 private:
  const pid_t thread_;
  bool is_pulled_ = false;
  cpu_set_t allowed_{};
};

}  // namespace flowray
