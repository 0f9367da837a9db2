#include <flowray/tf/control_flow.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable_scope.h>

#include "graph/builder.h"
#include "ops/python_nodes/indexed_slices.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/call_scope.h"
#include "tf/build/collections.h"
#include "tf/build/resource_variable.h"
#include "tf/build/unset.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace flowray::tf::train {
namespace {

/// ["<tf.Variable 'v:0' shape=() dtype=float32_ref>", ...]
std::string variable_list(const std::vector<GradientAndVariable>& pairs) {
  std::ostringstream text;
  text << "[";
  for (size_t i = 0; i < pairs.size(); ++i) text << (i == 0 ? "\"" : ", \"") << pairs[i].variable << "\"";
  text << "]";
  return text.str();
}

std::vector<Variable> with_gradient(const std::vector<GradientAndVariable>& pairs) {
  std::vector<Variable> variables;
  for (const GradientAndVariable& pair : pairs) {
    if (pair.gradient.has_value()) variables.push_back(pair.variable);
  }
  return variables;
}

/// What slots are found by. Variables of eager execution may have one name.
std::string slot_key(const Variable& variable) {
  const graph::Node& node = *variable.ref().node();
  return node.is_value() ? node.attrs().get<std::string>("shared_name") : variable.name();
}

void check_loss(const Tensor& loss) {
  (void)node_of(loss, "loss");
  if (is_floating(base_dtype(loss.dtype()))) return;
  throw ValueError(
      fmt::format("Invalid type tf.{} for {}, expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16].",
                  dtype_name(loss.dtype()), loss.name()));
}

/// What minimize passes on.
ComputeGradientsOptions gradients_of(const MinimizeOptions& options) {
  return {.var_list = options.var_list,
          .gate_gradients = options.gate_gradients,
          .aggregation_method = options.aggregation_method,
          .colocate_gradients_with_ops = options.colocate_gradients_with_ops,
          .grad_loss = options.grad_loss};
}

std::vector<GradientAndVariable> paired(const std::vector<Tensor>& grads,
                                        const std::vector<Variable>& variables) {
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.push_back({grads[i], variables[i]});
  return pairs;
}

[[noreturn]] void throw_no_gradients(const std::vector<GradientAndVariable>& pairs, const std::string& loss) {
  throw ValueError(
      fmt::format("No gradients provided for any variable, check your graph for ops that do not support "
                  "gradients, between variables {} and loss {}.",
                  variable_list(pairs), loss));
}

}  // namespace

void check_positive(double number, std::string_view name) {
  if (!(number <= 0)) return;
  const char* const end = number == std::trunc(number) ? ".0" : "";  // as Python writes a float
  throw ValueError(fmt::format("{} must be positive: {}{}", name, number, end));
}

void check_variables_set(const std::vector<GradientAndVariable>& grads_and_vars) {
  for (size_t i = 0; i < grads_and_vars.size(); ++i)
    (void)node_of(grads_and_vars[i].variable, element_name("grads_and_vars", i) + ".variable");
}

namespace {

/// The update, or what puts the value through the variable's constraint after it.
Operation constrained(const Operation& update, const GradientAndVariable& pair) {
  const Variable& variable = pair.variable;
  const Constraint constraint = variable.constraint();
  if (!constraint.has_value()) return update;
  if (!ops::slices_of(endpoint_of(pair.gradient)).empty())
    throw RuntimeError("Cannot use a constraint function on a sparse variable.");
  const ControlDependenciesGuard after = control_dependencies({update});
  return assignment_behind(variable.assign(returned(constraint(variable), "constraint")));
}

}  // namespace

Operation Optimizer::minimize(const Tensor& loss, const MinimizeOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  const auto pairs = compute_gradients(loss, gradients_of(options), where);
  if (with_gradient(pairs).empty()) {
    std::ostringstream text;
    text << loss;
    throw_no_gradients(pairs, text.str());
  }
  return apply_gradients(pairs, {.global_step = options.global_step, .name = options.name}, where);
}

std::vector<GradientAndVariable> Optimizer::compute_gradients(const Tensor& loss,
                                                              const ComputeGradientsOptions& options,
                                                              Input::Where where) {
  const ErrorLine errors(where);
  if (loss.is_eager()) {
    throw RuntimeError(
        "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.");
  }
  check_loss(loss);
  std::vector<Variable> variables = options.var_list;
  check_all_set(variables, "var_list");
  if (variables.empty()) {
    const GraphScope scope = loss.graph().as_default();
    variables = trainable_variables();
  }
  if (variables.empty()) throw ValueError("No variables to optimize.");
  std::vector<GradientTarget> targets(variables.begin(), variables.end());
  GradientsOptions gradient_options{.colocate_gradients_with_ops = options.colocate_gradients_with_ops,
                                    .gate_gradients = options.gate_gradients == Gate::kOperation,
                                    .aggregation_method = options.aggregation_method};
  if (options.grad_loss.has_value()) gradient_options.grad_ys = {options.grad_loss};
  std::vector<Tensor> grads = gradients(loss, targets, gradient_options, where);
  if (options.gate_gradients == Gate::kGraph) grads = tuple(grads, "tuple", where);
  return paired(grads, variables);
}

std::vector<GradientAndVariable> Optimizer::compute_gradients(const std::function<Tensor()>& loss,
                                                              const ComputeGradientsOptions& options,
                                                              Input::Where where) {
  const ErrorLine errors(where);
  internal::check_callable(loss, "loss", where);
  if (!default_graph().is_eager()) return compute_gradients(returned(loss(), "loss"), options, where);
  GradientTape tape;
  const Tensor value = returned(loss(), "loss");
  tape.stop();
  if (!is_floating(base_dtype(value.dtype()))) check_loss(value);
  std::vector<Variable> variables = options.var_list;
  check_all_set(variables, "var_list");
  if (variables.empty()) variables = tape.watched_variables();
  if (variables.empty()) throw ValueError("No variables to optimize.");
  TapeGradientOptions tape_options;
  if (options.grad_loss.has_value()) tape_options.output_gradients = {options.grad_loss};
  const std::vector<Tensor> grads =
      tape.gradient(List<Tensor>({value}),
                    List<GradientTarget>(std::vector<GradientTarget>(variables.begin(), variables.end())),
                    tape_options, where);
  return paired(grads, variables);
}

Operation Optimizer::minimize(const std::function<Tensor()>& loss, const MinimizeOptions& options,
                              Input::Where where) {
  const ErrorLine errors(where);
  const auto pairs = compute_gradients(loss, gradients_of(options), where);
  if (with_gradient(pairs).empty()) throw_no_gradients(pairs, "<function>");
  return apply_gradients(pairs, {.global_step = options.global_step, .name = options.name}, where);
}

Operation Optimizer::apply_gradients(const std::vector<GradientAndVariable>& grads_and_vars,
                                     const ApplyGradientsOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (grads_and_vars.empty()) throw ValueError("No variables provided.");
  check_variables_set(grads_and_vars);
  const std::vector<Variable> variables = with_gradient(grads_and_vars);
  if (variables.empty()) {
    throw ValueError(
        fmt::format("No gradients provided for any variable: {}.", variable_list(grads_and_vars)));
  }
  // Variables of eager execution are updated in the graph of the function that does so, but have their
  // slots outside.
  graph::Graph& home = variables.front().op().node()->graph();
  graph::Graph& graph = home.is_eager() ? default_graph() : home;
  const CallScope call(graph, where);
  {
    const GraphScope at_home(&home);
    const ControlDependenciesGuard free = no_control_dependencies();
    create_slots(variables);
  }
  const graph::NameScope scope(graph, options.name.empty() ? name_ : options.name);
  prepare();
  std::vector<Operation> updates;
  for (const GradientAndVariable& pair : grads_and_vars) {
    if (!pair.gradient.has_value()) continue;
    const graph::NameScope update_scope(graph, "update_" + pair.variable.op().name());
    const ColocationGuard with = colocate_with(pair.variable.op());
    updates.push_back(constrained(apply_either(pair), pair));
  }
  Operation update;
  if (!options.global_step.has_value()) {
    update = returned(finish(updates, scope.path()), "finish");
  } else {
    const ControlDependenciesGuard wait =
        control_dependencies({returned(finish(updates, "update"), "finish")});
    const ColocationGuard with = colocate_with(options.global_step.op());
    const internal::VariableState& step = *options.global_step.state();
    update = step.is_resource ? Operation(assign_resource(step, "AssignAddVariableOp", 1, scope.path()))
                              : options.global_step.assign_add(Input(1, where), {.name = scope.path()}).op();
  }
  if (!graph.is_eager()) internal::collections_of(graph).add_once(internal::kTrainOp, update.node());
  return update;
}

Operation Optimizer::apply_either(const GradientAndVariable& pair) {
  const std::vector<ops::IndexedSlices> slices = ops::slices_of(endpoint_of(pair.gradient));
  const auto dense = [&] { return returned(apply_dense(pair.gradient, pair.variable), "apply_dense"); };
  if (slices.empty()) return dense();
  std::vector<graph::Endpoint> values;
  std::vector<graph::Endpoint> indices;
  for (const ops::IndexedSlices& some : slices) {
    values.push_back(some.values);
    indices.push_back(some.indices);
    if (indices.back().dtype() != indices.front().dtype()) return dense();
  }
  graph::Builder builder(pair.gradient.node()->graph());
  const auto joined = [&](const std::vector<graph::Endpoint>& parts) {
    return tensor_of(parts.size() == 1 ? parts.front() : ops::python_concat(builder, parts));
  };
  const Tensor all_values = joined(values);
  return returned(apply_sparse_duplicates(all_values, joined(indices), pair.gradient, pair.variable),
                  "apply_sparse");
}

Operation Optimizer::apply_sparse(const Tensor&, const Tensor&, const Tensor& gradient,
                                  const Variable& variable) {
  return apply_dense(gradient, variable);
}

Operation Optimizer::apply_sparse_duplicates(const Tensor& values, const Tensor& indices,
                                             const Tensor& gradient, const Variable& variable) {
  graph::Builder builder(values.node()->graph());
  graph::Node* unique = builder.node("Unique", {endpoint_of(indices)});
  const graph::Endpoint count =
      ops::python_element(builder, ops::python_shape_of_type(builder, unique->output(0), DType::kInt32), 0);
  const graph::Endpoint sums =
      builder.op("UnsortedSegmentSum", {endpoint_of(values), unique->output(1), count});
  return apply_sparse(tensor_of(sums), tensor_of(unique->output(0)), gradient, variable);
}

Operation Optimizer::finish(const std::vector<Operation>& updates, const std::string& name) {
  return group(std::vector<Dependency>(updates.begin(), updates.end()), name);
}

Variable Optimizer::get_slot(const Variable& variable, const std::string& name, Input::Where where) const {
  const ErrorLine errors(where);
  (void)node_of(variable, "variable");
  const auto by_variable = slots_.find(name);
  if (by_variable == slots_.end()) return {};
  const auto found = by_variable->second.find(slot_key(variable));
  return found == by_variable->second.end() ? Variable() : found->second;
}

std::vector<std::string> Optimizer::get_slot_names() const {
  std::vector<std::string> names;
  for (const auto& [name, slots] : slots_) names.push_back(name);
  return names;
}

namespace {

/// The slot of a part is a part, too: of what the whole would have.
void keep_slice(const Variable& variable, const Variable& slot) {
  const std::optional<internal::SaveSlice>& part = variable.state()->slice;
  if (!part.has_value() || !slot.shape().has_rank() || slot.shape().rank() == 0) return;
  const std::string own = slot.op().name().substr(variable.op().name().size() + 1);
  internal::SaveSlice slice = *part;
  slice.full_name += "/" + own;
  const auto rank = static_cast<size_t>(slot.shape().rank());
  if (rank < slice.full_shape.size()) {
    for (std::vector<int64_t>* const dims : {&slice.full_shape, &slice.offset, &slice.shape})
      dims->resize(rank);
  }
  slot.state()->slice = slice;
}

}  // namespace

Variable Optimizer::slot(const Variable& variable, const std::string& slot_name,
                         const Initializer& initializer, const std::string& owner) {
  Variable& found = slots_[slot_name][slot_key(variable)];
  if (found.has_value()) return found;
  const std::string scope_name = variable.op().name() + "/" + (owner.empty() ? name_ : owner);
  const VariableScopeGuard scope = variable_scope("", {.default_name = scope_name});
  const ColocationGuard with = colocate_with(variable.op());
  const DType dtype = base_dtype(variable.dtype());
  get_variable_scope().set_partitioner(nullptr);  // a slot is as its variable is
  const GetVariableOptions options = {
      .dtype = dtype, .initializer = initializer, .trainable = false, .use_resource = variable.is_resource()};
  found = initializer.value().has_value() ? get_variable("", options)
                                          : get_variable("", variable.shape(), options);
  keep_slice(variable, found);
  return found;
}

Tensor Optimizer::hyperparameter(const Input& value, const std::string& name) const {
  return to_tensor(default_graph(), value, name);
}

Tensor Optimizer::cast_to(const Tensor& value, const Variable& variable) {
  const DType dtype = base_dtype(variable.dtype());
  if (base_dtype(value.dtype()) == dtype) return value;
  return apply_op({.op = "Cast", .args = {Input(value)}, .attrs = {{"DstT", dtype}}});
}

Operation Optimizer::apply(const char* op, std::vector<Input> arguments,
                           std::vector<std::pair<std::string, bool>> flags) const {
  // What takes a resource variable's handle is called so, and takes the same.
  const Tensor& first = arguments.front().reference();
  const bool by_handle = first.has_value() && first.dtype() == DType::kResource;
  const std::string name = by_handle ? fmt::format("Resource{}", op) : op;
  OpCall call{.op = name, .args = std::vector<OpArg>(arguments.begin(), arguments.end())};
  call.attrs.set("use_locking", use_locking_);
  for (const auto& [flag, value] : flags) call.attrs.set(flag, value);
  return Operation(apply_op_node(call));
}

// ---- RuledOptimizer

RuledOptimizer::RuledOptimizer(std::string name, bool use_locking, std::unique_ptr<UpdateRule> rule)
    : Optimizer(std::move(name), use_locking), rule_(std::move(rule)) {}

RuledOptimizer::RuledOptimizer(const RuledOptimizer& other) : Optimizer(other), rule_(other.rule_->clone()) {}

RuledOptimizer& RuledOptimizer::operator=(const RuledOptimizer& other) {
  Optimizer::operator=(other);
  rule_ = other.rule_->clone();
  return *this;
}

RuledOptimizer::~RuledOptimizer() = default;

UpdateRule& RuledOptimizer::rule() {
  rule_->speak_for(*this);
  return *rule_;
}

void RuledOptimizer::create_slots(const std::vector<Variable>& variables) { rule().create_slots(variables); }

void RuledOptimizer::prepare() { rule().prepare(); }

Operation RuledOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  return rule().apply_dense(gradient, variable);
}

Operation RuledOptimizer::apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                       const Variable& variable) {
  return rule().apply_sparse(values, indices, gradient, variable);
}

Operation RuledOptimizer::apply_sparse_duplicates(const Tensor& values, const Tensor& indices,
                                                  const Tensor& gradient, const Variable& variable) {
  return rule().apply_sparse_duplicates(values, indices, gradient, variable);
}

Operation RuledOptimizer::finish(const std::vector<Operation>& updates, const std::string& name) {
  return rule().finish(updates, name);
}

}  // namespace flowray::tf::train
