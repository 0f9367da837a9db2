#include "core/job_queue.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/thread_pool.h"

namespace flowray {

JobQueue::JobQueue(int threads) : most_threads_(static_cast<size_t>(std::max(threads, 1))) {}

JobQueue::~JobQueue() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    threads.swap(threads_);
  }
  posted_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void JobQueue::post(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  posted_.notify_one();
  if (jobs_.size() <= num_idle_ || threads_.size() == most_threads_ || is_over_) return;
  try {
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // else those that there are will do it
  }
}

void JobQueue::serve() {
  pthread_setname_np(pthread_self(), "flowray-jobs");
  std::unique_lock lock(mutex_);
  while (true) {
    ++num_idle_;
    posted_.wait(lock, [this] { return !jobs_.empty() || is_over_; });
    --num_idle_;
    if (jobs_.empty()) return;
    {
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

JobQueue& default_jobs() {
  static JobQueue jobs(default_threads());
  return jobs;
}

}  // namespace flowray
