#include "core/step_log.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace flowray {
namespace {

constexpr uint32_t kUnwatched = 63;

uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Where the first one stands of so many that are kept.
size_t first_of(size_t num_kept, size_t num_added) {
  return num_kept < StepLog::kMostSteps ? 0 : num_added % StepLog::kMostSteps;
}

}  // namespace

StepLog& StepLog::of_process() {
  static StepLog* const log = new StepLog;  // steps may run when static objects go
  return *log;
}

void StepLog::turn(bool on) {
  const MutexLock lock(mutex_);
  is_on_ = on;
  if (on) return;
  steps_ = {};
  num_added_ = 0;
  is_empty_ = true;
}

void StepLog::add(Step step) {
  const MutexLock lock(mutex_);
  if (!is_on()) return;
  if (steps_.size() < kMostSteps) {
    steps_.push_back(step);
  } else {
    steps_[num_added_ % kMostSteps] = step;
  }
  ++num_added_;
  is_empty_ = false;
}

std::vector<StepLog::Step> StepLog::steps() const {
  const MutexLock lock(mutex_);
  std::vector<Step> all = steps_;
  std::rotate(all.begin(), all.begin() + static_cast<ptrdiff_t>(first_of(all.size(), num_added_)), all.end());
  return all;
}

std::vector<StepLog::Step> StepLog::take() {
  const MutexLock lock(mutex_);
  std::vector<Step> all = std::exchange(steps_, {});
  std::rotate(all.begin(), all.begin() + static_cast<ptrdiff_t>(first_of(all.size(), num_added_)), all.end());
  num_added_ = 0;
  is_empty_ = true;
  return all;
}

StepLog::Watch::Watch(Unwatched& unwatched) : unwatched_(unwatched) {
  if (!of_process().is_on()) return;
  // Threads that count at the same time may count once: that is near enough.
  if (const uint32_t left = unwatched_.load(std::memory_order_relaxed); left > 0) {
    unwatched_.store(left - 1, std::memory_order_relaxed);
  } else {
    begin_ns_ = now_ns();
  }
}

StepLog::Watch::~Watch() {
  if (begin_ns_ == 0) return;
  const uint64_t run_ns = now_ns() - begin_ns_;
  if (run_ns < kLeastNs) {
    unwatched_.store(kUnwatched, std::memory_order_relaxed);
    return;
  }
  try {
    of_process().add({begin_ns_, run_ns});
  } catch (const std::exception&) {  // no memory: it is not shown
  }
}

}  // namespace flowray
