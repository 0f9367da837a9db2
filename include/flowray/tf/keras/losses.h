#pragma once
/// tf.keras.losses and tf.keras.metrics: what a model is trained for and judged by. Each takes the true
/// values and the predicted ones, [batch, ...], and gives a number for each element of the batch.

#include <flowray/tf/config.h>
#include <flowray/tf/tensor.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
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
/// Mean of max(1 - y_true * y_pred, 0)^2, where y_true is -1 or 1 (0 counts as -1).
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
/// max(1 + the greatest y_pred of another class - that of the true class, 0): y_true has a 1 at that class.
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);
/// 100 times the mean of |y_true - y_pred| / |y_true|, which counts as 1e-7 where it is less.
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);
/// Mean of (log(y_pred + 1) - log(y_true + 1))^2, where both count as 1e-7 where they are less.
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);
/// Mean of log(cosh(y_pred - y_true)): half the square of small errors, the size of great ones.
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);
/// Mean of half the square of errors up to 1, and of their size less a half above it.
Tensor huber(const Tensor& y_true, const Tensor& y_pred);
/// Sum of y_true * log(y_true / y_pred), both chances.
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);
/// Mean of y_pred - y_true * log(y_pred): of counts, and what is expected of them.
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);
/// -1 where both point the same way along the last axis, 1 where they point apart.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred);
}  // namespace losses

namespace metrics {
class Metric;
/// 1 where the greatest of y_pred stands where that of y_true does, else 0.
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The same with the number of the class in place of chances.
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The share of the elements for which y_pred > 0.5 says what y_true says.
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// 1 where the true class is among the 5 with the greatest y_pred, [batch, classes], else 0.
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// The same with the number of the class in place of chances.
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// 1 where both point the same way along the last axis, -1 where they point apart.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred);
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
  /// The same of one with options: `in_files`, {"class_name": ..., "config": ...}, is what files have of it.
  ScoreFunction(std::string name, Function function, const Config& in_files)
      : name_(std::move(name)),
        function_(std::move(function)),
        in_files_(std::make_shared<const Config>(in_files)) {}
  /// A metric as an object (metrics.h), for compile(): each epoch begins it anew. Where it is the mean of a
  /// function, that is the mean over the epoch's elements, and the object itself does not change.
  ScoreFunction(const metrics::Metric& metric);

  /// Whether there is one.
  bool has_value() const { return !name_.empty() || function_ != nullptr; }
  /// The object that counts over batches; null for a function.
  const metrics::Metric* metric() const { return metric_.get(); }
  /// What histories call it.
  const std::string& name() const { return name_; }
  /// Null for one that is only named.
  const Function& function() const { return function_; }
  /// What files have of one with options; null: its name.
  const Config* in_files() const { return in_files_.get(); }

 private:
  using Pointer = Tensor (*)(const Tensor&, const Tensor&);
  explicit ScoreFunction(Function function) : function_(std::move(function)) {}
  /// "categorical_accuracy" for the library's own; else empty.
  static std::string known_name(Pointer function);

  std::string name_;
  Function function_;
  std::shared_ptr<const Config> in_files_;
  std::shared_ptr<const metrics::Metric> metric_;
};

// ---- with options

namespace losses {

struct CrossentropyOptions {
  /// Whether predictions are logits, in place of chances: set it for a last layer without an activation.
  bool from_logits = false;
  /// How much of the certainty of true values is taken away, from 0 to 1: of 0.1 the true class has 0.9, and
  /// all classes share the rest.
  double label_smoothing = 0;
};
/// categorical_crossentropy with options. Throws ValueError for other numbers of label_smoothing.
ScoreFunction CategoricalCrossentropy(const CrossentropyOptions& options = {});
/// binary_crossentropy with options. Throws ValueError for other numbers of label_smoothing.
ScoreFunction BinaryCrossentropy(const CrossentropyOptions& options = {});
/// sparse_categorical_crossentropy of chances, or of logits.
ScoreFunction SparseCategoricalCrossentropy(bool from_logits = false);
/// huber with errors up to `delta` squared. Throws ValueError for a delta below 0.
ScoreFunction Huber(double delta = 1);

}  // namespace losses

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
