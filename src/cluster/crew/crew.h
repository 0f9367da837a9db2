#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "core/mutex.h"

namespace flowray::cluster {

/// The threads that wait at a completion queue and do the work that comes from it.
///
/// The thread that takes a request off the queue does its work, so that no other has to be woken for it, and
/// as a rule no thread waits at the queue meanwhile: gRPC would hand its poller over from one to the other
/// with each request, which takes longer than a small step. A thread is sent there when the queue has been
/// without a thread for about kTick (up to 9 of them after a long time without such a case), because the work
/// takes long, or because there is so much of it that a waiting thread finds some at once.
class Crew {
 public:
  /// `serve` is what each thread does: it takes events off the queue until that is shut down or come_back()
  /// says false.
  explicit Crew(std::function<void()> serve);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// After end().
  ~Crew();

  void start();
  /// What the calling thread waited at the queue for its last event.
  void has_waited(std::chrono::nanoseconds time);
  /// The calling thread leaves the queue to do what may take long.
  void leave_queue();
  /// It has done it. Returns when the thread is wanted at the queue again; false: it is to end.
  bool come_back();
  /// Once the queue is shut down: returns when all threads have ended.
  void end();

 private:
  static constexpr std::chrono::microseconds kTick{500};

  void watch();
  void send_to_queue() FLOWRAY_REQUIRES(mutex_);
  void add_thread() FLOWRAY_REQUIRES(mutex_);

  const std::function<void()> serve_;
  const int cores_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::thread watch_;
  Mutex mutex_;
  CondVar queue_left_;  // the watch sleeps here
  CondVar wanted_;      // those that are parked sleep here
  CondVar ended_;       // a thread
  int num_threads_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  int num_waiting_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // at the queue
  int num_parked_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  int num_called_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // of the parked: to go to the queue
  int most_waiting_ FLOWRAY_GUARDED_BY(mutex_) =
      1;  // of those that come back; more while there is work for more
  uint64_t num_left_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // how often the queue was left
  std::chrono::nanoseconds waited_ FLOWRAY_GUARDED_BY(mutex_){
      0};  // at the queue, since the watch looked last
  bool watch_sleeps_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::cluster
