#include <flowray/tf/array.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/integers.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

namespace flowray::tf {
namespace {

bool is_tensor(const OptionalInput& input) {
  return input.has_value() && (input->tensor() != nullptr || input->list() != nullptr);
}

/// Integers written in the program.
Array written(const Input& input, std::string_view what) {
  const Array value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  if (value.size() > 0 && !is_integer(value.dtype())) {
    throw TypeError(fmt::format("{} must be integers, not {}", what, value.to_string()));
  }
  return value.astype(DType::kInt64);
}

int64_t row_count(const Input& input) {
  const Array value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  if (value.rank() != 0 || !is_integer(value.dtype())) {
    throw TypeError(
        fmt::format("Arguments `num_rows` and `num_columns` must be positive integer values. Received: {}",
                    value.to_string()));
  }
  return value.astype(DType::kInt64).item<int64_t>();
}

Tensor on_diagonal(const Tensor& diagonal) {
  return apply_op({.op = "MatrixDiagV3", .name = "diag", .args = {diagonal, 0, -1, -1, 0}});
}
Tensor with_diagonal(const Tensor& matrix, const Tensor& diagonal) {
  return apply_op({.op = "MatrixSetDiagV3", .name = "set_diag", .args = {matrix, diagonal, 0}});
}

/// Where a number of rows is a tensor, or the leading dimensions are.
Tensor eye_of_unknown_size(Composite& scope, const Input& rows, const Input& columns, bool square,
                           const EyeOptions& options) {
  const bool unknown_size = is_tensor(rows) || is_tensor(columns);
  const Input size = unknown_size ? Input(minimum(rows, columns))
                                  : Input(static_cast<int>(std::min(row_count(rows), row_count(columns))));
  const Input none(Array(DType::kInt32, {0}));
  const Tensor batch = tensor_of(
      scope.convert(options.batch_shape.has_value() ? *options.batch_shape : none, "shape", DType::kInt32));
  const Tensor diagonal_shape = concat({batch, Input::list({size})}, 0);
  Tensor shape;
  if (!square) shape = concat({batch, Input::list({rows, columns})}, 0);
  const Tensor diagonal = ones(diagonal_shape, options.dtype);
  return square ? on_diagonal(diagonal) : with_diagonal(zeros(shape, options.dtype), diagonal);
}

}  // namespace

Tensor eye(const Input& num_rows, const EyeOptions& options) {
  Composite scope(
      {{"num_rows", num_rows}, {"num_columns", options.num_columns}, {"batch_shape", options.batch_shape}},
      options.name, "eye", num_rows.where());
  const Input columns = options.num_columns.has_value() ? *options.num_columns : num_rows;
  const Input batch = options.batch_shape.has_value() ? *options.batch_shape : Input(0);
  if (is_tensor(num_rows) || is_tensor(columns)) {
    return eye_of_unknown_size(scope, num_rows, columns, !options.num_columns.has_value(), options);
  }
  const int64_t row_number = row_count(num_rows);
  const int64_t column_number = row_count(columns);
  const bool square = row_number == column_number;
  if (is_tensor(options.batch_shape)) return eye_of_unknown_size(scope, num_rows, columns, square, options);
  std::vector<int64_t> dims = options.batch_shape.has_value()
                                  ? graph::to_integers(written(batch, "`batch_shape`"))
                                  : std::vector<int64_t>();
  dims.push_back(std::min(row_number, column_number));
  const Tensor diagonal = ones(Array(dims), options.dtype);
  if (square) return on_diagonal(diagonal);
  dims.back() = row_number;
  dims.push_back(column_number);
  return with_diagonal(zeros(Array(dims), options.dtype), diagonal);
}

Tensor trace(const Input& x, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "Trace", x.where());
  const Tensor matrix = scope.convert(x, "x");
  const Tensor diagonal = apply_op({.op = "MatrixDiagPartV3", .name = "diag_part", .args = {matrix, 0, 0}});
  return reduce_sum(diagonal, {-1}, {.name = scope.result_name()});
}

namespace {

/// What tf.norm is asked for.
struct Order {
  bool euclidean = false;
  double number = 0;
};

struct NormAxes {
  bool given = false;
  bool matrices = false;
  std::vector<int64_t> axes;
};

/// As Python shows what is taken for a pair, or any other list.
std::string axes_text(const Array& axes) {
  if (!is_integer(axes.dtype()) || axes.rank() != 1) return axes.to_string();
  const std::string numbers =
      fmt::format("{}", fmt::join(graph::to_integers(axes.astype(DType::kInt64)), ", "));
  return axes.size() == 2 ? "(" + numbers + ")" : "[" + numbers + "]";
}

NormAxes axes_of(const OptionalInput& axis) {
  NormAxes result;
  if (!axis.has_value()) return result;
  check_set(*axis, "axis");
  const auto refuse = [](const std::string& got) {
    throw ValueError(
        fmt::format("'axis' must be None, an integer, or a tuple of 2 unique integers, got {}", got));
  };
  if (is_tensor(axis)) refuse("a tensor");
  const Array value = axis->literal() != nullptr ? axis->literal()->to_array() : *axis->array();
  if (!is_integer(value.dtype()) || value.rank() > 1 || (value.rank() == 1 && value.size() != 2)) {
    refuse(axes_text(value));
  }
  result.given = true;
  result.matrices = value.rank() == 1;
  result.axes = graph::to_integers(value.astype(DType::kInt64).reshape({value.size()}));
  if (result.matrices && result.axes[0] == result.axes[1]) refuse(axes_text(value));
  return result;
}

Order order_of(const std::variant<double, std::string>& ord, bool matrices) {
  if (const auto* word = std::get_if<std::string>(&ord)) {
    if (*word == "euclidean" || (*word == "fro" && matrices)) return {.euclidean = true};
    if (matrices) {
      throw ValueError(fmt::format(
          "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {}", *word));
    }
    throw ValueError(fmt::format("'ord' must be a supported vector norm, got {}", *word));
  }
  const double number = std::get<double>(ord);
  if (matrices) {
    if (number == 2) {
      throw errors::UnimplementedError(
          "tf::norm of matrices has the orders 1, infinity, \"fro\" and \"euclidean\".\nThe order 2 is the "
          "largest "
          "singular value: the op Svd gives it.");
    }
    if (number != 1 && !std::isinf(number)) {
      throw ValueError(fmt::format(
          "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {}", number));
    }
  } else if (!(number > 0)) {
    throw ValueError(fmt::format("'ord' must be a supported vector norm, got {}", number));
  }
  return {.euclidean = number == 2, .number = number};
}

int number(int64_t value) { return static_cast<int>(value); }

Tensor squares(const Tensor& x) {
  if (!is_complex(base_dtype(x.dtype()))) return x * x;
  return x * apply_op({.op = "Conj", .args = {x}});
}

/// With all dimensions kept, of size 1.
Tensor norm_kept(const Tensor& x, const Order& order, const NormAxes& axes) {
  const OptionalInput all =
      axes.given ? OptionalInput(Array(axes.axes).astype(DType::kInt32)) : OptionalInput();
  const auto one = [&](size_t i) {
    return axes.given ? OptionalInput(number(axes.axes.at(i))) : OptionalInput();
  };
  if (order.euclidean) return sqrt(reduce_sum(squares(x), {.axis = all, .keepdims = true}));
  const Tensor sizes = abs(x);
  if (order.number == 1) {
    const Tensor sums = reduce_sum(sizes, {.axis = one(0), .keepdims = true});
    return axes.matrices ? reduce_max(sums, {.axis = one(1), .keepdims = true}) : sums;
  }
  if (std::isinf(order.number)) {
    const Tensor rows = axes.matrices ? reduce_sum(sizes, {.axis = one(1), .keepdims = true}) : sizes;
    return reduce_max(rows, {.axis = one(0), .keepdims = true});
  }
  const Tensor sums = reduce_sum(pow(sizes, order.number), {.axis = all, .keepdims = true});
  return pow(sums, 1.0 / order.number);
}

}  // namespace

Tensor norm(const Input& tensor, const NormOptions& options) {
  const NormAxes axes = axes_of(options.axis);
  const Order order = order_of(options.ord, axes.matrices);
  Composite scope({{"tensor", tensor}}, options.name, "norm", tensor.where());
  const Tensor result = norm_kept(scope.convert(tensor, "Const"), order, axes);
  if (options.keepdims) return result;
  return axes.given ? squeeze(result, Array(axes.axes)) : squeeze(result);
}

namespace linalg {

Normalized normalize(const Input& tensor, const NormOptions& options) {
  Composite scope({{"tensor", tensor}, {"axis", options.axis}}, options.name, "normalize", tensor.where());
  const Tensor x = scope.convert(tensor, "Const");
  const Tensor length = norm(x, {.ord = options.ord, .axis = options.axis, .keepdims = true});
  return {x / length, length};
}

Tensor matvec(const Input& a, const Input& b, const MatVecOptions& options) {
  Composite scope({{"a", a}, {"b", b}}, options.name, "MatVec", a.where());
  const Tensor column = expand_dims(b, -1);
  const Tensor product =
      matmul(a, column, {.transpose_a = options.transpose_a, .adjoint_a = options.adjoint_a});
  return squeeze(product, {-1});
}

Tensor adjoint(const Input& matrix, const NameOption& options) {
  Composite scope({{"matrix", matrix}}, options.name, "adjoint", matrix.where());
  const Tensor x = scope.convert(matrix, "matrix");
  const int rank = x.shape().rank();
  if (!is_complex(base_dtype(x.dtype())) || rank < 2) return matrix_transpose(x);
  std::vector<int32_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const graph::NameScope inner(scope.graph(), "matrix_transpose");
  const graph::NameScope transpose(scope.graph(), "transpose");
  const graph::Endpoint perm = scope.builder().constant(Array(order), "perm");
  return scope.op("ConjugateTranspose", {x, perm}, {}, transpose.path());
}

}  // namespace linalg
}  // namespace flowray::tf
