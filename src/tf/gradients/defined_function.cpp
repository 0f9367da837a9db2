#include "tf/gradients/defined_function.h"

#include <flowray/tf/ops/raw_op.h>
#include <flowray/tf/several.h>
#include <flowray/tf/variable_scope.h>

#include "core/mutex.h"
#include "engine/step/function_bodies.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/node_links.h"
#include "tf/build/function_graph.h"
#include "tf/build/unset.h"
#include "tf/gradients/body_gradient.h"
#include "tf/gradients/call_gradients.h"
#include "tf/variables/custom_getter.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace flowray::tf {

using function::DefinedFunction;
using graph::Endpoint;
using graph::Node;

namespace {

/// The gradients that the program gives functions of a graph.
class DefinedGradients {
 public:
  /// A C++ function or a function of the library: one of the two is set.
  struct Gradient {
    GradientFunction function = nullptr;
    std::string name = {};  // of a function of the library
  };

  static DefinedGradients& of(graph::Graph& graph) {
    return graph.attachment<DefinedGradients>("gradients_of_defined_functions");
  }

  std::optional<Gradient> find(const std::string& function) const {
    const MutexLock lock(mutex_);
    const auto found = by_function_.find(function);
    return found == by_function_.end() ? std::nullopt : std::optional(found->second);
  }
  void set(const std::string& function, Gradient gradient) {
    const MutexLock lock(mutex_);
    by_function_.insert_or_assign(function, std::move(gradient));
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, Gradient> by_function_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Variables of the function's body stand in the graph around it, in the scope that was open there.
class HoistedVariables {
 public:
  explicit HoistedVariables(const Graph& outer, const std::string& scope)
      : before_(internal::custom_getter_here()) {
    internal::custom_getter_here() = [outer, scope, before = before_](const VariableGetterFunction& make,
                                                                      const GetVariableCall& call) {
      GetVariableCall hoisted = call;
      if (!scope.empty()) hoisted.name = scope + "/" + call.name;
      const GraphScope around = outer.as_default();
      return before ? before(make, hoisted) : make(hoisted);
    };
  }
  HoistedVariables(const HoistedVariables&) = delete;
  HoistedVariables& operator=(const HoistedVariables&) = delete;
  ~HoistedVariables() { internal::custom_getter_here() = before_; }

 private:
  CustomGetter before_;
};

}  // namespace

// ---- definitions

struct DefinedFunction::State {
  std::vector<DType> input_types = {};
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function = nullptr;
  function::DefunOptions options = {};

  // The name of the definition, which is there once `message` is.
  std::string name = {};
  std::vector<Tensor> captured = {};
  std::vector<DType> output_types = {};
  std::string message = {};                         // a library with this function alone
  std::vector<std::shared_ptr<State>> called = {};  // in its body
  bool is_being_defined = false;

  void define();
  void add_to(graph::Graph& graph) const;
  static State*& being_defined() {
    static thread_local State* innermost = nullptr;
    return innermost;
  }

 private:
  bool has_gradient() const { return options.grad_func.has_value() || options.python_grad_func != nullptr; }
  DefinedGradients::Gradient gradient() const {
    return {options.python_grad_func,
            options.grad_func.has_value() ? options.grad_func.state()->name : std::string()};
  }
  bool is_other(const std::string& candidate, graph::Graph& outer, graph::Graph& program) const;
  void keep_definition(const graph::FunctionLibrary& library);
};

void DefinedFunction::State::define() {
  if (!message.empty()) return;
  if (is_being_defined) {
    throw ValueError("A Defun's function calls the Defun itself, whose body is not known yet.");
  }
  graph::Graph& outer = default_graph();
  const std::string scope = get_variable_scope().name();
  State* const around = std::exchange(being_defined(), this);
  is_being_defined = true;
  struct Restore {
    State* state;
    State& defined;
    ~Restore() {
      being_defined() = state;
      defined.is_being_defined = false;
      // Where it failed, those that call each other would hold each other.
      if (defined.message.empty()) defined.called.clear();
    }
  } const restore{around, *this};
  called.clear();
  graph::Graph& program = FunctionGraph::program_graph();
  // Its name tells this function from others with the same body.
  if (options.func_name.empty() && options.grad_func.has_value()) options.grad_func.state()->define();
  FunctionGraph body(outer);
  std::vector<Tensor> args;
  for (const DType type : input_types) args.push_back(body.add_arg(type, TensorShape::unknown_rank()));
  std::vector<Tensor> results;
  {
    const HoistedVariables hoisted(Graph(&outer), scope);
    const LinesOfTheirOwn lines(body.graph());
    results = function(args);
  }
  std::vector<Endpoint> ends;
  for (size_t i = 0; i < results.size(); ++i)
    ends.push_back(endpoint_of(returned(results[i], "function", fmt::format(" at [{}]", i))));
  output_types.clear();
  for (const Endpoint& end : ends) output_types.push_back(base_dtype(end.dtype()));
  if (!options.out_names.empty() && options.out_names.size() != ends.size()) {
    throw errors::InvalidArgumentError(
        fmt::format("Expected number of output_names ({}) to be equal to the number of outputs ({}), or none",
                    options.out_names.size(), ends.size()));
  }
  if (options.func_name.empty()) {
    name = body.finish(options.base_name, std::move(ends),
                       [&](const std::string& candidate) { return is_other(candidate, outer, program); });
  } else {
    body.finish_as(options.func_name, std::move(ends), options.arg_names, options.out_names);
    name = options.func_name;
  }
  captured = body.captured();
  keep_definition(graph::FunctionLibrary::of(outer));
  if (has_gradient()) DefinedGradients::of(outer).set(name, gradient());
}

/// Whether a function with this body and that name may not stand for this one, as it has another gradient.
/// Functions of the program are not compared: two of them are two gradients.
bool DefinedFunction::State::is_other(const std::string& candidate, graph::Graph& outer,
                                      graph::Graph& program) const {
  std::optional<DefinedGradients::Gradient> known = DefinedGradients::of(outer).find(candidate);
  if (!known.has_value()) known = DefinedGradients::of(program).find(candidate);
  if (!has_gradient()) return known.has_value();
  if (options.grad_func.has_value() && known.has_value()) return known->name != gradient().name;
  return known.has_value() || graph::FunctionLibrary::of(outer).find(candidate) != nullptr;
}

void DefinedFunction::State::keep_definition(const graph::FunctionLibrary& library) {
  wire::FunctionDefLibrary alone;
  alone.function.push_back(library.find(name)->definition);
  if (options.grad_func.has_value()) {
    options.grad_func.state()->define();
    wire::FunctionDefLibrary::Gradient& gradient = alone.gradient.emplace_back();
    gradient.function_name = wire::Text::borrow(name);
    gradient.gradient_func = wire::Text::borrow(options.grad_func.state()->name);
  }
  message = wire::encode(alone);
}

void DefinedFunction::State::add_to(graph::Graph& graph) const {
  graph::FunctionLibrary::of(graph).add(wire::decode<wire::FunctionDefLibrary>(message));
  for (const auto& inner : called) inner->add_to(graph);
  if (options.grad_func.has_value()) options.grad_func.state()->add_to(graph);
  if (has_gradient()) DefinedGradients::of(graph).set(name, gradient());
}

namespace function {
namespace {

DefinedFunction::State& state_of(const DefinedFunction& function) {
  if (!function.has_value()) throw_unset_argument("tf::function::DefinedFunction", "function");
  return *function.state();
}

/// Defines the function where that has not been done, and adds it to the library that this graph has; the
/// function that is being defined, if any, takes it along wherever it goes.
void bring_into(graph::Graph& graph, const std::shared_ptr<DefinedFunction::State>& function) {
  if (DefinedFunction::State* const around = DefinedFunction::State::being_defined(); around != nullptr)
    around->called.push_back(function);
  function->define();
  function->add_to(graph);
}

}  // namespace

Operation DefinedFunction::call(const List<Input>& args, const CallOptions& options) const {
  const Input::Where where = place_in_program(args);
  const ErrorLine errors(where);
  State& state = state_of(*this);
  check_all_set(args.items(), "args");
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  bring_into(graph, state_);
  const size_t count = args.size() + state.captured.size();
  if (args.size() != state.input_types.size()) {
    throw ValueError(fmt::format("Expected {} arguments, got {}.",
                                 state.input_types.size() + state.captured.size(), count));
  }
  std::vector<Endpoint> inputs;
  for (const Input& arg : args) inputs.push_back(convert_to_endpoint(graph, arg, DType::kInvalid, "Const"));
  for (const Tensor& captured : state.captured) inputs.push_back(endpoint_of(captured));
  graph::Attrs attrs{{"_disable_call_shape_inference", true}};
  if (options.noinline.has_value()) attrs.set("_noinline", *options.noinline);
  Node* const node = graph.add({.op = state.name,
                                .name = options.name.empty() ? state.name : options.name,
                                .inputs = std::move(inputs),
                                .attrs = std::move(attrs)});
  Operation operation(node);
  if (state.options.shape_func != nullptr) {
    const std::vector<TensorShape> shapes = state.options.shape_func(operation);
    if (static_cast<int>(shapes.size()) != node->num_outputs()) {
      throw ValueError(fmt::format("shape_func of '{}' produced {} shapes, which does not match {} outputs.",
                                   state.name, shapes.size(), node->num_outputs()));
    }
    for (int i = 0; i < node->num_outputs(); ++i) node->merge_output_shape(i, shapes[static_cast<size_t>(i)]);
  }
  return operation;
}

std::vector<Tensor> DefinedFunction::operator()(const List<Input>& args, const CallOptions& options) const {
  return call(args, options).outputs();
}

const std::string& DefinedFunction::name(Input::Where where) const {
  const ErrorLine errors(where);
  state_of(*this).define();
  return state_->name;
}
const std::vector<Tensor>& DefinedFunction::captured_inputs(Input::Where where) const {
  const ErrorLine errors(where);
  state_of(*this).define();
  return state_->captured;
}
const std::vector<DType>& DefinedFunction::declared_input_types() const {
  return state_of(*this).input_types;
}
const std::vector<DType>& DefinedFunction::output_types(Input::Where where) const {
  const ErrorLine errors(where);
  state_of(*this).define();
  return state_->output_types;
}

DefinedFunction Defun(const std::vector<DType>& input_types,
                      std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
                      DefunOptions options, Input::Where where) {
  const ErrorLine errors(where);
  internal::check_callable(function, "function", where);
  if (options.grad_func.has_value() && options.python_grad_func != nullptr)
    throw ValueError("At most one of grad_func and python_grad_func can be specified.");
  return DefinedFunction(std::make_shared<DefinedFunction::State>(DefinedFunction::State{
      .input_types = input_types, .function = std::move(function), .options = std::move(options)}));
}

}  // namespace function

std::string raw_ops::internal::name_in_library(const DefinedFunction& function, const std::string& attr) {
  if (!function.has_value()) throw_unset_argument("tf::function::DefinedFunction", attr);
  function::bring_into(default_graph(), function.state());
  return function.state()->name;
}

// ---- gradients

bool is_named_call(const Node& node) {
  return engine::call_role(node.schema()) == engine::CallRole::kFunction;
}

GradientFunction gradient_of_defined_function(const Node& call) {
  if (!is_named_call(call)) return nullptr;
  const auto found = DefinedGradients::of(call.graph()).find(call.op());
  return found.has_value() ? found->function : nullptr;
}

namespace {

/// In the library: takes the arguments and the gradients of the results, and gives those of the arguments.
std::string gradient_function(Node& call, const std::vector<Endpoint>& grads) {
  const RecursiveLock lock(ExtendedCalls::of(call.graph()).mutex());
  std::string given = graph::FunctionLibrary::of(call.graph()).gradient_of(call.op());
  if (!given.empty()) return given;
  BodyGradient body(call, 0, 0);
  std::vector<DType> seeds;
  for (const Endpoint& grad : grads) {
    const DType dtype = base_dtype(grad.dtype());
    seeds.push_back(is_differentiable(dtype) ? dtype : DType::kInvalid);
  }
  body.differentiate(seeds);
  std::vector<graph::FunctionPart::Arg> args;
  std::vector<Endpoint> results;
  for (size_t i = 0; i < body.args().size(); ++i) {
    const DType dtype = base_dtype(body.args()[i].dtype());
    const bool is_handle = dtype == DType::kResource;
    args.push_back({dtype, body.args()[i]});
    body.fill_in_zeros(i, is_handle ? variable_dtype(call.input(static_cast<int>(i))) : dtype);
    results.push_back(body.gradient(i));
  }
  for (size_t i = 0; i < grads.size(); ++i) args.push_back({base_dtype(grads[i].dtype()), body.seed(i)});
  return body.add_whole_gradient_function(call.op() + "_gradient", std::move(args), std::move(results));
}

}  // namespace

std::vector<Endpoint> symbolic_gradient(Node& call, const std::vector<Endpoint>& grads) {
  graph::Builder builder(call.graph());
  std::vector<Endpoint> inputs(call.inputs().begin(), call.inputs().end());
  inputs.insert(inputs.end(), grads.begin(), grads.end());
  std::vector<DType> dtypes;
  for (const Endpoint& input : call.inputs()) {
    const DType dtype = base_dtype(input.dtype());
    dtypes.push_back(dtype == DType::kResource ? variable_dtype(input) : dtype);
  }
  graph::Attrs attrs{{"Tout", dtypes}, {"f", function_attr(call.op())}};
  attrs.set(graph::kGradientFunction, gradient_function(call, grads));
  Node& made = *builder.node("SymbolicGradient", std::move(inputs), std::move(attrs));
  std::vector<Endpoint> result;
  for (int i = 0; i < call.num_inputs(); ++i) result.push_back(made.output(i));
  return result;
}

}  // namespace flowray::tf
