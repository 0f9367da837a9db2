#include "cluster/worker/steps.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace flowray::cluster {

Steps::Entry& Steps::entry(int64_t step_id) {
  if (over_.contains(step_id)) {
    throw errors::AbortedError(
        fmt::format("Step {} is over\nIts master has cleaned it up, after an error or at its end.", step_id));
  }
  Entry& found = entries_[step_id];
  if (found.step == nullptr) found.step = std::make_shared<StepRendezvous>(step_id, budget_);
  return found;
}

std::shared_ptr<StepRendezvous> Steps::begin(int64_t step_id) {
  std::shared_ptr<StepRendezvous> forgotten;
  const MutexLock lock(mutex_);
  Entry& found = entry(step_id);
  const std::shared_ptr<StepRendezvous> step = found.step;
  if (is_logging(Clock::now())) step->trace_receives();
  if (!std::exchange(found.has_part, true)) begun_.push_back(step_id);
  while (begun_.size() > kMostKept) {
    forgotten = forget(begun_.front());
    begun_.pop_front();
  }
  return step;
}

std::shared_ptr<StepRendezvous> Steps::forget(int64_t step_id) {
  std::shared_ptr<StepRendezvous> step;
  if (const auto found = entries_.find(step_id); found != entries_.end()) {
    step = std::move(found->second.step);
    entries_.erase(found);
  }
  if (over_.insert(step_id).second) ended_.push_back(step_id);
  if (ended_.size() > kMostOver) {
    over_.erase(ended_.front());
    ended_.pop_front();
  }
  return step;
}

void Steps::end(int64_t step_id, Code code, const std::string& text) {
  std::shared_ptr<StepRendezvous> step;
  {
    const MutexLock lock(mutex_);
    step = forget(step_id);
    // Steps that have ended leave the queue when they are at its head.
    while (!begun_.empty() && !entries_.contains(begun_.front())) begun_.pop_front();
  }
  if (step != nullptr) step->fail(code, text);
}

void Steps::end_all(Code code, const std::string& text) {
  std::vector<int64_t> ids;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) ids.push_back(id);
  }
  for (const int64_t id : ids) end(id, code, text);
}

void Steps::begin_to_log_receives(Clock::time_point now) {
  const MutexLock lock(mutex_);
  if (budget_->is_used_up()) {
    for (const auto& [id, entry] : entries_) entry.step->forget_received();
  }
  logging_ends_.push_back(now + kLongestLogging);
  if (logging_ends_.size() > kMostLogging) logging_ends_.pop_front();
}

/// The request does not say which one ends: the last one does. Were it the first, one that is never ended
/// would be taken over by the next, again and again, where all steps are traced.
void Steps::end_logging_receives() {
  const MutexLock lock(mutex_);
  if (!logging_ends_.empty()) logging_ends_.pop_back();
}

bool Steps::logs_receives(Clock::time_point now) const {
  const MutexLock lock(mutex_);
  return is_logging(now);
}

bool Steps::is_logging(Clock::time_point now) const {
  return !logging_ends_.empty() && now < logging_ends_.back();
}

std::shared_ptr<StepRendezvous> Steps::tell_received(int64_t step_id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(step_id);
  if (found == entries_.end()) return nullptr;
  found->second.has_told = true;
  return found->second.step;
}

void Steps::forget_received() {
  const MutexLock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.has_told) entry.step->forget_received();
  }
}

size_t Steps::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

Steps::Visit::Visit(Steps& steps, int64_t step_id) : steps_(steps) {
  const MutexLock lock(steps.mutex_);
  Entry& found = steps.entry(step_id);
  ++found.num_visits;
  step_ = found.step;
}

Steps::Visit::~Visit() {
  const MutexLock lock(steps_.mutex_);
  const auto found = steps_.entries_.find(step_->step_id());
  if (found == steps_.entries_.end() || found->second.step != step_) return;
  if (--found->second.num_visits == 0 && !found->second.has_part) steps_.entries_.erase(found);
}

}  // namespace flowray::cluster
