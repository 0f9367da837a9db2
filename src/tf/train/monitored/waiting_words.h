#pragma once
/// Says from time to time what is waited for, while a thread waits.

#include <flowray/tf/session_run_hooks.h>

#include "core/mutex.h"

#include <chrono>
#include <functional>
#include <string>

namespace flowray::tf::train {

class WaitingWords {
 public:
  using Clock = std::chrono::steady_clock;
  /// `say` gets `text` each time a wait has lasted for another `patience`; null: stderr.
  explicit WaitingWords(std::string text, Clock::duration patience = std::chrono::seconds(10),
                        std::function<void(const std::string&)> say = nullptr);
  void begin();
  void end();
  /// Runs in a thread until the coordinator stops.
  void watch(const Coordinator& coordinator);

 private:
  bool is_due();

  const std::string text_;
  const Clock::duration patience_;
  const std::function<void(const std::string&)> say_;
  Mutex mutex_;
  Clock::time_point next_word_ FLOWRAY_GUARDED_BY(mutex_) = Clock::time_point::max();  // no thread waits
};

}  // namespace flowray::tf::train
