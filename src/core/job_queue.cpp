#include "core/job_queue.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/quiet_thread.h"
#include "core/subnormals.h"
#include "core/thread_pool.h"

namespace flowray {

namespace {

constexpr std::chrono::milliseconds kPatience{50};

/// The innermost of the thread.
thread_local OwnContinuations* own_continuations = nullptr;
thread_local HeldContinuations* held_continuations = nullptr;

}  // namespace

JobQueue::JobQueue(int threads) : usual_threads_(static_cast<size_t>(std::max(threads, 1))) {}

JobQueue::~JobQueue() {
  std::thread watch;
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
    watch.swap(watch_);
  }
  watched_.notify_all();
  if (watch.joinable()) watch.join();
  posted_.notify_all();
  for (std::thread& thread : threads_) thread.join();  // none is added any more
}

void JobQueue::post(Job job) {
  const MutexLock lock(mutex_);
  jobs_.push_back(std::move(job));
  posted_.notify_one();
  if (jobs_.size() <= num_idle_ || is_over_) return;
  if (threads_.size() < usual_threads_) {
    add_thread();
  } else {
    begin_to_watch();
  }
}

void JobQueue::begin_to_watch() {
  watched_.notify_one();
  if (watch_.joinable()) return;
  try {
    watch_ = start_quiet_thread("flowray-watch", [this] { watch(); });
  } catch (const std::system_error&) {  // the usual threads do it, then
  }
}

void JobQueue::add_thread() {
  try {
    threads_.push_back(start_quiet_thread("flowray-jobs", [this] { serve(); }));
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // else those that there are will do it
  }
}

void JobQueue::serve() {
  flush_subnormals();
  MutexLock lock(mutex_);
  while (true) {
    ++num_idle_;
    posted_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return !jobs_.empty() || is_over_; });
    --num_idle_;
    if (jobs_.empty()) return;
    ++num_begun_;
    {
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

void JobQueue::watch() {
  const MutexLock lock(mutex_);
  while (!is_over_) {
    watched_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return !jobs_.empty() || is_over_; });
    const uint64_t num_begun = num_begun_;
    watched_.wait_for(mutex_, kPatience, [this]() FLOWRAY_REQUIRES(mutex_) { return is_over_; });
    if (!is_over_ && !jobs_.empty() && num_begun == num_begun_ && threads_.size() < kMostThreads)
      add_thread();
  }
}

OwnContinuations::OwnContinuations(bool has_time) : around_(own_continuations) {
  if (has_time) own_continuations = this;
}

OwnContinuations::~OwnContinuations() {
  own_continuations = around_;
  if (kept_ == nullptr) return;
  const FlushSubnormals flush;
  kept_();
}

HeldContinuations::HeldContinuations() : around_(held_continuations) { held_continuations = this; }

HeldContinuations::~HeldContinuations() {
  held_continuations = around_;
  let_go();
}

void HeldContinuations::let_go() {
  for (JobQueue::Job& job : std::exchange(held_, {})) default_jobs().post(std::move(job));
}

void continue_somewhere(JobQueue::Job job) {
  if (held_continuations != nullptr) return held_continuations->held_.push_back(std::move(job));
  OwnContinuations* const own = own_continuations;
  if (own == nullptr || own->kept_ != nullptr) return default_jobs().post(std::move(job));
  own->kept_ = std::move(job);
}

JobQueue& default_jobs() {
  static const OfOneProcess<JobQueue> kJobs(default_threads());
  return *kJobs;
}

}  // namespace flowray
