#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/slicing.h>

#include "graph/constant_value.h"
#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace flowray::tf::signal {
namespace {

struct Transform {
  std::string_view op;
  std::string_view default_name;
  int rank;
  bool inverse;
};

/// The last `rank` dimensions; none where not all of them are known.
std::optional<std::vector<int64_t>> last_dims(const Shape& shape, int rank) {
  if (!shape.has_rank() || shape.rank() < rank) return std::nullopt;
  std::vector<int64_t> dims;
  for (int64_t i = shape.rank() - rank; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) return std::nullopt;
    dims.push_back(shape.dim(i));
  }
  return dims;
}

Tensor own_length(const Tensor& values, const Transform& transform) {
  auto dims = last_dims(values.shape(), transform.rank);
  if (dims) {
    if (transform.inverse) dims->back() = std::max<int64_t>(0, 2 * (dims->back() - 1));
    return constant(Array(std::vector<int32_t>(dims->begin(), dims->end())));
  }
  const Tensor sizes = shape(values)[{Slice{-transform.rank, {}}}];
  if (!transform.inverse) return sizes;
  std::vector<Tensor> lengths = unstack(sizes);
  const Tensor halves = lengths.back() - 1;
  const Tensor doubled = 2 * halves;
  lengths.back() = maximum(0, doubled);
  return stack(std::vector<Input>(lengths.begin(), lengths.end()));
}

/// With zeros behind what is shorter than its transform, by sizes that only a step knows.
Tensor padded_by_step(const Tensor& values, Tensor length, const Transform& transform) {
  const Tensor dimensions = rank(values);
  const Tensor sizes = shape(values)[{Slice{-transform.rank, {}}}];
  const Tensor others = dimensions - transform.rank;
  const Tensor outer_dims = maximum(0, others);
  const Tensor outer = zeros({outer_dims}, base_dtype(length.dtype()));
  if (transform.inverse) {
    const Tensor front = length[{Slice{{}, -1}}];
    const Tensor last = length[{Slice{-1, {}}}];
    const Tensor half = floordiv(last, 2);
    const Tensor kept = half + 1;
    length = concat({front, kept}, 0);
  }
  const Tensor missing = length - sizes;
  const Tensor inner = maximum(0, missing);
  const Tensor behind = concat({outer, inner}, 0);
  const Tensor before = zeros_like(behind);
  return pad(values, stack({before, behind}, 1));
}

Tensor padded(const Tensor& values, const Tensor& length, const Transform& transform) {
  const Shape& shape = values.shape();
  if (shape.has_rank()) {
    for (int64_t i = 0; i < shape.rank(); ++i)
      if (shape.dim(i) == 0) return values;
  }
  const Shape wanted = graph::constant_value_as_shape(endpoint_of(length));
  auto lengths = wanted.has_rank() ? last_dims(wanted, static_cast<int>(wanted.rank())) : std::nullopt;
  const auto dims = lengths ? last_dims(shape, static_cast<int>(lengths->size())) : std::nullopt;
  if (!dims) return padded_by_step(values, length, transform);
  if (transform.inverse) lengths->back() = lengths->back() / 2 + 1;
  bool longer = false;
  std::vector<Input> paddings(static_cast<size_t>(shape.rank()) - dims->size(), Input::list({0, 0}));
  for (size_t i = 0; i < dims->size(); ++i) {
    const int64_t missing = std::max<int64_t>(0, (*lengths)[i] - (*dims)[i]);
    longer = longer || missing > 0;
    paddings.push_back(Input::list({0, static_cast<int>(missing)}));
  }
  return longer ? pad(values, Input::list(paddings)) : values;
}

Tensor transformed(const Transform& transform, const Input& input, const RealTransformOptions& options) {
  Composite scope({{"input_tensor", input}, {"fft_length", options.fft_length}}, options.name,
                  transform.default_name, input.where());
  const DType single = transform.inverse ? DType::kComplex64 : DType::kFloat32;
  const DType twice = transform.inverse ? DType::kComplex128 : DType::kFloat64;
  const Tensor values = tensor_of(convert_with_hint(scope.graph(), input, single, "Const"));
  const DType dtype = base_dtype(values.dtype());
  if (dtype != single && dtype != twice) {
    throw ValueError(fmt::format("{} requires tf.{} or tf.{} inputs, got: {}",
                                 transform.inverse ? "IRFFT" : "RFFT", dtype_name(single), dtype_name(twice),
                                 tensor_text(values)));
  }
  if (values.shape().has_rank() && values.shape().rank() < transform.rank) {
    throw ValueError(
        fmt::format("Shape {} must have rank at least {}", values.shape().to_tuple_string(), transform.rank));
  }
  const Tensor length = options.fft_length.has_value()
                            ? tensor_of(scope.convert(*options.fft_length, "Const", DType::kInt32))
                            : own_length(values, transform);
  const Tensor longer = padded(values, length, transform);
  const Array known = graph::constant_value(endpoint_of(length));
  const bool is_double = dtype == twice;
  graph::Attrs attrs;
  if (transform.inverse) {
    attrs.set("Treal", is_double ? DType::kFloat64 : DType::kFloat32);
  } else {
    attrs.set("Tcomplex", is_double ? DType::kComplex128 : DType::kComplex64);
  }
  return apply_op({.op = transform.op,
                   .name = scope.result_name(),
                   .args = {longer, known.has_value() ? Input(known) : Input(length)},
                   .attrs = std::move(attrs)});
}

}  // namespace

Tensor rfft(const Input& input_tensor, const RealTransformOptions& options) {
  return transformed({"RFFT", "rfft", 1, false}, input_tensor, options);
}
Tensor rfft2d(const Input& input_tensor, const RealTransformOptions& options) {
  return transformed({"RFFT2D", "rfft2d", 2, false}, input_tensor, options);
}
Tensor irfft(const Input& input_tensor, const RealTransformOptions& options) {
  return transformed({"IRFFT", "irfft", 1, true}, input_tensor, options);
}
Tensor irfft2d(const Input& input_tensor, const RealTransformOptions& options) {
  return transformed({"IRFFT2D", "irfft2d", 2, true}, input_tensor, options);
}

}  // namespace flowray::tf::signal
