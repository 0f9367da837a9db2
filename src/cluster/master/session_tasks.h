#pragma once
/// The tasks that the steps of one session may go over.

#include "cluster/worker/task.h"
#include "cluster/worker/task_names.h"
#include "core/cancellation.h"
#include "core/mutex.h"
#include "engine/step/place.h"
#include "wire/graph_def.h"
#include "wire/run_metadata.h"
#include "wire/session_config.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace flowray::cluster {

/// The devices that are known at some time: the session's own first, then those of other tasks by job and
/// number. What is told of a device stands at its place in each list.
struct KnownDevices {
  engine::DeviceSet set;
  std::vector<uint64_t> incarnations;
  std::vector<Identity> tasks;
  std::vector<std::shared_ptr<Channel>> channels;  // null for the own task
};

/// The master's own task, and those others that its graph or a call names: a task is connected to when it is
/// needed first, so that an unreachable one delays no step that does not use it. Thread-safe.
class SessionTasks {
 public:
  struct Options {
    std::string handle;
    engine::ClusterAddresses addresses;
    bool is_cluster_given = false;  // by the client, so that others do not know it
    std::vector<std::string> device_filters = {};
    bool isolates_state = false;
    bool soft_placement = false;
    int64_t timeout_ms = 0;   // of looking for a task; 0: for ever
    std::string config = {};  // the session's wire::ConfigProto, as other tasks are told
  };
  /// Throws errors::InvalidArgumentError for a malformed filter.
  SessionTasks(Task& task, const Identity& self, Options options);

  const TaskNames& names() const { return names_; }
  const std::string& handle() const { return options_.handle; }
  const wire::ConfigProto& config() const { return config_; }
  bool is_cluster_given() const { return options_.is_cluster_given; }
  std::shared_ptr<const KnownDevices> known() const;

  /// Looks for the tasks that nodes name, those of functions too, waiting for those that are not there, and
  /// saying so on stderr every ten seconds. Throws errors::CancelledError when the client has gone,
  /// errors::DeadlineExceededError after the options' time, and what a task answers.
  void find_for(const wire::GraphDef& graph_def, Cancellation& client);
  /// The same for all that the device filters leave.
  void find_all(Cancellation& client);

  /// Tells the tasks that the session is over; does not wait for them.
  void end_sessions();
  /// Tells all tasks that the filters leave to let go of `containers` (none: of the default one), and waits
  /// for their answers, for some seconds.
  void clear_containers(const std::vector<std::string>& containers, Cancellation& client);

 private:
  bool is_left_by_filters(const Identity& other) const;
  std::vector<Identity> others() const;
  void find(const Identity& other, Cancellation& client);
  bool begin_to_find(const std::string& name, Cancellation& client);
  void look_for(const Identity& other, Cancellation& client);
  std::vector<wire::DeviceAttributes> wait_for(const Identity& other, Channel& channel, Cancellation& client,
                                               Message& answer) const;
  void create_session_at(const Identity& other, Channel& channel, Cancellation& client) const;

  Task& task_;
  const Options options_;
  const wire::ConfigProto config_;  // borrows from the options
  const TaskNames names_;
  std::vector<graph::DeviceName> filters_;
  mutable Mutex mutex_;  // never held during a call
  CondVar changed_;
  std::set<std::string> being_found_ FLOWRAY_GUARDED_BY(mutex_);  // names of tasks
  std::shared_ptr<const KnownDevices> known_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
