#pragma once
/// Initializers: how get_variable makes first values (tf.zeros_initializer and its siblings).

#include <flowray/tf/config.h>
#include <flowray/tf/input.h>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Makes the tensor of a variable's first value from its shape and dtype, or is that value itself. A
/// default-made one is "none".
class Initializer {
 public:
  /// Takes the shape and the dtype, gives a tensor of them.
  using Function = std::function<Tensor(const TensorShape& shape, DType dtype)>;

  Initializer() = default;
  /// A function of shape and dtype: a lambda, say.
  template <class F>
    requires(!std::convertible_to<const F&, Input> &&
             std::is_invocable_r_v<Tensor, const F&, const TensorShape&, DType>)
  Initializer(F function) : function_(std::move(function)) {}  // NOLINT: implicit, all of these
  /// The value itself: a number, an Array, a Tensor.
  template <class T>
    requires std::convertible_to<const T&, Input>
  Initializer(const T& value) : value_(Input(value)) {}
  /// What makes one, with no options: tf::zeros_initializer, tf::glorot_uniform_initializer.
  Initializer(Initializer (*make)()) : Initializer(make()) {}
  template <class Options>
  Initializer(Initializer (*make)(const Options&)) : Initializer(make(Options())) {}
  /// For Flowray itself: one of the language's, and what it is in files.
  Initializer(Function function, Config config)
      : function_(std::move(function)), config_(std::move(config)) {}
  /// Whether there is one.
  bool has_value() const { return function_ != nullptr || value_.has_value(); }
  /// What files have of it, {"class_name": "Zeros", "config": ...}; null of a function of the program's, and
  /// of a value.
  const Config& config() const { return config_; }
  /// The value itself, where it is not made by a function.
  const OptionalInput& value() const { return value_; }
  /// The first value of a variable of this shape. Not of one that is a value itself.
  Tensor operator()(const TensorShape& shape, DType dtype = float32,
                    Input::Where where = Input::Where::current()) const;

 private:
  Function function_;
  OptionalInput value_;
  Config config_;
};

/// All elements 0 (false, "").
Initializer zeros_initializer();
/// All elements 1 (true).
Initializer ones_initializer();
/// One number for all elements, or a list of as many values as the variable has (row-major;
/// ValueError otherwise).
Initializer constant_initializer(Literal value);

struct RandomUniformInitializerOptions {
  /// The least value, a number or a scalar tensor.
  Input minval = -0.05;
  /// The upper limit, which is not reached.
  Input maxval = 0.05;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// Uniform in [minval, maxval).
Initializer random_uniform_initializer(const RandomUniformInitializerOptions& options = {});

struct NormalInitializerOptions {
  /// The mean.
  double mean = 0.0;
  /// The standard deviation.
  double stddev = 1.0;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// Normal values of the mean and standard deviation given.
Initializer random_normal_initializer(const NormalInitializerOptions& options = {});
/// Normal values of the mean and standard deviation given;
/// those beyond two standard deviations are drawn again.
Initializer truncated_normal_initializer(const NormalInitializerOptions& options = {});

struct VarianceScalingOptions {
  /// What the variance is multiplied by; above 0.
  double scale = 1.0;
  /// "fan_in", "fan_out" or "fan_avg", the mean of both: what of the shape counts.
  std::string mode = "fan_in";
  /// "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
  std::string distribution = "truncated_normal";
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// Random values of variance scale / fan, so that signals keep their size through layers. Throws ValueError
/// for a scale that is not positive and for an unknown mode or distribution.
Initializer variance_scaling_initializer(const VarianceScalingOptions& options = {});

struct SeedOption {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// Uniform within +-sqrt(6 / (fan_in + fan_out)); what get_variable takes by default. Source: Glorot and
/// Bengio, 2010.
Initializer glorot_uniform_initializer(const SeedOption& options = {});
/// Truncated normal of variance 2 / (fan_in + fan_out).
Initializer glorot_normal_initializer(const SeedOption& options = {});

struct GainOptions {
  /// What the matrix is multiplied by.
  double gain = 1.0;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// A random matrix of orthogonal rows, or columns if those are fewer, times gain; all dimensions but the last
/// are rows. ValueError of the initializer for fewer than two dimensions. Source: Saxe et al., 2014.
Initializer orthogonal_initializer(const GainOptions& options = {});

struct UniformUnitScalingOptions {
  /// What the limits are multiplied by.
  double factor = 1.0;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// Uniform within +-factor * sqrt(3 / the product of all dimensions but the last). Source: Sussillo,
/// Abbott, 2014.
Initializer uniform_unit_scaling_initializer(const UniformUnitScalingOptions& options = {});

/// tf.initializers: those that have no other name.
namespace initializers {
/// Truncated normal of variance 2 / fan_in, for layers with relu. Source: He et al., 2015.
Initializer he_normal(const SeedOption& options = {});
/// Uniform within +-sqrt(6 / fan_in).
Initializer he_uniform(const SeedOption& options = {});
/// Truncated normal of variance 1 / fan_in. Source: LeCun et al., 1998.
Initializer lecun_normal(const SeedOption& options = {});
/// Uniform within +-sqrt(3 / fan_in).
Initializer lecun_uniform(const SeedOption& options = {});
/// A matrix of gain on the diagonal, zeros elsewhere. ValueError of the initializer for another number
/// of dimensions.
Initializer identity(double gain = 1.0);
/// An initializer by its name, as layers take it in Python: "zeros", "ones", "random_uniform",
/// "random_normal" and "truncated_normal" (of 0.05), "glorot_uniform", "he_normal", ... Throws
/// ValueError for another word.
Initializer get(std::string_view name, Input::Where where = Input::Where::current());
/// The one that a file tells of, {"class_name": "Zeros", "config": ...}, or by its name. Throws ValueError
/// for a class, and for options, that are not known.
Initializer deserialize(const Config& config, Input::Where where = Input::Where::current());
}  // namespace initializers

}  // namespace flowray::tf

#pragma GCC visibility pop
