#pragma once
/// tf.gradients: symbolic differentiation.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct GradientsOptions {
  /// Gradients of the ys to start from, one for each; a None stands for ones of y's shape, as does an
  /// empty list.
  std::vector<OptionalInput> grad_ys = {};
  /// The name of the scope of its nodes.
  std::string name = "gradients";
  /// Whether the gradient of an operation is placed where the operation is.
  bool colocate_gradients_with_ops = false;
  /// Waits, at each operation, for all its gradients before any is used (Optimizer's GATE_OP).
  bool gate_gradients = false;
  /// Tensors that are taken as constant.
  std::vector<Tensor> stop_gradients = {};
  /// Of xs that nothing reaches: "none" (a None) or "zero" (zeros of their shape).
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
  /// Whether the gradient of an operation is placed where the operation is.
  bool colocate_gradients_with_ops = false;
  /// Waits, at each operation, for all its gradients before any is used.
  bool gate_gradients = false;
};
/// The second derivatives of sum(ys) by each of `xs` with itself: x of [2,3] gives [2,3,2,3]. A loop makes
/// them row by row. Throws ValueError where nothing flows to an x.
std::vector<Tensor> hessians(const List<Tensor>& ys, const List<GradientTarget>& xs,
                             const HessiansOptions& options = {},
                             Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
