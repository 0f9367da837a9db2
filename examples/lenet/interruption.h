#pragma once
/// Ctrl-C as something that a loop can ask for.

#include <csignal>

namespace lenet {

/// Catches SIGINT and SIGTERM while it lives, once each: a second one ends the program at once. One object at
/// a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that came last; 0 if none did.
  int signal() const;
  explicit operator bool() const { return signal() != 0; }
  /// "SIGINT".
  const char* name() const;
  /// What a shell expects of a program that a signal ended: 130 for SIGINT, 143 for SIGTERM.
  int exit_status() const { return 128 + signal(); }

 private:
  struct sigaction before_interrupt_;
  struct sigaction before_terminate_;
};

}  // namespace lenet
