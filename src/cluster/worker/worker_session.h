#pragma once

#include "cluster/worker/task.h"
#include "cluster/worker/task_names.h"
#include "core/mutex.h"
#include "engine/session.h"
#include "wire/graph_def.h"
#include "wire/session_config.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace flowray::cluster {

struct GraphRelease {
  void operator()(graph::Graph* graph) const { graph->release(); }
};

/// A step of `session` that runs all of `graph`, which is a part of a larger step. `graph` outlives it.
std::unique_ptr<engine::Step> step_of_all(engine::Session& session, graph::Graph& graph);

/// A part of a step that a master has sent, to be run again and again.
struct RegisteredGraph {
  std::unique_ptr<graph::Graph, GraphRelease> graph;
  std::unique_ptr<engine::Step> step;
};

/// What a master's session has on this task. Thread-safe.
class WorkerSession {
 public:
  struct Options {
    bool isolates_state = false;  // variables of its own
    std::string master_task = {};
    int64_t master_incarnation = 0;
  };
  WorkerSession(Task& task, Identity self, engine::ClusterAddresses addresses, Options options);

  const TaskNames& names() const { return names_; }
  const Options& options() const { return options_; }

  /// What the client's config says of how parts are run.
  struct Wishes {
    std::optional<wire::GraphOptions> graph_options = {};
    int intra_op_threads = 0;  // 0: what the server has
  };
  /// Gives the graph's handle. Throws what import_graph_def() and Step throw, and
  /// errors::ResourceExhaustedError where there were too many different wishes.
  std::string add(const wire::GraphDef& graph_def, const Wishes& wishes);
  /// Throws errors::AbortedError "Graph handle is not found: ..." for an unknown one.
  std::shared_ptr<RegisteredGraph> graph(std::string_view handle) const;
  /// Likewise; runs of it that are under way go on.
  void remove(std::string_view handle);
  /// Lets go of the variables in a container; "" is the default one.
  void clear(const std::string& container) { containers_->clear(container); }
  /// Ends the steps that run: CANCELLED.
  void close();

 private:
  /// The passes that a client can switch, and the threads.
  using EngineKey = std::array<int, 5>;
  engine::Session& engine(const Wishes& wishes);

  Task& task_;
  const TaskNames names_;
  const Options options_;
  const std::shared_ptr<graph::ResourceContainers> containers_;
  mutable Mutex mutex_;
  bool is_closed_ FLOWRAY_GUARDED_BY(mutex_) = false;
  /// One, but for masters whose graphs come with different configs.
  std::map<EngineKey, std::unique_ptr<engine::Session>> engines_ FLOWRAY_GUARDED_BY(mutex_);
  uint64_t last_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::shared_ptr<RegisteredGraph>, std::less<>> graphs_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
