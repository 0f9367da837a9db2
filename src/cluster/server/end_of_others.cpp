#include "cluster/server/end_of_others.h"

#include <utility>

namespace flowray::cluster {

EndOfOthers::EndOfOthers(std::vector<Task> others, std::function<bool(const std::string&)> has_called,
                         std::function<void()> ended, std::chrono::milliseconds period,
                         std::chrono::milliseconds grace)
    : has_called_(std::move(has_called)), ended_(std::move(ended)), period_(period), grace_(grace) {
  for (Task& task : others) others_.push_back({.task = std::move(task)});
  thread_ = std::thread([this] { watch(); });
}

EndOfOthers::~EndOfOthers() {
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
  }
  cancellation_.cancel();
  stopped_.notify_all();
  thread_.join();
}

void EndOfOthers::watch() {
  while (true) {
    bool has_ended = !others_.empty();
    for (Other& other : others_) has_ended &= !is_there(other);
    if (has_ended) return ended_();
    if (!wait(period_)) return;
  }
}

/// Or may still start, or restart. Any answer but UNAVAILABLE and DEADLINE_EXCEEDED is one of a living task.
bool EndOfOthers::is_there(Other& other) {
  constexpr int kDeadlineExceeded = 4;
  constexpr int kUnavailable = 14;
  const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(2);
  const int code =
      other.task.channel->call("/tensorflow.WorkerService/GetStatus", Message(), deadline, &cancellation_)
          .status.code;
  const bool has_answered = code != kUnavailable && code != kDeadlineExceeded;
  if (has_answered || (!other.has_been_there && has_called_(other.task.name))) {
    other.has_been_there = true;
    other.last_answer = Clock::now();
  }
  return !other.has_been_there || Clock::now() < other.last_answer + grace_;
}

/// False: it is over.
bool EndOfOthers::wait(std::chrono::milliseconds time) {
  const MutexLock lock(mutex_);
  stopped_.wait_for(mutex_, time, [this]() FLOWRAY_REQUIRES(mutex_) { return is_stopped_; });
  return !is_stopped_;
}

}  // namespace flowray::cluster
