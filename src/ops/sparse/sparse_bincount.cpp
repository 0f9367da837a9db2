// SparseBincount and RaggedBincount: how often each number occurs in each row, or the sum of what is given
// for it, as a dense matrix.

#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "core/wrapping.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/sparse/register.h"
#include "ops/sparse/row_splits.h"
#include "ops/sparse/sparse_parts.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

void sparse_bincount_shape(ShapeContext& context) {
  if (context.running()) return;
  context.with_rank(3, 0);
  if (context.value(3) == nullptr) return;
  const int64_t bins = context.integers(3)[0];
  if (bins < 0) ShapeContext::fail(fmt::format("size ({}) must be non-negative", bins));
  if (context.value(2) == nullptr) return;
  const std::vector<int64_t> dims = context.integers(2);
  if (dims.size() != 1 && dims.size() != 2) ShapeContext::fail("Input must be less than rank 2");
  if (dims.size() == 1) return context.set_output(0, Shape{bins});
  if (dims[0] < -1) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dims[0]));
  context.set_output(0, Shape{dims[0], bins});
}

int64_t bins_of(const Array& size) {
  if (size.rank() != 0) invalid_argument(fmt::format("Shape must be rank 0 but is rank {}", size.rank()));
  const int64_t bins = graph::to_integers(size)[0];
  if (bins < 0) invalid_argument(fmt::format("size ({}) must be non-negative", bins));
  return bins;
}

/// `refuses`: what to say of a negative number; none: it is left out. `row_of`: of value i.
template <class RowOf>
void count_bins(DynamicCall& call, const Array& values, const Array& weights, const Shape& shape,
                std::string_view refuses, RowOf row_of) {
  if (weights.size() != 0 && weights.size() != values.size())
    invalid_argument("Input indices and weights must have the same size.");
  const bool is_binary = call.attrs().get<bool>("binary_output");
  const std::vector<int64_t> numbers = graph::to_integers(values);
  const int64_t bins = shape.dim(-1);
  Array out(weights.dtype(), shape);
  const bool is_known = dispatch<NumberTypes>(out.dtype(), [&]<class T>() {
    T* const counts = out.mutable_data<T>();
    for (int64_t i = 0; i < values.size(); ++i) {
      const int64_t number = numbers[static_cast<size_t>(i)];
      if (number < 0 && !refuses.empty()) invalid_argument(std::string(refuses));
      const int64_t row = row_of(i);
      if (number < 0 || number >= bins) continue;
      T& count = counts[row * bins + number];
      const T weight = weights.size() == 0 ? T(1) : weights.data<T>()[i];
      count = is_binary ? T(1) : wrapping_add(count, weight);
    }
  });
  if (!is_known) throw errors::InternalError("Weights of a dtype that no count has");
  call.set_out(0, std::move(out));
}

void check_parts(const Array& indices, const Array& values, const Array& dims) {
  const auto check = [](const Array& part, int rank, std::string_view name) {
    if (part.rank() == rank) return;
    invalid_argument(fmt::format("Sparse {} must be rank {} but is rank {}", name, rank, part.rank()));
  };
  check(indices, 2, "indices");
  check(values, 1, "values");
  check(dims, 1, "shape");
  if (indices.dim(0) != values.dim(0)) {
    invalid_argument(fmt::format("Number of elements in indices ({}) and values ({}) do not match",
                                 indices.dim(0), values.dim(0)));
  }
  if (indices.dim(1) != dims.dim(0)) {
    invalid_argument(
        fmt::format("Index rank ({}) and shape rank ({}) do not match", indices.dim(1), dims.dim(0)));
  }
}

void check_places(const Coordinates& coordinates, const Array& dims) {
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] >= 0 && at[d] < dims.data<int64_t>()[d]) continue;
      invalid_argument(
          fmt::format("Sparse index tuple indices[{}, :] = [{}] is out of bounds", i, fmt::join(at, ", ")));
    }
  }
}

void sparse_bincount(DynamicCall& call) {
  const int64_t bins = bins_of(call.in(3));
  const Array& dims = call.in(2);
  check_parts(call.in(0), call.in(1), dims);
  const Coordinates coordinates(call.in(0));
  check_places(coordinates, dims);
  if (dims.size() == 0) invalid_argument("The shape of the sparse tensor needs at least one element");
  if (dims.size() == 1) {
    return count_bins(call, call.in(1), call.in(4), Shape{bins}, "Input arr must be non-negative!",
                      [](int64_t) { return int64_t{0}; });
  }
  const Shape shape{checked_dims(dims)[0], bins};
  count_bins(call, call.in(1), call.in(4), shape, "", [&](int64_t i) { return coordinates[i][0]; });
}

void ragged_bincount(DynamicCall& call) {
  const int64_t bins = bins_of(call.in(2));
  const RowSplits splits(call.in(0), call.in(1).size());
  RowSplits::Walk row(splits);
  count_bins(call, call.in(1), call.in(3), Shape{splits.num_rows(), bins}, "Input must be non-negative",
             [&](int64_t i) { return row.of(i); });
}

constexpr std::string_view kBincountAttrs =
    "Tidx:type{indices}; T:type{[int32,int64,float32,float64]}; binary_output:bool=false";

constexpr graph::OpRow kSparseBincountOps[] = {
    {.name = "SparseBincount",
     .inputs = "indices:int64, values:Tidx, dense_shape:int64, size:Tidx, weights:T",
     .outputs = "output:T",
     .attrs = kBincountAttrs,
     .shape = sparse_bincount_shape,
     .compute = sparse_bincount},
    {.name = "RaggedBincount",
     .inputs = "splits:int64, values:Tidx, size:Tidx, weights:T",
     .outputs = "output:T",
     .attrs = kBincountAttrs,
     .shape = graph::unknown_shape,
     .compute = ragged_bincount},
};

}  // namespace

void register_sparse_bincount_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseBincountOps) table.add(row);
}

}  // namespace flowray::ops
