#include "cluster/worker/worker_session.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/refused_ops.h"
#include "core/thread_pool.h"
#include "engine/step/config_passes.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"

namespace flowray::cluster {
namespace {

/// What is not waited for by others brings these along; where there are loops, which need no end, each node
/// is named.
std::vector<graph::Node*> nodes_that_bring_all(const graph::Graph& graph) {
  std::vector<graph::Node*> nodes = graph.nodes();
  std::unordered_set<const graph::Node*> awaited;
  for (const graph::Node* node : nodes) {
    if (node->schema().row.flow == graph::FlowRole::kNextIteration) return nodes;
    for (const graph::Endpoint& input : node->inputs()) awaited.insert(input.node);
    for (const graph::Node* control : node->control_inputs()) awaited.insert(control);
  }
  std::erase_if(nodes, [&](const graph::Node* node) { return awaited.contains(node); });
  return nodes;
}

}  // namespace

std::unique_ptr<engine::Step> step_of_all(engine::Session& session, graph::Graph& graph) {
  const std::vector<graph::Node*> targets = nodes_that_bring_all(graph);
  return std::make_unique<engine::Step>(session, engine::StepRequest{{}, {}, targets});
}

WorkerSession::WorkerSession(Task& task, Identity self, engine::ClusterAddresses addresses, Options options)
    : task_(task),
      names_(std::move(self), std::move(addresses), *task.peers),
      options_(std::move(options)),
      containers_(options_.isolates_state ? std::make_shared<graph::ResourceContainers>() : task.containers) {
}

void WorkerSession::close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  for (const auto& [key, engine] : engines_) engine->close();
}

engine::Session& WorkerSession::engine(const Wishes& wishes) {
  constexpr size_t kMostEngines = 16;
  const engine::PassOptions passes = engine::passes_of(wishes.graph_options);
  int threads =
      wishes.intra_op_threads > 0 ? wishes.intra_op_threads : task_.session_defaults.intra_op_threads;
  if (threads < 0 || threads >= default_pool().workers()) threads = 0;  // all of them
  const EngineKey key = {passes.fold, passes.drop, passes.share, passes.fuse, threads};
  const MutexLock lock(mutex_);
  if (const auto found = engines_.find(key); found != engines_.end()) return *found->second;
  if (engines_.size() >= kMostEngines) {
    throw errors::ResourceExhaustedError(
        fmt::format("Too many configs: the graphs of this session came with {} different ones\nRegister "
                    "them with one, or make more sessions.",
                    kMostEngines));
  }
  auto made = std::make_unique<engine::Session>(engine::SessionOptions{.intra_op_threads = threads,
                                                                       .passes = passes,
                                                                       .devices = {{names_.self().cpu()}},
                                                                       .files = task_.files},
                                                containers_);
  if (is_closed_) made->close();
  return *engines_.emplace(key, std::move(made)).first->second;
}

std::string WorkerSession::add(const wire::GraphDef& graph_def, const Wishes& wishes) {
  auto made = std::make_shared<RegisteredGraph>();
  made->graph.reset(new graph::Graph(ops::op_table()));
  refuse_calls_of_program(graph_def, made->graph->ops());
  graph::import_graph_def(graph_def, *made->graph, {.is_part = true});
  made->step = step_of_all(engine(wishes), *made->graph);
  const MutexLock lock(mutex_);
  std::string handle = fmt::format("{:016x}", ++last_);
  graphs_.emplace(handle, std::move(made));
  return handle;
}

std::shared_ptr<RegisteredGraph> WorkerSession::graph(std::string_view handle) const {
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(handle);
  if (found != graphs_.end()) return found->second;
  throw errors::AbortedError(fmt::format("Graph handle is not found: {}", handle));
}

void WorkerSession::remove(std::string_view handle) {
  std::shared_ptr<RegisteredGraph> removed;  // ends outside of the lock
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(handle);
  if (found == graphs_.end())
    throw errors::AbortedError(fmt::format("Graph handle is not found: {}", handle));
  removed = std::move(found->second);
  graphs_.erase(found);
}

}  // namespace flowray::cluster
