#pragma once
/// tf.keras.regularizers: what is added to the loss for a weight, or for what a layer gives, so that it stays
/// small.
///
///     tf::keras::layers::Dense(64, {.kernel_regularizer = tf::keras::regularizers::l2(0.01)});

#include <flowray/tf/config.h>
#include <flowray/tf/function_of.h>
#include <flowray/tf/variable_scope.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::regularizers {

/// Makes a scalar of a weight or of what a layer gives: one of the language's, its name ("l1", "l2", "l1_l2",
/// or that of its class), or a function of the program's. A default-made one is "none".
class Regularizer {
 public:
  Regularizer() = default;
  Regularizer(std::nullptr_t) {}  // NOLINT: implicit, all of these
  /// By its name. Throws ValueError "Unknown regularizer" for another word.
  Regularizer(std::string_view name, Input::Where where = Input::Where::current());
  Regularizer(const char* name, Input::Where where = Input::Where::current())
      : Regularizer(std::string_view(name), where) {}
  Regularizer(const std::string& name, Input::Where where = Input::Where::current())
      : Regularizer(std::string_view(name), where) {}
  /// A function of the program's of a Tensor, which no file can hold.
  template <class F>
    requires(!std::derived_from<F, Regularizer> && !std::convertible_to<const F&, std::string_view> &&
             std::constructible_from<FunctionOf<Tensor>, F>)
  Regularizer(F function) : Regularizer(FunctionOf<Tensor>(std::move(function)), Config()) {}
  /// A function of a Variable, for weights alone.
  template <class F>
    requires(!std::derived_from<F, Regularizer> && !std::convertible_to<const F&, std::string_view> &&
             !std::constructible_from<FunctionOf<Tensor>, F> && std::constructible_from<tf::Regularizer, F>)
  Regularizer(F function) : of_weight_(std::move(function)) {}
  /// A function of the program's, and what files have of it: {"class_name": "Sparse", "config": ...}, which
  /// CustomObjects::regularizers reads again.
  Regularizer(FunctionOf<Tensor> function, Config config)
      : of_tensor_(std::move(function)), config_(std::move(config)) {}

  /// Whether there is one.
  bool has_value() const { return of_tensor_.has_value() || of_weight_.has_value(); }
  /// What files have of it, {"class_name": "L2", "config": {"l2": 0.01}}; null of a function of the
  /// program's.
  const Config& config() const { return config_; }
  /// What is added to the loss for a weight.
  Tensor operator()(const Variable& weight) const;
  /// The same for a tensor. Throws TypeError for a function of variables.
  Tensor operator()(const Tensor& x) const;

 private:
  FunctionOf<Tensor> of_tensor_;
  tf::Regularizer of_weight_;
  Config config_;
};

// They throw ValueError for a factor that is not finite. Factors are kept as float32, as in tf.keras.

/// factor * sum(|x|): many elements become 0.
Regularizer l1(double factor = 0.01, Input::Where where = Input::Where::current());
/// factor * sum(x^2): elements stay small.
Regularizer l2(double factor = 0.01, Input::Where where = Input::Where::current());

struct L1L2Options {
  /// What the sum of |x| is multiplied by; greater: more elements become 0.
  double l1 = 0.01;
  /// What the sum of x^2 is multiplied by; greater: elements stay smaller.
  double l2 = 0.01;
};
/// l1 * sum(|x|) + l2 * sum(x^2).
Regularizer l1_l2(const L1L2Options& options = {}, Input::Where where = Input::Where::current());

/// The one that a file tells of, {"class_name": "L2", "config": ...}, or by its name. Throws ValueError for a
/// class that is not known.
Regularizer deserialize(const Config& config, Input::Where where = Input::Where::current());

}  // namespace flowray::tf::keras::regularizers

#pragma GCC visibility pop
