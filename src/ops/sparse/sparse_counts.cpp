// How often each number comes, as a sparse tensor: of all values, or of each row.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "core/wrapping.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/shape_merging.h"
#include "ops/sparse/register.h"
#include "ops/sparse/row_splits.h"
#include "ops/sparse/sparse_parts.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

/// Indices [n, rank], values [n] and a shape of that rank.
void counted_outputs(ShapeContext& context, int64_t rank) {
  context.set_output(0, Shape{kUnknown, rank});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{rank});
}
void dense_count_shape(ShapeContext& context) {
  if (context.running()) return;
  const Shape& values = context.input(0);
  const Shape& weights = context.input(1);
  const bool has_weights = !weights.is_fully_defined() || weights.num_elements() > 0;
  if (has_weights) merge_shapes(weights, values);
  counted_outputs(context, values.has_rank() ? values.rank() : kUnknown);
}
void sparse_count_shape(ShapeContext& context) {
  if (context.running()) return;
  const Shape& dims = context.input(2);
  const int64_t rank = dims.has_rank() && dims.rank() == 1 ? dims.dim(0) : kUnknown;
  counted_outputs(context, std::min<int64_t>(rank, 2));
}

int64_t number_at(const Array& values, int64_t i) {
  return values.dtype() == DType::kInt32 ? values.data<int32_t>()[i] : values.data<int64_t>()[i];
}

/// The values in rows, and what `row_of` says of value i.
template <class RowOf>
void count(DynamicCall& call, const Array& values, const Array& weights, int64_t num_rows, bool has_rows,
           RowOf row_of) {
  const int64_t least = call.attrs().get<int64_t>("minlength");
  const int64_t most = call.attrs().get<int64_t>("maxlength");
  const bool is_binary = call.attrs().get<bool>("binary_output");
  int64_t largest = 0;
  const bool is_known = dispatch<NumberTypes>(weights.dtype(), [&]<class T>() {
    std::map<std::pair<int64_t, int64_t>, T> sums;
    for (int64_t i = 0; i < values.size(); ++i) {
      const int64_t number = number_at(values, i);
      if (number < 0) invalid_argument("Input values must all be non-negative");
      if (most > 0 && number >= most) continue;
      largest = std::max(largest, number);
      T& sum = sums[{row_of(i), number}];
      if (is_binary) {
        sum = T(1);
      } else {
        sum = wrapping_add(sum, weights.size() == 0 ? T(1) : weights.data<T>()[i]);
      }
    }
    const auto found = std::ssize(sums);
    std::vector<int64_t> numbers;
    Array counts(weights.dtype(), Shape{found});
    T* out = counts.mutable_data<T>();
    for (const auto& [place, sum] : sums) {
      if (has_rows) numbers.push_back(place.first);
      numbers.push_back(place.second);
      *out++ = sum;
    }
    const int64_t size = most > 0 ? most : std::max<int64_t>(checked(largest) + 1, least);
    call.set_out(0, coordinates_of(numbers, found, has_rows ? 2 : 1));
    call.set_out(1, std::move(counts));
    call.set_out(2,
                 has_rows ? Array(std::vector<int64_t>{num_rows, size}) : Array(std::vector<int64_t>{size}));
  });
  if (!is_known) throw errors::InternalError("Weights of a dtype that no count has");
}

/// `what`: as errors call the values.
void check_weights(const Array& weights, const Shape& shape, std::string_view what) {
  if (weights.size() == 0 || weights.shape() == shape) return;
  invalid_argument(fmt::format("Weights and {} must have the same shape. Weight shape: {}; {} shape: {}",
                               what, weights.shape().to_string(), what, shape.to_string()));
}

void count_dense(DynamicCall& call) {
  const Array& values = call.in(0);
  if (values.rank() != 1 && values.rank() != 2) {
    invalid_argument(
        fmt::format("Input must be a 1 or 2-dimensional tensor. Got: {}", values.shape().to_string()));
  }
  check_weights(call.in(1), values.shape(), "data");
  const bool has_rows = values.rank() == 2;
  const int64_t width = has_rows ? std::max<int64_t>(values.dim(1), 1) : 1;
  count(call, values, call.in(1), values.dim(0), has_rows,
        [&](int64_t i) { return has_rows ? i / width : int64_t{0}; });
}

void count_sparse(DynamicCall& call) {
  const Array& indices = call.in(0);
  check_rank(indices, 2, "Input indices must be a 2-dimensional tensor. Got:");
  check_rank(call.in(1), 1, "Input values must be a vector. Got:");
  check_rank(call.in(2), 1, "Input shape must be a vector. Got:");
  const std::vector<int64_t> dims = checked_dims(call.in(2));
  if (indices.dim(0) != call.in(1).dim(0)) {
    invalid_argument(
        fmt::format("Number of values must match first dimension of indices.Got {} values, indices shape: {}",
                    call.in(1).size(), indices.shape().to_string()));
  }
  if (std::ssize(dims) != indices.dim(1)) {
    invalid_argument(fmt::format(
        "Number of dimensions must match second dimension of indices.Got {} dimensions, indices shape: {}",
        dims.size(), indices.shape().to_string()));
  }
  if (dims.empty()) invalid_argument("The shape argument requires at least one element.");
  check_weights(call.in(3), call.in(1).shape(), "values");
  const Coordinates coordinates(indices);
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] >= 0 && at[d] < dims[d]) continue;
      invalid_argument(fmt::format(
          "Invalid index value at {}: dimension {} has value {} which is not in [0, {}) (as given by "
          "dense shape Tensor<type: int64 shape: [{}] values: {}>",
          i, d, at[d], dims[d], dims.size(), summary_of(call.in(2), 3)));
    }
  }
  const bool has_rows = dims.size() > 1;
  count(call, call.in(1), call.in(3), dims[0], has_rows,
        [&](int64_t i) { return has_rows ? coordinates[i][0] : int64_t{0}; });
}

void ragged_count_shape(ShapeContext& context) {
  if (context.running()) return;
  const Shape& values = context.input(1);
  counted_outputs(context, values.has_rank() ? values.rank() + 1 : kUnknown);
}

void count_ragged(DynamicCall& call) {
  const Array& values = call.in(1);
  if (call.in(0).size() < 2) invalid_argument("Must provide at least 2 elements for the splits argument");
  check_weights(call.in(2), values.shape(), "values");
  const RowSplits splits(call.in(0), values.size());
  RowSplits::Walk row(splits);
  count(call, values, call.in(2), splits.num_rows(), true, [&](int64_t i) { return row.of(i); });
}

constexpr std::string_view kCountOutputs =
    "output_indices:int64, output_values:output_type, output_dense_shape:int64";
constexpr std::string_view kCountAttrs =
    "T:type{[int32,int64]}; minlength:int>=-1=-1; maxlength:int>=-1=-1; binary_output:bool; "
    "output_type:type{[int32,int64,float32,float64]}";

constexpr graph::OpRow kSparseCountOps[] = {
    {.name = "DenseCountSparseOutput",
     .inputs = "values:T, weights:output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .shape = dense_count_shape,
     .compute = count_dense},
    {.name = "SparseCountSparseOutput",
     .inputs = "indices:int64, values:T, dense_shape:int64, weights:output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .shape = sparse_count_shape,
     .compute = count_sparse},
    {.name = "RaggedCountSparseOutput",
     .inputs = "splits:int64, values:T, weights:output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .shape = ragged_count_shape,
     .compute = count_ragged},
};

}  // namespace

void register_sparse_count_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseCountOps) table.add(row);
}

}  // namespace flowray::ops
