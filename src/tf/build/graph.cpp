#include <flowray/tf/graph.h>

#include "core/thread_owned.h"
#include "graph/builder.h"
#include "graph/device_functions.h"
#include "graph/graph.h"
#include "ops/all_ops.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/device_scope.h"
#include "tf/build/function_graph.h"
#include "tf/build/random_seed.h"
#include "tf/build/resource_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <exception>

namespace flowray::tf {
namespace {

/// Where there is no other: the eager one, once eager execution is enabled.
std::atomic<graph::Graph*> graph_of_process{nullptr};

/// The default graphs of one thread: one at the bottom, made when it is first needed, and one for each
/// open scope.
struct DefaultGraphs {
  graph::Graph* bottom = nullptr;
  std::vector<graph::Graph*> stack;

  ~DefaultGraphs() {
    if (bottom != nullptr) bottom->release();
  }
  graph::Graph* top() {
    if (!stack.empty()) return stack.back();
    if (graph::Graph* const shared = graph_of_process.load(std::memory_order_acquire)) return shared;
    if (bottom == nullptr) bottom = new graph::Graph(ops::op_table());
    return bottom;
  }
};

DefaultGraphs& default_graphs() { return ThreadOwned<DefaultGraphs>::get(); }

[[noreturn]] void end_out_of_order(const char* what) {
  std::fprintf(
      stderr, "flowray: a %s scope ended out of order: let guards live in blocks, the last made ends first\n",
      what);
  std::terminate();
}

}  // namespace

graph::Graph& default_graph() { return *default_graphs().top(); }

void set_default_graph_of_process(graph::Graph* graph) {
  graph_of_process.store(graph, std::memory_order_release);
}

bool has_bottom_graph() {
  return default_graphs().bottom != nullptr && default_graphs().bottom->num_nodes() > 0;
}

void enter_default_graph(graph::Graph& graph) {
  graph.retain();
  default_graphs().stack.push_back(&graph);
}

void leave_default_graph(graph::Graph& graph) {
  auto& stack = default_graphs().stack;
  const auto found = std::find(stack.rbegin(), stack.rend(), &graph);
  if (found == stack.rend()) return;
  stack.erase(std::next(found).base());
  graph.release();
}

GraphScope::GraphScope(graph::Graph* graph) : graph_(graph) {
  graph_->retain();
  default_graphs().stack.push_back(graph_);
}

GraphScope::~GraphScope() {
  auto& stack = default_graphs().stack;
  if (stack.empty() || stack.back() != graph_) end_out_of_order("Graph::as_default");
  stack.pop_back();
  graph_->release();
}

Graph::Graph() : graph_(new graph::Graph(ops::op_table())) {}
Graph::Graph(graph::Graph* graph) noexcept : graph_(graph) { graph_->retain(); }
Graph::Graph(const Graph& other) noexcept : graph_(other.graph_) { graph_->retain(); }
Graph& Graph::operator=(const Graph& other) noexcept {
  other.graph_->retain();
  graph_->release();
  graph_ = other.graph_;
  return *this;
}
Graph::~Graph() { graph_->release(); }

std::vector<Operation> Graph::get_operations() const {
  std::vector<Operation> operations;
  for (graph::Node* node : graph_->nodes()) operations.emplace_back(node);
  return operations;
}

Operation Graph::get_operation_by_name(std::string_view name, Input::Where where) const {
  graph::Node* node = graph_->find(name);
  if (node != nullptr) return Operation(node);
  const ErrorLine line(where);
  if (name.find(':') != std::string_view::npos) {
    throw ValueError(fmt::format("Name '{}' appears to refer to a Tensor, not a Operation.", name));
  }
  throw KeyError(fmt::format("The name '{}' refers to an Operation not in the graph.", name));
}

Tensor Graph::get_tensor_by_name(std::string_view name, Input::Where where) const {
  const ErrorLine line(where);
  const size_t colon = name.rfind(':');
  int index = 0;
  const char* end = name.data() + name.size();
  if (colon == std::string_view::npos && graph_->find(name) != nullptr) {
    throw ValueError(
        fmt::format("The name '{}' refers to an Operation, not a Tensor. Tensor names must be of the form "
                    "\"<op_name>:<output_index>\".",
                    name));
  }
  if (colon == std::string_view::npos || std::from_chars(name.data() + colon + 1, end, index).ptr != end) {
    throw ValueError(fmt::format(
        "The name '{}' looks like an (invalid) Operation name, not a Tensor. Tensor names must be "
        "of the form \"<op_name>:<output_index>\".",
        name));
  }
  const std::string_view op_name = name.substr(0, colon);
  graph::Node* node = graph_->find(op_name);
  if (node == nullptr) {
    throw KeyError(
        fmt::format("The name '{}' refers to a Tensor which does not exist. The operation, '{}', does not "
                    "exist in the graph.",
                    name, op_name));
  }
  if (index < 0 || index >= node->num_outputs()) {
    throw KeyError(
        fmt::format("The name '{}' refers to a Tensor which does not exist. The operation, '{}', exists but "
                    "only has {} outputs.",
                    name, op_name, node->num_outputs()));
  }
  return {node, index};
}

GraphElement Graph::as_graph_element(std::string_view name, const AsGraphElementOptions& options,
                                     Input::Where where) const {
  if (!options.allow_tensor && !options.allow_operation) {
    const ErrorLine line(where);
    throw ValueError("allow_tensor and allow_operation can't both be False.");
  }
  const bool is_tensor = name.find(':') != std::string_view::npos;
  if ((is_tensor && options.allow_tensor) || !options.allow_operation) {
    const Tensor tensor = get_tensor_by_name(name, where);
    return {.operation = tensor.op(), .value_index = tensor.value_index()};
  }
  return {.operation = get_operation_by_name(name, where)};
}

namespace {

[[noreturn]] void throw_no_element(const std::string& what) {
  throw ValueError(fmt::format("{} is not an element of this graph.", what));
}

}  // namespace

Tensor Graph::as_graph_element(const Tensor& tensor, Input::Where where) const {
  const ErrorLine line(where);
  const graph::Node& node = node_of(tensor, "tensor");
  if (&node.graph() != graph_) throw_no_element(tensor_text(tensor));
  return tensor;
}

Operation Graph::as_graph_element(const Operation& operation, Input::Where where) const {
  const ErrorLine line(where);
  const graph::Node& node = node_of(operation, "operation");
  if (&node.graph() != graph_) throw_no_element(operation.to_string());
  return operation;
}

Tensor Graph::as_graph_element(const Variable& variable, Input::Where where) const {
  {
    const ErrorLine line(where);
    (void)node_of(variable, "variable");
  }
  return as_graph_element(graph_element(variable), where);
}

std::string Graph::unique_name(std::string_view name, const UniqueNameOptions& options) const {
  return graph_->unique_name(name, options.mark_as_used);
}

void Graph::finalize() const { graph_->finalize(); }
bool Graph::finalized() const { return graph_->finalized(); }
void Graph::set_random_seed(int64_t seed) const { graph_->set_seed(truncated_seed(seed)); }
std::string Graph::to_string() const { return graph::to_text(*graph_); }

Graph get_default_graph() { return Graph(&default_graph()); }

void reset_default_graph() {
  DefaultGraphs& graphs = default_graphs();
  if (!graphs.stack.empty()) {
    throw RuntimeError(
        "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the "
        "nesting and "
        "create a new graph.");
  }
  if (graphs.bottom != nullptr) graphs.bottom->release();
  graphs.bottom = nullptr;
}

void set_random_seed(int64_t seed) { get_default_graph().set_random_seed(seed); }

// ---- scopes

struct NameScopeGuard::State {
  State(graph::Graph* of, std::string_view name) : scope(*of, name), graph(*of) {
    if (!graph.is_eager()) return;
    // No nodes there bear names, but variables do.
    std::string& open = graph.scopes().name;
    outer = open;
    if (name.ends_with('/')) {
      open = name.substr(0, name.size() - 1);
    } else if (!name.empty()) {
      open = open.empty() ? std::string(name) : fmt::format("{}/{}", open, name);
    }
    path = open.empty() ? std::string() : open + "/";
  }
  ~State() {
    if (graph.is_eager()) graph.scopes().name = outer;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  graph::NameScope scope;
  graph::Graph& graph;
  std::string outer;
  std::string path;
};

NameScopeGuard::NameScopeGuard(graph::Graph* graph, std::string_view name)
    : state_(std::make_unique<State>(graph, name)) {}
NameScopeGuard::~NameScopeGuard() = default;
const std::string& NameScopeGuard::path() const {
  return state_->graph.is_eager() ? state_->path : state_->scope.path();
}
NameScopeGuard name_scope(std::string_view name, Input::Where where) {
  const ErrorLine line(where);
  return {&default_graph(), name};
}

ControlDependenciesGuard::ControlDependenciesGuard(graph::Graph* graph, std::vector<graph::Node*> nodes,
                                                   bool clears)
    : graph_(graph) {
  graph_->scopes().control.push_back({.nodes = std::move(nodes), .clears = clears, .made_inside = {}});
}
ControlDependenciesGuard::~ControlDependenciesGuard() { graph_->scopes().control.pop_back(); }

namespace {

[[noreturn]] void throw_not_in_graph(const Dependency& dependency) {
  const graph::Node* node = dependency.node();
  const int index = dependency.value_index();
  const std::string what =
      index < 0 ? fmt::format("Operation {}", node->name())
                : fmt::format("Tensor {}", tensor_text(graph::Endpoint{dependency.node(), index}));
  throw ValueError(
      fmt::format("{} is not an element of this graph.\nMake its graph the default one: auto scope = "
                  "graph.as_default();",
                  what));
}

}  // namespace

Dependency::Dependency(const Variable& variable)
    : node_(variable.ref().node()), index_(variable.ref().value_index()) {
  // A resource variable as an assignment leaves it.
  if (variable.has_value() && variable.state()->assigned != nullptr) {
    node_ = variable.state()->assigned;
    index_ = -1;
  }
}

ControlDependenciesGuard control_dependencies(const List<Dependency>& dependencies) {
  const ErrorLine line(dependencies.where());
  graph::Graph* graph = &default_graph();
  std::vector<graph::Node*> nodes;
  for (size_t i = 0; i < dependencies.size(); ++i) {
    const Dependency& dependency = dependencies[i];
    if (dependency.node() == nullptr) throw_unset_dependency("dependencies", i);
    if (&dependency.node()->graph() != graph) {
      if (FunctionGraph::current() != nullptr) continue;  // was there before the function is called
      throw_not_in_graph(dependency);
    }
    if (std::find(nodes.begin(), nodes.end(), dependency.node()) == nodes.end())
      nodes.push_back(dependency.node());
  }
  return {graph, std::move(nodes), /*clears=*/false};
}
ControlDependenciesGuard no_control_dependencies() { return {&default_graph(), {}, /*clears=*/true}; }

DeviceGuard::DeviceGuard(graph::Graph* graph, std::string_view device) : graph_(graph) {
  graph::DeviceName name = device_in_scope(device);
  std::vector<std::string>& open = graph_->scopes().devices;
  if (!open.empty()) name.fill_in(device_in_scope(open.back()));
  open.push_back(name.to_string());
}
DeviceGuard::~DeviceGuard() { graph_->scopes().devices.pop_back(); }
DeviceGuard device(std::string_view name, Input::Where where) {
  const ErrorLine line(where);
  return {&default_graph(), name};
}

namespace {

/// The guards of this thread inside of which devices begin anew: as in TensorFlow, scopes around a colocation
/// choose no device, and those inside of it do where what is stood with is nowhere.
std::vector<const ColocationGuard*>& fresh_devices() {
  struct FreshDevices {
    std::vector<const ColocationGuard*> guards;
  };
  return ThreadOwned<FreshDevices>::get().guards;
}

/// A variable is called by the name of its group before it is there: its initializer is not colocated yet.
bool any_is_there(const graph::Graph& graph, const std::vector<std::string>& groups) {
  constexpr std::string_view kNode = "loc:@";
  return std::ranges::any_of(groups, [&](const std::string& group) {
    return group.starts_with(kNode) && graph.find(std::string_view(group).substr(kNode.size())) != nullptr;
  });
}

}  // namespace

ColocationGuard::ColocationGuard(graph::Graph* graph, std::vector<std::string> groups)
    : graph_(graph != nullptr && graph->is_eager() ? nullptr : graph) {
  if (graph_ == nullptr) return;
  graph::Scopes& open = graph_->scopes();
  const bool devices = !open.devices.empty() || !graph::device_function_frames().empty();
  if (devices && any_is_there(*graph_, groups)) {
    graph::device_function_frames().push_back(
        {.graph = graph_, .function = {}, .num_outer_devices = open.devices.size()});
    open.devices.emplace_back();
    fresh_devices().push_back(this);
  }
  open.colocation.push_back(std::move(groups));
}
ColocationGuard::~ColocationGuard() {
  if (graph_ == nullptr) return;
  graph_->scopes().colocation.pop_back();
  if (std::erase(fresh_devices(), this) == 0) return;
  graph_->scopes().devices.pop_back();
  graph::leave_device_function(*graph_);
}
ColocationGuard colocate_with(const Operation& op, Input::Where where) {
  const ErrorLine line(where);
  graph::Node& node = node_of(op, "op");
  if (node.is_value()) return {nullptr, {}};
  return {&node.graph(), colocation_groups(node)};
}

}  // namespace flowray::tf
