// MatrixTriangularSolve: systems of linear equations whose matrix is triangular, by Eigen.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/matrix/batch_shape.h"
#include "ops/matrix/matrix_gradients.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <Eigen/Dense>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void triangular_solve_shape(ShapeContext& context) {
  for (int i = 0; i < 2 && context.running(); ++i) {
    if (context.input(i).rank() < 2)
      ShapeContext::fail(fmt::format("In[{}] ndims must be >= 2: {}", i, context.input(i).rank()));
  }
  const Shape matrix = context.with_rank_at_least(0, 2);
  const Shape rhs = context.with_rank_at_least(1, 2);
  if (!matrix.has_rank() || !rhs.has_rank()) return;
  if (context.running() && matrix.dim(-1) != matrix.dim(-2)) {
    ShapeContext::fail(fmt::format("In[0] matrices in the last dimensions must be square ({} =/= {})",
                                   matrix.dim(-1), matrix.dim(-2)));
  }
  const int64_t size = ShapeContext::merge_dim(matrix.dim(-1), matrix.dim(-2));
  if (context.running() && size != rhs.dim(-2)) {
    ShapeContext::fail(fmt::format("In[0] mismatch In[1] shape: {} vs. {}: {} {} {} {}", matrix.dim(-1),
                                   rhs.dim(-2), matrix.to_string(), rhs.to_string(),
                                   context.attrs().get<bool>("lower") ? 1 : 0,
                                   context.attrs().get<bool>("adjoint") ? 1 : 0));
  }
  const int64_t rows = ShapeContext::merge_dim(size, rhs.dim(-2));
  const Shape batch = graph::broadcast(batch_of(matrix), batch_of(rhs), context.running());
  context.set_output(0, batch.concatenate(Shape{rows, rhs.dim(-1)}));
}

/// Which matrix of an input belongs to matrix `i` of the output, when the batch dimensions broadcast.
int64_t broadcast_index(const Shape& input, const Shape& output, int64_t i) {
  int64_t index = 0;
  int64_t stride = 1;
  for (int d = 1; d <= output.rank(); ++d) {
    const int64_t at = i % output.dim(-d);
    i /= output.dim(-d);
    if (d > input.rank()) continue;
    if (input.dim(-d) != 1) index += at * stride;
    stride *= input.dim(-d);
  }
  return index;
}

template <class T>
struct TriangularSolve {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  int64_t rows;
  int64_t columns;
  bool lower;
  bool adjoint;

  void run(const T* matrix, const T* rhs, T* out) const {
    const Eigen::Map<const Matrix> a(matrix, rows, rows);
    Eigen::Map<Matrix> x(out, rows, columns);
    x = Eigen::Map<const Matrix>(rhs, rows, columns);
    for (int64_t i = 0; i < rows; ++i) {
      if (a(i, i) == T(0)) throw errors::InvalidArgumentError("Input matrix is not invertible.");
    }
    if (rows == 0 || columns == 0) return;
    if (lower) {
      const auto triangle = a.template triangularView<Eigen::Lower>();
      adjoint ? triangle.adjoint().solveInPlace(x) : triangle.solveInPlace(x);
    } else {
      const auto triangle = a.template triangularView<Eigen::Upper>();
      adjoint ? triangle.adjoint().solveInPlace(x) : triangle.solveInPlace(x);
    }
  }
};

using SolvedTypes = TypeList<float, double, std::complex<float>, std::complex<double>>;

std::unique_ptr<graph::Kernel> prepare_solve(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  return kernel_for_dtype<SolvedTypes>(context, context.input_dtype(0), [&]<class T>() {
    const TriangularSolve<T> solve{out.dim(-2), out.dim(-1), context.attrs().get<bool>("lower"),
                                   context.attrs().get<bool>("adjoint")};
    return graph::make_kernel([solve, matrix = batch_of(context.input_shape(0)),
                               rhs = batch_of(context.input_shape(1)), batch = batch_of(out),
                               is_empty = out.num_elements() == 0](const KernelCall& call) {
      if (is_empty) return;  // then what is left may multiply to anything
      const int64_t size = solve.rows * solve.columns;
      for (int64_t i = 0; i < batch.num_elements(); ++i) {
        solve.run(call.in<T>(0) + broadcast_index(matrix, batch, i) * solve.rows * solve.rows,
                  call.in<T>(1) + broadcast_index(rhs, batch, i) * size, call.out<T>(0) + i * size);
      }
    });
  });
}

// ---- gradient

std::vector<Endpoint> solve_gradient(GradientContext& g) {
  const Endpoint a = g.input(0);
  const Endpoint b = g.input(1);
  const bool lower = g.attrs().get<bool>("lower");
  const bool adjoint = g.attrs().get<bool>("adjoint");
  Endpoint grad_b;
  {
    const graph::NameScope scope(g.graph(), "triangular_solve");
    grad_b = g.op("MatrixTriangularSolve", {a, g.grad()}, {{"lower", lower}, {"adjoint", !adjoint}});
  }
  const Endpoint product = adjoint ? python_matmul(g, g.output(0), grad_b, {.b = true})
                                   : python_matmul(g, grad_b, g.output(0), {.b = true});
  Endpoint grad_a = g.op("Neg", {product});
  grad_a = lower ? python_band_part(g, grad_a, -1, 0) : python_band_part(g, grad_a, 0, -1);
  const bool known = a.shape().is_fully_defined() && b.shape().is_fully_defined();
  if (known && batch_of(a.shape()) == batch_of(b.shape())) return {grad_a, grad_b};
  constexpr int32_t kBatchEnd = -2;
  const Endpoint a_shape = python_shape(g, a);
  const Endpoint b_shape = python_shape(g, b);
  const Endpoint a_batch = python_slice(g, a_shape, nullptr, &kBatchEnd);
  const Endpoint b_batch = python_slice(g, b_shape, nullptr, &kBatchEnd);
  graph::Node* axes = g.Builder::node("BroadcastGradientArgs", {a_batch, b_batch});
  const Endpoint sum_a = g.op("Reshape", {g.op("Sum", {grad_a, axes->output(0)}), a_shape});
  const Endpoint sum_b = g.op("Reshape", {g.op("Sum", {grad_b, axes->output(1)}), b_shape});
  return {sum_a, sum_b};
}

constexpr graph::OpRow kTriangularSolveOps[] = {
    {.name = "MatrixTriangularSolve",
     .inputs = "matrix:T, rhs:T",
     .outputs = "output:T",
     .attrs = "lower:bool=true; adjoint:bool=false; "
              "T:type{[bfloat16,float64,float32,float16,complex64,complex128]}",
     .shape = triangular_solve_shape,
     .gradient = solve_gradient,
     .prepare = prepare_solve},
};

}  // namespace

void register_triangular_solve_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kTriangularSolveOps) table.add(row);
}

}  // namespace flowray::ops
