#include <flowray/tf/control_flow.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include "graph/builder.h"
#include "graph/value_node.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/device_scope.h"
#include "tf/build/eager_variable.h"
#include "tf/build/resource_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/variables/initialized_value.h"

#include <fmt/format.h>

#include <atomic>
#include <ostream>

namespace flowray::tf {
namespace {

using internal::VariableState;

/// What a variable of whichever kind keeps of its options.
void keep_options(VariableState& state, const VariableOptions& options) {
  state.trainable = options.trainable.value_or(true);
  state.synchronization = static_cast<int>(options.synchronization);
  state.aggregation = static_cast<int>(options.aggregation);
  if (!options.constraint.has_value()) return;
  state.constraint = [constraint = options.constraint](const std::shared_ptr<VariableState>& of) {
    return constraint(Variable(of));
  };
}

/// A variable that has its value at once. Its node is not in a graph, so the state holds it.
std::shared_ptr<VariableState> make_eager_variable(
    graph::Graph& graph, const VariableOptions& options,
    const std::function<graph::Endpoint()>& make_initial_value) {
  const graph::Endpoint initial_value = make_initial_value();
  graph::Builder builder(graph);
  const std::string& outer = graph.scopes().name;
  const std::string name = options.name.empty() ? "Variable" : options.name;
  auto state = std::make_shared<VariableState>();
  keep_options(*state, options);
  state->node = builder.node("VariableV2", {},
                             {{"dtype", base_dtype(initial_value.dtype())}, {"shape", initial_value.shape()}},
                             outer.empty() ? name : fmt::format("{}/{}", outer, name));
  state->held = Tensor(state->node, 0);
  auto& node = static_cast<graph::ValueNode&>(*state->node);
  node.set_trainable(state->trainable);
  node.set_extra(std::make_shared<EagerVariable>(EagerVariable{node.extra(), state}));
  builder.node("Assign", {state->node->output(0), initial_value},
               {{"validate_shape", options.validate_shape}});
  return state;
}

void check_expected_shape(const VariableOptions& options, const graph::Endpoint& initial_value) {
  if (!options.expected_shape.has_value()) return;
  const Shape& shape = initial_value.shape();
  if (options.expected_shape->is_compatible_with(shape)) return;
  throw ValueError(fmt::format("The initial value's shape {} is not compatible with expected_shape {}.",
                               shape.to_tuple_string(), options.expected_shape->to_tuple_string()));
}

/// An initial value that a function gives, in a scope of its own.
graph::Endpoint initial_value_in_scope(graph::Graph& graph,
                                       const std::function<graph::Endpoint()>& make_initial_value) {
  const graph::NameScope scope(graph, "Initializer");
  const DeviceFunctionGuard anywhere(&graph, {});  // where the value is first made does not matter
  return make_initial_value();
}

/// Makes the nodes of a resource variable: its handle, whether it has a value, its initializer and what a
/// fetch reads.
std::shared_ptr<VariableState> make_resource_variable(
    graph::Graph& graph, const VariableOptions& options,
    const std::function<graph::Endpoint()>& make_initial_value) {
  const ControlDependenciesGuard free(&graph, {}, /*clears=*/true);
  const graph::NameScope scope(graph, options.name.empty() ? "Variable" : options.name);
  const std::string full_name = scope.path().substr(0, scope.path().size() - 1);
  auto state = std::make_shared<VariableState>();
  state->is_resource = true;
  state->validate_shape = options.validate_shape;
  state->caching_device = options.caching_device.function();
  keep_options(*state, options);
  graph::Builder builder(graph);
  {
    // Initial value and handle stand where the variable will; an open colocation scope says it better.
    std::optional<ColocationGuard> colocated;
    if (graph.scopes().colocation.empty())
      colocated.emplace(&graph, std::vector<std::string>{"loc:@" + full_name});
    state->initial_value = initial_value_in_scope(graph, make_initial_value);
    check_expected_shape(options, state->initial_value);
    state->dtype = base_dtype(state->initial_value.dtype());
    state->shape = state->initial_value.shape();
    state->node = builder.node("VarHandleOp", {},
                               {{"dtype", state->dtype},
                                {"shape", state->shape},
                                {"shared_name", full_name},
                                {"debug_name", scope.path()}},
                               scope.path());
  }
  const graph::Endpoint handle = state->node->output(0);
  const std::string device = Operation(state->node).device();
  {
    const graph::NameScope inner(graph, "IsInitialized");
    (void)builder.node("VarIsInitializedOp", {handle});
  }
  {
    const graph::NameScope inner(graph, "Assign");
    const Anywhere anywhere(graph);
    const DeviceGuard there(&graph, device);
    const graph::Endpoint first = safe_initial_value(state->initial_value, full_name);
    state->initializer = builder.node("AssignVariableOp", {handle, first}, {}, inner.path());
  }
  const graph::NameScope inner(graph, "Read");
  {
    const DeviceGuard there(&graph, device);
    state->snapshot = builder.op("ReadVariableOp", {handle}, {{"dtype", state->dtype}});
  }
  if (state->caching_device) {
    const Anywhere anywhere(graph);
    const DeviceFunctionGuard there(&graph, state->caching_device);
    state->cached = builder.op("Identity", {state->snapshot});
  }
  return state;
}

/// Makes the four nodes of a reference variable. `make_initial_value` is called inside the variable's
/// name scope.
std::shared_ptr<VariableState> make_variable(graph::Graph& graph, const VariableOptions& options,
                                             bool from_function,
                                             const std::function<graph::Endpoint()>& make_initial_value) {
  const ControlDependenciesGuard free(&graph, {}, /*clears=*/true);
  const graph::NameScope scope(graph, options.name.empty() ? "Variable" : options.name);
  const std::string full_name = scope.path().substr(0, scope.path().size() - 1);
  // A function's nodes must stand where the variable will, which has no node yet; an open colocation scope
  // says it better.
  const bool place_function = from_function && graph.scopes().colocation.empty();
  std::optional<ColocationGuard> colocated;
  if (place_function) colocated.emplace(&graph, std::vector<std::string>{"loc:@" + full_name});

  auto state = std::make_shared<VariableState>();
  keep_options(*state, options);
  state->initial_value =
      from_function ? initial_value_in_scope(graph, make_initial_value) : make_initial_value();
  check_expected_shape(options, state->initial_value);
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
  std::optional<DeviceFunctionGuard> there;
  if (options.caching_device.has_value()) {
    with_variable.reset();
    colocated.reset();
    there.emplace(&graph, options.caching_device.function());
  }
  state->snapshot = builder.op("Identity", {state->node->output(0)}, {}, "read");
  return state;
}

std::atomic<bool> g_makes_resource_variables{false};

bool makes_resource(const VariableOptions& options) {
  if (options.use_resource.has_value()) return *options.use_resource;
  return get_variable_scope().use_resource().value_or(resource_variables_enabled());
}

/// A variable with ON_READ is not trainable. Throws ValueError for one that is to be.
VariableOptions settled(VariableOptions options) {
  const bool is_read_together = options.synchronization == VariableSynchronization::ON_READ;
  if (is_read_together && options.trainable.value_or(false)) {
    throw ValueError(
        "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable "
        "variables. "
        "You have specified trainable=True and synchronization=VariableSynchronization.ON_READ.");
  }
  options.trainable = options.trainable.value_or(!is_read_together);
  return options;
}

std::shared_ptr<VariableState> make_of_kind(graph::Graph& graph, const VariableOptions& options,
                                            bool from_function,
                                            const std::function<graph::Endpoint()>& make_initial_value) {
  if (graph.is_eager()) {
    return make_eager_variable(graph, options, [&] {
      return from_function ? initial_value_in_scope(graph, make_initial_value) : make_initial_value();
    });
  }
  return makes_resource(options) ? make_resource_variable(graph, options, make_initial_value)
                                 : make_variable(graph, options, from_function, make_initial_value);
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

/// A variable is called as where it is made says, also where it stands in another graph.
class ScopeOfLifted {
 public:
  ScopeOfLifted(graph::Graph& here, graph::Graph& home) {
    if (&here == &home) return;
    home_ = &home;
    outer_ = std::exchange(home.scopes().name, here.scopes().name);
  }
  ScopeOfLifted(const ScopeOfLifted&) = delete;
  ScopeOfLifted& operator=(const ScopeOfLifted&) = delete;
  ~ScopeOfLifted() {
    if (home_ != nullptr) home_->scopes().name = outer_;
  }

 private:
  graph::Graph* home_ = nullptr;
  std::string outer_;
};

constexpr const char* kGlobalStep = "global_step";

void add_to_collections(graph::Graph& graph, const std::shared_ptr<VariableState>& state,
                        const VariableOptions& options) {
  internal::Collections& collections = internal::collections_of(graph);
  if (graph.is_eager()) {  // its maker holds a variable, but for the step, which is the process's
    if (std::ranges::find(options.collections, kGlobalStep) != options.collections.end())
      collections.add(kGlobalStep, state);
    return;
  }
  std::vector<std::string> names = options.collections;
  if (names.empty()) names.emplace_back(internal::kGlobalVariables);
  const bool already = std::find(names.begin(), names.end(), internal::kTrainableVariables) != names.end();
  if (*options.trainable && !already) names.emplace_back(internal::kTrainableVariables);
  for (const std::string& name : names) collections.add(name, state);
}

/// The state behind a variable that a method was called on.
VariableState& of_any_variable(const std::shared_ptr<VariableState>& state, const char* method,
                               Input::Where where = {}) {
  if (state == nullptr) throw_unset_method("tf::Variable", method, where);
  return *state;
}

/// The same of one that is not cut into parts.
VariableState& of_variable(const std::shared_ptr<VariableState>& state, const char* method,
                           Input::Where where = {}) {
  VariableState& found = of_any_variable(state, method, where);
  if (found.parts.empty()) return found;
  const ErrorLine line(where);
  throw ValueError(fmt::format(
      "{} of '{}', which a partitioner has cut into {} parts.\nEach of its parts is a variable: go "
      "through parts().",
      method, found.whole_name, found.parts.size()));
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

bool is_set_and_cut(const std::shared_ptr<VariableState>& state) {
  return state != nullptr && !state->parts.empty();
}

}  // namespace

CachingDevice::CachingDevice(const std::string& device)
    : function_([name = device_in_scope(device).to_string()](const Operation&) { return name; }) {}

void enable_resource_variables() { g_makes_resource_variables = true; }
void disable_resource_variables() { g_makes_resource_variables = false; }
bool resource_variables_enabled() { return g_makes_resource_variables; }

void Variable::stand_for(std::shared_ptr<VariableState> state) {
  state_ = std::move(state);
  ref_ = Tensor(state_->node, 0);
}

Variable::Variable(const Input& initial_value, const VariableOptions& given) {
  const ErrorLine errors(initial_value.where());
  const VariableOptions options = settled(given);
  graph::Graph& here = graph_of({{"initial_value", initial_value}});
  graph::Graph& graph = home_of_variables(here);
  const GraphScope at_home(&graph);
  const ScopeOfLifted scope(here, graph);
  const UserLine line(graph, initial_value.where());
  *this = Variable(make_of_kind(graph, options, /*from_function=*/false, [&] {
    return convert_to_endpoint(graph, initial_value, options.dtype, "initial_value");
  }));
  add_to_collections(graph, state_, options);
}

Variable Variable::from_function(const std::function<Tensor()>& initial_value, const VariableOptions& given,
                                 Input::Where where) {
  const ErrorLine errors(where);
  const VariableOptions options = settled(given);
  internal::check_callable(initial_value, "initial_value", where);
  graph::Graph& here = default_graph();
  graph::Graph& graph = home_of_variables(here);
  const GraphScope at_home(&graph);
  const ScopeOfLifted scope(here, graph);
  const UserLine line(graph, where);
  Variable made(make_of_kind(graph, options, /*from_function=*/true,
                             [&] { return endpoint_of(returned(initial_value(), "initial_value")); }));
  add_to_collections(graph, made.state_, options);
  return made;
}

std::string Variable::name(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "name()", where);
  if (!state.parts.empty()) return state.whole_name;
  return state.assigned != nullptr ? state.assigned->name() : ref_.name();
}
DType Variable::dtype(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "dtype()", where);
  if (state.is_resource || !state.parts.empty()) return state.dtype;
  const DType dtype = ref_.dtype();
  return ref_.is_eager() ? base_dtype(dtype) : dtype;
}
const TensorShape& Variable::shape(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "shape()", where);
  return state.is_resource || !state.parts.empty() ? state.shape : ref_.shape();
}
Operation Variable::op(Input::Where where) const {
  const VariableState& state = of_variable(state_, "op()", where);
  return Operation(state.assigned != nullptr ? state.assigned : state.node);
}
Graph Variable::graph(Input::Where where) const {
  return of_any_variable(state_, "graph()", where), ref_.graph();
}
bool Variable::trainable(Input::Where where) const {
  return of_any_variable(state_, "trainable()", where).trainable;
}
bool Variable::is_resource(Input::Where where) const {
  return of_any_variable(state_, "is_resource()", where).is_resource || ref_.is_eager();
}
Constraint Variable::constraint(Input::Where where) const {
  const auto& function = of_variable(state_, "constraint()", where).constraint;
  if (function == nullptr) return {};
  return [function](const Variable& variable) { return function(variable.state()); };
}
VariableSynchronization Variable::synchronization(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "synchronization()", where);
  const int of = state.parts.empty() ? state.synchronization : state.parts.front()->synchronization;
  return static_cast<VariableSynchronization>(of);
}
VariableAggregation Variable::aggregation(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "aggregation()", where);
  const int of = state.parts.empty() ? state.aggregation : state.parts.front()->aggregation;
  return static_cast<VariableAggregation>(of);
}
Tensor Variable::value(Input::Where where) const {
  const VariableState& state = of_any_variable(state_, "value()", where);
  if (ref_.is_eager()) return read_now();
  if (!state.parts.empty()) {
    const UserLine line(state.node->graph(), where);
    return value_of_parts(state);
  }
  if (!state.is_resource) return tensor_of(state.snapshot);
  const UserLine line(state.node->graph(), where);
  return value_of_resource(state);
}
Tensor Variable::ref() const {
  if (is_set_and_cut(state_)) (void)of_variable(state_, "ref()");
  return ref_;
}
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
  const VariableState& state = of_any_variable(state_, "read_value()", where);
  graph::Graph& graph = state.node->graph();
  if (ref_.is_eager()) return read_now();
  const UserLine line(graph, where);
  if (!state.parts.empty()) return concatenated_parts(state);
  if (state.is_resource) return read_resource(state);
  return tensor_of(graph::Builder(graph).op("Identity", {endpoint_of(ref_)}, {}, "read"));
}

namespace {

/// The value of a resource variable, read after the assignment.
Tensor after_assignment(const VariableState& state, const char* op, const Input& value,
                        const AssignUpdateOptions& options) {
  graph::Node* const assignment = assign_resource(state, op, value, options.name);
  const UserLine line(assignment->graph(), value.where());
  return tensor_of(variable_after(state, *assignment)->snapshot);
}

}  // namespace

Tensor Variable::assign(const Input& value, const AssignUpdateOptions& options) const {
  const VariableState& state = of_variable(state_, "assign()", value.where());
  if (state.is_resource) return after_assignment(state, "AssignVariableOp", value, options);
  return apply_op({.op = "Assign",
                   .name = options.name,
                   .args = {Input(*this, value.where()), value},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Tensor Variable::assign_add(const Input& delta, const AssignUpdateOptions& options) const {
  const VariableState& state = of_variable(state_, "assign_add()", delta.where());
  if (state.is_resource) return after_assignment(state, "AssignAddVariableOp", delta, options);
  (void)graph_of({{"delta", delta}});
  return apply_op({.op = "AssignAdd",
                   .name = options.name,
                   .args = {Input(*this, delta.where()), delta},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Tensor Variable::assign_sub(const Input& delta, const AssignUpdateOptions& options) const {
  const VariableState& state = of_variable(state_, "assign_sub()", delta.where());
  if (state.is_resource) return after_assignment(state, "AssignSubVariableOp", delta, options);
  (void)graph_of({{"delta", delta}});
  return apply_op({.op = "AssignSub",
                   .name = options.name,
                   .args = {Input(*this, delta.where()), delta},
                   .attrs = {{"use_locking", options.use_locking}}});
}

Array Variable::eval(Session* session, Input::Where where) const {
  (void)of_any_variable(state_, "eval()", where);
  if (is_partitioned()) return value(where).eval({}, session, where);
  if (ref_.is_eager()) throw RuntimeError("Trying to eval in EAGER mode\nUse value().value().");
  return graph_element(*this).eval({}, session, where);
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
  const bool is_eager =
      variables.empty() ? default_graph().is_eager() : variables.front().graph().get()->is_eager();
  if (is_eager) return {};  // they have their values
  std::vector<Dependency> initializers;
  for (const Variable& variable : variables) {
    for (const Variable& part : variable.parts()) initializers.emplace_back(part.initializer());
  }
  return group(initializers, name, where);
}

Operation global_variables_initializer(Input::Where where) {
  return variables_initializer(global_variables(), "init", where);
}

Operation local_variables_initializer(Input::Where where) {
  return variables_initializer(local_variables(), "init", where);
}

}  // namespace flowray::tf
