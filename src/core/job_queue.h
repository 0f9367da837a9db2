#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace flowray {

/// Work that somebody has made possible who shall not do it himself: what goes on after a wait. Jobs begin in
/// the order in which they came, in threads that are started as they are needed and sleep when there is
/// nothing to do. (The ThreadPool is for the inside of one operation, which a caller waits for; nothing waits
/// in a queue there.)
///
/// Thread-safe. Jobs compute as long as they like but wait for nobody: a job that waited for another one
/// might keep it from its thread. In the child of a fork() there are no such threads.
class JobQueue {
 public:
  using Job = std::function<void()>;

  /// `threads`: at most so many jobs run at once; at least 1.
  explicit JobQueue(int threads);
  /// Runs what is there and joins the threads. Nothing may be posted from then on, but by jobs.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// Never runs `job` in the calling thread. It must not throw.
  void post(Job job);

 private:
  void serve();

  const size_t most_threads_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable posted_;
  std::deque<Job> jobs_;
  size_t num_idle_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

/// The process's, with as many threads as default_pool().
JobQueue& default_jobs();

}  // namespace flowray
