#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "core/mutex.h"

namespace flowray {

/// Runs continuations: what a wait held up, posted by the thread that completed the wait and run in another.
/// Jobs begin in the order in which they came, in threads that are started as they are needed and sleep when
/// there is nothing to do. (The ThreadPool is for the inside of one operation, which a caller waits for;
/// nothing is queued there.)
///
/// Jobs may compute as long as they like: where none has begun for 50 ms although some are there, one thread
/// more is started, up to kMostThreads, so that long ones do not keep the others. They should not wait for
/// one another.
///
/// Thread-safe. In the child of a fork() there are no such threads.
class JobQueue {
 public:
  using Job = std::function<void()>;
  static constexpr size_t kMostThreads = 64;

  /// `threads`: so many jobs run at once as a rule; at least 1.
  explicit JobQueue(int threads);
  /// Runs what is there and joins the threads. Nothing may be posted from then on, but by jobs.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// Never runs `job` in the calling thread. It must not throw.
  void post(Job job);

 private:
  void serve();
  void begin_to_watch() FLOWRAY_REQUIRES(mutex_);
  void watch();
  void add_thread() FLOWRAY_REQUIRES(mutex_);

  const size_t usual_threads_;
  Mutex mutex_;
  CondVar posted_;
  CondVar watched_;  // the watch sleeps here
  std::deque<Job> jobs_ FLOWRAY_GUARDED_BY(mutex_);
  uint64_t num_begun_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  size_t num_idle_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ FLOWRAY_GUARDED_BY(mutex_);
  /// Started when the usual threads are not enough for the first time.
  std::thread watch_ FLOWRAY_GUARDED_BY(mutex_);
};

/// While it lives, the calling thread, which has the time, keeps the continuations that it would hand over
/// by continue_somewhere(), and at its end runs them itself: to wake another thread takes longer than a
/// short one. Nothing else happens in between that waits for any of them.
class OwnContinuations {
 public:
  /// Where `has_time` is false it does nothing.
  explicit OwnContinuations(bool has_time);
  ~OwnContinuations();
  OwnContinuations(const OwnContinuations&) = delete;
  OwnContinuations& operator=(const OwnContinuations&) = delete;

 private:
  friend void continue_somewhere(JobQueue::Job job);
  OwnContinuations* const around_;
  JobQueue::Job kept_;
};

/// While it lives, continuations that the calling thread makes possible are held back, so that it comes
/// first with what it is about to do: a step that gives something to another one and then takes its place in
/// a queue is not overtaken there by that one. The thread neither waits nor takes long meanwhile.
class HeldContinuations {
 public:
  HeldContinuations();
  ~HeldContinuations();
  HeldContinuations(const HeldContinuations&) = delete;
  HeldContinuations& operator=(const HeldContinuations&) = delete;
  /// Hands the continuations that are held to default_jobs() now.
  void let_go();

 private:
  friend void continue_somewhere(JobQueue::Job job);
  HeldContinuations* const around_;
  std::vector<JobQueue::Job> held_;
};

/// Never runs `job` before it returns: in the calling thread at the end of its OwnContinuations, or by
/// default_jobs(), after HeldContinuations. It must not throw.
void continue_somewhere(JobQueue::Job job);

/// The process's, with as many threads as default_pool().
JobQueue& default_jobs();

}  // namespace flowray
