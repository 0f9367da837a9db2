#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "core/mutex.h"

namespace flowray::ray {

/// The threads in which local mode runs tasks, where RayConfig::local_threads asks for some. Jobs begin in
/// the order in which they were given, so many at a time; a thread that waits for a value does not count, so
/// that tasks may wait for tasks to any depth. A thread ends when there is nothing to do.
class LocalThreads {
 public:
  /// `most`: how many jobs run at a time; at least 1.
  explicit LocalThreads(size_t most);
  LocalThreads(const LocalThreads&) = delete;
  LocalThreads& operator=(const LocalThreads&) = delete;
  /// Jobs that have not begun are dropped. Those that run go on, and may use what outlives this.
  ~LocalThreads();

  /// `job` must not throw. Throws RayException where the system has no thread for the first of them.
  void post(std::function<void()> job);

  /// Begins no further job. Returns how many still run after `patience`.
  size_t end(std::chrono::milliseconds patience);

  /// While it lives, the calling thread waits for what another one does. In threads that are not of a
  /// LocalThreads it does nothing. Throws RayException where the system has no thread for what waits its
  /// turn.
  class Waiting {
   public:
    Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting();
  };

 private:
  struct State;
  static thread_local State* of_this_thread;

  /// Shared with the threads, which may outlive this.
  const std::shared_ptr<State> state_;
};

}  // namespace flowray::ray
