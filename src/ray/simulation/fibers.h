#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/mutex.h"

namespace flowray::ray {

/// Threads of which one runs at a time, until it hands the turn to another one.
class Fibers {
 public:
  struct Fiber {
    std::thread thread;  // none: the thread that has made the Fibers
    CondVar turn;
    size_t number = 0;
    std::function<void()> job;
  };

  /// The calling thread is the first one, and has the turn. One that ends its job hands the turn on by
  /// `at_end`'s choice, which may start others.
  explicit Fibers(std::function<Fiber*()> at_end);
  /// All other fibers must have ended their jobs.
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Which one runs.
  Fiber* here() const { return active_; }
  Fiber* first() { return &first_; }
  /// A fiber that does `job` when it is handed the turn.
  Fiber* start(std::function<void()> job);
  /// Hands the turn on, and returns when this thread has it again.
  void hand_to(Fiber* next);

 private:
  void run(Fiber& fiber);

  Mutex mutex_;
  Fiber first_;
  /// Written with the mutex held, and read without it by the one that runs.
  Fiber* active_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> others_;
  std::vector<Fiber*> idle_;
  const std::function<Fiber*()> at_end_;
  bool is_ending_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::ray
