#pragma once

#include "cluster/transport.h"
#include "cluster/worker/partial_part.h"
#include "cluster/worker/recent_ids.h"
#include "cluster/worker/task.h"
#include "cluster/worker/worker_session.h"
#include "core/mutex.h"
#include "wire/run_metadata.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace flowray::cluster {

/// TensorFlow's WorkerService: parts of steps that a master on another task has sent, run by this one's
/// engine, and the values that they leave for other tasks. Thread-safe.
/// Source: tensorflow/core/protobuf/worker_service.proto.
class Worker {
 public:
  explicit Worker(Task& task);
  /// Ends the steps that run.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  static constexpr std::string_view kService = "/tensorflow.WorkerService/";

  /// Answers a request of the service; status UNIMPLEMENTED for other methods, those of collective operations
  /// included. What waits is answered when it ends, by another thread. Does not throw. Lives until all has
  /// been answered.
  void handle(const Request& request, Reply reply);

  size_t num_sessions() const;
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

  std::shared_ptr<WorkerSession> session(std::string_view handle) const;
  void drop_sessions_of_earlier(const std::string& master_task, int64_t incarnation);

  Task& task_;
  PartialParts partial_parts_;
  /// The session of requests that name no handle.
  const std::shared_ptr<WorkerSession> sessionless_;
  RecentIds seen_runs_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<WorkerSession>, std::less<>> sessions_ FLOWRAY_GUARDED_BY(mutex_);
  std::set<std::string> served_ FLOWRAY_GUARDED_BY(mutex_);  // names of the cluster's tasks only
};

/// What a task says of its one device, when it is called `name`.
wire::DeviceAttributes device_attributes(const std::string& name, uint64_t incarnation);

}  // namespace flowray::cluster
