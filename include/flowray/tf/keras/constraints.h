#pragma once
/// tf.keras.constraints: what a weight becomes behind each step of training.
///
///     namespace keras = tf::keras;
///     keras::layers::Dense(64, {.kernel_constraint = keras::constraints::MaxNorm({.max_value = 3})});

#include <flowray/tf/config.h>
#include <flowray/tf/function_of.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::constraints {

/// Makes of a weight's value the one that it becomes, of the same shape: one of the language's, its name
/// ("max_norm", "non_neg", "unit_norm", "min_max_norm", or that of its class), or a function of the
/// program's. A default-made one is "none".
class Constraint : public FunctionOf<Tensor> {
 public:
  Constraint() = default;
  Constraint(std::nullptr_t) {}  // NOLINT: implicit, all of these
  /// By its name. Throws ValueError "Unknown constraint" for another word.
  Constraint(std::string_view name, Input::Where where = Input::Where::current());
  Constraint(const char* name, Input::Where where = Input::Where::current())
      : Constraint(std::string_view(name), where) {}
  Constraint(const std::string& name, Input::Where where = Input::Where::current())
      : Constraint(std::string_view(name), where) {}
  /// A function of the program's, which no file can hold.
  template <class F>
    requires(!std::derived_from<F, Constraint> && !std::convertible_to<const F&, std::string_view> &&
             std::constructible_from<FunctionOf<Tensor>, F>)
  Constraint(F function) : FunctionOf<Tensor>(std::move(function)) {}
  /// A function of the program's, and what files have of it: {"class_name": "Bounded", "config": ...}, which
  /// CustomObjects::constraints reads again.
  Constraint(FunctionOf<Tensor> function, Config config)
      : FunctionOf<Tensor>(std::move(function)), config_(std::move(config)) {}

  /// What files have of it, {"class_name": "UnitNorm", "config": {"axis": 0}}; null of a function of the
  /// program's.
  const Config& config() const { return config_; }

 private:
  Config config_;
};

struct MaxNormOptions {
  /// The greatest length.
  double max_value = 2;
  /// The dimensions along which a vector lies: {0} of [inputs, outputs], {0, 1, 2} of a kernel of Conv2D.
  std::vector<int64_t> axis = {0};
};
/// Vectors that are longer get the greatest length.
Constraint MaxNorm(const MaxNormOptions& options = {});

/// Elements below 0 become 0.
Constraint NonNeg();

struct UnitNormOptions {
  /// The dimensions along which a vector lies: {0} of [inputs, outputs], {0, 1, 2} of a kernel of Conv2D.
  std::vector<int64_t> axis = {0};
};
/// Vectors get the length 1.
Constraint UnitNorm(const UnitNormOptions& options = {});

struct MinMaxNormOptions {
  /// The least length.
  double min_value = 0;
  /// The greatest length.
  double max_value = 1;
  /// Which part of the way to these limits a step goes, 0 to 1; 1: all of it.
  double rate = 1;
  /// The dimensions along which a vector lies: {0} of [inputs, outputs], {0, 1, 2} of a kernel of Conv2D.
  std::vector<int64_t> axis = {0};
};
/// Vectors whose length is outside of the limits are brought to them by `rate`.
Constraint MinMaxNorm(const MinMaxNormOptions& options = {});

/// The one that a file tells of, {"class_name": "UnitNorm", "config": ...}, or by its name. Throws ValueError
/// for a class that is not known.
Constraint deserialize(const Config& config, Input::Where where = Input::Where::current());

}  // namespace flowray::tf::keras::constraints

#pragma GCC visibility pop
