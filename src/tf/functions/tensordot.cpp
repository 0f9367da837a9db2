#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::tf {
namespace {

using Axes = std::vector<int64_t>;

Array int32s(const Axes& values) {
  Array wide(DType::kInt64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, wide.mutable_data<int64_t>());
  return wide.astype(DType::kInt32);
}

Tensor numbers(const Axes& values, const char* name) {
  return convert_to_tensor(int32s(values), {.name = name});
}

/// One factor as a matrix: what is summed over along one of its dimensions, what is left along the other.
struct Matrix {
  Tensor value;
  /// Sizes of what is left; -1 where only the step knows them.
  Axes free_sizes;
  /// The same as a tensor, where the step has to say some of them.
  Tensor free_shape;
};

Axes joined(const Axes& first, const Axes& second) {
  Axes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

Axes sizes_of(const TensorShape& shape, const Axes& axes) {
  Axes sizes;
  for (const int64_t axis : axes) sizes.push_back(std::max<int64_t>(shape.dim(static_cast<int>(axis)), -1));
  return sizes;
}

int64_t product(const Axes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// For a known shape: only the nodes that change anything.
Matrix known_matrix(const Tensor& x, const Axes& axes, const Axes& free, bool sums_first) {
  Matrix matrix{.value = x, .free_sizes = sizes_of(x.shape(), free)};
  const Axes order = sums_first ? joined(axes, free) : joined(free, axes);
  const int64_t summed = product(sizes_of(x.shape(), axes));
  const int64_t left = product(matrix.free_sizes);
  if (!std::ranges::is_sorted(order)) matrix.value = transpose(x, int32s(order));
  const TensorShape wanted = sums_first ? TensorShape{summed, left} : TensorShape{left, summed};
  if (!(matrix.value.shape() == wanted)) {
    matrix.value = reshape(matrix.value, int32s({wanted.dim(0), wanted.dim(1)}));
  }
  return matrix;
}

Matrix unknown_matrix(const Tensor& x, const Axes& axes, const Axes& free, bool sums_first) {
  Matrix matrix{.free_sizes = sizes_of(x.shape(), free)};
  const Tensor axes_tensor = numbers(axes, "axes");
  const Tensor free_tensor = numbers(free, "free");
  const Tensor sizes = shape(x);
  matrix.free_shape = gather(sizes, free_tensor);
  const Tensor summed_shape = gather(sizes, axes_tensor);
  const Tensor left = reduce_prod(matrix.free_shape);
  const Tensor summed = reduce_prod(summed_shape);
  const std::vector<Input> order = sums_first ? std::vector<Input>{axes_tensor, free_tensor}
                                              : std::vector<Input>{free_tensor, axes_tensor};
  const Tensor permutation = concat(order, 0);
  const Tensor size = stack(sums_first ? std::vector<Input>{summed, left} : std::vector<Input>{left, summed});
  matrix.value = reshape(transpose(x, permutation), size);
  return matrix;
}

Matrix matrix_of(const Tensor& x, Axes axes, bool sums_first) {
  if (!x.shape().has_rank()) {
    throw errors::UnimplementedError(
        fmt::format("tf::tensordot needs to know the ranks of its tensors, but {} has none.\nGive it a shape "
                    "(tf::Tensor::set_shape).",
                    x.name()));
  }
  const int64_t rank = x.shape().rank();
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank)
      throw ValueError(
          fmt::format("An axis of tf::tensordot is {}, but {} has {} dimensions", axis, x.name(), rank));
    if (axis < 0) axis += rank;
  }
  Axes free;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::ranges::find(axes, i) == axes.end()) free.push_back(i);
  }
  return x.shape().is_fully_defined() ? known_matrix(x, axes, free, sums_first)
                                      : unknown_matrix(x, axes, free, sums_first);
}

TensorShape shape_of(const Axes& sizes) { return TensorShape(std::span<const int64_t>(sizes)); }

}  // namespace

Tensor tensordot(const Input& a, const Input& b, const Axes& a_axes, const Axes& b_axes,
                 const NameOption& options) {
  const ErrorLine errors(a.where());
  if (a_axes.size() != b_axes.size()) {
    throw ValueError(fmt::format("Different number of contraction axes `a` and `b`, {} != {}.", a_axes.size(),
                                 b_axes.size()));
  }
  Composite call({{"a", a}, {"b", b}}, options.name, "Tensordot", a.where());
  const Tensor left = call.convert(a, "a");
  const Tensor right = call.convert(b, "b");
  const Matrix rows = matrix_of(left, a_axes, /*sums_first=*/false);
  const Matrix columns = matrix_of(right, b_axes, /*sums_first=*/true);
  const Tensor all = matmul(rows.value, columns.value);
  const Axes sizes = joined(rows.free_sizes, columns.free_sizes);
  if (!rows.free_shape.has_value() && !columns.free_shape.has_value()) {
    if (all.shape() == shape_of(sizes)) return all;
    return reshape(all, int32s(sizes), {.name = call.result_name()});
  }
  const Tensor first = rows.free_shape.has_value() ? rows.free_shape : numbers(rows.free_sizes, "Const");
  const Tensor second =
      columns.free_shape.has_value() ? columns.free_shape : numbers(columns.free_sizes, "Const");
  Tensor result = reshape(all, concat({first, second}, 0), {.name = call.result_name()});
  result.set_shape(shape_of(sizes));
  return result;
}

Tensor tensordot(const Input& a, const Input& b, int64_t axes, const TensordotOptions& options) {
  const ErrorLine errors(a.where());
  if (axes < 0) throw ValueError(fmt::format("`axes` must be at least 0, but is {}", axes));
  const UserLine line(graph_of({{"a", a}, {"b", b}}), a.where());
  const Tensor first = convert_to_tensor(a, {.name = "a"});
  const int64_t rank = first.shape().has_rank() ? first.shape().rank() : 0;
  if (axes > rank) {
    throw ValueError(
        fmt::format("`axes` must not be larger than the number of dimensions of tensor {}. "
                    "Received {}, vs tensor dimensions {}.",
                    first.name(), axes, rank));
  }
  Axes last;
  Axes begin;
  for (int64_t i = 0; i < axes; ++i) {
    last.push_back(rank - axes + i);
    begin.push_back(i);
  }
  return tensordot(first, b, last, begin, {.name = options.name});
}

}  // namespace flowray::tf
