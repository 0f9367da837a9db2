#pragma once
/// Functions of a graph, and what chooses among some: a part of it that is made once and called by name, with
/// a gradient of its own if it is to have one.
///
///     auto cube = tf::function::Defun({tf::float32}, [](const std::vector<tf::Tensor>& args) {
///       return std::vector<tf::Tensor>{args[0] * args[0] * args[0]};
///     }, {.func_name = "Cube"});
///     tf::Tensor y = cube({x})[0];      // one node, "Cube"

#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/input.h>
#include <flowray/tf/list.h>
#include <flowray/tf/tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::function {

struct CallOptions {
  /// What the node is called; empty: as the function.
  std::string name = {};
  /// Written into the node, where it is not left out; nothing changes by it here.
  std::optional<bool> noinline = {};
};

/// A function that tf::function::Defun has made. A handle: copies stand for the same function. A default-made
/// one stands for no function.
class DefinedFunction {
 public:
  DefinedFunction() noexcept = default;
  /// Whether it is a function.
  bool has_value() const noexcept { return state_ != nullptr; }

  /// Adds a node to the default graph that calls it, and gives its results. The function itself is made at
  /// the first call. Throws ValueError for a wrong number of arguments.
  std::vector<Tensor> operator()(const List<Input>& args, const CallOptions& options = {}) const;
  /// The same as an operation, of a function that gives nothing, too.
  Operation call(const List<Input>& args, const CallOptions& options = {}) const;

  /// What it is called in the graph's library; makes the function where that has not been done.
  const std::string& name(Input::Where where = Input::Where::current()) const;
  /// The tensors of the program around that it uses: its calls take them behind their arguments.
  const std::vector<Tensor>& captured_inputs(Input::Where where = Input::Where::current()) const;
  /// The dtypes of its arguments.
  const std::vector<DType>& declared_input_types() const;
  /// The dtypes of its results.
  const std::vector<DType>& output_types(Input::Where where = Input::Where::current()) const;

  /// For Flowray itself.
  struct State;
  /// For Flowray itself.
  explicit DefinedFunction(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
  /// For Flowray itself.
  const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

struct DefunOptions {
  /// What the function is called in graphs; empty: as base_name says.
  std::string func_name = {};
  /// A function that is its gradient: it takes the arguments and the gradients of the results, and gives
  /// those of the arguments.
  DefinedFunction grad_func = {};
  /// Makes the nodes of its gradient where tf::gradients comes to a call. Only one of the two may be given.
  GradientFunction python_grad_func = nullptr;
  /// What the results are called in the library.
  std::vector<std::string> out_names = {};
  /// The shapes of the results, by the operation that calls it; without it they are not known.
  std::function<std::vector<TensorShape>(const Operation&)> shape_func = nullptr;
  /// What the arguments are called in the library.
  std::vector<std::string> arg_names = {};
  /// Without func_name the function's name is this and a fingerprint of its content.
  std::string base_name = "function";
};

/// A function of tensors as one of graphs. `function` is called once, at the first call, with tensors of
/// these dtypes; what it uses of the program around becomes a further argument, and variables that it gets
/// by tf::get_variable stand in the program around. Source:
/// function.Defun of tensorflow.python.framework.
DefinedFunction Defun(const std::vector<DType>& input_types,
                      std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
                      DefunOptions options = {}, Input::Where where = Input::Where::current());

}  // namespace flowray::tf::function

namespace flowray::tf {

struct SwitchCaseOptions {
  /// Called for an index that none of the others has; without it that is the last of these.
  Branch default_fn = {};
  /// The name of the scope of its nodes; empty: "switch_case".
  std::string name = {};
};
/// tf.switch_case: runs what function number `branch_index` makes, by an int32 scalar. Each becomes a
/// function of the graph, so only what is chosen is computed, but for tensors made elsewhere. Throws
/// TypeError where they give other dtypes, ValueError for other numbers of values and for no functions.
std::vector<Tensor> switch_case(const Tensor& branch_index, const std::vector<Branch>& branch_fns,
                                const SwitchCaseOptions& options = {},
                                Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
