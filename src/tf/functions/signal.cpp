#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/signal.h>

#include "graph/constant_value.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

#include <numbers>

namespace flowray::tf::signal {
namespace {

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

}  // namespace flowray::tf::signal
