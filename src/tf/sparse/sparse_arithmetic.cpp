// Sums, products, maxima, softmax of sparse tensors; rows of values as sets.

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/sparse.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <numeric>

namespace flowray::tf {
namespace {

SparseTensor of_parts(const OpCall& call) {
  const std::vector<Tensor> parts = outputs_of(call);
  return {parts[0], parts[1], parts[2]};
}

/// The dtype of a complex number's parts, and of a real number itself.
DType real_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

/// The dimensions of two shapes that are to be equal, as far as either tells them.
TensorShape common_shape(const TensorShape& a, const TensorShape& b) {
  if (!a.is_compatible_with(b)) {
    throw ValueError(
        fmt::format("Shapes {} and {} are incompatible", a.to_tuple_string(), b.to_tuple_string()));
  }
  return a.has_rank() && b.has_rank() ? a.merge_with(b) : TensorShape::unknown_rank();
}

}  // namespace

namespace sparse {

SparseTensor add(const SparseInput& a, const SparseInput& b, const Input& threshold) {
  check_sparse_set(a, "a");
  check_sparse_set(b, "b");
  const CallScope call({{"threshold", threshold}, {"a", Input(a.values())}}, a.where());
  const Tensor least =
      convert_to_tensor(threshold, {.dtype = real_dtype(base_dtype(a.dtype())), .name = "threshold"});
  const std::vector<Tensor> parts = outputs_of(
      {.op = "SparseAdd",
       .args = {a.indices(), a.values(), a.dense_shape(), b.indices(), b.values(), b.dense_shape(), least}});
  const TensorShape known = common_shape(a.shape(), b.shape());
  if (!known.is_fully_defined()) return {parts[0], parts[1], parts[2]};
  return {parts[0], parts[1], Array(std::vector<int64_t>(known.begin(), known.end()))};
}

Tensor add(const SparseInput& a, const Input& b) {
  check_sparse_set(a, "a");
  const CallScope call({{"a", Input(a.values())}, {"b", b}}, a.where());
  return apply_op({.op = "SparseTensorDenseAdd", .args = {a.indices(), a.values(), a.dense_shape(), b}});
}

namespace {

SparseTensor compared(std::string_view op, const SparseInput& a, const SparseInput& b,
                      const NameOption& options) {
  check_sparse_set(a, "sp_a");
  check_sparse_set(b, "sp_b");
  const CallScope call({{"sp_a", Input(a.values())}, {"sp_b", Input(b.values())}}, a.where());
  const std::vector<Tensor> parts = outputs_of(
      {.op = op,
       .name = options.name,
       .args = {a.indices(), a.values(), a.dense_shape(), b.indices(), b.values(), b.dense_shape()}});
  return {parts[0], parts[1], a.dense_shape()};
}

/// The axes as the op takes them: all where none are given.
Input reduction_axes(const SparseInput& sp_input, const OptionalInput& axis) {
  if (axis.has_value()) return *axis;
  const TensorShape& dims = sp_input.dense_shape().shape();
  if (dims.is_fully_defined()) {
    std::vector<int32_t> all(static_cast<size_t>(dims.dim(0)));
    std::iota(all.begin(), all.end(), 0);
    return constant(Array(all));
  }
  const Tensor rank = apply_op({.op = "Size", .name = "Rank", .args = {sp_input.dense_shape()}});
  return range(0, rank, 1);
}

OpCall reduced(std::string_view op, const SparseInput& sp_input, const SparseReduceOptions& options) {
  return {.op = op,
          .args = {sp_input.indices(), sp_input.values(), sp_input.dense_shape(),
                   reduction_axes(sp_input, options.axis)},
          .attrs = {{"keep_dims", options.keepdims}}};
}

}  // namespace

SparseTensor maximum(const SparseInput& sp_a, const SparseInput& sp_b, const NameOption& options) {
  return compared("SparseSparseMaximum", sp_a, sp_b, options);
}
SparseTensor minimum(const SparseInput& sp_a, const SparseInput& sp_b, const NameOption& options) {
  return compared("SparseSparseMinimum", sp_a, sp_b, options);
}

SparseTensor softmax(const SparseInput& sp_input, const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  Composite scope({{"sp_input", Input(sp_input.values())}}, options.name, "SparseSoftmax", sp_input.where());
  const Tensor values =
      scope.op("SparseSoftmax", {sp_input.indices(), sp_input.values(), sp_input.dense_shape()});
  return sp_input.with_values(values);
}

SparseTensor map_values(const std::function<Tensor(const Tensor&)>& op, const SparseInput& sp_input) {
  check_sparse_set(sp_input, "sp_input");
  if (op == nullptr) throw TypeError("'op' must be callable.");
  return sp_input.with_values(returned(op(sp_input.values()), "op"));
}

Tensor sparse_dense_matmul(const SparseInput& sp_a, const Input& b, const SparseMatMulOptions& options) {
  check_sparse_set(sp_a, "sp_a");
  Composite scope({{"b", b}, {"sp_a", Input(sp_a.values())}}, options.name, "SparseTensorDenseMatMul",
                  sp_a.where());
  const Output other = scope.convert(b, "b");
  return scope.op("SparseTensorDenseMatMul", {sp_a.indices(), sp_a.values(), sp_a.dense_shape(), other},
                  {{"adjoint_a", options.adjoint_a}, {"adjoint_b", options.adjoint_b}});
}

Tensor reduce_sum(const SparseInput& sp_input, const SparseReduceOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"axis", options.axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  return apply_op(reduced("SparseReduceSum", sp_input, options));
}
SparseTensor reduce_sum_sparse(const SparseInput& sp_input, const SparseReduceOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"axis", options.axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  return of_parts(reduced("SparseReduceSumSparse", sp_input, options));
}
Tensor reduce_max(const SparseInput& sp_input, const SparseReduceOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"axis", options.axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  return apply_op(reduced("SparseReduceMax", sp_input, options));
}
SparseTensor reduce_max_sparse(const SparseInput& sp_input, const SparseReduceOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"axis", options.axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  return of_parts(reduced("SparseReduceMaxSparse", sp_input, options));
}

}  // namespace sparse

// ---- sets

namespace sets {
namespace {

graph::Attrs set_attrs(const char* operation, bool validate_indices) {
  return {{"set_operation", std::string(operation)}, {"validate_indices", validate_indices}};
}

void check_elements(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kString:
      return;
    default:
      throw TypeError(
          fmt::format("'a' has invalid dtype `<dtype: '{}'>` not in supported dtypes: integers of "
                      "8, 16, 32 and 64 bits, unsigned ones of 8 and 16, and strings.",
                      dtype_name(dtype)));
  }
}

void check_same_elements(DType a, DType b) {
  if (a == b) return;
  throw TypeError(
      fmt::format("Types don't match, <dtype: '{}'> vs <dtype: '{}'>.", dtype_name(a), dtype_name(b)));
}

SparseTensor operation(const char* operation, bool validate, const Input& a, const Input& b) {
  const CallScope call({{"a", a}, {"b", b}});
  const Tensor first = convert_to_tensor(a, {.name = "a"});
  check_elements(base_dtype(first.dtype()));
  const Tensor second = convert_to_tensor(b, {.name = "b"});
  check_same_elements(base_dtype(first.dtype()), base_dtype(second.dtype()));
  return of_parts(
      {.op = "DenseToDenseSetOperation", .args = {first, second}, .attrs = set_attrs(operation, validate)});
}

SparseTensor operation(const char* operation, bool validate, const Input& a, const SparseInput& b) {
  check_sparse_set(b, "b");
  const CallScope call({{"a", a}, {"b", Input(b.values())}}, b.where());
  const Tensor first = convert_to_tensor(a, {.name = "a"});
  check_elements(base_dtype(first.dtype()));
  check_same_elements(base_dtype(first.dtype()), base_dtype(b.dtype()));
  return of_parts({.op = "DenseToSparseSetOperation",
                   .args = {first, b.indices(), b.values(), b.dense_shape()},
                   .attrs = set_attrs(operation, validate)});
}

SparseTensor operation(const char* operation, bool validate, const SparseInput& a, const SparseInput& b) {
  check_sparse_set(a, "a");
  check_sparse_set(b, "b");
  const CallScope call({{"a", Input(a.values())}, {"b", Input(b.values())}}, a.where());
  check_elements(base_dtype(a.dtype()));
  check_same_elements(base_dtype(a.dtype()), base_dtype(b.dtype()));
  return of_parts(
      {.op = "SparseToSparseSetOperation",
       .args = {a.indices(), a.values(), a.dense_shape(), b.indices(), b.values(), b.dense_shape()},
       .attrs = set_attrs(operation, validate)});
}

const char* word_of(const DifferenceOptions& options) { return options.aminusb ? "a-b" : "b-a"; }

}  // namespace

SparseTensor intersection(const Input& a, const Input& b, const SetOptions& options) {
  return operation("intersection", options.validate_indices, a, b);
}
SparseTensor intersection(const Input& a, const SparseInput& b, const SetOptions& options) {
  return operation("intersection", options.validate_indices, a, b);
}
SparseTensor intersection(const SparseInput& a, const SparseInput& b, const SetOptions& options) {
  return operation("intersection", options.validate_indices, a, b);
}

SparseTensor difference(const Input& a, const Input& b, const DifferenceOptions& options) {
  return operation(word_of(options), options.validate_indices, a, b);
}
SparseTensor difference(const Input& a, const SparseInput& b, const DifferenceOptions& options) {
  return operation(word_of(options), options.validate_indices, a, b);
}
SparseTensor difference(const SparseInput& a, const SparseInput& b, const DifferenceOptions& options) {
  return operation(word_of(options), options.validate_indices, a, b);
}

SparseTensor union_(const Input& a, const Input& b, const SetOptions& options) {
  return operation("union", options.validate_indices, a, b);
}
SparseTensor union_(const Input& a, const SparseInput& b, const SetOptions& options) {
  return operation("union", options.validate_indices, a, b);
}
SparseTensor union_(const SparseInput& a, const SparseInput& b, const SetOptions& options) {
  return operation("union", options.validate_indices, a, b);
}

Tensor size(const SparseInput& a, const SetOptions& options) {
  check_sparse_set(a, "a");
  const CallScope call({{"a", Input(a.values())}}, a.where());
  check_elements(base_dtype(a.dtype()));
  return apply_op({.op = "SetSize",
                   .args = {a.indices(), a.values(), a.dense_shape()},
                   .attrs = {{"validate_indices", options.validate_indices}}});
}

}  // namespace sets
}  // namespace flowray::tf
