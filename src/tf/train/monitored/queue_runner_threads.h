#pragma once
/// Threads that fill queues as long as a session is there.

#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/session.h>

#include <atomic>
#include <exception>
#include <functional>
#include <list>
#include <memory>
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
  void end();

 private:
  struct Runner {
    Session& session;
    FilledQueue queue;
    std::atomic<size_t> num_filling;  // threads that may still put something in
    std::vector<std::thread> threads = {};
  };
  void fill(Runner& runner, const Operation& op);

  const std::function<bool()> is_stopping_;
  const std::function<void(std::exception_ptr)> stop_for_;
  const std::shared_ptr<StepCancellation> runs_ = std::make_shared<StepCancellation>();
  std::list<Runner> runners_;  // whose places do not change while threads run
};

}  // namespace flowray::tf::train
