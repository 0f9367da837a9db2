#pragma once
/// Random tensors: tf.random of TensorFlow 1.
///
/// Each makes other numbers in every step. Two seeds decide the sequence: the graph's (tf::set_random_seed)
/// and the op's `seed`; with at least one of them it is the same in every session and every run of the
/// program, and TensorFlow's own.
///
/// Shapes are lists of numbers and scalar tensors, or a vector tensor of int32 or int64. Throws ValueError
/// or TypeError for dtypes that have no such numbers, ValueError for shapes below 0, where it is called.

#include <flowray/tf/input.h>

#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct RandomUniformOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The least number; maxval is above the greatest. maxval left out: 1; integers need it (ValueError).
  Input minval = 0;
  /// The upper limit, which is not reached.
  OptionalInput maxval = {};
  /// float16, bfloat16, float32, float64, int32 or int64 (else ValueError).
  DType dtype = DType::kFloat32;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf::random_uniform({2, 3}), tf::random_uniform({1}, -1.0, 1.0), tf::random_uniform({2}, 0, 10, {.dtype
/// = tf::int32}).
Tensor random_uniform(const Input& shape, const RandomUniformOptions& options = {});
/// The same from `minval` (included) to `maxval` (excluded): random_uniform({2}, -1.0, 1.0).
template <int = 0>
Tensor random_uniform(const Input& shape, const Input& minval, const Input& maxval,
                      RandomUniformOptions options = {}) {
  options.minval = minval;
  options.maxval = maxval;
  return random_uniform(shape, options);
}

struct RandomNormalOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The mean.
  Input mean = 0.0;
  /// The standard deviation.
  Input stddev = 1.0;
  /// float16, bfloat16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Normal numbers of this mean and standard deviation, both of which broadcast to `shape`.
Tensor random_normal(const Input& shape, const RandomNormalOptions& options = {});
/// The same with the mean and the standard deviation behind the shape: random_normal({2}, 5.0, 0.1).
template <int = 0>
Tensor random_normal(const Input& shape, const Input& mean, const Input& stddev,
                     RandomNormalOptions options = {}) {
  options.mean = mean;
  options.stddev = stddev;
  return random_normal(shape, options);
}
/// random_normal without values farther than two standard deviations from the mean.
Tensor truncated_normal(const Input& shape, const RandomNormalOptions& options = {});
/// The same with the mean and the standard deviation behind the shape: truncated_normal({2}, 0.0, 0.1).
template <int = 0>
Tensor truncated_normal(const Input& shape, const Input& mean, const Input& stddev,
                        RandomNormalOptions options = {}) {
  options.mean = mean;
  options.stddev = stddev;
  return truncated_normal(shape, options);
}

struct RandomShuffleOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The rows of a tensor in another order.
Tensor random_shuffle(const Input& value, const RandomShuffleOptions& options = {});

struct RandomGammaOptions {
  /// The inverse scale; left out: 1.
  OptionalInput beta = {};
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Numbers of gamma distributions, `shape` of them for each alpha and beta, which broadcast.
Tensor random_gamma(const Input& shape, const Input& alpha, const RandomGammaOptions& options = {});

struct RandomCropOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// A part of `value` of `size`, one number for each dimension, from a place by chance. A size that is larger
/// than the tensor's is an InvalidArgumentError of the step.
Tensor random_crop(const Input& value, const Input& size, const RandomCropOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
