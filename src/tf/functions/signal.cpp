#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/slicing.h>

#include "graph/constant_value.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flowray::tf::signal {
namespace {

void check_window(int64_t window_length, DType dtype) {
  if (!is_floating(dtype)) {
    throw ValueError(
        fmt::format("dtype must be a floating point type. Found <dtype: '{}'>", dtype_name(dtype)));
  }
  if (window_length < 1) {
    throw ValueError(fmt::format("window_length must be positive. Got: {}", window_length));
  }
}

/// a - b * cos(...), of a length of 1 the number 1.
Tensor raised_cosine(const char* name, const Input& window_length, const WindowOptions& options, double a,
                     double b) {
  if (!is_floating(options.dtype)) {
    throw ValueError(
        fmt::format("dtype must be a floating point type. Found <dtype: '{}'>", dtype_name(options.dtype)));
  }
  Composite scope({{"window_length", window_length}, {"periodic", options.periodic}}, options.name, name,
                  window_length.where());
  const Tensor length = scope.convert(window_length, "window_length", DType::kInt32);
  if (length.shape().has_rank() && length.shape().rank() != 0) {
    throw ValueError(fmt::format("Shape {} must have rank 0", length.shape().to_tuple_string()));
  }
  const Array known = graph::constant_value(endpoint_of(length));
  if (known.has_value() && known.item<int32_t>() == 1) return ones({1}, options.dtype);
  const Tensor periodic =
      cast(tensor_of(scope.convert(options.periodic, "periodic", DType::kBool)), DType::kInt32);
  const Tensor even = 1 - floormod(length, 2, {.name = "mod"});
  const Tensor period = cast(length + periodic * even - 1, options.dtype);
  const Tensor count = cast(range(length), options.dtype);
  const Tensor turn = constant(2 * std::numbers::pi, options.dtype);
  const Tensor angle = turn * count / period;
  const auto curve = [&] { return a - b * cos(angle); };
  if (known.has_value()) return curve();
  return cond(equal(length, 1), [&] { return ones({length}, options.dtype); }, curve);
}

}  // namespace

Tensor hann_window(const Input& window_length, const WindowOptions& options) {
  return raised_cosine("hann_window", window_length, options, 0.5, 0.5);
}
Tensor hamming_window(const Input& window_length, const WindowOptions& options) {
  return raised_cosine("hamming_window", window_length, options, 0.54, 0.46);
}

Tensor kaiser_window(int64_t window_length, const KaiserOptions& options) {
  Composite scope({}, options.name, "kaiser_window", Input::Where::current());
  check_window(window_length, options.dtype);
  if (window_length == 1) return ones({1}, options.dtype);
  const double half = static_cast<double>(window_length - 1) / 2;
  Array shares(DType::kFloat64, {window_length});
  for (int64_t i = 0; i < window_length; ++i) {
    const double place = (static_cast<double>(i) - half) / half;
    shares.mutable_data<double>()[i] = options.beta * std::sqrt(std::max(0.0, 1 - place * place));
  }
  const Tensor inner = constant(shares.astype(options.dtype));
  const Tensor beta = constant(Array(options.beta).astype(options.dtype));
  const auto bessel = [](const Tensor& x) { return apply_op({.op = "BesselI0e", .args = {x}}); };
  return exp(inner - beta) * (bessel(inner) / bessel(beta));
}

Tensor kaiser_bessel_derived_window(int64_t window_length, const KaiserOptions& options) {
  Composite scope({}, options.name, "kaiser_bessel_derived_window", Input::Where::current());
  check_window(window_length, options.dtype);
  const int64_t half = window_length / 2;
  const Tensor sums = apply_op(
      {.op = "Cumsum", .args = {kaiser_window(half + 1, {.beta = options.beta, .dtype = options.dtype}), 0}});
  const Tensor rising = sqrt(sums[Index(Slice{{}, -1})] / sums[-1]);
  return concat({rising, reverse(rising, Input::list({0}))}, 0);
}

Tensor vorbis_window(int64_t window_length, const VorbisOptions& options) {
  Composite scope({}, options.name, "vorbis_window", Input::Where::current());
  check_window(window_length, options.dtype);
  Array values(DType::kFloat64, {window_length});
  for (int64_t i = 0; i < window_length; ++i) {
    const double wave =
        std::sin(std::numbers::pi / static_cast<double>(window_length) * (static_cast<double>(i) + 0.5));
    values.mutable_data<double>()[i] = std::sin(std::numbers::pi / 2 * wave * wave);
  }
  return constant(values.astype(options.dtype));
}

}  // namespace flowray::tf::signal
