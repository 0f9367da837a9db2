#pragma once

#include "cluster/identity.h"
#include "cluster/master/cluster_step.h"
#include "cluster/master/session_tasks.h"
#include "cluster/master/step_call.h"
#include "core/mutex.h"
#include "engine/partial/partial_run.h"
#include "engine/servers.h"
#include "engine/session.h"
#include "graph/graph.h"
#include "wire/master.h"

#include <atomic>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::cluster {

/// A step by the names of what it takes and gives.
struct StepNames {
  std::vector<std::string> feeds;    // "x:0"
  std::vector<std::string> fetches;  // likewise
  std::vector<std::string> targets;  // "init"
  auto operator<=>(const StepNames&) const = default;
};

/// A client's session: its graph, as it was sent so far, and the steps that ran, here or on several tasks.
/// Thread-safe; steps run side by side. Lives as a shared object, which its steps keep.
class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  /// `identity`: the server's, as the client calls it; `handle`: how client and other tasks call the session.
  MasterSession(Task& task, Identity identity, const wire::ConfigProto& config, std::string handle);
  ~MasterSession() { close(); }
  MasterSession(const MasterSession&) = delete;
  MasterSession& operator=(const MasterSession&) = delete;

  /// Adds nodes; gives the version of the graph after that. Waits for tasks that the nodes name, until
  /// `client` is gone. Throws AbortedError for another version than `expected`; what throws leaves the graph
  /// as it was.
  int64_t extend(const wire::GraphDef& graph_def, int64_t expected_version, Cancellation& client);
  void create(const wire::GraphDef& graph_def, Cancellation& client);

  /// Its devices: the task's own, and those of all other tasks that its filters leave, for which it waits as
  /// extend() does.
  wire::ListDevicesResponse list_devices(Cancellation& client);

  /// Each of these starts something and tells its end, errors too, once, perhaps before it returns. What is
  /// handed over by reference, and the session, live until then.

  /// A step, made at its first time. `feeds` in the order of names.feeds.
  void run(const StepNames& names, std::vector<Array> feeds, StepCall& call, engine::RunDone done);

  /// What such a step does, as text; `measured_runs` as of engine::Step::explain(), where all of it is on
  /// this task. Throws errors::UnimplementedError where it is not.
  std::string explain(const StepNames& names, std::span<const Array> feeds, int measured_runs,
                      const StepCall& call);

  /// A call of a partial run; `feeds` in the order of names.feeds, targets are those of its beginning.
  /// errors::InvalidArgumentError for a handle that is unknown or no longer valid.
  void run_partially(const std::string& handle, const StepNames& names, std::vector<Array> feeds,
                     StepCall& call, engine::RunDone done);
  /// Runs as the options of make_callable want it, and tells what they ask for besides the results.
  using CallableDone = std::function<void(engine::RunOutcome, std::optional<wire::RunMetadata>)>;
  void run_callable(int64_t handle, std::vector<Array> feeds, Cancellation& cancellation, CallableDone done);

  /// Begins a partial run of what `names` allows; gives its handle. Throws ResourceExhaustedError, as
  /// make_callable does, where the session has as many as it may.
  std::string begin_partial_run(const StepNames& names);
  int64_t make_callable(StepNames names, const wire::RunOptions& options);
  void release_callable(int64_t handle);

  /// Ends the steps that run: CANCELLED; other tasks forget the session.
  void close();

 private:
  /// A step of this task alone, or one over several tasks: one of the two is set.
  struct AnyStep {
    engine::Step* here = nullptr;
    std::shared_ptr<ClusterStep> on_cluster;
    const engine::StepGraph& graph() const { return here != nullptr ? here->graph() : on_cluster->graph(); }
  };
  void start(const AnyStep& step, std::vector<Array> feeds, StepCall& call, engine::RunDone done);
  AnyStep step(const StepNames& names);
  AnyStep make_step(const StepNames& names) FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<ClusterStep> make_cluster_step(const engine::StepRequest& request) FLOWRAY_REQUIRES(mutex_);
  void log_placement(const graph::Node& node, const graph::DeviceName& device) FLOWRAY_REQUIRES(mutex_);
  struct Endpoints {
    std::vector<graph::Endpoint> feeds;
    std::vector<graph::Endpoint> fetches;
    std::vector<graph::Node*> targets;
  };
  Endpoints find(const StepNames& names) const FLOWRAY_REQUIRES_SHARED(mutex_);
  graph::Endpoint endpoint(std::string_view name) const FLOWRAY_REQUIRES_SHARED(mutex_);
  void check_room_for_callable() const FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<engine::PartialRun> partial_run(const std::string& handle) const;
  struct Callable {
    StepNames names;
    wire::RunOptions options;
  };
  std::shared_ptr<const Callable> callable(int64_t handle) const;

  void add(const wire::GraphDef& graph_def) FLOWRAY_REQUIRES(mutex_);

  Task& task_;
  const std::string name_of_task_;  // "/job:local/replica:0/task:0"
  SessionTasks tasks_;
  std::atomic<bool> is_closed_{false};
  const engine::ServerLimits limits_;
  const int64_t operation_timeout_ms_;  // of steps that name none; 0: no limit
  const bool logs_placement_;
  struct Unref {
    void operator()(graph::Graph* graph) const { graph->release(); }
  };
  const std::unique_ptr<graph::Graph, Unref> graph_;
  engine::Session engine_;

  mutable SharedMutex mutex_;  // held alone while the graph grows
  int64_t version_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::set<std::string> logged_ FLOWRAY_GUARDED_BY(mutex_);  // nodes whose device has been told
  int64_t num_new_names_ FLOWRAY_GUARDED_BY(mutex_) = 0;     // in the parts of all steps
  std::map<StepNames, AnyStep> steps_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<StepNames, std::shared_ptr<engine::PartialPlan>> partial_plans_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t next_partial_run_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::shared_ptr<engine::PartialRun>> partial_runs_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t last_callable_ FLOWRAY_GUARDED_BY(mutex_) = -1;
  std::map<int64_t, std::shared_ptr<const Callable>> callables_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
