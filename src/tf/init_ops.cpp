#include <flowray/tf/array_ops.h>
#include <flowray/tf/init_ops.h>
#include <flowray/tf/random_ops.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace flowray::tf {
namespace {

/// Inputs and outputs that one weight connects, as Glorot counts them: the last two dimensions are channels, those before
/// them the receptive field.
double mean_fan(const TensorShape& shape) {
  double fan_in = 1;
  double fan_out = 1;
  if (shape.rank() == 1) {
    fan_in = fan_out = static_cast<double>(shape.dim(0));
  } else if (shape.rank() >= 2) {
    double field = 1;
    for (int i = 0; i + 2 < shape.rank(); ++i) field *= static_cast<double>(shape.dim(i));
    fan_in = field * static_cast<double>(shape.dim(-2));
    fan_out = field * static_cast<double>(shape.dim(-1));
  }
  return std::max(1.0, (fan_in + fan_out) / 2);
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

}  // namespace

Initializer zeros_initializer() {
  return Initializer::Function([](const TensorShape& shape, DType dtype) { return zeros(shape, dtype); });
}

Initializer ones_initializer() {
  return Initializer::Function([](const TensorShape& shape, DType dtype) { return ones(shape, dtype); });
}

Initializer constant_initializer(Literal value) {
  return Initializer::Function([value](const TensorShape& shape, DType dtype) {
    const Array given = value.to_array(dtype);
    if (given.size() > shape.num_elements() && given.size() != 1) {
      throw ValueError(fmt::format("Too many elements provided. Takes at most {}, but got {}.", shape.num_elements(),
                                   given.size()));
    }
    if (given.size() == 0 && shape.num_elements() > 0) {
      throw ValueError(fmt::format("constant_initializer was given no value for shape {}", shape.to_tuple_string()));
    }
    return constant(spread(given, shape));
  });
}

Initializer random_uniform_initializer(const RandomUniformInitializerOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    return random_uniform(shape, options.minval, options.maxval, {.dtype = dtype, .seed = options.seed});
  });
}

Initializer random_normal_initializer(const NormalInitializerOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    return random_normal(shape, options.mean, options.stddev, {.dtype = dtype, .seed = options.seed});
  });
}

Initializer truncated_normal_initializer(const NormalInitializerOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    return truncated_normal(shape, options.mean, options.stddev, {.dtype = dtype, .seed = options.seed});
  });
}

Initializer glorot_uniform_initializer(const GlorotInitializerOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    const double limit = std::sqrt(3.0 / mean_fan(shape));
    return random_uniform(shape, -limit, limit, {.dtype = dtype, .seed = options.seed});
  });
}

Initializer glorot_normal_initializer(const GlorotInitializerOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    // Cutting at two standard deviations narrows the distribution by this factor.
    constexpr double kTruncatedStddev = 0.87962566103423978;
    const double stddev = std::sqrt(1.0 / mean_fan(shape)) / kTruncatedStddev;
    return truncated_normal(shape, 0.0, stddev, {.dtype = dtype, .seed = options.seed});
  });
}

}  // namespace flowray::tf
