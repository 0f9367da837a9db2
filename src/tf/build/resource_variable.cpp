#include "tf/build/resource_variable.h"

#include <flowray/tf/array.h>

#include "graph/builder.h"
#include "tf/build/apply_op.h"
#include "tf/build/function_graph.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace flowray::tf {

using internal::VariableState;

Anywhere::Anywhere(graph::Graph& graph)
    : graph_(graph), colocation_(std::exchange(graph.scopes().colocation, {})) {
  devices_.emplace(&graph, DeviceFunction());
}

Anywhere::~Anywhere() {
  devices_.reset();
  graph_.scopes().colocation = std::move(colocation_);
}

Tensor graph_element(const Variable& variable) {
  if (variable.has_value() && !variable.state()->parts.empty()) return variable.value();
  if (!variable.has_value() || !variable.state()->is_resource) return variable.ref();
  return tensor_of(variable.state()->snapshot);
}

graph::Endpoint handle_here(const VariableState& variable) {
  const graph::Endpoint handle = variable.node->output(0);
  FunctionGraph* const function = FunctionGraph::current();
  if (function == nullptr || &function->graph() == &variable.node->graph()) return handle;
  return function->bring_in(handle);
}

Tensor new_read(const VariableState& variable) {
  const graph::Endpoint handle = handle_here(variable);
  graph::Builder builder(handle.node->graph());
  std::optional<ControlDependenciesGuard> after;
  if (variable.assigned != nullptr)
    after.emplace(&builder.graph(), std::vector<graph::Node*>{variable.assigned}, /*clears=*/false);
  return tensor_of(builder.op("ReadVariableOp", {handle}, {{"dtype", variable.dtype}}));
}

namespace {

Tensor read_at_its_place(const VariableState& variable) {
  if (!variable.caching_device) return new_read(variable);
  const Anywhere anywhere(variable.node->graph());
  const DeviceFunctionGuard there(&variable.node->graph(), variable.caching_device);
  return new_read(variable);
}

}  // namespace

Tensor value_of_resource(const VariableState& variable) {
  if (variable.cached) return tensor_of(variable.cached);
  if (variable.assigned != nullptr) return new_read(variable);
  const Anywhere anywhere(variable.node->graph());
  return read_at_its_place(variable);
}

Tensor read_resource(const VariableState& variable) {
  if (variable.assigned != nullptr) return new_read(variable);
  const graph::Endpoint handle = handle_here(variable);
  graph::Graph& graph = handle.node->graph();
  Tensor value;
  {
    const graph::NameScope scope(graph, "Read");
    value = read_at_its_place(variable);
  }
  return tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(value)}));
}

std::string internal::SaveSlice::spec() const {
  std::vector<std::string> dims;
  for (size_t i = 0; i < shape.size(); ++i) dims.push_back(fmt::format("{},{}", offset[i], shape[i]));
  return fmt::format("{} {}", fmt::join(full_shape, " "), fmt::join(dims, ":"));
}

Tensor concatenated_parts(const VariableState& variable) {
  graph::Graph& graph = variable.node->graph();
  std::vector<Input> values;
  for (const auto& part : variable.parts) values.emplace_back(Variable(part), Input::Where());
  Input all = values.front();
  if (values.size() > 1) {
    const auto cut = std::ranges::find_if(variable.partitions, [](int64_t parts) { return parts > 1; });
    const auto axis = static_cast<int32_t>(cut - variable.partitions.begin());
    const graph::NameScope scope(graph, variable.whole_name + "/ConcatPartitions/");
    all = concat(values, axis);
  }
  const graph::NameScope root(graph, "");
  return identity(all, {variable.whole_name});
}

Tensor value_of_parts(const VariableState& variable) {
  const ControlDependenciesGuard free(&variable.node->graph(), {}, /*clears=*/true);
  return concatenated_parts(variable);
}

namespace {

/// The value in the variable's dtype.
graph::Endpoint converted(const VariableState& variable, graph::Graph& graph, const Input& value) {
  const std::string_view name = value.list() != nullptr ? "packed" : "Const";
  const graph::Endpoint endpoint = convert_to_endpoint(graph, value, variable.dtype, name);
  if (base_dtype(endpoint.dtype()) != variable.dtype) {
    throw ValueError(fmt::format("Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
                                 dtype_name(variable.dtype), dtype_name(endpoint.dtype()),
                                 tensor_text(endpoint)));
  }
  return endpoint;
}

}  // namespace

graph::Node* assign_resource(const VariableState& variable, std::string_view op, const Input& value,
                             const std::string& name) {
  const Tensor handle = tensor_of(handle_here(variable));
  graph::Graph& graph = handle.node()->graph();
  const UserLine line(graph, value.where());
  graph::Node* const first = variable.assigned != nullptr ? variable.assigned
                             : op != "AssignVariableOp" && variable.cached.node != nullptr
                                 ? variable.cached.node
                                 : nullptr;
  std::optional<ControlDependenciesGuard> after;
  if (first != nullptr) after.emplace(&graph, std::vector<graph::Node*>{first}, /*clears=*/false);
  const graph::Endpoint converted_value = converted(variable, graph, value);
  graph::Attrs attrs;
  if (op == "AssignVariableOp") {
    if (!variable.shape.is_compatible_with(converted_value.shape())) {
      throw ValueError(fmt::format(
          "Cannot assign value to variable ' {}:0': Shape mismatch.The variable shape {}, and the "
          "assigned value shape {} are incompatible.",
          variable.node->name(), variable.shape.to_tuple_string(),
          converted_value.shape().to_tuple_string()));
    }
    attrs = {{"validate_shape", variable.validate_shape && variable.shape.is_fully_defined()}};
  }
  return apply_op_node(
      {.op = op, .name = name, .args = {handle, tensor_of(converted_value)}, .attrs = std::move(attrs)});
}

Operation assignment_behind(const Tensor& updated) {
  graph::Node& node = *updated.node();
  if (node.op() != "ReadVariableOp") return updated.op();
  // The variable's own and last: the program may have asked that this follows other assignments.
  const std::span<graph::Node* const> controls = node.control_inputs();
  for (auto control = controls.rbegin(); control != controls.rend(); ++control) {
    if ((*control)->op().starts_with("Assign") && (*control)->input(0) == node.input(0))
      return Operation(*control);
  }
  return updated.op();
}

std::shared_ptr<VariableState> variable_after(const VariableState& variable, graph::Node& assignment) {
  auto state = std::make_shared<VariableState>(variable);
  state->assigned = &assignment;
  state->cached = {};
  state->caching_device = {};
  state->constraint = {};
  state->initializer = nullptr;
  state->initial_value = {};
  std::optional<ControlDependenciesGuard> before;
  if (variable.assigned != nullptr) {
    before.emplace(&assignment.graph(), std::vector<graph::Node*>{variable.assigned}, /*clears=*/false);
  }
  state->snapshot = endpoint_of(new_read(*state));
  return state;
}

}  // namespace flowray::tf
