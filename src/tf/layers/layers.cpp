#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/call_scope.h"
#include "tf/layers/layer_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::tf {
namespace layers {

Tensor dense(const Input& inputs, int64_t units, const DenseOptions& options) {
  const CallScope call({{"inputs", inputs}});
  if (units < 0) {
    throw ValueError(fmt::format(
        "Received an invalid value for `units`, expected a positive integer. Received: units={}", units));
  }
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "dense"), Rank::kAtLeast, 2);
  if (const DType dtype = base_dtype(x.dtype()); !is_floating(dtype) && !is_complex(dtype)) {
    throw TypeError(fmt::format(
        "A Dense layer can only be built with a floating-point dtype. Received: dtype=<dtype: '{}'>",
        dtype_name(dtype)));
  }
  const TensorShape& shape = x.shape();
  if (!shape.has_rank() || shape.dim(-1) < 0) {
    throw ValueError(
        fmt::format("The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
                    "input shape received: {}",
                    shape.to_tuple_string()));
  }
  return layer("dense", x, {shape.dim(-1), units}, "NHWC", options, [&](const Variable& kernel) {
    if (shape.rank() == 2) return matmul(x, kernel);
    return tensordot(x, kernel, std::vector<int64_t>{shape.rank() - 1}, std::vector<int64_t>{0});
  });
}

namespace {

/// A number where the input is one; none for tensors and other things.
std::optional<double> number_of(const Input& input) {
  if (input.literal() == nullptr) return std::nullopt;
  const Array value = input.literal()->to_array();
  if (value.size() != 1 || value.dtype() == DType::kString) return std::nullopt;
  return value.astype(DType::kFloat64).item<double>();
}

}  // namespace
}  // namespace layers

namespace {

/// The shape of dropout's decisions: x's size where the program says none.
Input noise_shape_of(const Tensor& x, const TensorShape& noise) {
  const Tensor sizes = shape(x);
  std::vector<Input> items;
  for (int i = 0; i < noise.rank(); ++i) {
    if (noise.dim(i) >= 0) {
      items.emplace_back(checked_int32("Dimension", noise.dim(i)));
    } else {
      items.emplace_back(sizes[i]);
    }
  }
  return convert_to_tensor(Input::list(items));
}

}  // namespace

namespace layers {

Tensor dropout(const Input& inputs, const DropoutOptions& options) {
  const CallScope call({{"inputs", inputs}, {"rate", options.rate}, {"training", options.training}});
  if (const std::optional<double> rate = number_of(options.rate); rate && (*rate < 0.0 || *rate > 1.0)) {
    throw ValueError(
        fmt::format("Invalid value {} received for `rate`, expected a value between 0 and 1.", *rate));
  }
  const Tensor x = as_tensor(inputs);
  const LayerScope scope(options.name, "dropout");
  return dropout_in_scope(x, options);
}

}  // namespace layers

Tensor dropout_in_scope(const Tensor& x, const layers::DropoutOptions& options) {
  const auto dropped = [&] {
    OptionalInput noise;
    if (options.noise_shape) noise = noise_shape_of(x, *options.noise_shape);
    const Tensor result = nn::dropout(x, {.noise_shape = noise, .seed = options.seed, .rate = options.rate});
    return result.is(x) ? identity(x) : result;
  };
  const auto kept = [&] { return identity(x); };
  const std::optional<bool> decided = layers::known_truth(options.training);
  if (!decided) return cond(options.training, dropped, kept);
  return *decided ? dropped() : kept();
}

namespace layers {
namespace {

/// [N,C,...] -> [N,...,C]
Tensor with_channels_last(const Tensor& x) {
  std::vector<int32_t> order = {0};
  for (int i = 2; i < x.shape().rank(); ++i) order.push_back(i);
  order.push_back(1);
  return transpose(x, Array(order));
}

}  // namespace

Tensor flatten(const Input& inputs, const FlattenOptions& options) {
  const CallScope call({{"inputs", inputs}});
  const bool channels_first = is_channels_first(options.data_format);
  Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "flatten"), Rank::kAtLeast, 1);
  const LayerScope scope(options.name, "flatten");
  if (channels_first && x.shape().has_rank() && x.shape().rank() > 1) x = with_channels_last(x);
  const TensorShape& shape = x.shape();
  if (shape.has_rank() && shape.rank() == 1) return expand_dims(x, 1);
  int64_t columns = shape.has_rank() ? 1 : -1;
  for (int i = 1; shape.has_rank() && i < shape.rank(); ++i)
    columns = shape.dim(i) < 0 || columns < 0 ? int64_t{-1} : checked(columns) * shape.dim(i);
  if (columns > std::numeric_limits<int32_t>::max())
    return reshape(x, constant(Array(std::vector<int64_t>{-1, columns})));
  if (columns >= 0)
    return reshape(x, constant(Array(std::vector<int32_t>{-1, static_cast<int32_t>(columns)})));
  const Tensor rows = tf::shape(x)[0];
  return reshape(x, {rows, -1});
}

}  // namespace layers
}  // namespace flowray::tf
