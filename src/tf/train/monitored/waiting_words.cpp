#include "tf/train/monitored/waiting_words.h"

#include "core/said_lines.h"

#include <algorithm>
#include <utility>

namespace flowray::tf::train {

WaitingWords::WaitingWords(std::string text, Clock::duration patience,
                           std::function<void(const std::string&)> say)
    : text_(std::move(text)),
      patience_(patience),
      say_(say != nullptr
               ? std::move(say)
               // A session on a server may say the same by itself.
               : [patience](const std::string& line) { say_unless_just_said(line, patience / 2); }) {}

void WaitingWords::begin() {
  const MutexLock lock(mutex_);
  next_word_ = Clock::now() + patience_;
}

void WaitingWords::end() {
  const MutexLock lock(mutex_);
  next_word_ = Clock::time_point::max();
}

bool WaitingWords::is_due() {
  const MutexLock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_word_) return false;
  next_word_ = now + patience_;
  return true;
}

void WaitingWords::watch(const Coordinator& coordinator) {
  const double look_secs = std::min(1.0, std::chrono::duration<double>(patience_).count());
  while (!coordinator.wait_for_stop(look_secs)) {
    if (is_due()) say_(text_);
  }
}

}  // namespace flowray::tf::train
