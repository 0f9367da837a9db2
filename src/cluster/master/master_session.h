#pragma once

#include "cluster/identity.h"
#include "cluster/master/partial_run.h"
#include "cluster/master/step_call.h"
#include "core/mutex.h"
#include "engine/servers.h"
#include "engine/session.h"
#include "graph/graph.h"
#include "wire/master.h"

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

/// A client's session: its graph, as it was sent so far, and the steps that ran. Thread-safe; steps run side
/// by side.
class MasterSession {
 public:
  /// `identity`: who runs it, as the client calls it. `files`: those that its graph may use. `limits`: those
  /// of a session.
  MasterSession(Identity identity, const wire::ConfigProto& config,
                std::shared_ptr<graph::ResourceContainers> containers, files::FileAccess files,
                const engine::ServerLimits& limits);

  const std::string& task() const { return task_; }

  /// Adds nodes; gives the version of the graph after that. Throws AbortedError for another version than
  /// `expected`; what throws leaves the graph as it was.
  int64_t extend(const wire::GraphDef& graph_def, int64_t expected_version);
  void create(const wire::GraphDef& graph_def);

  /// Each of these starts something and tells its end, errors too, once, perhaps before it returns. What is
  /// handed over by reference, and the session, live until then.

  /// A step, made at its first time. `feeds` in the order of names.feeds.
  void run(const StepNames& names, std::vector<Array> feeds, StepCall& call, engine::RunDone done);

  /// A call of a partial run; `feeds` in the order of names.feeds, targets are those of its beginning.
  /// errors::InvalidArgumentError for a handle that is none, any more.
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

  /// Ends the steps that run: CANCELLED.
  void close() { engine_.close(); }

 private:
  void start(engine::Step& step, std::vector<Array> feeds, StepCall& call, engine::RunDone done);
  engine::Step& step(const StepNames& names);
  engine::Step& make_step(const StepNames& names) FLOWRAY_REQUIRES(mutex_);
  struct Endpoints {
    std::vector<graph::Endpoint> feeds;
    std::vector<graph::Endpoint> fetches;
    std::vector<graph::Node*> targets;
  };
  Endpoints find(const StepNames& names) const FLOWRAY_REQUIRES_SHARED(mutex_);
  graph::Endpoint endpoint(std::string_view name) const FLOWRAY_REQUIRES_SHARED(mutex_);
  void check_room_for_callable() const FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<PartialRun> partial_run(const std::string& handle) const;
  struct Callable {
    StepNames names;
    wire::RunOptions options;
  };
  std::shared_ptr<const Callable> callable(int64_t handle) const;

  void add(const wire::GraphDef& graph_def) FLOWRAY_REQUIRES(mutex_);

  const Identity identity_;
  const std::string task_;  // "/job:local/replica:0/task:0"
  const engine::ServerLimits limits_;
  const bool soft_placement_;
  const int64_t operation_timeout_ms_;  // of steps that name none; 0: no limit
  struct Unref {
    void operator()(graph::Graph* graph) const { graph->release(); }
  };
  const std::unique_ptr<graph::Graph, Unref> graph_;
  engine::Session engine_;

  mutable SharedMutex mutex_;  // held alone while the graph grows
  int64_t version_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<StepNames, engine::Step*> steps_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<StepNames, std::shared_ptr<PartialPlan>> partial_plans_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t next_partial_run_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::shared_ptr<PartialRun>> partial_runs_ FLOWRAY_GUARDED_BY(mutex_);
  int64_t last_callable_ FLOWRAY_GUARDED_BY(mutex_) = -1;
  std::map<int64_t, std::shared_ptr<const Callable>> callables_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
