#include "graph/graph.h"

#include "graph/captures.h"
#include "graph/constant_value.h"
#include "graph/container_scope.h"
#include "graph/device_functions.h"
#include "graph/flow_context.h"
#include "graph/gradient_overrides.h"
#include "graph/library_ops.h"
#include "graph/shape_context.h"
#include "graph/signature.h"
#include "graph/value_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

namespace flowray::graph {
namespace {

bool is_name_char(char c, bool first) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || c == '.' || (!first && (c == '_' || c == '-' || c == '/' || c == '\\' || c == '>'));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// "{{node n}} = Op[T=DT_FLOAT, ...](a, b)", the way TensorFlow names a node in an error.
std::string summary(const Node& node) {
  std::string attrs;
  for (const auto& [name, value] : node.attrs().items()) {
    if (name.starts_with('_')) continue;
    attrs += (attrs.empty() ? "" : ", ") + name + "=" + summarize(value);
  }
  std::string inputs;
  for (const Endpoint& input : node.inputs()) {
    inputs += (inputs.empty() ? "" : ", ") +
              (input.index == 0 ? input.node->name() : fmt::format("{}:{}", input.node->name(), input.index));
  }
  return fmt::format("{{{{node {}}}}} = {}[{}]({})", node.name(), node.op(), attrs, inputs);
}

[[noreturn]] void throw_shape_error(const Node& node, const std::string& reason) {
  std::string shapes;
  for (const Endpoint& input : node.inputs()) {
    if (!shapes.empty()) shapes += ", ";
    shapes += input.shape().has_rank() ? input.shape().to_string() : "?";
  }
  throw ValueError(
      fmt::format("{} for '{}' with input shapes: {}.{}", reason, summary(node), shapes, made_at(node)));
}

/// Runs the op's shape function on what is known now.
std::vector<Shape> infer_shapes(const Node& node, int num_outputs) {
  if (node.schema().row.shape == nullptr) {
    return std::vector<Shape>(static_cast<size_t>(num_outputs), Shape::unknown_rank());
  }
  std::vector<ShapeContext::Input> inputs;
  std::vector<Array> values(node.inputs().size());
  std::vector<Shape> shapes_in_values(node.inputs().size(), Shape::unknown_rank());
  inputs.reserve(node.inputs().size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Endpoint input = node.inputs()[i];
    const DType dtype = base_dtype(input.dtype());
    // Small integer and bool inputs can decide a shape: axes, dimensions, permutations. Others rarely do.
    const bool is_number = node.schema().row.shape_by_any_numbers && input.shape().rank() == 0;
    // Of a checkpoint's tensors which parts are read.
    const bool is_list_of_texts =
        dtype == DType::kString && input.shape().rank() == 1 && input.node->op() == "Const";
    const bool may_decide = dtype == DType::kInt32 || dtype == DType::kInt64 || dtype == DType::kBool ||
                            is_number || is_list_of_texts;
    if (may_decide) values[i] = constant_value_for_shapes(input);
    if (may_decide && !is_list_of_texts && !values[i].has_value())
      shapes_in_values[i] = constant_value_as_shape(input);
    if (dtype == DType::kResource) shapes_in_values[i] = handle_shape(input);
    inputs.push_back({input.shape(), dtype, values[i].has_value() ? &values[i] : nullptr,
                      &shapes_in_values[i], handle_attrs(input)});
  }
  ShapeContext context(node.schema(), node.attrs(), inputs, num_outputs, /*running=*/false);
  try {
    node.schema().row.shape(context);
  } catch (const errors::InvalidArgumentError& error) {
    throw_shape_error(node, error.message());
  }
  return std::move(context.outputs());
}

/// Lets the branch or loop that a node was made in bring in what the node takes from outside of it, with
/// names below the node's own.
void tell_context(FlowContext& context, Node& node, const std::vector<Node*>& outside_controls) {
  std::string& scope = node.graph().scopes().name;
  const std::string outer = scope;
  if (!node.schema().row.is_constant) scope = node.name();
  try {
    context.node_made(node, outside_controls);
  } catch (...) {
    scope = outer;
    throw;
  }
  scope = outer;
}

std::atomic<uint64_t> num_graphs{0};

void append_number(std::string& name, int number) {
  name.push_back('_');
  name.append(fmt::format_int(number).str());
}

/// What makes a resource has it in the container of the scope, unless it says another one.
void apply_container(const Graph& graph, const OpSchema& schema, Attrs& attrs) {
  const std::string& container = container_of(graph);
  if (container.empty() || !schema.row.stateful) return;
  const AttrValue* const own = attrs.find("container");
  if (own != nullptr && own->get<std::string>().empty()) attrs.set("container", container);
}

}  // namespace

bool is_valid_node_name(std::string_view name) {
  if (name.empty() || !is_name_char(name.front(), true)) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_name_char(c, false); });
}

std::string made_at(const Node& node) {
  if (node.line().line == 0) return {};  // imported: no line of the program made it
  return fmt::format("\nThe node was made at {}:{}.", node.line().file, node.line().line);
}

std::string Endpoint::name() const { return fmt::format("{}:{}", node->name(), index); }
DType Endpoint::dtype() const { return node->output_dtype(index); }
const Shape& Endpoint::shape() const { return node->output_shape(index); }

void Node::merge_output_shape(int i, const Shape& shape) {
  Shape& known = output_shapes_[static_cast<size_t>(i)];
  if (known.is_compatible_with(shape)) {
    known = known.merge_with(shape);
    return;
  }
  const std::string shapes = fmt::format("Shapes are {} and {}.", known.to_string(), shape.to_string());
  if (known.rank() != shape.rank()) {
    throw ValueError(
        fmt::format("Shapes must be equal rank, but are {} and {}. {}", known.rank(), shape.rank(), shapes));
  }
  int dim = 0;
  while (known.dim(dim) == shape.dim(dim) || known.dim(dim) < 0 || shape.dim(dim) < 0) ++dim;
  throw ValueError(fmt::format("Dimension {} in both shapes must be equal, but are {} and {}. {}", dim,
                               known.dim(dim), shape.dim(dim), shapes));
}

void Node::add_control_input(Node* node) {
  if (std::find(control_inputs_.begin(), control_inputs_.end(), node) == control_inputs_.end()) {
    control_inputs_.push_back(node);
  }
}

void Node::close_loop(int i, Endpoint from) {
  Endpoint& input = inputs_[static_cast<size_t>(i)];
  if (base_dtype(input.dtype()) != base_dtype(from.dtype())) {
    throw ValueError(fmt::format("Input {} of node {} was passed {} from {} incompatible with expected {}.",
                                 i, name_, dtype_kernel_name(from.dtype()), from.name(),
                                 dtype_kernel_name(input.dtype())));
  }
  input = from;
}

Graph::Graph(const OpTable& ops) : ops_(ops), number_(++num_graphs) {}
Graph::Graph(const OpTable& ops, EagerRunner& eager) : ops_(ops), eager_(&eager), number_(++num_graphs) {}
Graph::~Graph() = default;

void Graph::check_not_finalized() const {
  if (finalized_) throw RuntimeError("Graph is finalized and cannot be modified.");
}

namespace {

/// What of another graph is among the inputs is captured, where this one is a function's body.
std::vector<Endpoint> inputs_in(Graph& graph, const NodeRequest& request) {
  std::vector<Endpoint> inputs = request.inputs;
  for (Endpoint& input : inputs) {
    if (!input || &input.node->graph() == &graph) continue;
    Captures* const captures = Captures::of(graph);
    if (captures == nullptr && input.node->is_value() && !is_ref(input.dtype())) {
      const Array& value = value_node(input).value(input.index);
      input = graph.add_constant(value, "Const")->output(0);
      continue;
    }
    if (captures == nullptr) {
      throw ValueError(fmt::format("Tensor {} must be from the same graph as the node '{}' that takes it.",
                                   input.name(), request.name.empty() ? request.op : request.name));
    }
    input = captures->stand_in(input);
  }
  return inputs;
}

}  // namespace

Node* Graph::add(const NodeRequest& request) {
  if (eager_ != nullptr) return eager_->run(request);
  check_not_finalized();
  Node node;
  node.graph_ = this;
  node.schema_ = ops_.find(request.op);
  if (node.schema_ == nullptr) node.schema_ = library_op(*this, request.op);
  if (node.schema_ == nullptr) {
    throw errors::NotFoundError(
        fmt::format("Op type not registered '{}' in binary running here.", request.op));
  }
  node.inputs_ = inputs_in(*this, request);
  node.name_ = node_name(request);
  node.attrs_ = request.attrs;
  node.line_ = request.line.line != 0 ? request.line : scopes().line;
  complete_attrs(*node.schema_, node.name_, node.inputs_, node.attrs_);
  apply_container(*this, *node.schema_, node.attrs_);
  override_gradient(*this, node.schema_->name, node.attrs_);
  node.output_dtypes_ = output_dtypes(*node.schema_, node.attrs_);
  apply_control_scopes(request, node);
  apply_device_scopes(node);
  FlowContexts& contexts = FlowContexts::of(*this);
  FlowContext* context = contexts.any() ? contexts.current(scopes()) : nullptr;
  if (contexts.any()) check_inputs_from_context(contexts, node, context);
  std::vector<Node*> outside_controls;
  if (context != nullptr) {
    context = context->home_of(request);
    outside_controls = context->take_outside_controls(node.control_inputs_);
  }
  node.output_shapes_ = infer_shapes(node, node.num_outputs());
  const auto& functions = device_function_frames();
  const bool asks_functions = !functions.empty() && device_of_colocation(*this, scopes()).empty();
  Node* const made = insert(std::move(node));
  for (auto frame = functions.rbegin(); asks_functions && frame != functions.rend(); ++frame) {
    if (frame->graph != this) continue;
    if (!frame->function) break;
    made->device_ = frame->function(*made);
    if (frame->num_outer_devices == 0) continue;
    made->device_ = filled_in_device(made->device_, scopes().devices[frame->num_outer_devices - 1]);
  }
  if (context != nullptr) {
    contexts.set(*made, context);
    tell_context(*context, *made, outside_controls);
  }
  return made;
}

Node* Graph::add_constant(const Array& value, std::string_view name) {
  if (eager_ != nullptr) return eager_->constant(value);
  return add({.op = "Const", .name = name, .attrs = {{"dtype", value.dtype()}, {"value", value}}});
}

Node* Graph::insert(Node node) {
  Node* made = nullptr;
  {
    const WriterLock lock(mutex_);
    if (by_name_.find(node.name_) != nullptr) {
      throw ValueError(fmt::format("Duplicate node name in graph: '{}'", node.name_));
    }
    node.id_ = static_cast<int>(nodes_.size());
    made = &single_nodes_.emplace_back(std::move(node));
    nodes_.push_back(made);
    by_name_.insert(made);
    num_nodes_.store(static_cast<int>(nodes_.size()), std::memory_order_release);
  }
  std::vector<Scopes::ControlFrame>& frames = scopes().control;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frame->made_inside.push_back(made);
    if (frame->clears) break;  // those around it are not in force
  }
  return made;
}

void Graph::insert_batch(std::deque<Node> nodes) {
  check_not_finalized();
  const WriterLock lock(mutex_);
  for (const Node& node : nodes) {
    if (nodes_.empty() || by_name_.find(node.name_) == nullptr) continue;
    throw ValueError(fmt::format("Node name '{}' already exists in the Graph", node.name_));
  }
  std::deque<Node>& kept = node_batches_.emplace_back(std::move(nodes));
  nodes_.reserve(nodes_.size() + kept.size());
  by_name_.reserve(nodes_.size() + kept.size());
  batches_without_names_in_use_.push_back(&kept);
  for (Node& node : kept) {
    node.id_ = static_cast<int>(nodes_.size());
    nodes_.push_back(&node);
    by_name_.insert(&node);
  }
  num_nodes_.store(static_cast<int>(nodes_.size()), std::memory_order_release);
}

Node* NodeBatch::add(Request request) {
  Node& node = nodes_.emplace_back();
  node.graph_ = &graph_;
  node.schema_ = request.schema;
  node.name_ = std::move(request.name);
  node.inputs_ = std::move(request.inputs);
  node.control_inputs_ = std::move(request.control_inputs);
  node.attrs_ = std::move(request.attrs);
  node.device_ = std::move(request.device);
  node.line_ = request.line;
  node.output_dtypes_ = output_dtypes(*node.schema_, node.attrs_);
  node.output_shapes_ = infer_shapes(node, node.num_outputs());
  return &node;
}

std::string Graph::node_name(const NodeRequest& request) {
  const std::string_view wanted = request.name.empty() ? request.op : request.name;
  std::string name =
      wanted.ends_with('/') ? std::string(wanted.substr(0, wanted.size() - 1)) : unique_name(wanted);
  if (!is_valid_node_name(name)) {
    throw ValueError(
        fmt::format("`{}` is not a valid node name. Accepted names conform to Regex "
                    R"(/re.compile('^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$')/)",
                    name));
  }
  return name;
}

std::string Graph::unique_name(std::string_view name, bool mark_as_used) {
  const std::string& scope = scopes().name;
  std::string full;
  full.reserve(scope.size() + 1 + name.size());
  if (!scope.empty()) full.append(scope).push_back('/');
  full.append(name);
  const std::string base_key = lower(full);
  std::string key = base_key;
  const WriterLock lock(mutex_);
  enter_names_of_batches();
  const auto used = names_in_use_.find(base_key);
  int next = used == names_in_use_.end() ? 0 : used->second;
  if (mark_as_used) names_in_use_[base_key] = next + 1;
  if (next == 0) return full;
  while (names_in_use_.contains(key)) {
    key.resize(base_key.size());
    append_number(key, next++);
  }
  if (mark_as_used) names_in_use_[key] = 1;
  append_number(full, next - 1);
  return full;
}

/// Lazy: a graph that is only imported and run never looks names up.
void Graph::enter_names_of_batches() {
  for (const std::deque<Node>* batch : batches_without_names_in_use_) {
    names_in_use_.reserve(names_in_use_.size() + batch->size());
    for (const Node& node : *batch) names_in_use_.try_emplace(lower(node.name_), 1);
  }
  batches_without_names_in_use_.clear();
}

Node* Graph::find(std::string_view name) const {
  const ReaderLock lock(mutex_);
  Node* const* found = by_name_.find(name);
  return found == nullptr ? nullptr : *found;
}

std::vector<Node*> Graph::nodes() const {
  const ReaderLock lock(mutex_);
  return nodes_;
}

/// Each node asks several times, mostly of one graph: what a thread found last is kept, and is there as long
/// as the graph, whose number no other one gets.
Scopes& Graph::scopes() {
  struct Last {
    uint64_t graph = 0;
    Scopes* scopes = nullptr;
  };
  static thread_local Last last;
  if (last.graph == number_) return *last.scopes;
  const MutexLock lock(scopes_mutex_);
  std::unique_ptr<Scopes>& scopes = scopes_[std::this_thread::get_id()];
  if (scopes == nullptr) scopes = std::make_unique<Scopes>();
  last = {number_, scopes.get()};
  return *scopes;
}

void Graph::apply_control_scopes(const NodeRequest& request, Node& node) {
  node.control_inputs_ = request.control_inputs;
  for (Node* control : asked_controls(scopes(), node.inputs_)) node.add_control_input(control);
}

void Graph::apply_device_scopes(Node& node) {
  const Scopes& open = scopes();
  if (!open.devices.empty()) node.device_ = open.devices.back();
  if (std::string device = device_of_colocation(*this, open); !device.empty())
    node.device_ = std::move(device);
  std::set<std::string> groups;
  for (const auto& frame : open.colocation) groups.insert(frame.begin(), frame.end());
  if (groups.empty()) return;
  if (const AttrValue* own = node.attrs_.find("_class")) {
    for (const std::string& group : own->get<std::vector<std::string>>()) groups.insert(group);
  }
  node.attrs_.set("_class", std::vector<std::string>(groups.begin(), groups.end()));
}

}  // namespace flowray::graph
