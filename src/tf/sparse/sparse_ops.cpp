// Sparse tensors and dense ones, order and shape.

#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/sparse.h>

#include "core/checked_size.h"
#include "graph/constant_value.h"
#include "graph/integers.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/build/with_dependencies.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::sparse {
namespace {

Input numbers(const std::vector<int64_t>& values) { return Input(Array(values)); }
Input dims_of(const TensorShape& shape) { return numbers({shape.begin(), shape.end()}); }

}  // namespace

// ---- between dense and sparse

SparseTensor from_dense(const Input& tensor, const NameOption& options) {
  Composite scope({{"tensor", tensor}}, options.name, "dense_to_sparse", tensor.where());
  const Tensor dense = scope.convert(tensor, "Const");
  const Tensor zeros = zeros_like(dense);
  const Tensor indices = where(not_equal(dense, zeros));
  const Tensor values = scope.op("GatherNd", {dense, indices});
  const Tensor dims = shape(dense, {.out_type = DType::kInt64});
  return {indices, values, dims};
}

Tensor to_dense(const SparseInput& sp_input, const ToDenseOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"default_value", options.default_value}, {"sp_input", Input(sp_input.values())}},
                       sp_input.where());
  const Input default_value = options.default_value.has_value()
                                  ? *options.default_value
                                  : Input(zeros(TensorShape(), base_dtype(sp_input.dtype())));
  return apply_op({.op = "SparseToDense",
                   .name = options.name,
                   .args = {sp_input.indices(), sp_input.dense_shape(), sp_input.values(), default_value},
                   .attrs = {{"validate_indices", options.validate_indices}}});
}

Tensor to_indicator(const SparseInput& sp_input, const Input& vocab_size, const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  const Composite scope({{"vocab_size", vocab_size}, {"sp_input", Input(sp_input.values())}}, options.name,
                        "SparseToIndicator", sp_input.where());
  const Tensor count = shape(sp_input.indices())[0];
  const Tensor length = expand_dims(count, 0);
  const SparseTensor all_true(sp_input.indices(), fill(length, true), sp_input.dense_shape());
  const SparseTensor merged = merge(sp_input, all_true, vocab_size, {.name = scope.result_name()});
  return to_dense(merged, {.default_value = false, .validate_indices = false, .name = scope.result_name()});
}

SparseTensor eye(const Input& num_rows, const EyeOptions& options) {
  Composite scope({{"num_rows", num_rows}, {"num_columns", options.num_columns}}, options.name, "eye",
                  num_rows.where());
  const auto size = [&](const Input& input, const char* name) {
    if (input.tensor() == nullptr) return Tensor(scope.convert(input, name, DType::kInt64));
    return base_dtype(input.tensor()->dtype()) == DType::kInt64 ? *input.tensor()
                                                                : cast(input, DType::kInt64);
  };
  const Tensor rows = size(num_rows, "num_rows");
  const Tensor columns = options.num_columns.has_value() ? size(*options.num_columns, "num_columns") : rows;
  const Tensor length = minimum(rows, columns);
  const Tensor places = range(length, {.dtype = DType::kInt64});
  const Tensor indices = stack({places, places}, 1);
  const Tensor values = ones(length, options.dtype);
  return {indices, values, Input::list({rows, columns})};
}

// ---- order and shape

SparseTensor reorder(const SparseInput& sp_input, const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"sp_input", Input(sp_input.values())}}, sp_input.where());
  const std::vector<Tensor> parts =
      outputs_of({.op = "SparseReorder",
                  .name = options.name,
                  .args = {sp_input.indices(), sp_input.values(), sp_input.dense_shape()}});
  if (sp_input.shape().is_fully_defined()) return {parts[0], parts[1], dims_of(sp_input.shape())};
  SparseTensor result(parts[0], parts[1], identity(sp_input.dense_shape()));
  result.set_shape(sp_input.shape());
  return result;
}

namespace {

/// The shape that is asked for, completed where it is known; ValueError where it cannot be. Nothing where a
/// step has to tell.
std::optional<std::vector<int64_t>> known_reshape(const TensorShape& from, const Tensor& asked) {
  const TensorShape known = graph::constant_value_as_shape(endpoint_of(asked));
  if (!known.has_rank() || !from.is_fully_defined()) return std::nullopt;
  const Array value = graph::constant_value(endpoint_of(asked));
  if (value.has_value()) {
    const std::vector<int64_t> sizes = graph::to_integers(value);
    if (std::ranges::count(sizes, -1) > 1) {
      throw ValueError(
          fmt::format("At most one dimension can be inferred (-1). Found: {}", value.to_string()));
    }
  }
  std::vector<int64_t> dims(known.begin(), known.end());
  const auto open = std::ranges::count(dims, -1);
  if (open > 1 || (open == 1 && std::ranges::find(dims, 0) != dims.end())) return std::nullopt;
  const int64_t size = from.num_elements();
  CheckedSize product = checked(1);
  for (const int64_t dim : dims) product *= dim < 0 ? 1 : dim;
  if (open == 1) {
    *std::ranges::find(dims, -1) = size / product;
    product *= size / product;
  }
  if (product != size) {
    throw ValueError(fmt::format("Cannot reshape a tensor with {} elements to shape {} ({} elements).", size,
                                 known.to_string(), int64_t{product}));
  }
  return dims;
}

}  // namespace

SparseTensor reshape(const SparseInput& sp_input, const Input& shape, const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"shape", shape}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  const Tensor asked = cast(shape, DType::kInt64);
  Composite scope({{"shape", Input(asked)}}, options.name, "SparseReshape", sp_input.where());
  const std::vector<Tensor> parts = outputs_of({.op = "SparseReshape",
                                                .name = scope.result_name(),
                                                .args = {sp_input.indices(), sp_input.dense_shape(), asked}});
  Tensor dims = parts[1];
  if (const auto known = known_reshape(sp_input.shape(), asked)) dims = constant(Array(*known));
  const Tensor values = identity(sp_input.values());
  return {parts[0], values, dims};
}

SparseTensor transpose(const SparseInput& sp_input, const SparseTransposeOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  Composite scope({{"perm", options.perm}, {"sp_input", Input(sp_input.values())}}, options.name,
                  "SparseTranspose", sp_input.where());
  Input perm = 0;
  const TensorShape& known = sp_input.shape();
  if (options.perm.has_value()) {
    perm = *options.perm;
  } else if (known.has_rank()) {
    std::vector<int64_t> reversed;
    for (int64_t d = known.rank() - 1; d >= 0; --d) reversed.push_back(d);
    perm = numbers(reversed);
  } else {
    const Tensor rank = apply_op({.op = "Size", .name = "Rank", .args = {sp_input.dense_shape()}});
    const Tensor last = rank - 1;
    perm = last - range(0, rank, 1);
  }
  const Tensor columns = tf::transpose(sp_input.indices());
  const Tensor indices = tf::transpose(gather(columns, perm));
  const Tensor order = scope.convert(perm, "Const");
  const Array value = graph::constant_value(endpoint_of(order));
  Input dims = 0;
  if (value.has_value() && known.is_fully_defined()) {
    std::vector<int64_t> sizes(known.begin(), known.end());
    const std::vector<int64_t> places = graph::to_integers(value);
    for (size_t i = 0; i < sizes.size() && i < places.size(); ++i)
      sizes[i] = known.dim(checked_int32("perm", places[i]));
    dims = numbers(sizes);
  } else {
    dims = gather(sp_input.dense_shape(), perm);
  }
  return reorder(SparseTensor(indices, sp_input.values(), dims));
}

SparseTensor expand_dims(const SparseInput& sp_input, const SparseExpandDimsOptions& options) {
  check_sparse_set(sp_input, "sp_input");
  const TensorShape& dims_shape = sp_input.dense_shape().shape();
  const CallScope call({{"axis", options.axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  Input rank = 0;
  if (dims_shape.has_rank() && dims_shape.dim(0) >= 0) {
    rank = Literal(checked_int32("rank", dims_shape.dim(0)));
  } else {
    rank = shape(sp_input.dense_shape())[0];
  }
  Composite scope({{"sp_input", Input(sp_input.values())}}, options.name, "expand_dims", sp_input.where());
  const Input asked = options.axis.has_value() ? *options.axis : Input(-1);
  const Tensor given =
      asked.tensor() != nullptr ? *asked.tensor() : Tensor(scope.convert(asked, "axis", DType::kInt32));
  const Tensor is_from_front = given >= 0;
  const Tensor shifted = given + rank;
  const Tensor axis = where_v2(is_from_front, given, shifted + 1);
  const Tensor count = shape(sp_input.indices())[0];
  const Tensor column = zeros(Input::list({count, 1}), DType::kInt64);
  const Tensor before = tf::slice(sp_input.indices(), {0, 0}, Input::list({-1, axis}));
  const Tensor after = tf::slice(sp_input.indices(), Input::list({0, axis}), {-1, -1});
  const Tensor indices = tf::concat({before, column, after}, 1);
  const Tensor dims_before = tf::slice(sp_input.dense_shape(), {0}, Input::list({axis}));
  const Tensor dims_after = tf::slice(sp_input.dense_shape(), Input::list({axis}), {-1});
  const Tensor one = scope.convert(numbers({1}), "new_shape", DType::kInt64);
  const Tensor dims = tf::concat({dims_before, one, dims_after}, 0);
  return {indices, sp_input.values(), dims};
}

namespace {

/// The dimensions that are asked for, after they were checked against the present ones.
Input checked_new_shape(const SparseInput& sp_input, const Tensor& present, const Input& new_shape) {
  Tensor asked = convert_to_tensor(new_shape);
  const TensorShape& length = asked.shape();
  if (length.has_rank() && length.rank() != 1)
    throw ValueError(fmt::format("Shape {} must have rank 1", length.to_tuple_string()));
  asked = cast(asked, DType::kInt64);
  const int64_t own_rank = present.shape().has_rank() ? present.shape().dim(0) : TensorShape::kUnknownDim;
  if (length.has_rank() && own_rank >= 0 && length.dim(0) >= 0 && length.dim(0) != own_rank)
    throw ValueError(fmt::format("Dimensions {} and {} are not compatible", length.dim(0), own_rank));
  const Array value = graph::constant_value(endpoint_of(asked));
  if (value.has_value() && sp_input.shape().is_fully_defined()) {
    const std::vector<int64_t> sizes = graph::to_integers(value);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sp_input.shape().dim(static_cast<int>(d)) <= sizes[d]) continue;
      throw ValueError(fmt::format(
          "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape ({}), "
          "sp_input.shape ({}).",
          dims_of(sp_input.shape()).array()->to_string(), value.to_string()));
    }
    return numbers(sizes);
  }
  const Tensor own_length = shape(present);
  asked = with_dependencies({assert_equal(own_length, shape(asked))}, asked);
  return with_dependencies({assert_less_equal(present, asked)}, asked);
}

}  // namespace

SparseTensor reset_shape(const SparseInput& sp_input, const OptionalInput& new_shape) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"new_shape", new_shape}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  const Tensor indices = identity(sp_input.indices());
  const Tensor values = identity(sp_input.values());
  const Tensor dims = identity(sp_input.dense_shape());
  if (new_shape.has_value()) return {indices, values, checked_new_shape(sp_input, dims, *new_shape)};
  const Tensor last = reduce_max(indices, 0);
  const Tensor zero = constant(0, DType::kInt64);
  const Tensor one = ones_like(dims);
  const Tensor sizes = add(last, one);
  return {indices, values, tf::maximum(zero, sizes)};
}

// ---- put together and taken apart

namespace {

/// The sizes that inputs of different ones have in common when they are joined along `axis`.
std::vector<Input> widened_dims(const List<SparseInput>& sp_inputs, int axis) {
  std::vector<Input> rows;
  for (const SparseTensor& input : sp_inputs) rows.emplace_back(tf::reshape(input.dense_shape(), {1, -1}));
  const Tensor largest = reduce_max(tf::concat(rows, 0), 0);
  std::vector<Input> all;
  for (const SparseTensor& input : sp_inputs) {
    const Tensor& dims = input.dense_shape();
    const Tensor before = largest[Slice{.stop = axis}];
    const Tensor own = axis == -1 ? dims[Slice{.start = -1}] : dims[Slice{.start = axis, .stop = axis + 1}];
    const Input after =
        axis == -1 ? Input(Array(DType::kInt64, {0})) : Input(largest[Slice{.start = axis + 1}]);
    all.emplace_back(tf::concat({before, own, after}, 0));
  }
  return all;
}

/// The static shape of the concatenation.
TensorShape joined_shape(const List<SparseInput>& sp_inputs, int64_t axis, bool widens) {
  for (const SparseTensor& input : sp_inputs) {
    if (!input.shape().has_rank()) return TensorShape::unknown_rank();
  }
  TensorShape joined = sp_inputs.front().shape();
  const int along = checked_int32("axis", axis < 0 ? axis + joined.rank() : axis);
  if (along < 0 || along >= joined.rank()) throw IndexError("list index out of range");
  for (size_t i = 1; i < sp_inputs.size(); ++i) {
    const TensorShape& other = sp_inputs[i].shape();
    for (int d = 0; d < joined.rank() && d < other.rank(); ++d) {
      const bool is_known = joined.dim(d) >= 0 && other.dim(d) >= 0;
      if (d == along) {
        joined.set_dim(d, is_known ? int64_t{checked(joined.dim(d)) + other.dim(d)} : -1);
      } else if (widens) {
        joined.set_dim(d, is_known ? std::max(joined.dim(d), other.dim(d)) : -1);
      }
    }
  }
  return joined;
}

}  // namespace

SparseTensor concat(int64_t axis, const List<SparseInput>& sp_inputs, const SparseConcatOptions& options) {
  if (sp_inputs.empty()) throw IndexError("tuple index out of range");
  for (size_t i = 0; i < sp_inputs.size(); ++i) check_sparse_set(sp_inputs[i], element_name("sp_inputs", i));
  if (sp_inputs.size() == 1) return sp_inputs.front();
  const CallScope call({{"sp_inputs", Input(sp_inputs.front().values())}}, sp_inputs.front().where());
  std::vector<Input> indices;
  std::vector<Input> values;
  std::vector<Input> dims;
  for (const SparseTensor& input : sp_inputs) {
    indices.emplace_back(input.indices());
    values.emplace_back(input.values());
    dims.emplace_back(input.dense_shape());
  }
  if (options.expand_nonconcat_dim) dims = widened_dims(sp_inputs, checked_int32("axis", axis));
  const std::vector<Tensor> parts = outputs_of({.op = "SparseConcat",
                                                .name = options.name,
                                                .args = {indices, values, dims},
                                                .attrs = {{"concat_dim", axis}}});
  const TensorShape known = joined_shape(sp_inputs, axis, options.expand_nonconcat_dim);
  const bool all_known = std::ranges::all_of(
      sp_inputs, [](const SparseTensor& input) { return input.shape().is_fully_defined(); });
  if (all_known) {
    const Tensor shape = constant(Array(std::vector<int64_t>(known.begin(), known.end())));
    return {parts[0], parts[1], shape};
  }
  SparseTensor result(parts[0], parts[1], parts[2]);
  result.set_shape(known);
  return result;
}

std::vector<SparseTensor> split(const SparseInput& sp_input, int64_t num_split, const Input& axis,
                                const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"axis", axis}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  const std::vector<Tensor> parts =
      outputs_of({.op = "SparseSplit",
                  .name = options.name,
                  .args = {axis, sp_input.indices(), sp_input.values(), sp_input.dense_shape()},
                  .attrs = {{"num_split", num_split}}});
  std::vector<SparseTensor> result;
  const size_t count = parts.size() / 3;
  for (size_t i = 0; i < count; ++i) result.emplace_back(parts[i], parts[count + i], parts[2 * count + i]);
  return result;
}

SparseTensor slice(const SparseInput& sp_input, const Input& start, const Input& size,
                   const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"start", start}, {"size", size}, {"sp_input", Input(sp_input.values())}},
                       sp_input.where());
  const Tensor first = convert_to_tensor(start, {.dtype = DType::kInt64});
  const Tensor extent = convert_to_tensor(size, {.dtype = DType::kInt64});
  const std::vector<Tensor> parts =
      outputs_of({.op = "SparseSlice",
                  .name = options.name,
                  .args = {sp_input.indices(), sp_input.values(), sp_input.dense_shape(), first, extent}});
  return {parts[0], parts[1], parts[2]};
}

SparseTensor retain(const SparseInput& sp_input, const Input& to_retain) {
  check_sparse_set(sp_input, "sp_input");
  const CallScope call({{"to_retain", to_retain}, {"sp_input", Input(sp_input.values())}}, sp_input.where());
  const Tensor chosen = convert_to_tensor(to_retain);
  const TensorShape& length = chosen.shape();
  if (length.has_rank() && length.rank() != 1)
    throw ValueError(fmt::format("Shape {} must have rank 1", length.to_tuple_string()));
  const TensorShape& count = sp_input.values().shape();
  if (length.has_rank() && count.has_rank() && !length.is_compatible_with(count)) {
    throw ValueError(fmt::format("Dimensions {} and {} are not compatible", count.dim(0), length.dim(0)));
  }
  const Tensor places = tf::reshape(where(chosen), {-1});
  const Tensor indices = gather(sp_input.indices(), places);
  const Tensor values = gather(sp_input.values(), places);
  return {indices, values, identity(sp_input.dense_shape())};
}

FilledEmptyRows fill_empty_rows(const SparseInput& sp_input, const Input& default_value,
                                const NameOption& options) {
  check_sparse_set(sp_input, "sp_input");
  Composite scope({{"default_value", default_value}, {"sp_input", Input(sp_input.values())}}, options.name,
                  "SparseFillEmptyRows", sp_input.where());
  const Tensor value = scope.convert(default_value, "Const", base_dtype(sp_input.dtype()));
  const std::vector<Tensor> parts =
      outputs_of({.op = "SparseFillEmptyRows",
                  .args = {sp_input.indices(), sp_input.values(), sp_input.dense_shape(), value}});
  return {SparseTensor(parts[0], parts[1], sp_input.dense_shape()), parts[2]};
}

SparseTensor merge(const SparseInput& sp_ids, const SparseInput& sp_values, const Input& vocab_size,
                   const SparseMergeOptions& options) {
  check_sparse_set(sp_ids, "sp_ids");
  check_sparse_set(sp_values, "sp_values");
  const Composite scope({{"vocab_size", vocab_size}, {"sp_ids", Input(sp_ids.values())}}, options.name,
                        "SparseMerge", sp_ids.where());
  const bool is_int64 = base_dtype(sp_ids.dtype()) == DType::kInt64;
  const Tensor numbers = is_int64 ? sp_ids.values() : cast(sp_ids.values(), DType::kInt64);
  const Tensor column = tf::expand_dims(numbers, 1);
  const Tensor width = cast(vocab_size, DType::kInt64);
  const Tensor kept = sp_ids.indices()[{Slice{}, Slice{.stop = -1}}];
  const Tensor indices = tf::concat({kept, column}, 1);
  const Tensor kept_dims = sp_ids.dense_shape()[Slice{.stop = -1}];
  const Tensor dims = tf::concat({kept_dims, Input::list({width})}, 0);
  SparseTensor merged(indices, sp_values.values(), dims);
  if (options.already_sorted) return merged;
  const SparseTensor sorted = reorder(merged);
  return {sorted.indices(), sorted.values(), dims};
}

}  // namespace flowray::tf::sparse
