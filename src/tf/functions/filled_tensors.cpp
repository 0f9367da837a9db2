#include <flowray/tf/array.h>

#include "graph/integers.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// From so many elements on a graph would grow large: then a Fill node instead of a Const.
constexpr int64_t kFillFromElements = 1000;

/// A shape of which all dimensions are written in the program.
std::optional<Array> written_dims(const Input& shape) {
  if (shape.tensor() != nullptr || shape.list() != nullptr) return std::nullopt;
  const Array dims = shape.literal() != nullptr ? shape.literal()->to_array() : *shape.array();
  const bool empty = dims.size() == 0;
  if (dims.rank() > 1 || (!empty && !is_integer(dims.dtype()))) {
    throw TypeError(fmt::format("A shape is a list of integers, not {}", dims.to_string()));
  }
  return dims.astype(DType::kInt64);
}

/// 0 or 1 as it is written for `dtype`.
Literal written(DType dtype, int value) {
  if (dtype == DType::kString) return Literal("");
  return dtype == DType::kBool ? Literal(value != 0) : Literal(value);
}

/// tf.zeros and tf.ones: `scope` bears their name.
Tensor filled(Composite& scope, const Input& shape, DType dtype, int value) {
  if (dtype == DType::kInvalid)
    throw TypeError("Cannot convert the argument `type_value`: None to a TensorFlow DType.");
  const std::optional<Array> dims = written_dims(shape);
  Endpoint dims_tensor;
  if (dims) {
    const std::vector<int64_t> sizes = graph::to_integers(*dims);
    const Shape known{std::span<const int64_t>(sizes)};
    // A single number, which is not a list, goes the long way in TensorFlow.
    if (dims->rank() == 1 && known.is_fully_defined() && known.num_elements() < kFillFromElements) {
      const Array values = Array::full(dtype, known, written(dtype, value));
      return tensor_of(scope.builder().constant(values, scope.result_name()));
    }
    dims_tensor = scope.convert(Input(TensorShape(known)), "shape_as_tensor");
  } else {
    dims_tensor = scope.convert(shape, "packed", DType::kInt32);
    if (!dims_tensor.shape().has_rank() || dims_tensor.shape().rank() == 0) {
      dims_tensor = endpoint_of(reshape(tensor_of(dims_tensor), {-1}));
    }
  }
  const Endpoint element = scope.builder().constant(written(dtype, value).to_array(dtype), "Const");
  return scope.result("Fill", {dims_tensor, element});
}

}  // namespace

Tensor zeros(const Input& shape, DType dtype, const NameOption& options) {
  Composite scope({{"shape", shape}}, options.name, "zeros", shape.where());
  return filled(scope, shape, base_dtype(dtype), 0);
}

Tensor ones(const Input& shape, DType dtype, const NameOption& options) {
  Composite scope({{"shape", shape}}, options.name, "ones", shape.where());
  return filled(scope, shape, base_dtype(dtype), 1);
}

Tensor fill(const Input& dims, const Input& value, const NameOption& options) {
  return apply_op({.op = "Fill", .name = options.name, .args = {dims, value}});
}

Tensor zeros_like(const Input& tensor, const LikeOptions& options) {
  Composite scope({{"tensor", tensor}}, options.name, "zeros_like", tensor.where());
  const Endpoint like = scope.convert(tensor, "tensor");
  const DType own = base_dtype(like.dtype());
  const DType dtype = options.dtype == DType::kInvalid ? own : base_dtype(options.dtype);
  if (options.optimize && like.shape().is_fully_defined()) return filled(scope, like.shape(), dtype, 0);
  if (dtype == own) return scope.result("ZerosLike", {like});
  return filled(scope, tensor_of(scope.op("Shape", {like})), dtype, 0);
}

Tensor ones_like(const Input& tensor, const LikeOptions& options) {
  Composite scope({{"tensor", tensor}}, options.name, "ones_like", tensor.where());
  const Endpoint like = scope.convert(tensor, "tensor");
  Endpoint dims;
  if (options.optimize && like.shape().is_fully_defined()) {
    const graph::NameScope shape_scope(scope.graph(), "Shape");
    dims = scope.convert(like.shape(), "shape_as_tensor");
  } else {
    dims = scope.op("Shape", {like});
  }
  const DType dtype = options.dtype == DType::kInvalid ? base_dtype(like.dtype()) : base_dtype(options.dtype);
  Tensor result = filled(scope, tensor_of(dims), dtype, 1);
  result.set_shape(like.shape());
  return result;
}

}  // namespace flowray::tf
