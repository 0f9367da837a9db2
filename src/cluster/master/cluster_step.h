#pragma once
/// Steps whose nodes are on several tasks: one part for each, that the tasks keep, run at the same time and
/// meet where values cross.

#include "cluster/master/placed_step.h"
#include "cluster/master/session_tasks.h"
#include "cluster/master/step_call.h"
#include "cluster/worker/step_rendezvous.h"
#include "cluster/worker/task_names.h"
#include "cluster/worker/worker_session.h"
#include "core/mutex.h"
#include "core/timer.h"
#include "engine/session.h"
#include "engine/step/partition.h"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flowray::cluster {

class ClusterRun;

/// One of them, split. The other tasks get their parts before the first run. Thread-safe; made as a shared
/// object, which runs keep.
class ClusterStep : public std::enable_shared_from_this<ClusterStep> {
 public:
  /// `step` is on `devices`. `engine` and `tasks` outlive all runs; `num_new_names` is that of the session's
  /// partitions. Throws what partition() throws.
  ClusterStep(engine::Session& engine, const SessionTasks& tasks, std::shared_ptr<const KnownDevices> devices,
              PlacedStep step, int64_t& num_new_names);

  /// The whole step's graph, with its feeds and fetches.
  const engine::StepGraph& graph() const { return placed_.graph; }

  /// What each part does, as text.
  std::string explain() const;

  /// `feeds` in the order of graph().feeds; results in that of its fetches. What `call` names lives until
  /// `done` is called, which happens once, perhaps before this returns. `timeout_ms` is that of a call that
  /// names none, 0 for no limit. `keeper` keeps the session.
  void start(std::shared_ptr<const void> keeper, Steps& steps, std::vector<Array> feeds, StepCall& call,
             int64_t timeout_ms, engine::RunDone done);

 private:
  friend class ClusterRun;
  struct Part {
    uint32_t device = 0;
    std::unique_ptr<graph::Graph, graph::FunctionBody::Release> graph;
    std::unique_ptr<engine::Step> step;  // null for a part on another task
    std::string handle;                  // that the other task has for it
    std::shared_ptr<Channel> channel;    // to the other task
  };
  using Registered = std::function<void(std::exception_ptr)>;
  /// A run that waits until the other tasks have their parts.
  struct Waiting {
    std::shared_ptr<const void> keeper;
    Registered then;
  };

  bool is_registered() {
    const MutexLock lock(mutex_);
    return stage_ == Stage::kRegistered;
  }
  void when_registered(const ClusterRun* run, Waiting waiting);
  /// False: it has been told, or does not wait yet.
  bool no_longer_wait(const ClusterRun* run);
  void register_part(const std::shared_ptr<const void>& keeper, size_t i);
  void registered_part(size_t i, const Response& response);
  void tell_registered(std::exception_ptr error);
  std::string key_of(engine::ValueId id) const;
  std::string task_of(const Part& part) const { return devices_->tasks[part.device].name(); }

  engine::Session& engine_;
  const SessionTasks& tasks_;
  const std::shared_ptr<const KnownDevices> devices_;
  const PlacedStep placed_;
  std::vector<Part> parts_;  // handles are written while they are registered, and read afterwards

  enum class Stage { kNew, kRegistering, kRegistered };
  Mutex mutex_;
  Stage stage_ FLOWRAY_GUARDED_BY(mutex_) = Stage::kNew;
  size_t num_open_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::exception_ptr error_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<const ClusterRun*, Waiting> waiting_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_given_up_ FLOWRAY_GUARDED_BY(mutex_) = false;  // nobody waited any more
  std::vector<std::function<void()>> give_ups_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
