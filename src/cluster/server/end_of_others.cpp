#include "cluster/server/end_of_others.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "cluster/asked_call.h"

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

/// What fails here (memory, a connection that cannot be made) must not end the process: it is tried again.
void EndOfOthers::watch() {
  do {
    bool have_ended = false;
    try {
      have_ended = !others_.empty() && !is_one_there();
    } catch (const std::exception& error) {
      fmt::print(stderr, "flowray: The tasks that this one is to end with could not be asked: {}\n",
                 error.what());
    }
    if (have_ended) return ended_();
  } while (wait(period_));
}

/// All are asked before the first answer is waited for: silent ones keep nobody from being asked in time.
bool EndOfOthers::is_one_there() {
  const Channel::Limits limits{.deadline = std::chrono::system_clock::now() + std::chrono::seconds(2)};
  std::vector<std::unique_ptr<AskedCall>> asked;
  for (const Other& other : others_) {
    asked.push_back(std::make_unique<AskedCall>(*other.task.channel, "/tensorflow.WorkerService/GetStatus",
                                                Message(), limits, cancellation_));
  }
  bool is_one_there = false;
  for (size_t i = 0; i < others_.size(); ++i)
    is_one_there |= is_there(others_[i], asked[i]->answer().status.code);
  return is_one_there;
}

/// Or may still start, or restart. Any answer but UNAVAILABLE and DEADLINE_EXCEEDED is one of a living task.
bool EndOfOthers::is_there(Other& other, int code) {
  constexpr int kDeadlineExceeded = 4;
  constexpr int kUnavailable = 14;
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
