#pragma once

#include "cluster/transport.h"
#include "core/mutex.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace flowray::cluster {

/// Notices when other tasks have ended, for a parameter server that is to end with its workers: each has been
/// there, and for some time none has answered. One that is started anew within that time is there again.
class EndOfOthers {
 public:
  struct Task {
    std::string name;  // "/job:worker/replica:0/task:0"
    std::unique_ptr<Channel> channel;
  };
  /// `ended` is called once, by a thread of its own. Asks all tasks for their status every `period`, and
  /// takes those that have not answered for `grace` for ended. `has_called` of a name: whether that task has
  /// been heard of in another way, so that one which is quickly done is not waited for.
  EndOfOthers(std::vector<Task> others, std::function<bool(const std::string&)> has_called,
              std::function<void()> ended, std::chrono::milliseconds period = std::chrono::milliseconds(500),
              std::chrono::milliseconds grace = std::chrono::seconds(10));
  ~EndOfOthers();
  EndOfOthers(const EndOfOthers&) = delete;
  EndOfOthers& operator=(const EndOfOthers&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Other {
    Task task;
    bool has_been_there = false;
    Clock::time_point last_answer = {};
  };
  void watch();
  bool is_one_there();
  bool is_there(Other& other, int code);
  bool wait(std::chrono::milliseconds time);

  const std::function<bool(const std::string&)> has_called_;
  const std::function<void()> ended_;
  const std::chrono::milliseconds period_;
  const std::chrono::milliseconds grace_;
  std::vector<Other> others_;  // of the thread
  Cancellation cancellation_;
  Mutex mutex_;
  CondVar stopped_;
  bool is_stopped_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace flowray::cluster
