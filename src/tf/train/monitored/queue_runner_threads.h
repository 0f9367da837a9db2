#pragma once
/// Threads that fill queues as long as a session is there.

#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/session.h>

#include "core/mutex.h"
#include "tf/session/session_use.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace flowray::tf::train {

class QueueRunnerThreads {
 public:
  /// `is_stopping` and `stop_for` are called by the threads.
  QueueRunnerThreads(std::function<bool()> is_stopping, std::function<void(std::exception_ptr)> stop_for)
      : is_stopping_(std::move(is_stopping)), stop_for_(std::move(stop_for)) {}

  /// Throws ValueError for a queue whose operations are not set, before anything is started.
  void start(Session& session, const std::vector<FilledQueue>& queues);
  /// Ends the steps under way and waits for the threads, which must have been told to stop.
  void end() { (void)end(Clock::time_point::max()); }
  using Clock = std::chrono::steady_clock;
  /// The same, until `deadline` at most. Returns the names of the operations whose threads still run, which
  /// are to be ended once more.
  std::vector<std::string> end(Clock::time_point deadline);

 private:
  struct Runner {
    std::shared_ptr<SessionUse> use;
    Session& session;  // while it is borrowed
    FilledQueue queue;
    std::atomic<size_t> num_filling;  // threads that may still put something in
    std::vector<std::thread> threads = {};
    bool is_cancelled = false;  // its cancel_op has run
  };
  void fill(Runner& runner, const Operation& op);
  void fill_until_stop(Runner& runner, const Operation& op);

  const std::function<bool()> is_stopping_;
  const std::function<void(std::exception_ptr)> stop_for_;
  const std::shared_ptr<StepCancellation> runs_ = std::make_shared<StepCancellation>();
  std::list<Runner> runners_;  // whose places do not change while threads run
  Mutex mutex_;
  CondVar ended_;
  std::multiset<std::string> running_ FLOWRAY_GUARDED_BY(mutex_);  // operations of threads
};

}  // namespace flowray::tf::train
