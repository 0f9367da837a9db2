#include "engine/run/run_inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flowray::engine {

void RunInbox::add(Ended one) {
  MutexLock lock(mutex_);
  ended_.push_back(std::move(one));
  const std::function<void()> wake = tell();
  lock.unlock();
  if (wake) wake();
}

void RunInbox::expire() {
  MutexLock lock(mutex_);
  expired_ = true;
  const std::function<void()> wake = tell();
  lock.unlock();
  if (wake) wake();
}

std::function<void()> RunInbox::tell() {
  arrived_.notify_one();
  return std::exchange(suspended_, false) ? wake_ : nullptr;
}

std::vector<RunInbox::Ended> RunInbox::take(Reader reader) {
  std::vector<Ended> taken;
  const MutexLock lock(mutex_);
  const auto others = std::stable_partition(ended_.begin(), ended_.end(),
                                            [&](const Ended& one) { return one.reader != reader; });
  std::move(others, ended_.end(), std::back_inserter(taken));
  ended_.erase(others, ended_.end());
  return taken;
}

void RunInbox::wait(const RunContext& context) {
  const MutexLock lock(mutex_);
  const auto any = [&]() FLOWRAY_REQUIRES(mutex_) { return !ended_.empty(); };
  if (knows_of_end_ || !context.has_deadline()) {
    arrived_.wait(mutex_, any);
  } else {
    arrived_.wait_until(mutex_, context.deadline, any);
  }
}

void RunInbox::wait_for(Reader reader) {
  const MutexLock lock(mutex_);
  arrived_.wait(mutex_, [&]() FLOWRAY_REQUIRES(mutex_) {
    return std::ranges::any_of(ended_, [&](const Ended& one) { return one.reader == reader; });
  });
}

bool RunInbox::suspend() {
  const MutexLock lock(mutex_);
  // The alarm may have come while something else was done; it comes once.
  if ((expired_ && !knows_of_end_) || !ended_.empty()) return false;
  suspended_ = true;
  return true;
}

}  // namespace flowray::engine
