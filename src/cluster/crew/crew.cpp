#include "cluster/crew/crew.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace flowray::cluster {
namespace {

constexpr int kMostParked = 4;
constexpr int kMostTicks = 8;
constexpr int kQuietTicks = 40;  // after so many without a request the watch goes to sleep
/// What gRPC takes for an event that is there already; only what is beyond it is waiting.
constexpr std::chrono::microseconds kTaking{20};

}  // namespace

Crew::Crew(std::function<void()> serve) : serve_(std::move(serve)) {}

Crew::~Crew() {
  if (watch_.joinable()) watch_.join();
}

void Crew::start() {
  const MutexLock lock(mutex_);
  add_thread();
  watch_ = std::thread([this] { watch(); });
}

void Crew::has_waited(std::chrono::nanoseconds time) {
  if (time <= kTaking) return;
  const MutexLock lock(mutex_);
  waited_ += time - kTaking;
}

void Crew::leave_queue() {
  bool wakes_watch = false;
  {
    const MutexLock lock(mutex_);
    ++num_left_;
    wakes_watch = --num_waiting_ == 0 && std::exchange(watch_sleeps_, false);
  }
  if (wakes_watch) queue_left_.notify_one();
}

bool Crew::come_back() {
  const MutexLock lock(mutex_);
  if (is_over_) return false;
  if (num_waiting_ < most_waiting_) {
    ++num_waiting_;
    return true;
  }
  if (num_parked_ == kMostParked) return false;
  ++num_parked_;
  wanted_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return num_called_ > 0 || is_over_; });
  --num_parked_;
  if (is_over_) return false;
  --num_called_;  // its caller has counted it as waiting
  return true;
}

void Crew::end() {
  const MutexLock lock(mutex_);
  is_over_ = true;
  wanted_.notify_all();
  queue_left_.notify_all();
  ended_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return num_threads_ == 0; });
}

void Crew::watch() {
  const MutexLock lock(mutex_);
  int quiet_ticks = 0;  // since the queue was left last
  int calm_ticks = 0;   // since there was more than one thread's work
  uint64_t num_left = 0;
  while (!is_over_) {
    if (quiet_ticks >= kQuietTicks && num_waiting_ > 0) {
      watch_sleeps_ = true;
      queue_left_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return !watch_sleeps_ || is_over_; });
      waited_ = {};
    }
    // After a long time without a shortage it looks less often: each look takes a core from working threads.
    const auto tick = num_waiting_ == 0 ? kTick : kTick * std::max(1, calm_ticks / kQuietTicks);
    queue_left_.wait_for(mutex_, tick, [this]() FLOWRAY_REQUIRES(mutex_) { return is_over_; });
    const uint64_t requests = num_left_ - std::exchange(num_left, num_left_);
    quiet_ticks = requests == 0 ? quiet_ticks + 1 : 0;
    const bool was_short = std::exchange(waited_, {}) <= tick / 10 && num_waiting_ == 0;
    calm_ticks = was_short && requests > 1 ? 0 : std::min(calm_ticks + 1, kMostTicks * kQuietTicks);
    if (calm_ticks == 0) most_waiting_ = std::min(most_waiting_ + 1, cores_);
    if (calm_ticks >= kQuietTicks) most_waiting_ = 1;
    if (was_short && !is_over_) send_to_queue();
  }
}

void Crew::send_to_queue() {
  if (num_parked_ == num_called_) {
    add_thread();
    return;
  }
  ++num_called_;
  ++num_waiting_;
  wanted_.notify_one();
}

void Crew::add_thread() {
  const auto serve = [this] {
    serve_();
    const MutexLock lock(mutex_);
    if (--num_threads_ == 0) ended_.notify_all();
  };
  try {
    std::thread(serve).detach();
  } catch (const std::system_error&) {  // no more threads: those that there are go on
    return;
  }
  ++num_threads_;
  ++num_waiting_;
}

}  // namespace flowray::cluster
