#include "core/timer.h"

#include <utility>

#include "core/quiet_thread.h"

namespace flowray {

Timer::~Timer() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Timer::Alarm::Alarm(Timer& timer, Clock::time_point when, Listener listener)
    : timer_(timer), listener_(std::move(listener)) {
  bool is_first = false;
  {
    const MutexLock lock(timer.mutex_);
    if (!timer.thread_.joinable()) {  // first, as it may throw
      timer.thread_ = start_quiet_thread("flowray-timer", [&timer] { timer.watch(); });
    }
    place_ = timer.alarms_.emplace(when, this);
    is_first = *place_ == timer.alarms_.begin();
  }
  if (is_first) timer.changed_.notify_one();
}

Timer::Alarm::~Alarm() {
  const MutexLock lock(timer_.mutex_);
  if (place_) timer_.alarms_.erase(*place_);
}

void Timer::watch() {
  const MutexLock lock(mutex_);
  while (!is_over_) {
    if (alarms_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const auto next = alarms_.begin();
    if (Clock::now() < next->first) {
      const Clock::time_point when = next->first;  // the alarm may end meanwhile
      changed_.wait_until(mutex_, when);
      continue;
    }
    Alarm& alarm = *next->second;
    alarms_.erase(next);
    alarm.place_.reset();
    alarm.listener_();  // with the lock: the end of the alarm waits for it
  }
}

Timer& default_timer() {
  static const OfOneProcess<Timer> kTimer;
  return *kTimer;
}

}  // namespace flowray
