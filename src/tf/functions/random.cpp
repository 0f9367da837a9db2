#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>

#include "tf/build/composite.h"
#include "tf/build/random_seed.h"
#include "tf/build/with_dependencies.h"

#include <fmt/format.h>

#include <limits>

namespace flowray::tf {
namespace {

using graph::Endpoint;

constexpr int64_t kDefaultGraphSeed = 87654321;
constexpr int64_t kMaxInt32 = (int64_t{1} << 31) - 1;

/// A shape as random ops take it.
Endpoint shape_tensor(Composite& scope, const Input& shape) {
  const bool empty = shape.literal() != nullptr && shape.literal()->to_array().size() == 0;
  return scope.convert(shape, "shape", empty ? DType::kInt32 : DType::kInvalid);
}

/// Whether it is this integer, written as one: 1.0 is not 1.
bool is_written(const Input& input, int number) {
  const Literal* literal = input.literal();
  if (literal == nullptr || !is_integer(literal->default_dtype())) return false;
  const Array value = literal->to_array();
  return value.rank() == 0 && value.astype(DType::kInt64).item<int64_t>() == number;
}

Tensor normal(std::string_view op, std::string_view default_name, const Input& shape,
              const RandomNormalOptions& options) {
  Composite scope({{"shape", shape}, {"mean", options.mean}, {"stddev", options.stddev}}, options.name,
                  default_name, shape.where());
  const Endpoint dims = shape_tensor(scope, shape);
  const Endpoint mean = scope.convert(options.mean, "mean", options.dtype);
  const Endpoint stddev = scope.convert(options.stddev, "stddev", options.dtype);
  const Seeds seeds = seeds_of(scope.graph(), options.seed);
  const Endpoint random =
      scope.op(op, {dims}, {{"dtype", options.dtype}, {"seed", seeds.seed}, {"seed2", seeds.seed2}});
  const Endpoint scaled = scope.op("Mul", {random, stddev}, {}, "mul");
  return scope.result("AddV2", {scaled, mean});
}

}  // namespace

Seeds seeds_of(graph::Graph& graph, std::optional<int64_t> op_seed) {
  Seeds seeds;
  if (graph.seed() >= 0) {
    seeds = {graph.seed(), truncated_seed(op_seed ? *op_seed : graph.next_op_seed())};
  } else if (op_seed) {
    seeds = {kDefaultGraphSeed, truncated_seed(*op_seed)};
  } else {
    return {};
  }
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds.seed2 = kMaxInt32;
  return seeds;
}

Tensor random_uniform(const Input& shape, const RandomUniformOptions& options) {
  const ErrorLine errors(shape.where());
  const bool integers = options.dtype == DType::kInt32 || options.dtype == DType::kInt64;
  if (!integers && !is_floating(options.dtype)) {
    throw ValueError(fmt::format(
        "Argument `dtype` got invalid value <dtype: '{}'>. Accepted dtypes are float16, bfloat16, "
        "float32, float64, int32 and int64.",
        dtype_name(options.dtype)));
  }
  if (integers && !options.maxval.has_value()) {
    throw ValueError(fmt::format("Must specify maxval for integer dtype tf.{}", dtype_name(options.dtype)));
  }
  const Input maxval = options.maxval.has_value() ? *options.maxval : Input(1, shape.where());
  Composite scope({{"shape", shape}, {"minval", options.minval}, {"maxval", maxval}}, options.name,
                  "random_uniform", shape.where());
  const Endpoint dims = shape_tensor(scope, shape);
  const bool from_zero = is_written(options.minval, 0);
  const bool to_one = is_written(maxval, 1);
  Endpoint min;
  Endpoint max;
  if (!from_zero || !to_one || integers) {
    min = scope.convert(options.minval, "min", options.dtype);
    max = scope.convert(maxval, "max", options.dtype);
  }
  const Seeds seeds = seeds_of(scope.graph(), options.seed);
  const graph::Attrs seed_attrs = {{"seed", seeds.seed}, {"seed2", seeds.seed2}};
  if (integers) return scope.result("RandomUniformInt", {dims, min, max}, seed_attrs);
  graph::Attrs attrs = seed_attrs;
  attrs.set("dtype", options.dtype);
  const Endpoint random = scope.op("RandomUniform", {dims}, attrs);
  if (from_zero) return tensor_of(to_one ? random : scope.op("Mul", {random, max}));
  const Endpoint width = scope.op("Sub", {max, min}, {}, "sub");
  const Endpoint scaled = scope.op("Mul", {random, width}, {}, "mul");
  return scope.result("AddV2", {scaled, min});
}

Tensor random_normal(const Input& shape, const RandomNormalOptions& options) {
  return normal("RandomStandardNormal", "random_normal", shape, options);
}
Tensor truncated_normal(const Input& shape, const RandomNormalOptions& options) {
  return normal("TruncatedNormal", "truncated_normal", shape, options);
}

Tensor random_shuffle(const Input& value, const RandomShuffleOptions& options) {
  const Seeds seeds = seeds_of(graph_of({{"value", value}}), options.seed);
  return apply_op({.op = "RandomShuffle",
                   .name = options.name,
                   .args = {value},
                   .attrs = {{"seed", seeds.seed}, {"seed2", seeds.seed2}}});
}

namespace {

/// The smallest number above 0 that has all its digits.
double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p-14;
    case DType::kFloat32:
      return std::numeric_limits<float>::min();
    case DType::kFloat64:
      return std::numeric_limits<double>::min();
    default:
      throw TypeError(fmt::format("Numbers of gamma distributions are float16, float32 or float64, not {}.",
                                  dtype_name(dtype)));
  }
}

}  // namespace

Tensor random_gamma(const Input& shape, const Input& alpha, const RandomGammaOptions& options) {
  const double least = smallest_normal(options.dtype);
  const Input given_beta = options.beta.has_value() ? *options.beta : Input(1);
  Composite scope({{"shape", shape}, {"alpha", alpha}, {"beta", given_beta}}, options.name, "random_gamma",
                  shape.where());
  const Tensor dims = scope.convert(shape, "shape", DType::kInt32);
  const Tensor form = scope.convert(alpha, "alpha", options.dtype);
  const Tensor beta = scope.convert(given_beta, "beta", options.dtype);
  const Tensor form_shape = tf::shape(form);
  const Tensor all = apply_op({.op = "BroadcastArgs", .args = {form_shape, tf::shape(beta)}});
  const Tensor forms = broadcast_to(form, all);
  const Seeds seeds = seeds_of(scope.graph(), options.seed);
  const Tensor numbers = apply_op(
      {.op = "RandomGamma", .args = {dims, forms}, .attrs = {{"seed", seeds.seed}, {"seed2", seeds.seed2}}});
  const Tensor scaled = numbers / beta;
  return maximum(Array(least).astype(options.dtype), scaled);
}

Tensor random_crop(const Input& value, const Input& size, const RandomCropOptions& options) {
  Composite scope({{"value", value}, {"size", size}}, options.name, "random_crop", value.where());
  const Tensor whole = scope.convert(value, "value");
  const Tensor wanted = scope.convert(size, "size", DType::kInt32);
  const Tensor sizes = shape(whole);
  const Operation fits = Assert(reduce_all(greater_equal(sizes, wanted)),
                                {"Need value.shape >= size, got ", sizes, wanted}, /*summarize=*/1000);
  const Tensor limits = with_dependencies({fits}, sizes) - wanted + 1;
  const Tensor numbers =
      random_uniform(shape(limits), {.maxval = INT32_MAX, .dtype = DType::kInt32, .seed = options.seed});
  return slice(whole, numbers % limits, wanted, {.name = scope.result_name()});
}

}  // namespace flowray::tf
