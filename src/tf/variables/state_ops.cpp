#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/variable.h>

#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

namespace flowray::tf {

Tensor assign(const Variable& ref, const Input& value, const AssignOptions& options) {
  if (ref.has_value() && ref.state()->is_resource) return ref.assign(value, {.name = options.name});
  return apply_op(
      {.op = "Assign",
       .name = options.name,
       .args = {Input(ref, value.where()), value},
       .attrs = {{"validate_shape", options.validate_shape}, {"use_locking", options.use_locking}}});
}

Tensor assign_add(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  (void)graph_of({{"ref", Input(ref, value.where())}, {"value", value}});
  return ref.assign_add(value, ref.state()->is_resource ? AssignUpdateOptions() : options);
}

Tensor assign_sub(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  (void)graph_of({{"ref", Input(ref, value.where())}, {"value", value}});
  return ref.assign_sub(value, ref.state()->is_resource ? AssignUpdateOptions() : options);
}

Tensor count_up_to(const Variable& ref, int64_t limit, const NameOption& options, Input::Where where) {
  const ErrorLine errors(where);
  if (!ref.has_value() || !ref.state()->is_resource) {
    return apply_op(
        {.op = "CountUpTo", .name = options.name, .args = {Input(ref, where)}, .attrs = {{"limit", limit}}});
  }
  return apply_op({.op = "ResourceCountUpTo",
                   .name = options.name,
                   .args = {Input(ref, where)},
                   .attrs = {{"limit", limit}, {"T", ref.state()->dtype}}});
}

Tensor Variable::count_up_to(int64_t limit, Input::Where where) const {
  return tf::count_up_to(*this, limit, {}, where);
}

Tensor is_variable_initialized(const Variable& ref, const NameOption& options, Input::Where where) {
  const ErrorLine errors(where);
  const std::string op =
      ref.is_resource(where) && !ref.ref().is_eager() ? "VarIsInitializedOp" : "IsVariableInitialized";
  return apply_op({.op = op, .name = options.name, .args = {Input(ref, where)}});
}

Tensor assert_variables_initialized(const std::vector<Variable>& variables, Input::Where where) {
  const ErrorLine errors(where);
  if (variables.empty()) return {};
  check_all_set(variables, "variables");
  graph::Graph& graph = variables.front().op().node()->graph();
  const CallScope call(graph, where);
  std::vector<Input> ranks;
  for (const Variable& variable : variables) {
    const ColocationGuard with = colocate_with(variable.op());
    ranks.emplace_back(apply_op({.op = "Rank", .args = {Input(variable)}}));
  }
  return stack(ranks);
}

namespace {

std::vector<Variable> global_and_local_variables() {
  std::vector<Variable> all = global_variables();
  for (const Variable& variable : local_variables()) all.push_back(variable);
  return all;
}

}  // namespace

Tensor assert_variables_initialized(Input::Where where) {
  return assert_variables_initialized(global_and_local_variables(), where);
}

Tensor report_uninitialized_variables(const std::vector<Variable>& variables, const NameOption& options,
                                      Input::Where where) {
  const ErrorLine errors(where);
  check_all_set(variables, "variables");
  graph::Graph& graph = variables.empty() ? default_graph() : variables.front().op().node()->graph();
  Composite call(graph, options.name, "report_uninitialized_variables", where);
  if (variables.empty()) return constant(Array(DType::kString, {0}));
  std::vector<Input> there;
  std::vector<std::string> names;
  for (const Variable& variable : variables) {
    there.emplace_back(is_variable_initialized(variable));
    names.push_back(variable.op().name());
  }
  const Tensor missing = logical_not(stack(there));
  const Tensor all_names = constant(Array(names));
  return boolean_mask(all_names, missing);
}

Tensor report_uninitialized_variables(const NameOption& options, Input::Where where) {
  return report_uninitialized_variables(global_and_local_variables(), options, where);
}

Operation tables_initializer(const std::string& name, Input::Where where) {
  std::vector<Dependency> initializers;
  for (graph::Node* node : internal::collections_of(default_graph()).operations(internal::kTableInitializers))
    initializers.emplace_back(Operation(node));
  return group(initializers, name, where);
}

}  // namespace flowray::tf
