#pragma once
/// tf.keras.losses and tf.keras.metrics: what a model is trained for and judged by. Each takes the true
/// values and the predicted ones, [batch, ...], and gives a number for each element of the batch.

#include <flowray/tf/tensor.h>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

namespace losses {
/// Mean of (y_pred - y_true)^2 along the last axis.
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);
/// Mean of |y_pred - y_true|.
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred);
/// -sum of y_true * log(y_pred): y_true [batch, classes] of chances. Of a softmax the logits are taken.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred);
/// The same with the number of the class in place of chances: y_true [batch] or [batch, 1].
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred);
/// Of chances of yes or no: mean along the last axis. Of a sigmoid the logits are taken.
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred);
/// Mean of max(1 - y_true * y_pred, 0), where y_true is -1 or 1 (0 counts as -1).
Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
}  // namespace losses

namespace metrics {
/// 1 where the greatest of y_pred stands where that of y_true does, else 0.
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The same with the number of the class in place of chances.
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The share of the elements for which y_pred > 0.5 says what y_true says.
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred);
}  // namespace metrics

/// A function of true and predicted values, by name or as it is: {.loss = "mse"}, {.loss =
/// tf::keras::losses::hinge}, a lambda. The name of a function that has none is "loss" or "metric".
class ScoreFunction {
 public:
  /// Takes true and predicted values, gives a number for each element, or one.
  using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

  ScoreFunction() = default;
  ScoreFunction(std::string_view name) : name_(name) {}  // NOLINT: implicit, all of these
  ScoreFunction(const char* name) : name_(name) {}
  ScoreFunction(const std::string& name) : name_(name) {}
  template <class F>
    requires(!std::convertible_to<const F&, std::string_view> && !std::same_as<F, ScoreFunction> &&
             std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&>)
  ScoreFunction(F function) : ScoreFunction(Function(std::move(function))) {
    if constexpr (std::convertible_to<F, Pointer>) name_ = known_name(static_cast<Pointer>(function));
  }
  /// A function and what histories call it.
  ScoreFunction(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}

  /// Whether there is one.
  bool has_value() const { return !name_.empty() || function_ != nullptr; }
  /// What histories call it.
  const std::string& name() const { return name_; }
  /// Null for one that is only named.
  const Function& function() const { return function_; }

 private:
  using Pointer = Tensor (*)(const Tensor&, const Tensor&);
  explicit ScoreFunction(Function function) : function_(std::move(function)) {}
  /// "categorical_accuracy" for the library's own; else empty.
  static std::string known_name(Pointer function);

  std::string name_;
  Function function_;
};

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
