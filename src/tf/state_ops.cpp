#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/state_ops.h>

#include "tf/apply_op.h"
#include "tf/collections.h"

namespace flowray::tf {

Tensor assign(const Variable& ref, const Input& value, const AssignOptions& options) {
  return apply_op(
      {.op = "Assign",
       .name = options.name,
       .args = {Input(ref, value.where()), value},
       .attrs = {{"validate_shape", options.validate_shape}, {"use_locking", options.use_locking}}});
}

Tensor assign_add(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  return ref.assign_add(value, options.use_locking, options.name);
}

Tensor assign_sub(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  return ref.assign_sub(value, options.use_locking, options.name);
}

Tensor assert_variables_initialized(const std::vector<Variable>& variables, Input::Where where) {
  if (variables.empty()) return {};
  graph::Graph& graph = variables.front().op().node()->graph();
  const GraphScope in_graph(&graph);
  const UserLine line(graph, where);
  std::vector<Input> ranks;
  for (const Variable& variable : variables) {
    const ColocationGuard with = colocate_with(variable.op());
    ranks.emplace_back(apply_op({.op = "Rank", .args = {Input(variable)}}));
  }
  return stack(ranks);
}

Tensor assert_variables_initialized(Input::Where where) {
  std::vector<Variable> all = global_variables();
  for (const Variable& variable : local_variables()) all.push_back(variable);
  return assert_variables_initialized(all, where);
}

Operation tables_initializer(const std::string& name, Input::Where where) {
  std::vector<Dependency> initializers;
  for (graph::Node* node : internal::collections_of(default_graph()).operations(internal::kTableInitializers))
    initializers.emplace_back(Operation(node));
  return group(initializers, name, where);
}

}  // namespace flowray::tf
