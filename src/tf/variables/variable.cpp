#include <flowray/tf/control_flow.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/variable.h>

#include "graph/builder.h"
#include "graph/value_node.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/eager_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/variables/initialized_value.h"

#include <fmt/format.h>

#include <ostream>

namespace flowray::tf {
namespace {

using internal::VariableState;

/// A variable that has its value at once. Its node is not in a graph, so the state holds it.
std::shared_ptr<VariableState> make_eager_variable(
    graph::Graph& graph, const VariableOptions& options,
    const std::function<graph::Endpoint()>& make_initial_value) {
  const graph::Endpoint initial_value = make_initial_value();
  graph::Builder builder(graph);
  const std::string& outer = graph.scopes().name;
  const std::string name = options.name.empty() ? "Variable" : options.name;
  auto state = std::make_shared<VariableState>();
  state->trainable = options.trainable;
  state->node = builder.node("VariableV2", {},
                             {{"dtype", base_dtype(initial_value.dtype())}, {"shape", initial_value.shape()}},
                             outer.empty() ? name : fmt::format("{}/{}", outer, name));
  state->held = Tensor(state->node, 0);
  auto& node = static_cast<graph::ValueNode&>(*state->node);
  node.set_trainable(options.trainable);
  node.set_extra(std::make_shared<EagerVariable>(EagerVariable{node.extra(), state}));
  builder.node("Assign", {state->node->output(0), initial_value},
               {{"validate_shape", options.validate_shape}});
  return state;
}

/// Makes the four nodes of a reference variable. `make_initial_value` is called inside the variable's
/// name scope.
std::shared_ptr<VariableState> make_variable(graph::Graph& graph, const VariableOptions& options,
                                             bool from_function,
                                             const std::function<graph::Endpoint()>& make_initial_value) {
  if (graph.is_eager()) return make_eager_variable(graph, options, make_initial_value);
  const ControlDependenciesGuard free(&graph, {}, /*clears=*/true);
  const graph::NameScope scope(graph, options.name.empty() ? "Variable" : options.name);
  const std::string full_name = scope.path().substr(0, scope.path().size() - 1);
  // A function's nodes must stand where the variable will, which has no node yet; an open colocation scope
  // says it better.
  const bool place_function = from_function && graph.scopes().colocation.empty();
  std::optional<ColocationGuard> colocated;
  if (place_function) colocated.emplace(&graph, std::vector<std::string>{"loc:@" + full_name});

  auto state = std::make_shared<VariableState>();
  state->trainable = options.trainable;
  state->initial_value = make_initial_value();
  const Shape shape = options.validate_shape ? state->initial_value.shape() : Shape::unknown_rank();
  if (options.validate_shape && !shape.is_fully_defined()) {
    throw ValueError(
        fmt::format("initial_value must have a shape specified: {}\nPass validate_shape = false if it is "
                    "known only at run time.",
                    tensor_text(state->initial_value)));
  }
  const DType dtype = base_dtype(state->initial_value.dtype());
  graph::Builder builder(graph);
  state->node = builder.node("VariableV2", {}, {{"dtype", dtype}, {"shape", shape}}, scope.path());
  const graph::Endpoint first = safe_initial_value(state->initial_value, full_name);
  std::optional<ColocationGuard> with_variable(std::in_place, &graph, colocation_groups(*state->node));
  state->initializer = builder.node("Assign", {state->node->output(0), first},
                                    {{"validate_shape", options.validate_shape}}, "Assign");
  if (options.reads_anywhere) {
    with_variable.reset();
    colocated.reset();
  }
  state->snapshot = builder.op("Identity", {state->node->output(0)}, {}, "read");
  return state;
}

/// Where a variable is made that the program makes in `graph`.
graph::Graph& home_of_variables(graph::Graph& graph) {
  if (graph.is_eager()) return graph;
  const LiftedVariables& lifted = lifted_variables(graph);
  if (lifted.to == nullptr) return graph;
  if (!lifted.is_first_trace)
    throw ValueError("tf.function-decorated function tried to create variables on non-first call.");
  return *lifted.to;
}

constexpr const char* kGlobalStep = "global_step";

void add_to_collections(graph::Graph& graph, const std::shared_ptr<VariableState>& state,
                        const VariableOptions& options) {
  internal::Collections& collections = internal::collections_of(graph);
  if (graph.is_eager()) {  // whoever made a variable holds it, but for the step, which is the process's
    if (std::ranges::find(options.collections, kGlobalStep) != options.collections.end())
      collections.add(kGlobalStep, state);
    return;
  }
  std::vector<std::string> names = options.collections;
  if (names.empty()) names.emplace_back(internal::kGlobalVariables);
  const bool already = std::find(names.begin(), names.end(), internal::kTrainableVariables) != names.end();
  if (options.trainable && !already) names.emplace_back(internal::kTrainableVariables);
  for (const std::string& name : names) collections.add(name, state);
}

/// The state behind a variable that a method was called on.
VariableState& of_variable(const std::shared_ptr<VariableState>& state, const char* method,
                           Input::Where where = {}) {
  if (state == nullptr) throw_unset_method("tf::Variable", method, where);
  return *state;
}

Session& session_or_default(Session* session) {
  if (session == nullptr) session = get_default_session();
  if (session == nullptr) {
    throw ValueError(
        "Either session argument should be provided or default session should be established\nIn C++: auto "
        "scope = "
        "session.as_default();");
  }
  return *session;
}

}  // namespace

void Variable::stand_for(std::shared_ptr<VariableState> state) {
  state_ = std::move(state);
  ref_ = Tensor(state_->node, 0);
}

Variable::Variable(const Input& initial_value, const VariableOptions& options) {
  graph::Graph& graph = home_of_variables(graph_of({{"initial_value", initial_value}}));
  const GraphScope at_home(&graph);
  const UserLine line(graph, initial_value.where());
  *this = Variable(make_variable(graph, options, /*from_function=*/false, [&] {
    return convert_to_endpoint(graph, initial_value, options.dtype, "initial_value");
  }));
  add_to_collections(graph, state_, options);
}

Variable Variable::from_function(const std::function<Tensor()>& initial_value, const VariableOptions& options,
                                 Input::Where where) {
  internal::check_callable(initial_value, "initial_value", where);
  graph::Graph& graph = home_of_variables(default_graph());
  const GraphScope at_home(&graph);
  const UserLine line(graph, where);
  Variable made(make_variable(graph, options, /*from_function=*/true, [&] {
    const graph::NameScope scope(graph, "Initializer");
    const DeviceFunctionGuard anywhere(&graph, {});  // where the value is first made does not matter
    return endpoint_of(returned(initial_value(), "initial_value"));
  }));
  add_to_collections(graph, made.state_, options);
  return made;
}

std::string Variable::name(Input::Where where) const {
  return of_variable(state_, "name()", where), ref_.name();
}
DType Variable::dtype(Input::Where where) const {
  const DType dtype = (of_variable(state_, "dtype()", where), ref_.dtype());
  return ref_.is_eager() ? base_dtype(dtype) : dtype;
}
const TensorShape& Variable::shape(Input::Where where) const {
  return of_variable(state_, "shape()", where), ref_.shape();
}
Operation Variable::op(Input::Where where) const {
  return Operation(of_variable(state_, "op()", where).node);
}
Graph Variable::graph(Input::Where where) const {
  return of_variable(state_, "graph()", where), ref_.graph();
}
bool Variable::trainable(Input::Where where) const {
  return of_variable(state_, "trainable()", where).trainable;
}
Tensor Variable::value(Input::Where where) const {
  (void)of_variable(state_, "value()", where);
  if (ref_.is_eager()) return read_now();
  return tensor_of(of_variable(state_, "value()", where).snapshot);
}
Tensor Variable::ref() const { return ref_; }
Operation Variable::initializer(Input::Where where) const {
  if (ref_.is_eager()) return {};  // it has its value
  return Operation(of_variable(state_, "initializer()", where).initializer);
}
Tensor Variable::initial_value(Input::Where where) const {
  if (ref_.is_eager()) {
    const ErrorLine line(where);
    throw RuntimeError("This property is not supported when eager execution is enabled.");
  }
  return tensor_of(of_variable(state_, "initial_value()", where).initial_value);
}

Tensor Variable::read_now() const {
  const UserLine line(default_graph(), Input::Where());
  return read_eager_variable(ref_);
}

Tensor Variable::read_value(Input::Where where) const {
  graph::Graph& graph = of_variable(state_, "read_value()", where).node->graph();
  if (ref_.is_eager()) return read_now();
  const UserLine line(graph, where);
  return tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(ref_)}, {}, "read"));
}

Tensor Variable::assign(const Input& value, const AssignUpdateOptions& options) const {
  (void)of_variable(state_, "assign()", value.where());
  return apply_op({.op = "Assign",
                   .name = options.name,
                   .args = {Input(*this, value.where()), value},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Tensor Variable::assign_add(const Input& delta, const AssignUpdateOptions& options) const {
  (void)of_variable(state_, "assign_add()", delta.where());
  (void)graph_of({{"delta", delta}});
  return apply_op({.op = "AssignAdd",
                   .name = options.name,
                   .args = {Input(*this, delta.where()), delta},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Tensor Variable::assign_sub(const Input& delta, const AssignUpdateOptions& options) const {
  (void)of_variable(state_, "assign_sub()", delta.where());
  (void)graph_of({{"delta", delta}});
  return apply_op({.op = "AssignSub",
                   .name = options.name,
                   .args = {Input(*this, delta.where()), delta},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Array Variable::eval(Session* session, Input::Where where) const {
  (void)of_variable(state_, "eval()", where);
  if (ref_.is_eager()) throw RuntimeError("Trying to eval in EAGER mode\nUse value().value().");
  return ref_.eval({}, session, where);
}

void Variable::load(const Array& value, Session* session, Input::Where where) const {
  const ErrorLine errors(where);
  (void)of_variable(state_, "load()");
  if (ref_.is_eager()) {
    (void)assign(value);
    return;
  }
  session_or_default(session).run(initializer(), {{initial_value(), value}});
}

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  if (!variable.has_value()) return out << "None";
  return out << fmt::format("<tf.Variable '{}' shape={} dtype={}>", variable.name(),
                            variable.shape().to_tuple_string(), dtype_name(variable.dtype()));
}

Operation variables_initializer(const std::vector<Variable>& variables, const std::string& name,
                                Input::Where where) {
  const ErrorLine errors(where);
  check_all_set(variables, "variables");
  const bool is_eager = variables.empty() ? default_graph().is_eager() : variables.front().ref().is_eager();
  if (is_eager) return {};  // they have their values
  std::vector<Dependency> initializers;
  for (const Variable& variable : variables) initializers.emplace_back(variable.initializer());
  return group(initializers, name, where);
}

Operation global_variables_initializer(Input::Where where) {
  return variables_initializer(global_variables(), "init", where);
}

Operation local_variables_initializer(Input::Where where) {
  return variables_initializer(local_variables(), "init", where);
}

}  // namespace flowray::tf
