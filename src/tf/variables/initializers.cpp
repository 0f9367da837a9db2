#include <flowray/tf/array.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/random.h>
#include <flowray/tf/several.h>

#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/variables/custom_getter.h"
#include "tf/variables/initializer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace flowray::tf {
namespace {

struct Fans {
  double in = 1;
  double out = 1;
};

/// Inputs and outputs that one weight connects, as Glorot counts them: the last two dimensions are channels,
/// those before them the receptive field.
Fans fans_of(const TensorShape& shape) {
  if (shape.rank() == 0) return {};
  const auto last = static_cast<double>(shape.dim(-1));
  if (shape.rank() == 1) return {last, last};
  double field = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i) field *= static_cast<double>(shape.dim(i));
  return {field * static_cast<double>(shape.dim(-2)), field * last};
}

double fan_of(const TensorShape& shape, const std::string& mode) {
  const Fans fans = fans_of(shape);
  if (mode == "fan_in") return std::max(1.0, fans.in);
  if (mode == "fan_out") return std::max(1.0, fans.out);
  return std::max(1.0, (fans.in + fans.out) / 2);
}

/// The given values in a row; the last one fills what is left of the shape, as in TensorFlow.
Array spread(const Array& given, const TensorShape& shape) {
  if (given.size() == shape.num_elements()) return given.reshape(shape);
  Array all(given.dtype(), shape);
  const size_t width = dtype_size(given.dtype());
  const auto* in = static_cast<const std::byte*>(given.raw_data());
  auto* out = static_cast<std::byte*>(all.mutable_raw_data());
  for (int64_t i = 0; i < all.size(); ++i) {
    const auto from = static_cast<size_t>(std::min(i, given.size() - 1));
    std::memcpy(out + static_cast<size_t>(i) * width, in + from * width, width);
  }
  return all;
}

/// A number that the program wrote; null for a tensor, which no file can hold.
Config config_of(const Input& input) {
  if (input.literal() != nullptr) return input.literal()->to_array(DType::kFloat64).item<double>();
  if (input.array() != nullptr) return input.array()->astype(DType::kFloat64).item<double>();
  return {};
}

}  // namespace

Tensor Initializer::operator()(const TensorShape& shape, DType dtype, Input::Where where) const {
  internal::check_callable(function_, "initializer", where);
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  const LinesOfTheirOwn lines(graph);
  return returned(function_(shape, dtype), "initializer");
}

Initializer zeros_initializer() {
  return {[](const TensorShape& shape, DType dtype) { return zeros(shape, dtype); },
          initializer_config("Zeros", {})};
}

Initializer ones_initializer() {
  return {[](const TensorShape& shape, DType dtype) { return ones(shape, dtype); },
          initializer_config("Ones", {})};
}

namespace {

Initializer::Function constant_of(const Literal& value) {
  return [value](const TensorShape& shape, DType dtype) {
    const ErrorLine line{Input::Where()};  // that of the code that makes the variable
    const Array given = value.to_array(dtype);
    if (given.size() > shape.num_elements() && given.size() != 1) {
      throw ValueError(fmt::format("Too many elements provided. Takes at most {}, but got {}.",
                                   shape.num_elements(), given.size()));
    }
    if (given.size() == 0 && shape.num_elements() > 0) {
      throw ValueError(
          fmt::format("constant_initializer was given no value for shape {}", shape.to_tuple_string()));
    }
    return constant(spread(given, shape));
  };
}

/// Of a single number; null for a list of them.
Config config_of_constant(const Literal& value) {
  const Array numbers = value.to_array(DType::kFloat64);
  if (numbers.shape().rank() != 0) return {};
  return initializer_config("Constant", Config::items({{"value", numbers.item<double>()}}));
}

Config normal_config(const char* class_name, const NormalInitializerOptions& options) {
  return initializer_config(class_name, Config::items({{"mean", options.mean},
                                                       {"stddev", options.stddev},
                                                       {"seed", seed_config(options.seed)}}));
}

}  // namespace

Initializer constant_initializer(Literal value) { return {constant_of(value), config_of_constant(value)}; }

Initializer random_uniform_initializer(const RandomUniformInitializerOptions& options) {
  (void)graph_of({{"minval", options.minval}, {"maxval", options.maxval}});
  const Config minval = config_of(options.minval);
  const Config maxval = config_of(options.maxval);
  const bool has_config = !minval.is_null() && !maxval.is_null();
  return {
      [options](const TensorShape& shape, DType dtype) {
        return random_uniform(shape, options.minval, options.maxval, {.dtype = dtype, .seed = options.seed});
      },
      has_config
          ? initializer_config(
                "RandomUniform",
                Config::items({{"minval", minval}, {"maxval", maxval}, {"seed", seed_config(options.seed)}}))
          : Config()};
}

Initializer random_normal_initializer(const NormalInitializerOptions& options) {
  return {[options](const TensorShape& shape, DType dtype) {
            return random_normal(shape, options.mean, options.stddev, {.dtype = dtype, .seed = options.seed});
          },
          normal_config("RandomNormal", options)};
}

Initializer truncated_normal_initializer(const NormalInitializerOptions& options) {
  return {[options](const TensorShape& shape, DType dtype) {
            return truncated_normal(shape, options.mean, options.stddev,
                                    {.dtype = dtype, .seed = options.seed});
          },
          normal_config("TruncatedNormal", options)};
}

namespace {

/// One that files have by a name of its own: its options say how it scales.
Initializer scaled_by(const VarianceScalingOptions& options, Config config) {
  if (!(options.scale > 0)) {
    throw ValueError(fmt::format("Argument `scale` must be a positive float. Received: {}", options.scale));
  }
  const std::string& mode = options.mode;
  if (mode != "fan_in" && mode != "fan_out" && mode != "fan_avg") {
    throw ValueError(
        fmt::format("Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {}", mode));
  }
  const std::string& distribution = options.distribution;
  const bool is_truncated = distribution == "normal" || distribution == "truncated_normal";
  if (!is_truncated && distribution != "uniform" && distribution != "untruncated_normal") {
    throw ValueError(
        fmt::format("Argument `distribution` should be one of ('normal', 'uniform', 'truncated_normal', "
                    "'untruncated_normal'). Received: {}",
                    distribution));
  }
  const auto made = [options, is_truncated](const TensorShape& shape, DType dtype) {
    const internal::SaveSlice* const part = internal::part_being_made();
    const double variance =
        options.scale / fan_of(part == nullptr ? shape : TensorShape(part->full_shape), options.mode);
    const double stddev = std::sqrt(variance);
    const RandomNormalOptions random = {.dtype = dtype, .seed = options.seed};
    if (options.distribution == "uniform") {
      const double limit = std::sqrt(3 * variance);
      return random_uniform(shape, -limit, limit, {.dtype = dtype, .seed = options.seed});
    }
    if (!is_truncated) return random_normal(shape, 0.0, stddev, random);
    // Cutting at two standard deviations narrows the distribution by this factor.
    constexpr double kTruncatedStddev = 0.87962566103423978;
    return truncated_normal(shape, 0.0, stddev / kTruncatedStddev, random);
  };
  return {made, std::move(config)};
}

Config seeded(const char* class_name, const SeedOption& options, bool has_dtype) {
  return initializer_config(class_name, Config::items({{"seed", seed_config(options.seed)}}), has_dtype);
}

}  // namespace

Initializer variance_scaling_initializer(const VarianceScalingOptions& options) {
  return scaled_by(
      options, initializer_config("VarianceScaling", Config::items({{"scale", options.scale},
                                                                    {"mode", options.mode},
                                                                    {"distribution", options.distribution},
                                                                    {"seed", seed_config(options.seed)}})));
}

Initializer glorot_uniform_initializer(const SeedOption& options) {
  return scaled_by({.mode = "fan_avg", .distribution = "uniform", .seed = options.seed},
                   seeded("GlorotUniform", options, true));
}
Initializer glorot_normal_initializer(const SeedOption& options) {
  return scaled_by({.mode = "fan_avg", .seed = options.seed}, seeded("GlorotNormal", options, true));
}
namespace initializers {
Initializer he_normal(const SeedOption& options) {
  return scaled_by({.scale = 2.0, .seed = options.seed}, seeded("HeNormal", options, false));
}
Initializer he_uniform(const SeedOption& options) {
  return scaled_by({.scale = 2.0, .distribution = "uniform", .seed = options.seed},
                   seeded("HeUniform", options, false));
}
Initializer lecun_normal(const SeedOption& options) {
  return scaled_by({.seed = options.seed}, seeded("LecunNormal", options, false));
}
Initializer lecun_uniform(const SeedOption& options) {
  return scaled_by({.distribution = "uniform", .seed = options.seed}, seeded("LecunUniform", options, false));
}
}  // namespace initializers

}  // namespace flowray::tf
