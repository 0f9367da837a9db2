#pragma once

#include "cluster/identity.h"
#include "cluster/partial_run.h"
#include "cluster/step_call.h"
#include "engine/session.h"
#include "graph/graph.h"
#include "wire/master.h"

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
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

/// A client's session: its graph, as it was sent so far, and the steps that ran. Thread-safe; steps run side by side.
class MasterSession {
 public:
  /// `identity`: who runs it, as the client calls it.
  MasterSession(Identity identity, const wire::ConfigProto& config,
                std::shared_ptr<graph::ResourceContainers> containers);

  const std::string& task() const { return task_; }

  /// Adds nodes; gives the version of the graph after that. Throws AbortedError for another version than `expected`;
  /// what throws leaves the graph as it was.
  int64_t extend(const wire::GraphDef& graph_def, int64_t expected_version);
  void create(const wire::GraphDef& graph_def);

  /// Runs a step, made at its first time. `feeds` in the order of names.feeds.
  std::vector<Array> run(const StepNames& names, std::span<const Array> feeds, StepCall& call);

  /// Begins a partial run of what `names` allows; gives its handle.
  std::string begin_partial_run(const StepNames& names);
  /// A call of it; `feeds` in the order of names.feeds, targets are those of its beginning. Throws
  /// errors::InvalidArgumentError for a handle that is none, any more.
  std::vector<Array> run_partially(const std::string& handle, const StepNames& names,
                                   std::span<const Array> feeds, StepCall& call);

  int64_t make_callable(StepNames names, const wire::RunOptions& options);
  /// Runs as the options of make_callable want it; `metadata` gets what they ask for.
  std::vector<Array> run_callable(int64_t handle, std::span<const Array> feeds, Cancellation& cancellation,
                                  std::optional<wire::RunMetadata>& metadata);
  void release_callable(int64_t handle);

  /// Ends the steps that run: CANCELLED.
  void close() { engine_.close(); }

 private:
  void run(engine::Step& step, std::span<const Array* const> feeds, std::span<Array> results, StepCall& call);
  engine::Step& step(const StepNames& names);
  engine::Step& make_step(const StepNames& names);
  struct Endpoints {
    std::vector<graph::Endpoint> feeds;
    std::vector<graph::Endpoint> fetches;
    std::vector<graph::Node*> targets;
  };
  Endpoints find(const StepNames& names) const;
  graph::Endpoint endpoint(std::string_view name) const;
  std::shared_ptr<PartialRun> partial_run(const std::string& handle) const;
  struct Callable {
    StepNames names;
    wire::RunOptions options;
  };
  Callable callable(int64_t handle) const;

  void add(const wire::GraphDef& graph_def);

  const Identity identity_;
  const std::string task_;  // "/job:local/replica:0/task:0"
  const bool soft_placement_;
  const int64_t operation_timeout_ms_;  // of steps that name none; 0: no limit
  struct Unref {
    void operator()(graph::Graph* graph) const { graph->release(); }
  };
  const std::unique_ptr<graph::Graph, Unref> graph_;
  engine::Session engine_;

  mutable std::shared_mutex mutex_;  // guards what follows; held alone while the graph grows
  int64_t version_ = 0;
  std::map<StepNames, engine::Step*> steps_;
  std::map<StepNames, std::shared_ptr<PartialPlan>> partial_plans_;
  int64_t next_partial_run_ = 0;
  std::map<std::string, std::shared_ptr<PartialRun>> partial_runs_;
  int64_t last_callable_ = -1;
  std::map<int64_t, Callable> callables_;
};

}  // namespace flowray::cluster
