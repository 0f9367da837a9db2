#pragma once
/// tf.gradients: symbolic differentiation, and gradients of one's own.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::graph {
class GradientOverrides;
}  // namespace flowray::graph

namespace flowray::tf {

/// tf.AggregationMethod: how the gradients that come to a tensor from several places are added.
enum class AggregationMethod {
  /// All at once, by one AddN for each device that they are on.
  ADD_N = 0,
  DEFAULT = ADD_N,
  /// One after the other, by an AddN of two each, so that each can be let go of when it is added.
  EXPERIMENTAL_TREE = 1,
  /// The same, as in TensorFlow 2.
  EXPERIMENTAL_ACCUMULATE_N = 2,
};

struct GradientsOptions {
  /// Gradients of the ys to start from, one for each; a None stands for ones of y's shape, as does an
  /// empty list.
  std::vector<OptionalInput> grad_ys = {};
  /// The name of the scope of its nodes.
  std::string name = "gradients";
  /// Whether the gradient of an operation is placed where the operation is; true keeps the gradients of a
  /// model that is spread over devices or tasks beside its operations; false leaves them to the device scopes
  /// around.
  bool colocate_gradients_with_ops = false;
  /// Waits, at each operation, for all its gradients before any is used (Optimizer's GATE_OP); true where
  /// updates could change what other gradients still read; it costs parallel work.
  bool gate_gradients = false;
  /// How gradients that come from several places are added.
  AggregationMethod aggregation_method = AggregationMethod::DEFAULT;
  /// Tensors that are taken as constant.
  std::vector<Tensor> stop_gradients = {};
  /// The gradient of xs that nothing reaches: "none" (a None) or "zero" (zeros of their shape).
  std::string unconnected_gradients = "none";
};

/// What can be differentiated by: a Tensor, or a Variable (its reference).
class GradientTarget {
 public:
  GradientTarget(const Tensor& tensor) : tensor_(tensor) {}              // NOLINT: implicit
  GradientTarget(const Variable& variable) : tensor_(variable.ref()) {}  // NOLINT: implicit
  /// What the gradient is for; of a variable its reference.
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

/// d sum(ys) / dx for each of `xs`; None where nothing flows. Adds nodes under "gradients/". Throws
/// ValueError for a tensor of another graph or a wrong number of grad_ys, LookupError's counterpart KeyError
/// for an operation without a gradient. Source: tf.gradients in graph mode.
std::vector<Tensor> gradients(const List<Tensor>& ys, const List<GradientTarget>& xs,
                              const GradientsOptions& options = {},
                              Input::Where where = Input::Where::current());
/// The same of one y.
inline std::vector<Tensor> gradients(const Tensor& y, const List<GradientTarget>& xs,
                                     const GradientsOptions& options = {},
                                     Input::Where where = Input::Where::current()) {
  return gradients(List<Tensor>({y}, where), xs, options, where);
}

struct HessiansOptions {
  /// As in GradientsOptions; false unless devices are to share the work.
  bool colocate_gradients_with_ops = false;
  /// As in GradientsOptions; false unless updates could change what is still read.
  bool gate_gradients = false;
  /// How gradients that come from several places are added.
  AggregationMethod aggregation_method = AggregationMethod::DEFAULT;
};
/// The second derivatives of sum(ys) by each of `xs` with itself: x of [2,3] gives [2,3,2,3]. A loop makes
/// them row by row. Throws ValueError where nothing flows to an x.
std::vector<Tensor> hessians(const List<Tensor>& ys, const List<GradientTarget>& xs,
                             const HessiansOptions& options = {},
                             Input::Where where = Input::Where::current());

// ---- gradients of one's own

/// How gradients go back through an operation: from those of its outputs (None for one that has no gradient,
/// as an integer; zeros where nothing depends on it) to those of its inputs, one for each, None where nothing
/// flows. It makes nodes, as all functions of the language do.
using GradientFunction =
    std::function<std::vector<Tensor>(const Operation& op, const std::vector<Tensor>& grads)>;

/// Gives a type of operation a gradient, or makes a name that operations can have theirs
/// by (tf::gradient_override_map):
///
///     const tf::RegisterGradient clipped("Clipped", [](const tf::Operation&, const auto& grads) {
///       return std::vector<tf::Tensor>{tf::clip_by_value(grads[0], -1.0, 1.0)};
///     });
///
/// For good, in the whole process. Source: tf.RegisterGradient.
class RegisterGradient {
 public:
  /// Throws KeyError "Registering two gradient with name 'X'!" for a name that has a gradient.
  RegisterGradient(const std::string& op_type, GradientFunction function,
                   Input::Where where = Input::Where::current());
};

/// Says that nothing flows through operations of a type: tf::gradients stops there without an error. Throws
/// KeyError for one that has a gradient. Source: tf.NotDifferentiable.
void NotDifferentiable(const std::string& op_type, Input::Where where = Input::Where::current());
/// The same by its older name.
inline void NoGradient(const std::string& op_type, Input::Where where = Input::Where::current()) {
  NotDifferentiable(op_type, where);
}

/// tf.Graph.gradient_override_map: operations made meanwhile have other gradients than those of their types.
class [[nodiscard]] GradientOverrideGuard {
 public:
  /// For Flowray itself: tf::gradient_override_map opens one.
  GradientOverrideGuard(const graph::Graph* graph, std::map<std::string, std::string> op_type_map);
  GradientOverrideGuard(const GradientOverrideGuard&) = delete;
  GradientOverrideGuard& operator=(const GradientOverrideGuard&) = delete;
  ~GradientOverrideGuard();

 private:
  std::unique_ptr<graph::GradientOverrides> overrides_;
};
/// `auto scope = tf::gradient_override_map({{"Sign", "PassedOn"}});`: in the default graph, Sign operations
/// made meanwhile have the gradient that "PassedOn" was registered with. That name may be registered later.
GradientOverrideGuard gradient_override_map(const std::map<std::string, std::string>& op_type_map);

/// What a function of tf::custom_gradient gives: values, and how gradients go back through it, from those of
/// the values (None where there is none) to those of the arguments.
struct ValuesAndGradient {
  /// What custom_gradient returns.
  std::vector<Tensor> values;
  /// Takes the gradients of `values`, in their order, and gives those of the arguments.
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> gradient = nullptr;
  /// Instead of `gradient` where the function uses variables that are not its arguments: it takes these,
  /// too, sorted by name, and gives the gradients of the arguments and, behind them, of the variables.
  std::function<std::vector<Tensor>(const std::vector<Tensor>&, const std::vector<Variable>&)>
      gradient_with_variables = nullptr;
};

/// The values that `function` gives for `arguments`, whose gradient is what it says and not what its
/// operations have. In a graph and while tf::eager() is on, where it may use no variables. Throws TypeError
/// for a function that uses variables and has no gradient_with_variables, and for one that makes a variable
/// other than a resource variable. Source: tf.custom_gradient.
std::vector<Tensor> custom_gradient(
    const std::function<ValuesAndGradient(const std::vector<Tensor>&)>& function,
    const List<Tensor>& arguments, Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
