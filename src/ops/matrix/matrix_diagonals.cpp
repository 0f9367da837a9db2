// MatrixDiag, MatrixDiagPart, MatrixSetDiag in all their versions: one or some neighbouring diagonals of each
// matrix of a batch, as rows of another array.

#include "core/checked_size.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/shape_merging.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

Shape without_last(const Shape& shape, int count) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - count)));
}

// ---- which diagonals

/// Diagonals `lower` to `upper`, 0 being the main one, numbers above it positive.
struct Range {
  int64_t lower = 0;
  int64_t upper = 0;

  int64_t count() const { return upper - lower + 1; }
  int64_t longest(int64_t rows, int64_t columns) const {
    return std::min(rows + std::min<int64_t>(upper, 0), columns - std::max<int64_t>(lower, 0));
  }
};

/// Input `i`: one number, or the lowest and the highest.
Range range_of(const ShapeContext& context, int i) {
  const Shape& shape = context.input(i);
  if (shape.rank() > 1) {
    ShapeContext::fail("diag_index must be a scalar or vector, received shape: " + shape.to_string());
  }
  const std::vector<int64_t> numbers = context.integers(i);
  if (numbers.empty()) {
    ShapeContext::fail(context.schema().name.starts_with("MatrixSet")
                           ? "diag_index must have at least one element"
                           : "Expected diag_index to have at least 1 element");
  }
  if (numbers.size() > 2) {
    ShapeContext::fail(
        fmt::format("diag_index must have only one or two elements, received {} elements.", numbers.size()));
  }
  return {numbers.front(), numbers.back()};
}

void check_order(const Range& range) {
  if (range.lower <= range.upper) return;
  ShapeContext::fail(fmt::format("lower_diag_index must not be larger than upper_diag_index: {} > {}",
                                 range.lower, range.upper));
}

/// TensorFlow's kernels disagree about a full stop.
void check_range(const ShapeContext& context, const Range& range, int64_t rows, int64_t columns) {
  const bool stops = !context.schema().name.starts_with("MatrixSet");
  for (const auto& [name, number, stop] : {std::tuple("lower_diag_index", range.lower, stops),
                                           std::tuple("upper_diag_index", range.upper, false)}) {
    if ((-rows < number && number < columns) || number == 0) continue;
    ShapeContext::fail(fmt::format("{} is out of bound: {}{} It must be between {} and {}", name, number,
                                   stop || !context.running() ? "." : "", -rows, columns));
  }
  check_order(range);
}

bool is_known(const ShapeContext& context, int i) { return context.running() || context.value(i) != nullptr; }

/// The diagonals of matrices [rows, columns] as rows of an array.
struct Diagonals {
  Range range;
  int64_t rows = 0;
  int64_t columns = 0;
  bool upper_left = true;  // whether diagonals above the main one begin their row, or end it
  bool lower_left = true;

  Diagonals(const Range& which, const Shape& matrix, const graph::Attrs& attrs)
      : range(which), rows(matrix.dim(-2)), columns(matrix.dim(-1)) {
    if (!attrs.contains("align")) return;
    const std::string align = attrs.get<std::string>("align");
    upper_left = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
    lower_left = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  }

  int64_t length(int64_t d) const {
    return std::max<int64_t>(0, std::min(rows + std::min<int64_t>(d, 0), columns - std::max<int64_t>(d, 0)));
  }
  /// Elements that the packed diagonals of a matrix take.
  int64_t packed() const { return range.count() * longest(); }
  int64_t longest() const { return std::max<int64_t>(0, range.longest(rows, columns)); }

  /// visit(element of the matrix, element of the packed diagonals).
  template <class Visit>
  void for_each(Visit visit) const {
    for (int64_t d = range.upper; d >= range.lower; --d) {
      const int64_t size = length(d);
      const bool left = (d >= 0 && upper_left) || (d <= 0 && lower_left);
      const int64_t begin = (range.upper - d) * longest() + (left ? 0 : longest() - size);
      const int64_t row = std::max<int64_t>(-d, 0);
      const int64_t column = std::max<int64_t>(d, 0);
      for (int64_t i = 0; i < size; ++i) visit((row + i) * columns + column + i, begin + i);
    }
  }
};

// ---- shapes

Shape packed_shape(const Shape& matrix, const Range& range) {
  Shape shape = without_last(matrix, 2);
  const bool known = matrix.dim(-1) >= 0 && matrix.dim(-2) >= 0;
  if (range.count() > 1) shape.push_back(range.count());
  shape.push_back(known ? std::max<int64_t>(0, range.longest(matrix.dim(-2), matrix.dim(-1)))
                        : Shape::kUnknownDim);
  return shape;
}

void check_scalar(const ShapeContext& context, int i, const char* refusal) {
  if (context.input(i).has_rank() && context.input(i).rank() != 0) ShapeContext::fail(refusal);
}

void diag_part_shape(ShapeContext& context) {
  const bool old = context.num_inputs() == 1;
  if (context.running() && context.input(0).rank() < 2) {
    ShapeContext::fail("input must be at least 2-dim, received shape: " + context.input(0).to_string());
  }
  const Shape matrix = context.with_rank_at_least(0, 2);
  if (!old && context.running() && context.input(2).num_elements() != 1)
    ShapeContext::fail("Padding must be scalar.");  // of one element it may have any rank
  if (!old && !context.running()) check_scalar(context, 2, "Padding must be scalar.");
  if (!matrix.has_rank() || (!old && !is_known(context, 1))) return;
  const Range range = old ? Range{} : range_of(context, 1);
  if (matrix.dim(-1) >= 0 && matrix.dim(-2) >= 0) check_range(context, range, matrix.dim(-2), matrix.dim(-1));
  context.set_output(0, packed_shape(matrix, range));
}

/// The size of a matrix from the number asked for (-1: none) and the least there must be.
int64_t matrix_size(int64_t asked, int64_t least, const char* what) {
  if (asked != -1 && asked < least) ShapeContext::fail(fmt::format("The number of {} is too small.", what));
  return asked < 0 ? least : asked;
}

void diag_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() < 1) {
    ShapeContext::fail("diagonal must be at least 1-dim, received shape: " + context.input(0).to_string());
  }
  const Shape diagonal = context.with_rank_at_least(0, 1);
  if (!diagonal.has_rank()) return;
  if (context.num_inputs() == 1) {
    return context.set_output(0, diagonal.concatenate(Shape{diagonal.dim(-1)}));
  }
  check_scalar(context, 2, "num_rows must be a scalar");
  check_scalar(context, 3, "num_cols must be a scalar");
  check_scalar(context, 4, "padding_value must be a scalar");
  if (!is_known(context, 1) || !is_known(context, 2) || !is_known(context, 3)) return;
  const Range range = range_of(context, 1);
  check_order(range);
  const bool many = range.count() > 1;
  if (many) {
    if (!context.running()) context.with_rank_at_least(0, 2);
    if (diagonal.rank() < 2 || (diagonal.dim(-2) >= 0 && diagonal.dim(-2) != range.count())) {
      ShapeContext::fail(
          "The number of diagonals provided in the input does not match the lower_diag_index and "
          "upper_diag_index range.");
    }
  }
  Shape shape = without_last(diagonal, many ? 2 : 1);
  int64_t rows = context.integers(2)[0];
  int64_t columns = context.integers(3)[0];
  if (diagonal.dim(-1) < 0) return context.set_output(0, shape.concatenate(Shape{rows, columns}));
  const int64_t least_rows = checked(diagonal.dim(-1)) - std::min<int64_t>(range.upper, 0);
  const int64_t least_columns = checked(diagonal.dim(-1)) + std::max<int64_t>(range.lower, 0);
  const bool square = rows < 0 && columns < 0;
  rows = matrix_size(rows, least_rows, "rows");
  columns = matrix_size(columns, least_columns, "columns");
  if (square) rows = columns = std::max(rows, columns);
  if (rows != least_rows && columns != least_columns && !square) {
    ShapeContext::fail(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.");
  }
  context.set_output(0, shape.concatenate(Shape{rows, columns}));
}

void set_diag_shape(ShapeContext& context) {
  const bool old = context.num_inputs() == 2;
  if (context.running() && context.input(0).rank() < 2) {
    ShapeContext::fail("input must be at least 2-dim, received shape: " + context.input(0).to_string());
  }
  const Shape matrix = context.with_rank_at_least(0, 2);
  if (context.running() && context.input(1).rank() < 1) {
    ShapeContext::fail("diagonal must be at least 1-dim, received shape: " + context.input(1).to_string());
  }
  context.with_rank_at_least(1, 1);
  context.set_output(0, matrix);
  if (!matrix.has_rank() || (!old && !is_known(context, 2))) return;
  const Range range = old ? Range{} : range_of(context, 2);
  if (matrix.dim(-1) >= 0 && matrix.dim(-2) >= 0) check_range(context, range, matrix.dim(-2), matrix.dim(-1));
  const Shape expected = packed_shape(matrix, range);
  if (context.running() && !(expected == context.input(1))) {
    if (range.count() > 1 && (context.input(1).rank() < 2 || context.input(1).dim(-2) != range.count())) {
      ShapeContext::fail(
          "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and "
          "`upper_diag_index`");
    }
    ShapeContext::fail(fmt::format(
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not "
        "equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: "
        "{}\nDiagonal shape: {}\nExpected diagonal shape: {}",
        matrix.to_string(), context.input(1).to_string(), expected.to_string()));
  }
  merge_shapes(expected, context.input(1));
}

// ---- kernels

Range known_range(const PrepareContext& context, int i) {
  if (context.num_inputs() <= i) return {};
  const std::vector<int64_t> numbers = context.integers(i);
  return {numbers.front(), numbers.back()};
}

template <class Make>
std::unique_ptr<Kernel> kernel_for_words(PrepareContext& context, Make make) {
  std::unique_ptr<Kernel> kernel;
  if (!dispatch_words(context.input_dtype(0), [&]<class W>() { kernel = make.template operator()<W>(); })) {
    context.no_kernel_for(context.input_dtype(0));
  }
  return kernel;
}

/// How many matrices there are; 0 where they have no elements: then there may be any number of them, and what
/// is left of their dimensions may be of any size.
int64_t batches_with_elements(const Shape& matrix) {
  return matrix.num_elements() == 0 ? 0 : without_last(matrix, 2).num_elements();
}

std::unique_ptr<Kernel> prepare_diag(PrepareContext& context) {
  const Shape& matrix = context.output_shape(0);
  const Diagonals diagonals(known_range(context, 1), matrix, context.attrs());
  const bool padded = context.num_inputs() > 1;
  return kernel_for_words(context, [&]<class W>() {
    return make_kernel([diagonals, padded, batches = batches_with_elements(matrix)](const KernelCall& call) {
      if (batches == 0) return;
      const int64_t size = diagonals.rows * diagonals.columns;
      const W* in = call.in<W>(0);
      W* out = call.out<W>(0);
      std::fill_n(out, batches * size, padded ? *call.in<W>(4) : W{});
      for (int64_t b = 0; b < batches; ++b, in += diagonals.packed(), out += size) {
        diagonals.for_each([&](int64_t element, int64_t packed) { out[element] = in[packed]; });
      }
    });
  });
}

std::unique_ptr<Kernel> prepare_diag_part(PrepareContext& context) {
  const Shape& matrix = context.input_shape(0);
  const Diagonals diagonals(known_range(context, 1), matrix, context.attrs());
  const bool padded = context.num_inputs() > 1;
  return kernel_for_words(context, [&]<class W>() {
    return make_kernel([diagonals, padded, batches = batches_with_elements(matrix)](const KernelCall& call) {
      if (batches == 0) return;
      const W* in = call.in<W>(0);
      W* out = call.out<W>(0);
      std::fill_n(out, batches * diagonals.packed(), padded ? *call.in<W>(2) : W{});
      for (int64_t b = 0; b < batches;
           ++b, in += diagonals.rows * diagonals.columns, out += diagonals.packed()) {
        diagonals.for_each([&](int64_t element, int64_t packed) { out[packed] = in[element]; });
      }
    });
  });
}

std::unique_ptr<Kernel> prepare_set_diag(PrepareContext& context) {
  const Shape& matrix = context.input_shape(0);
  const Diagonals diagonals(known_range(context, 2), matrix, context.attrs());
  return kernel_for_words(context, [&]<class W>() {
    return make_kernel(
        [diagonals, batches = batches_with_elements(matrix)](const KernelCall& call) {
          if (batches == 0) return;
          const int64_t size = diagonals.rows * diagonals.columns;
          const W* from = call.in<W>(1);
          W* out = call.out<W>(0);
          if (call.in<W>(0) != out) copy_words(call.in<W>(0), out, batches * size);
          for (int64_t b = 0; b < batches; ++b, from += diagonals.packed(), out += size) {
            diagonals.for_each([&](int64_t element, int64_t packed) { out[element] = from[packed]; });
          }
        },
        {.in_place = {{0, 0}}});
  });
}

// ---- gradients; nodes and names are those of TensorFlow's Python

/// Attribute align of the newest ops: the node's own, or what Python takes without one.
graph::Attrs align_of(const GradientContext& g) {
  if (!g.attrs().contains("align")) return {{"align", std::string("RIGHT_LEFT")}};
  return {{"align", g.attrs().get<std::string>("align")}};
}

Endpoint number(GradientContext& g, int64_t value, std::string_view name) {
  return g.constant(Array(static_cast<int32_t>(value)), name);
}
Endpoint zero(GradientContext& g, DType dtype, std::string_view name) {
  return g.constant(Array(dtype, Shape()), name);
}

/// array_ops.matrix_diag_part; a null k stands for 0.
Endpoint python_diag_part(GradientContext& g, Endpoint x, Endpoint k, graph::Attrs attrs) {
  const NameScope scope(g.graph(), "diag_part");
  if (!k) k = number(g, 0, "k");
  return g.op("MatrixDiagPartV3", {x, k, zero(g, base_dtype(x.dtype()), "padding_value")}, std::move(attrs),
              scope.path());
}

/// array_ops.matrix_diag; -1: of the least size.
Endpoint python_diag(GradientContext& g, Endpoint x, Endpoint k, int64_t rows, int64_t columns,
                     graph::Attrs attrs) {
  const NameScope scope(g.graph(), "diag");
  if (!k) k = number(g, 0, "k");
  const Endpoint num_rows = number(g, rows, "num_rows");
  const Endpoint num_columns = number(g, columns, "num_cols");
  return g.op("MatrixDiagV3", {x, k, num_rows, num_columns, zero(g, base_dtype(x.dtype()), "padding_value")},
              std::move(attrs), scope.path());
}

/// array_ops.matrix_set_diag.
Endpoint python_set_diag(GradientContext& g, Endpoint x, Endpoint diagonal, Endpoint k, graph::Attrs attrs) {
  const NameScope scope(g.graph(), "set_diag");
  if (!k) k = number(g, 0, "k");
  return g.op("MatrixSetDiagV3", {x, diagonal, k}, std::move(attrs), scope.path());
}

std::vector<Endpoint> with_blanks(const GradientContext& g, Endpoint first) {
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = first;
  return grads;
}

std::vector<Endpoint> diag_gradient(GradientContext& g) {
  return with_blanks(
      g, python_diag_part(g, g.grad(), g.num_inputs() > 1 ? g.input(1) : Endpoint{}, align_of(g)));
}

std::vector<Endpoint> diag_part_gradient(GradientContext& g) {
  const bool old = g.num_inputs() == 1;
  const Endpoint k = old ? Endpoint{} : g.input(1);
  const Shape& shape = g.input(0).shape();
  const bool known = shape.has_rank() && shape.dim(-1) >= 0 && shape.dim(-2) >= 0;
  if (known && (!old || shape.dim(-1) == shape.dim(-2))) {
    return with_blanks(
        g, python_diag(g, g.grad(), k, old ? -1 : shape.dim(-2), old ? -1 : shape.dim(-1), align_of(g)));
  }
  return with_blanks(g, python_set_diag(g, python_zeros_like(g, g.input(0)), g.grad(), k, align_of(g)));
}

/// array_ops.zeros(shape, dtype) of a known shape; of an unknown one zeros like the diagonal, where
/// TensorFlow makes a dozen nodes and conditionals for its shape.
Endpoint python_zero_diagonal(GradientContext& g, Endpoint diagonal) {
  constexpr int64_t kSmall = 1000;
  const DType dtype = base_dtype(g.grad().dtype());
  const Shape& shape = diagonal.shape();
  if (!shape.is_fully_defined()) return python_zeros_like(g, diagonal);
  if (shape.num_elements() < kSmall) return g.constant(Array(dtype, shape), "zeros");
  const NameScope scope(g.graph(), "zeros");
  std::vector<int32_t> dims;
  for (const int64_t dim : shape.dims()) dims.push_back(static_cast<int32_t>(dim));
  const Endpoint dims_node = g.constant(Array(dims), "shape_as_tensor");
  return g.op("Fill", {dims_node, zero(g, dtype, "Const")}, {}, scope.path());
}

std::vector<Endpoint> set_diag_gradient(GradientContext& g) {
  const Endpoint k = g.num_inputs() > 2 ? g.input(2) : Endpoint{};
  const Endpoint zeros = python_zero_diagonal(g, g.input(1));
  const Endpoint of_input = python_set_diag(g, g.grad(), zeros, k, align_of(g));
  const Endpoint of_diagonal = python_diag_part(g, g.grad(), k, align_of(g));
  if (g.num_inputs() > 2) return {of_input, of_diagonal, {}};
  return {of_input, of_diagonal};
}

constexpr graph::OpRow diagonal_row(std::string_view name, std::string_view inputs, std::string_view outputs,
                                    std::string_view attrs, graph::ShapeFunction shape,
                                    graph::GradientFunction gradient, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kVersions[] = {
    diagonal_row("MatrixDiag", "diagonal:T", "output:T", "T:type", diag_shape, diag_gradient, prepare_diag),
    diagonal_row("MatrixDiagV2", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T",
                 "output:T", "T:type", diag_shape, diag_gradient, prepare_diag),
    diagonal_row("MatrixDiagV3", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T",
                 "output:T",
                 "T:type; align:string=\"RIGHT_LEFT\"{[LEFT_RIGHT,RIGHT_LEFT,LEFT_LEFT,RIGHT_RIGHT]}",
                 diag_shape, diag_gradient, prepare_diag),
    diagonal_row("MatrixDiagPart", "input:T", "diagonal:T", "T:type", diag_part_shape, diag_part_gradient,
                 prepare_diag_part),
    diagonal_row("MatrixDiagPartV2", "input:T, k:int32, padding_value:T", "diagonal:T", "T:type",
                 diag_part_shape, diag_part_gradient, prepare_diag_part),
    diagonal_row("MatrixDiagPartV3", "input:T, k:int32, padding_value:T", "diagonal:T",
                 "T:type; align:string=\"RIGHT_LEFT\"{[LEFT_RIGHT,RIGHT_LEFT,LEFT_LEFT,RIGHT_RIGHT]}",
                 diag_part_shape, diag_part_gradient, prepare_diag_part),
    diagonal_row("MatrixSetDiag", "input:T, diagonal:T", "output:T", "T:type", set_diag_shape,
                 set_diag_gradient, prepare_set_diag),
    diagonal_row("MatrixSetDiagV2", "input:T, diagonal:T, k:int32", "output:T", "T:type", set_diag_shape,
                 set_diag_gradient, prepare_set_diag),
    diagonal_row("MatrixSetDiagV3", "input:T, diagonal:T, k:int32", "output:T",
                 "T:type; align:string=\"RIGHT_LEFT\"{[LEFT_RIGHT,RIGHT_LEFT,LEFT_LEFT,RIGHT_RIGHT]}",
                 set_diag_shape, set_diag_gradient, prepare_set_diag),
};

}  // namespace

void register_matrix_diagonal_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kVersions) table.add(row);
}

}  // namespace flowray::ops
