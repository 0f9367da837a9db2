// SparseTensorDenseMatMul: a matrix of a few numbers times a dense one. SparseMatMul: dense ones that are
// said to be mostly zeros.

#include "core/invalid_argument.h"
#include "core/workspace.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/loops/gemm.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <type_traits>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

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
  if (context.running()) {
    for (const int64_t size : context.integers(2)) {
      if (size < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", size));
    }
  }
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
    T* const out = call.out<T>(0);
    std::vector<Wide<T>> wide_sums;
    Wide<T>* sums = nullptr;
    if constexpr (std::is_same_v<Wide<T>, T>) {
      std::fill_n(out, rows * columns, T(0));
      sums = out;
    } else {
      wide_sums.resize(static_cast<size_t>(rows * columns), Wide<T>(0));  // size: of the result
      sums = wide_sums.data();
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = indices[2 * i + (adjoint_a ? 1 : 0)];
      const int64_t k = indices[2 * i + (adjoint_a ? 0 : 1)];
      check(k, inner, adjoint_a ? 0 : 1, i);
      check(row, rows, adjoint_a ? 1 : 0, i);
      const auto value = static_cast<Wide<T>>(conjugated(call.in<T>(1)[i], adjoint_a));
      for (int64_t j = 0; j < columns; ++j) {
        const T element = adjoint_b ? b[j * inner + k] : b[k * columns + j];
        Wide<T>& sum = sums[row * columns + j];
        sum =
            wrapping_add(sum, wrapping_multiply(value, static_cast<Wide<T>>(conjugated(element, adjoint_b))));
      }
    }
    for (size_t i = 0; i < wide_sums.size(); ++i) out[i] = static_cast<T>(wide_sums[i]);
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

// ---- SparseMatMul

GemmShape sizes_of(const Shape& a, const Shape& b, const graph::Attrs& attrs) {
  GemmShape sizes{.transpose_a = attrs.get<bool>("transpose_a"),
                  .transpose_b = attrs.get<bool>("transpose_b")};
  sizes.m = a.dim(sizes.transpose_a ? 1 : 0);
  sizes.k = a.dim(sizes.transpose_a ? 0 : 1);
  sizes.n = b.dim(sizes.transpose_b ? 0 : 1);
  return sizes;
}

void sparse_matmul_shape(ShapeContext& context) {
  if (context.running()) return;  // the kernel's words are others
  const Shape a = context.with_rank(0, 2);
  const Shape b = context.with_rank(1, 2);
  const GemmShape sizes = sizes_of(a, b, context.attrs());
  ShapeContext::merge_dim(sizes.k, b.dim(sizes.transpose_b ? 1 : 0));
  context.set_output(0, Shape{sizes.m, sizes.n});
}

GemmShape checked_sizes(const Shape& a, const Shape& b, const graph::Attrs& attrs) {
  if (a.rank() != 2) invalid_argument("a is not a matrix");
  if (b.rank() != 2) invalid_argument("b is not a matrix");
  const GemmShape sizes = sizes_of(a, b, attrs);
  if (sizes.k != b.dim(sizes.transpose_b ? 1 : 0))
    invalid_argument(fmt::format("Matrix size incompatible: a: {}, b: {}", a.to_string(), b.to_string()));
  return sizes;
}

/// That they are mostly zeros is a hint: our product of dense matrices takes less time than looking for them.
void sparse_matmul(DynamicCall& call) {
  const GemmShape sizes = checked_sizes(call.in(0).shape(), call.in(1).shape(), call.attrs());
  const Array a = call.in(0).astype(DType::kFloat32);
  const Array b = call.in(1).astype(DType::kFloat32);
  const Gemm<float> gemm(sizes);
  Array product(DType::kFloat32, Shape{sizes.m, sizes.n});
  Workspace workspace(gemm.workspace_bytes(call.parallel().workers()));
  gemm.run(a.data<float>(), b.data<float>(), nullptr, product.mutable_data<float>(), workspace.data(),
           call.parallel());
  call.set_out(0, std::move(product));
}

/// A factor of a gradient, and whether it is said to be mostly zeros.
struct Factor {
  Endpoint matrix;
  bool is_sparse;
};

/// math_ops.matmul(a, b), of the dtype that is wanted.
Endpoint python_product(GradientContext& g, Factor a, Factor b, bool transpose_a, bool transpose_b,
                        DType dtype) {
  if (transpose_b) b.matrix = python_transposed(g, b.matrix, "transpose", "Transpose");
  const bool is_mixed = base_dtype(a.matrix.dtype()) != base_dtype(b.matrix.dtype());
  Endpoint product;
  if (a.is_sparse || b.is_sparse || is_mixed) {
    product = g.op("SparseMatMul", {a.matrix, b.matrix},
                   {{"transpose_a", transpose_a}, {"a_is_sparse", a.is_sparse}, {"b_is_sparse", b.is_sparse}},
                   "MatMul");
  } else {
    product = g.op("MatMul", {a.matrix, b.matrix}, {{"transpose_a", transpose_a}});
  }
  return product.dtype() == dtype ? product : python_cast(g, product, dtype);
}

std::vector<Endpoint> sparse_matmul_gradient(GradientContext& g) {
  const Factor a{g.input(0), g.attrs().get<bool>("a_is_sparse")};
  const Factor b{g.input(1), g.attrs().get<bool>("b_is_sparse")};
  const Factor grad{g.grad(), g.grad().node->op() == "ReluGrad"};
  const DType a_type = base_dtype(a.matrix.dtype());
  const DType b_type = base_dtype(b.matrix.dtype());
  const bool ta = g.attrs().get<bool>("transpose_a");
  const bool tb = g.attrs().get<bool>("transpose_b");
  const Endpoint of_a =
      ta ? python_product(g, b, grad, tb, true, a_type) : python_product(g, grad, b, false, !tb, a_type);
  const Endpoint of_b =
      tb ? python_product(g, grad, a, true, ta, b_type) : python_product(g, a, grad, !ta, false, b_type);
  return {of_a, of_b};
}

constexpr graph::OpRow kSparseProductOps[] = {
    {.name = "SparseTensorDenseMatMul",
     .inputs = "a_indices:Tindices, a_values:T, a_shape:int64, b:T",
     .outputs = "product:T",
     .attrs = "T:type; Tindices:type=int64{indices}; adjoint_a:bool=false; adjoint_b:bool=false",
     .shape = sparse_product_shape,
     .gradient = sparse_product_gradient,
     .prepare = prepare_sparse_product},
    {.name = "SparseMatMul",
     .inputs = "a:Ta, b:Tb",
     .outputs = "product:float32",
     .attrs =
         "transpose_a:bool=false; transpose_b:bool=false; a_is_sparse:bool=false; b_is_sparse:bool=false; "
         "Ta:type=float32{[float32,bfloat16]}; Tb:type=float32{[float32,bfloat16]}",
     .shape = sparse_matmul_shape,
     .gradient = sparse_matmul_gradient,
     .compute = sparse_matmul},
};

}  // namespace

void register_sparse_product_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseProductOps) table.add(row);
}

}  // namespace flowray::ops
