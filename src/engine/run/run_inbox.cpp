#include "engine/run/run_inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flowray::engine {

void RunInbox::add(Ended one) {
  std::unique_lock lock(mutex_);
  ended_.push_back(std::move(one));
  tell(std::move(lock));
}

void RunInbox::expire() {
  std::unique_lock lock(mutex_);
  expired_ = true;
  tell(std::move(lock));
}

void RunInbox::tell(std::unique_lock<std::mutex> lock) {
  arrived_.notify_one();
  if (!std::exchange(suspended_, false)) return;
  const std::function<void()> call = wake_;
  lock.unlock();
  call();
}

std::vector<RunInbox::Ended> RunInbox::take(Reader reader) {
  std::vector<Ended> taken;
  const std::lock_guard lock(mutex_);
  const auto others = std::stable_partition(ended_.begin(), ended_.end(),
                                            [&](const Ended& one) { return one.reader != reader; });
  std::move(others, ended_.end(), std::back_inserter(taken));
  ended_.erase(others, ended_.end());
  return taken;
}

void RunInbox::wait(const RunContext& context) {
  std::unique_lock lock(mutex_);
  const auto any = [&] { return !ended_.empty(); };
  if (knows_of_end_ || !context.has_deadline()) {
    arrived_.wait(lock, any);
  } else {
    arrived_.wait_until(lock, context.deadline, any);
  }
}

void RunInbox::wait_for(Reader reader) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] {
    return std::ranges::any_of(ended_, [&](const Ended& one) { return one.reader == reader; });
  });
}

bool RunInbox::suspend() {
  const std::lock_guard lock(mutex_);
  // The alarm may have come while something else was done; it comes once.
  if ((expired_ && !knows_of_end_) || !ended_.empty()) return false;
  suspended_ = true;
  return true;
}

}  // namespace flowray::engine
