#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/mutex.h"

namespace flowray {

/// Calls back when a time has come: one thread for all alarms, which sleeps until the next. It starts with
/// the first alarm and ends with the timer. Thread-safe. In the child of a fork() there is no such thread.
class Timer {
 public:
  using Clock = std::chrono::steady_clock;
  using Listener = std::function<void()>;

  Timer() = default;
  /// All alarms must have ended.
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// While it lives, `listener` is called once, at or soon after `when`, by the timer's thread. It may
  /// wake a thread; it must not block, nor set or end an alarm itself. After the end of the Alarm it does not
  /// run, nor is it running.
  class Alarm {
   public:
    Alarm(Timer& timer, Clock::time_point when, Listener listener);
    ~Alarm();
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

   private:
    friend class Timer;
    Timer& timer_;
    /// Guarded by the timer's mutex_, which the analysis does not take for timer_.mutex_; nothing once it has
    /// been called.
    std::optional<std::multimap<Clock::time_point, Alarm*>::iterator> place_;
    const Listener listener_;
  };

 private:
  void watch();

  Mutex mutex_;
  CondVar changed_;
  std::multimap<Clock::time_point, Alarm*> alarms_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_ FLOWRAY_GUARDED_BY(mutex_);
};

/// The process's.
Timer& default_timer();

}  // namespace flowray
