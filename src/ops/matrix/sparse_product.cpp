// SparseTensorDenseMatMul: a matrix of a few numbers times a dense one; HistogramFixedWidth; Cross.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/dtype_lists.h"
#include "ops/elements/element_types.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- SparseTensorDenseMatMul

void check_sparse_in_step(const ShapeContext& context) {
  const Shape& indices = context.input(0);
  const Shape& values = context.input(1);
  const Shape& dims = context.input(2);
  if (context.input(3).rank() != 2) ShapeContext::fail("Tensor 'b' is not a matrix");
  if (dims.rank() != 1) ShapeContext::fail("Tensor 'a_shape' is not a vector");
  if (dims.dim(0) != 2) {
    ShapeContext::fail(fmt::format("Tensor 'a_shape' must have 2 elements\nIt has {}", dims.dim(0)));
  }
  if (values.rank() != 1) ShapeContext::fail("Tensor 'a_values' is not a vector");
  if (indices.rank() != 2) ShapeContext::fail("Tensor 'a_indices' is not a matrix");
  if (indices.dim(0) != values.dim(0)) {
    ShapeContext::fail("Number of rows of a_indices does not match number of entries in a_values");
  }
  if (indices.dim(1) != dims.dim(0)) {
    ShapeContext::fail("Number of columns of a_indices does not match number of entries in a_shape");
  }
}

void sparse_product_shape(ShapeContext& context) {
  if (context.running()) check_sparse_in_step(context);
  const Shape b = context.with_rank(3, 2);
  const bool adjoint_a = context.attrs().get<bool>("adjoint_a");
  const bool adjoint_b = context.attrs().get<bool>("adjoint_b");
  Shape a = context.value_as_shape(2);
  if (!a.has_rank()) a = Shape::of_rank(2);
  const int64_t inner_a = a.dim(adjoint_a ? 0 : 1);
  const int64_t inner_b = b.dim(adjoint_b ? 1 : 0);
  if (context.running() && inner_a != inner_b) {
    ShapeContext::fail(
        fmt::format("Cannot multiply A and B because inner dimension does not match: {} vs. {}.  Did you "
                    "forget a transpose?  Dimensions of A: [{}, {}).  Dimensions of B: {}",
                    inner_a, inner_b, a.dim(0), a.dim(1), b.to_string()));
  }
  ShapeContext::merge_dim(inner_a, inner_b);
  context.set_output(0, Shape{a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)});
}

/// The dense matrix, and which way round both are taken.
struct SparseProduct {
  DType index_dtype;
  int64_t count;  // of the numbers
  int64_t rows;   // of the product
  int64_t columns;
  int64_t inner;
  bool adjoint_a;
  bool adjoint_b;

  template <class T>
  static T conjugated(T x, bool adjoint) {
    if constexpr (kIsComplex<T>) return adjoint ? std::conj(x) : x;
    return x;
  }

  template <class T>
  void run(const KernelCall& call) const {
    const IntegerReader indices{call.in<void>(0), index_dtype};
    const T* const b = call.in<T>(3);
    std::vector<Wide<T>> sums(static_cast<size_t>(rows * columns), Wide<T>(0));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = indices[2 * i + (adjoint_a ? 1 : 0)];
      const int64_t k = indices[2 * i + (adjoint_a ? 0 : 1)];
      check(k, inner, adjoint_a ? 0 : 1, i);
      check(row, rows, adjoint_a ? 1 : 0, i);
      const auto value = static_cast<Wide<T>>(conjugated(call.in<T>(1)[i], adjoint_a));
      for (int64_t j = 0; j < columns; ++j) {
        const T element = adjoint_b ? b[j * inner + k] : b[k * columns + j];
        Wide<T>& sum = sums[static_cast<size_t>(row * columns + j)];
        sum = plus(sum, times(value, static_cast<Wide<T>>(conjugated(element, adjoint_b))));
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
  }

  static void check(int64_t index, int64_t size, int column, int64_t i) {
    if (index >= 0 && index < size) return;
    throw errors::InvalidArgumentError(fmt::format("{} ({}) from index[{},{}] out of bounds (>={})",
                                                   column == 1 ? "k" : "m", index, i, column, size));
  }
};

using ProductTypes =
    TypeList<float, double, int32_t, bfloat16, float16, std::complex<float>, std::complex<double>>;

std::unique_ptr<Kernel> prepare_sparse_product(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  const bool adjoint_b = context.attrs().get<bool>("adjoint_b");
  const SparseProduct product{.index_dtype = context.input_dtype(0),
                              .count = context.input_shape(1).num_elements(),
                              .rows = out.dim(0),
                              .columns = out.dim(1),
                              .inner = context.input_shape(3).dim(adjoint_b ? 1 : 0),
                              .adjoint_a = context.attrs().get<bool>("adjoint_a"),
                              .adjoint_b = adjoint_b};
  return kernel_for_dtype<ProductTypes>(context, context.input_dtype(3), [&]<class T>() {
    return graph::make_kernel([product](const KernelCall& call) { product.run<T>(call); });
  });
}

/// x[:, column] of a matrix.
Endpoint python_column(GradientContext& g, Endpoint x, int64_t column) {
  const graph::NameScope scope(g.graph(), "strided_slice");
  const Endpoint begin = python_integers(g, {0, column}, DType::kInt32, "stack");
  const Endpoint end = python_integers(g, {0, column + 1}, DType::kInt32, "stack_1");
  const Endpoint strides = python_integers(g, {1, 1}, DType::kInt32, "stack_2");
  return g.op("StridedSlice", {x, begin, end, strides},
              {{"begin_mask", int64_t{1}}, {"end_mask", int64_t{1}}, {"shrink_axis_mask", int64_t{2}}},
              scope.path());
}

/// array_ops.transpose(x), conjugated where it is complex and that is asked for.
Endpoint python_transposed(GradientContext& g, Endpoint x, std::string_view name, std::string_view op) {
  const graph::NameScope scope(g.graph(), name);
  return g.op(op, {x, python_integers(g, {1, 0}, DType::kInt32, "perm")}, {}, scope.path());
}

std::vector<Endpoint> sparse_product_gradient(GradientContext& g) {
  const bool adjoint_a = g.attrs().get<bool>("adjoint_a");
  const bool adjoint_b = g.attrs().get<bool>("adjoint_b");
  Endpoint of_b = g.op("SparseTensorDenseMatMul", {g.input(0), g.input(1), g.input(2), g.grad()},
                       {{"adjoint_a", !adjoint_a}});
  const bool is_complex_type = is_complex(base_dtype(g.grad().dtype()));
  if (adjoint_b) {
    const graph::NameScope scope(g.graph(), "matrix_transpose");
    of_b = python_transposed(g, of_b, "transpose", is_complex_type ? "ConjugateTranspose" : "Transpose");
  }
  const Endpoint rows = python_column(g, g.input(0), 0);
  const Endpoint columns = python_column(g, g.input(0), 1);
  const Endpoint parts_a = python_gather(g, g.grad(), adjoint_a ? columns : rows);
  const Endpoint b = adjoint_b ? python_transposed(g, g.input(3), "transpose", "Transpose") : g.input(3);
  const Endpoint parts_b = python_gather(g, b, adjoint_a ? rows : columns);
  const Endpoint left = python_expand_dims(g, parts_a, adjoint_a ? -1 : -2);
  const Endpoint right = python_expand_dims(g, parts_b, adjoint_a == adjoint_b ? -2 : -1);
  const bool right_as_it_is = adjoint_a != adjoint_b;
  const Endpoint product =
      g.op("BatchMatMulV2", {left, right}, {{"adj_x", adjoint_a}, {"adj_y", !right_as_it_is}}, "MatMul");
  const Endpoint values = g.op("Squeeze", {product}, {{"squeeze_dims", std::vector<int64_t>{-2, -1}}});
  return {{}, values, {}, of_b};
}

// ---- HistogramFixedWidth

void histogram_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() != 1) ShapeContext::fail("value_range should be a vector.");
    if (context.input(1).dim(0) != 2) {
      ShapeContext::fail("value_range should be a vector of 2 elements.");
    }
    if (context.input(2).rank() != 0) ShapeContext::fail("nbins should be a scalar.");
  }
  ShapeContext::merge_dim(context.with_rank(1, 1).dim(0), 2);
  context.with_rank(2, 0);
  const bool known = context.running() || context.value(2) != nullptr;
  const int64_t bins = known ? context.integers(2)[0] : Shape::kUnknownDim;
  if (known && bins <= 0) {
    ShapeContext::fail(context.running()
                           ? fmt::format("nbins should be a positive number, but got '{}'", bins)
                           : fmt::format("Requires nbins > 0: {}", bins));
  }
  context.set_output(0, Shape{bins});
}

template <class T, class Count>
std::unique_ptr<Kernel> histogram_kernel(int64_t values, int64_t bins) {
  return graph::make_kernel([values, bins](const KernelCall& call) {
    const T* const range = call.in<T>(1);
    Count* const out = call.out<Count>(0);
    std::fill_n(out, bins, Count(0));
    if (!(range[0] < range[1])) {
      throw errors::InvalidArgumentError(
          fmt::format("value_range should satisfy value_range[0] < value_range[1], but got '[{}, {}]'",
                      range[0], range[1]));
    }
    const double step =
        (static_cast<double>(range[1]) - static_cast<double>(range[0])) / static_cast<double>(bins);
    for (int64_t i = 0; i < values; ++i) {
      const T value = call.in<T>(0)[i];
      if (value != value) continue;
      const double place = (static_cast<double>(value) - static_cast<double>(range[0])) / step;
      // What ranges without end or of no width make is no number.
      const double bin = std::isnan(place) ? 0.0 : std::clamp(place, 0.0, static_cast<double>(bins - 1));
      ++out[static_cast<int64_t>(bin)];
    }
  });
}

std::unique_ptr<Kernel> prepare_histogram(PrepareContext& context) {
  const int64_t values = context.input_shape(0).num_elements();
  const int64_t bins = context.output_shape(0).dim(0);
  return kernel_for_dtype<NumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class Count>() {
      return histogram_kernel<T, Count>(values, bins);
    });
  });
}

// ---- Cross

void cross_shape(ShapeContext& context) {
  if (context.running() && !(context.input(0) == context.input(1))) {
    ShapeContext::fail(fmt::format("Both inputs must be of same shape: {} vs. {}",
                                   context.input(0).to_string(), context.input(1).to_string()));
  }
  const Shape a = context.with_rank_at_least(0, 1);
  const Shape b = context.with_rank_at_least(1, 1);
  if (context.running() && a.dim(-1) != 3) {
    throw errors::FailedPreconditionError(fmt::format(
        "Cross-products are only defined for 3-element vectors.\nThese have {} elements.", a.dim(-1)));
  }
  if (a.has_rank()) ShapeContext::merge_dim(a.dim(-1), 3);
  context.set_output(0, merge_shapes(a, b));
}

std::unique_ptr<Kernel> prepare_cross(PrepareContext& context) {
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([count = context.input_shape(0).num_elements()](const KernelCall& call) {
      for (int64_t i = 0; i < count; i += 3) {
        const T* const a = call.in<T>(0) + i;
        const T* const b = call.in<T>(1) + i;
        for (int k = 0; k < 3; ++k) {
          const int next = (k + 1) % 3;
          const int last = (k + 2) % 3;
          call.out<T>(0)[i + k] = minus(times(a[next], b[last]), times(a[last], b[next]));
        }
      }
    });
  });
}

std::vector<Endpoint> cross_gradient(GradientContext& g) {
  const Endpoint of_a = g.op("Cross", {g.input(1), g.grad()});
  return {of_a, g.op("Cross", {g.grad(), g.input(0)})};
}

}  // namespace

void register_sparse_product_ops(graph::OpTable& table) {
  table.add(
      {.name = "SparseTensorDenseMatMul",
       .inputs = "a_indices:Tindices, a_values:T, a_shape:int64, b:T",
       .outputs = "product:T",
       .attrs = "T:type; Tindices:type=int64" FLOWRAY_INDICES "; adjoint_a:bool=false; adjoint_b:bool=false",
       .shape = sparse_product_shape,
       .gradient = sparse_product_gradient,
       .prepare = prepare_sparse_product});
  table.add({.name = "HistogramFixedWidth",
             .inputs = "values:T, value_range:T, nbins:int32",
             .outputs = "out:dtype",
             .attrs = "T:type{[int32,int64,float32,float64]}; dtype:type=int32" FLOWRAY_INDICES,
             .shape = histogram_shape,
             .prepare = prepare_histogram});
  table.add({.name = "Cross",
             .inputs = "a:T, b:T",
             .outputs = "product:T",
             .attrs = "T:type" FLOWRAY_REAL_NUMBERS,
             .shape = cross_shape,
             .gradient = cross_gradient,
             .prepare = prepare_cross});
}

}  // namespace flowray::ops
