#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/call_scope.h"
#include "tf/build/collections.h"
#include "tf/build/resource_variable.h"
#include "tf/build/unset.h"
#include "tf/variables/initialized_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace flowray::tf::train {
namespace {

/// "v:0" without its ":0".
std::string node_name(const std::string& tensor_name) {
  return tensor_name.substr(0, tensor_name.rfind(':'));
}

/// A name of the current variable scope that no variable has: NAME, NAME_1, ...
std::string free_name(const std::string& scope, const std::string& name) {
  std::set<std::string> taken;
  for (const Variable& variable : global_variables()) taken.insert(variable.op().name());
  std::string chosen = name;
  for (int i = 1; taken.contains(scope + "/" + chosen); ++i) chosen = fmt::format("{}_{}", name, i);
  return chosen;
}

/// Sets the average of values that began at 0 to what it would be without those: the biased one is a variable
/// beside it, and so is the number of updates.
Tensor assign_without_bias(const Variable& average, const Tensor& value, const Tensor& rest,
                           const std::string& result_name) {
  Variable biased;
  Variable updates;
  {
    const std::string scope_name = average.op().name();
    const VariableScopeGuard scope = variable_scope(scope_name);
    const ColocationGuard with = colocate_with(average.op());
    const GetVariableOptions zero = {
        .dtype = base_dtype(average.dtype()), .initializer = zeros_initializer(), .trainable = false};
    biased = get_variable(free_name(scope_name, "biased"), average.shape(), zero);
    updates = get_variable(free_name(scope_name, "local_step"), TensorShape{}, zero);
  }
  const Tensor distance = biased - value;
  const Tensor sum = biased.assign_sub(distance * rest);
  const Tensor count = updates.assign_add(1);
  const Tensor decay = 1.0 - rest;
  const Tensor factor = 1 - pow(decay, count);
  return average.assign(sum / factor, {.use_locking = true, .name = result_name});
}

/// TensorFlow's assign_moving_average.
Tensor assign_average(const Variable& average, const Input& value, const Tensor& decay, bool without_bias) {
  graph::Graph& graph = default_graph();
  const graph::NameScope scope(graph, "AssignMovingAvg");
  Tensor rest = 1.0 - decay;
  if (const DType dtype = base_dtype(average.dtype()); base_dtype(rest.dtype()) != dtype)
    rest = cast(rest, dtype);
  if (without_bias) return assign_without_bias(average, *value.tensor(), rest, scope.path());
  const Tensor distance = average - value;
  return average.assign_sub(distance * rest, {.name = average.state()->is_resource ? "" : scope.path()});
}

}  // namespace

ExponentialMovingAverage::ExponentialMovingAverage(const Input& decay,
                                                   const ExponentialMovingAverageOptions& options)
    : decay_(decay), options_(options) {
  (void)graph_of({{"decay", decay}, {"num_updates", options.num_updates}});
}

Operation ExponentialMovingAverage::apply(Input::Where where) {
  std::vector<Averaged> all;
  for (const Variable& variable : trainable_variables()) all.emplace_back(variable);
  return apply(all, where);
}

Operation ExponentialMovingAverage::apply(const std::vector<Averaged>& var_list, Input::Where where) {
  const ErrorLine errors(where);
  for (size_t i = 0; i < var_list.size(); ++i)
    (void)node_of_either(var_list[i].tensor(), element_name("var_list", i));
  graph::Graph& graph = var_list.empty() ? default_graph() : var_list.front().tensor().node()->graph();
  const CallScope call(graph, where);
  for (const Averaged& of : var_list) {
    const DType dtype = of.variable().has_value() ? of.variable().dtype() : of.tensor().dtype();
    if (!is_floating(base_dtype(dtype)))
      throw TypeError(fmt::format("The variables must be half, float, or double: {}", of.tensor().name()));
    Variable& shadow = shadows_[of.tensor().name()];
    if (!shadow.has_value()) shadow = make_shadow(of);
  }
  const graph::NameScope scope(graph, options_.name);
  Tensor decay = to_tensor(graph, decay_, "decay", DType::kFloat32);
  if (options_.num_updates.has_value()) {
    const Tensor updates = cast(*options_.num_updates, DType::kFloat32, {.name = "num_updates"});
    const Tensor above = 1.0 + updates;
    const Tensor below = 10.0 + updates;
    decay = minimum(decay, above / below);
  }
  std::vector<Dependency> updates;
  for (const Averaged& of : var_list) {
    const Input value = of.variable().has_value() ? Input(of.variable()) : Input(of.tensor());
    const bool without_bias = options_.zero_debias && !of.variable().has_value();
    updates.emplace_back(
        assignment_behind(assign_average(shadows_.at(of.tensor().name()), value, decay, without_bias)));
  }
  return group(updates, scope.path());
}

Variable ExponentialMovingAverage::make_shadow(const Averaged& of) const {
  graph::Graph& graph = of.tensor().node()->graph();
  const ControlDependenciesGuard outside_of_scopes = no_control_dependencies();
  const Tensor first = of.variable().has_value() ? initialized_value(of.variable()) : Tensor();
  const std::string owner = of.tensor().op().name();
  if (!first.has_value() && !of.tensor().shape().is_fully_defined()) {
    throw errors::UnimplementedError(
        fmt::format("The average of {} is of a shape that is not known: {}\nGive it one: "
                    "tf::Tensor::set_shape.",
                    of.tensor().name(), of.tensor().shape().to_tuple_string()));
  }
  const VariableScopeGuard scope = variable_scope("", {.default_name = owner + "/" + options_.name});
  const std::string_view op = of.tensor().node()->op();
  const bool is_state = op == "VariableV2" || op == "Variable" || op == "VarHandleOp";
  std::optional<ColocationGuard> with;
  if (is_state) with.emplace(&graph, colocation_groups(*of.tensor().node()));
  if (first.has_value()) {
    if (!graph.is_eager())
      internal::collections_of(graph).add(internal::kMovingAverageVariables, of.variable().state());
    return get_variable(
        "", {.initializer = first, .trainable = false, .use_resource = of.variable().is_resource()});
  }
  return get_variable(
      "", of.tensor().shape(),
      {.dtype = base_dtype(of.tensor().dtype()), .initializer = zeros_initializer(), .trainable = false});
}

Variable ExponentialMovingAverage::average(const Averaged& of) const {
  (void)node_of_either(of.tensor(), "of");
  const auto found = shadows_.find(of.tensor().name());
  return found == shadows_.end() ? Variable() : found->second;
}

std::string ExponentialMovingAverage::average_name(const Variable& variable) const {
  (void)node_of(variable, "variable");
  if (const Variable shadow = average(variable); shadow.has_value()) return node_name(shadow.name());
  return get_default_graph().unique_name(node_name(variable.name()) + "/" + options_.name,
                                         {.mark_as_used = false});
}

std::map<std::string, Variable> ExponentialMovingAverage::variables_to_restore(
    const std::optional<std::vector<Variable>>& moving_avg_variables) const {
  std::vector<Variable> averaged;
  if (moving_avg_variables) {
    averaged = *moving_avg_variables;
    check_all_set(averaged, "moving_avg_variables");
  } else {
    averaged = trainable_variables();
    for (const auto& state :
         internal::collections_of(default_graph()).variables(internal::kMovingAverageVariables))
      averaged.emplace_back(state);
  }
  std::map<std::string, Variable> by_name;
  for (const Variable& variable : averaged) by_name[average_name(variable)] = variable;
  for (const Variable& variable : global_variables()) {
    if (std::ranges::find(averaged, variable) == averaged.end())
      by_name.try_emplace(variable.op().name(), variable);
  }
  return by_name;
}

}  // namespace flowray::tf::train
