#include <flowray/tf/debugging.h>
#include <flowray/tf/image.h>
#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

#include "tf/build/composite.h"
#include "tf/build/with_dependencies.h"
#include "tf/functions/dtype_limits.h"
#include "tf/image/extent.h"

#include <fmt/format.h>

namespace flowray::tf::image {
namespace {

/// float16 and float32 are computed with as they are.
Tensor as_floats(const Tensor& image) {
  const DType dtype = base_dtype(image.dtype());
  return dtype == DType::kFloat16 || dtype == DType::kFloat32 ? image
                                                              : convert_image_dtype(image, DType::kFloat32);
}

DType dtype_of(const Tensor& image) { return base_dtype(image.dtype()); }

}  // namespace

Tensor adjust_brightness(const Input& image, const Input& delta) {
  Composite scope({{"image", image}, {"delta", delta}}, {}, "adjust_brightness", image.where());
  const Tensor given = scope.convert(image, "image");
  const Tensor pixels = as_floats(given);
  const Tensor adjusted = add(pixels, cast(delta, dtype_of(pixels)), {.name = scope.result_name()});
  return convert_image_dtype(adjusted, dtype_of(given), {.saturate = true});
}

Tensor adjust_contrast(const Input& images, const Input& contrast_factor) {
  Composite scope({{"images", images}, {"contrast_factor", contrast_factor}}, {}, "adjust_contrast",
                  images.where());
  const Tensor given = scope.convert(images, "images");
  const Tensor adjusted = apply_op(
      {.op = "AdjustContrastv2", .name = scope.result_name(), .args = {as_floats(given), contrast_factor}});
  return convert_image_dtype(adjusted, dtype_of(given), {.saturate = true});
}

Tensor adjust_gamma(const Input& image, const Input& gamma, const Input& gain) {
  Composite scope({{"image", image}, {"gamma", gamma}, {"gain", gain}}, {}, "adjust_gamma", image.where());
  const Tensor given = scope.convert(image, "image");
  const Tensor pixels = as_floats(given);
  constexpr const char* kNegative = "Gamma should be a non-negative real number.";
  Input exponent = gamma;
  if (gamma.tensor() != nullptr) {
    exponent = with_dependencies({Assert(gamma >= 0, {kNegative})}, *gamma.tensor());
  } else {
    const Array value = gamma.literal() != nullptr ? gamma.literal()->to_array() : *gamma.array();
    if (value.astype(DType::kFloat64).reshape({}).item<double>() < 0) throw ValueError(kNegative);
  }
  const Tensor power = pow(pixels, exponent, {.name = "pow"});
  return convert_image_dtype(gain * power, dtype_of(given), {.saturate = true});
}

namespace {

Tensor adjusted_by(const char* op, const char* name, const Input& image, const Argument& amount,
                   const NameOption& options) {
  Composite scope({{"image", image}, amount}, options.name, name, image.where());
  const Tensor given = scope.convert(image, "image");
  return convert_image_dtype(apply_op({.op = op, .args = {as_floats(given), amount.input()}}),
                             dtype_of(given));
}

Tensor random_amount(const Input& image, double lower, double upper, const SeedOption& options) {
  const CallScope call({{"image", image}});
  return random_uniform(Literal::list({}), lower, upper, {.seed = options.seed});
}

void check_delta(double max_delta) {
  if (max_delta < 0) throw ValueError("max_delta must be non-negative.");
}
void check_limits(double lower, double upper) {
  if (upper <= lower) throw ValueError("upper must be > lower.");
  if (lower < 0) throw ValueError("lower must be non-negative.");
}

}  // namespace

Tensor adjust_hue(const Input& image, const Input& delta, const NameOption& options) {
  return adjusted_by("AdjustHue", "adjust_hue", image, {"delta", delta}, options);
}
Tensor adjust_saturation(const Input& image, const Input& saturation_factor, const NameOption& options) {
  return adjusted_by("AdjustSaturation", "adjust_saturation", image, {"saturation_factor", saturation_factor},
                     options);
}

Tensor random_brightness(const Input& image, double max_delta, const SeedOption& options) {
  const ErrorLine errors(image.where());
  check_delta(max_delta);
  return adjust_brightness(image, random_amount(image, -max_delta, max_delta, options));
}
Tensor random_contrast(const Input& image, double lower, double upper, const SeedOption& options) {
  const ErrorLine errors(image.where());
  check_limits(lower, upper);
  return adjust_contrast(image, random_amount(image, lower, upper, options));
}
Tensor random_hue(const Input& image, double max_delta, const SeedOption& options) {
  const ErrorLine errors(image.where());
  if (max_delta > 0.5) throw ValueError("max_delta must be <= 0.5.");
  check_delta(max_delta);
  return adjust_hue(image, random_amount(image, -max_delta, max_delta, options));
}
Tensor random_saturation(const Input& image, double lower, double upper, const SeedOption& options) {
  const ErrorLine errors(image.where());
  check_limits(lower, upper);
  return adjust_saturation(image, random_amount(image, lower, upper, options));
}

namespace {

Tensor converted(const Tensor& image, DType dtype, bool saturate, const std::string& name) {
  return saturate ? saturate_cast(image, dtype, {.name = name}) : cast(image, dtype, {.name = name});
}

/// A factor between integers: an integer, or 0 where it is too large for the dtype that it would have.
Input whole(int64_t factor, DType dtype) { return Array(factor).astype(dtype); }

Tensor integers_to_integers(const Tensor& image, DType dtype, bool saturate, const std::string& name) {
  const DType own = dtype_of(image);
  const auto most = static_cast<uint64_t>(limits_of(own).highest);
  const auto new_most = static_cast<uint64_t>(limits_of(dtype).highest);
  const auto ratio = [](uint64_t larger, uint64_t less) {
    return static_cast<int64_t>(larger / 2 + 1) / static_cast<int64_t>(less / 2 + 1);
  };
  if (most > new_most) {
    return converted(floordiv(image, whole(ratio(most, new_most), own)), dtype, saturate, name);
  }
  const Tensor wide = converted(image, dtype, saturate, {});
  return multiply(wide, whole(ratio(new_most, most), dtype), {.name = name});
}

}  // namespace

Tensor convert_image_dtype(const Input& image, DType dtype, const ConvertOptions& options) {
  const CallScope call({{"image", image}});
  graph::Graph& graph = call.graph();
  const Tensor given = to_tensor(graph, image, "image");
  const DType own = dtype_of(given);
  if (!is_floating(dtype) && !is_integer(dtype))
    throw TypeError("dtype must be either floating point or integer");
  if (!is_floating(own) && !is_integer(own))
    throw TypeError("image dtype must be either floating point or integer");
  if (own == dtype) return identity(given, {options.name});
  Composite scope(graph, options.name, "convert_image", image.where());
  const std::string& name = scope.result_name();
  if (is_integer(own) && is_integer(dtype)) return integers_to_integers(given, dtype, options.saturate, name);
  if (is_floating(own) && is_floating(dtype)) return cast(given, dtype, {.name = name});
  if (is_integer(own)) {
    const auto most = static_cast<double>(limits_of(own).highest);
    return multiply(cast(given, dtype), 1.0 / most, {.name = name});
  }
  const auto most = static_cast<double>(limits_of(dtype).highest);
  return converted(multiply(given, most + 0.5), dtype, options.saturate, name);
}

Tensor rgb_to_grayscale(const Input& images, const NameOption& options) {
  Composite scope({{"images", images}}, options.name, "rgb_to_grayscale", images.where());
  const Tensor given = scope.convert(images, "images");
  const Tensor pixels = convert_image_dtype(given, DType::kFloat32);
  const Tensor gray = expand_dims(tensordot(pixels, {0.2989, 0.587, 0.114}, {-1}, {-1}), -1);
  return convert_image_dtype(gray, dtype_of(given), {.name = scope.result_name()});
}

namespace {

std::vector<Operation> checks_of_grayscale(const Tensor& images) {
  const TensorShape& shape = images.shape();
  constexpr const char* kChannels = "Last dimension of a grayscale image should be size 1.";
  if (shape.has_rank() && shape.rank() < 2) {
    throw ValueError(fmt::format("A grayscale image (shape {}) must be at least two-dimensional.",
                                 shape.to_tuple_string()));
  }
  if (shape.is_fully_defined()) {
    if (shape.dim(-1) != 1) throw ValueError(kChannels);
    return {};
  }
  const Operation one = assert_equal(tf::shape(images)[-1], 1, {.message = kChannels});
  const Operation enough = assert_greater_equal(
      tf::rank(images), 3, {.message = "A grayscale image must be at least two-dimensional."});
  return {one, enough};
}

/// Each pixel's channels times a matrix.
Tensor times_matrix(const Input& images, const Literal& matrix) {
  const CallScope call({{"images", images}});
  graph::Graph& graph = call.graph();
  const Tensor pixels = to_tensor(graph, images, "images");
  const Tensor kernel = to_tensor(graph, matrix, "kernel", dtype_of(pixels));
  return tensordot(pixels, kernel, {pixels.shape().has_rank() ? pixels.shape().rank() - 1 : -1}, {0});
}

}  // namespace

Tensor grayscale_to_rgb(const Input& images, const NameOption& options) {
  Composite scope({{"images", images}}, options.name, "grayscale_to_rgb", images.where());
  const Tensor given = scope.convert(images, "images");
  const Tensor pixels = with_dependencies(checks_of_grayscale(given), given);
  const Tensor leading = expand_dims(rank(pixels) - 1, 0);
  const Tensor once = ones(leading, DType::kInt32);
  const Tensor multiples = concat({once, expand_dims(3, 0)}, 0);
  Tensor result = tile(pixels, multiples, {.name = scope.result_name()});
  if (pixels.shape().has_rank()) {
    TensorShape shape = pixels.shape();
    shape.set_dim(-1, 3);
    result.set_shape(shape);
  }
  return result;
}

Tensor rgb_to_yuv(const Input& images) {
  return times_matrix(images, {{0.299, -0.14714119, 0.61497538},
                               {0.587, -0.28886916, -0.51496512},
                               {0.114, 0.43601035, -0.10001026}});
}
Tensor yuv_to_rgb(const Input& images) {
  return times_matrix(images,
                      {{1.0, 1.0, 1.0}, {0.0, -0.394642334, 2.03206185}, {1.13988303, -0.58062185, 0.0}});
}
Tensor rgb_to_yiq(const Input& images) {
  return times_matrix(
      images,
      {{0.299, 0.59590059, 0.2115}, {0.587, -0.27455667, -0.52273617}, {0.114, -0.32134392, 0.31119955}});
}
Tensor yiq_to_rgb(const Input& images) {
  return times_matrix(
      images,
      {{1.0, 1.0, 1.0}, {0.95598634, -0.27201283, -1.10674021}, {0.6208248, -0.64720424, 1.70423049}});
}

}  // namespace flowray::tf::image
