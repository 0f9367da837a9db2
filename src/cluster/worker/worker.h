#pragma once

#include "cluster/session_table.h"
#include "cluster/transport.h"
#include "cluster/worker/left_sessions.h"
#include "cluster/worker/partial_part.h"
#include "cluster/worker/recent_ids.h"
#include "cluster/worker/task.h"
#include "cluster/worker/worker_session.h"
#include "core/mutex.h"
#include "wire/run_metadata.h"

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace flowray::cluster {

/// TensorFlow's WorkerService: parts of steps that a master on another task has sent, run by this one's
/// engine, and the values that they leave for other tasks. Thread-safe.
/// Source: tensorflow/core/protobuf/worker_service.proto.
class Worker {
 public:
  /// `watch_period`: how often masters are asked whether they still have their sessions here.
  explicit Worker(Task& task, std::chrono::milliseconds watch_period = std::chrono::seconds(10));
  /// Ends the steps that run.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  static constexpr std::string_view kService = "/tensorflow.WorkerService/";

  /// Answers a request of the service; status UNIMPLEMENTED for other methods, those of collective operations
  /// included. What waits is answered when it ends, by another thread. Does not throw. Lives until all has
  /// been answered.
  void handle(const Request& request, Reply reply);

  size_t num_sessions() const { return sessions_.size(); }
  using Clock = std::chrono::steady_clock;
  /// Ends the sessions that their masters have no more, those of masters that cannot be asked when they had
  /// no call for longer than the limit allows, and, where memory is short, some of those that had none for a
  /// while. Tells how many these were, after some seconds at most. A thread of the worker's own does so all
  /// the time.
  size_t end_left_sessions(Clock::time_point now) { return end_left_sessions(left_sessions_, now); }
  /// Whether a master of the cluster, called "/job:worker/replica:0/task:0", has made a session here.
  bool has_served(const std::string& master_task) const;

 private:
  Message answer(const Request& request);
  Message get_status(const Request& request);
  Message create_session(const Request& request);
  Message delete_session(const Request& request);
  Message register_graph(const Request& request);
  Message deregister_graph(const Request& request);
  Message cleanup_graph(const Request& request);
  Message cleanup_all(const Request& request);
  Message logging(const Request& request);
  Message mark_finished(const Request& request);
  void run_graph(const Request& request, Reply reply);
  void receive_tensor(const Request& request, Reply reply);

  std::shared_ptr<WorkerSession> session(std::string_view handle);
  void drop_sessions_of_earlier(const std::string& master_task, int64_t incarnation);
  size_t end_left_sessions(LeftSessions& asking, Clock::time_point now);
  void watch_sessions(std::chrono::milliseconds period);

  Task& task_;
  PartialParts partial_parts_;
  /// The session of requests that name no handle.
  const std::shared_ptr<WorkerSession> sessionless_;
  RecentIds seen_runs_;
  SessionTable<WorkerSession> sessions_;
  LeftSessions left_sessions_;  // of clients that call from outside
  Cancellation ending_;
  mutable Mutex mutex_;
  CondVar ends_;
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::set<std::string> served_ FLOWRAY_GUARDED_BY(mutex_);  // names of the cluster's tasks only
  std::thread watch_;
};

/// What a task says of its one device, when it is called `name`.
wire::DeviceAttributes device_attributes(const std::string& name, uint64_t incarnation);

}  // namespace flowray::cluster
