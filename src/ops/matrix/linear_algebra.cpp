// Decompositions and solutions of matrices, by Eigen (decompositions.h): the last two dimensions are a
// matrix, those before a batch of them.

#include "core/checked_size.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/shape_merging.h"
#include "ops/matrix/decompositions.h"
#include "ops/matrix/matrix_gradients.h"
#include "ops/matrix/register.h"

#include <algorithm>
#include <array>
#include <vector>

namespace flowray::ops {

using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

namespace {

/// `compute`, where a complex64 is a complex128, and a float16 a float if there are kernels of it: Eigen's
/// decompositions are large, and rare for these.
template <graph::ComputeFunction compute, bool kHalf = false>
void widened(DynamicCall& call) {
  const DType dtype = call.in(0).dtype();
  const bool is_half = kHalf && dtype == DType::kFloat16;
  if (!is_half && dtype != DType::kComplex64) return compute(call);
  const DType wide_dtype = is_half ? DType::kFloat32 : DType::kComplex128;
  std::vector<Array> inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i).astype(wide_dtype));
  std::array<Array, 3> outputs;
  DynamicCall wide(call.attrs(), inputs, outputs, call.parallel());
  compute(wide);
  for (int i = 0; i < 3; ++i) {
    const Array& output = outputs[static_cast<size_t>(i)];
    if (output.has_value()) call.set_out(i, output.astype(dtype));
  }
}

// ---- shapes

int64_t smaller(int64_t a, int64_t b) { return a < 0 || b < 0 ? Shape::kUnknownDim : std::min(a, b); }

/// Square matrices; the output is like the input.
void square_shape(ShapeContext& context) {
  Shape shape = context.with_rank_at_least(0, 2);
  if (shape.has_rank()) {
    const int64_t size = ShapeContext::merge_dim(shape.dim(-1), shape.dim(-2));
    shape.set_dim(-1, size);
    shape.set_dim(-2, size);
  }
  context.set_output(0, shape);
}

void determinant_shape(ShapeContext& context) {
  square_shape(context);
  for (int i = 0; i < context.num_outputs() && context.input(0).has_rank(); ++i)
    context.set_output(i, batch_of(context.input(0)));
}

void solve_shape(ShapeContext& context) {
  const Shape matrix = context.with_rank_at_least(0, 2);
  const Shape rhs = context.with_rank_at_least(1, 2);
  if (!matrix.has_rank() || !rhs.has_rank()) return;
  const int64_t rows =
      ShapeContext::merge_dim(ShapeContext::merge_dim(matrix.dim(-1), matrix.dim(-2)), rhs.dim(-2));
  context.set_output(0, with_matrix(merge_shapes(batch_of(matrix), batch_of(rhs)), rows, rhs.dim(-1)));
}

void qr_shape(ShapeContext& context) {
  const Shape shape = context.with_rank_at_least(0, 2);
  if (!shape.has_rank()) return;
  const bool full = context.attrs().get<bool>("full_matrices");
  const int64_t inner = full ? shape.dim(-2) : smaller(shape.dim(-2), shape.dim(-1));
  context.set_output(0, with_matrix(batch_of(shape), shape.dim(-2), inner));
  context.set_output(1, with_matrix(batch_of(shape), inner, shape.dim(-1)));
}

void eigenvalues_shape(ShapeContext& context) {
  square_shape(context);
  const Shape shape = context.outputs()[0];
  if (!shape.has_rank()) return;
  const bool vectors = context.attrs().get<bool>("compute_v");
  context.set_output(0, batch_of(shape).concatenate(Shape{shape.dim(-1)}));
  context.set_output(1, vectors ? shape : Shape{0});
}

void stacked_eigenvalues_shape(ShapeContext& context) {
  square_shape(context);
  Shape shape = context.outputs()[0];
  if (shape.has_rank() && shape.dim(-1) >= 0) shape.set_dim(-2, checked(shape.dim(-1)) + 1);
  context.set_output(0, shape);
}

void cholesky_grad_shape(ShapeContext& context) { square_shape(context); }

void lu_shape(ShapeContext& context) {
  square_shape(context);
  const Shape shape = context.outputs()[0];
  if (shape.has_rank()) context.set_output(1, batch_of(shape).concatenate(Shape{shape.dim(-1)}));
}

/// The order is one of integers, whatever the factors are computed in.
void compute_lu_of_any(DynamicCall& call) {
  const DType dtype = call.in(0).dtype();
  if (dtype != DType::kComplex64) return compute_lu(call);
  const std::array<Array, 1> inputs = {call.in(0).astype(DType::kComplex128)};
  std::array<Array, 2> outputs;
  DynamicCall wide(call.attrs(), inputs, outputs, call.parallel());
  compute_lu(wide);
  call.set_out(0, outputs[0].astype(dtype));
  call.set_out(1, outputs[1]);
}

void svd_shape(ShapeContext& context) {
  const Shape shape = context.with_rank_at_least(0, 2);
  if (!shape.has_rank()) return;
  const int64_t rank = smaller(shape.dim(-2), shape.dim(-1));
  context.set_output(0, batch_of(shape).concatenate(Shape{rank}));
  if (!context.attrs().get<bool>("compute_uv")) {
    context.set_output(1, Shape{0});
    return context.set_output(2, Shape{0});
  }
  const bool full = context.attrs().get<bool>("full_matrices");
  context.set_output(1, with_matrix(batch_of(shape), shape.dim(-2), full ? shape.dim(-2) : rank));
  context.set_output(2, with_matrix(batch_of(shape), shape.dim(-1), full ? shape.dim(-1) : rank));
}

constexpr graph::OpRow kLinearAlgebraOps[] = {
    {.name = "Qr",
     .inputs = "input:T",
     .outputs = "q:T, r:T",
     .attrs = "full_matrices:bool=false; T:type{matrix_elements}",
     .shape = qr_shape,
     .gradient = qr_gradient,
     .compute = widened<compute_qr, true>},
    {.name = "Cholesky",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{matrix_elements}",
     .shape = square_shape,
     .gradient = cholesky_gradient,
     .compute = widened<compute_cholesky>},
    {.name = "MatrixInverse",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "adjoint:bool=false; T:type{matrix_elements}",
     .shape = square_shape,
     .gradient = inverse_gradient,
     .compute = widened<compute_inverse, true>},
    {.name = "MatrixDeterminant",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{matrix_elements}",
     .shape = determinant_shape,
     .gradient = determinant_gradient,
     .compute = widened<compute_determinant>},
    {.name = "LogMatrixDeterminant",
     .inputs = "input:T",
     .outputs = "sign:T, log_abs_determinant:T",
     .attrs = "T:type{[float16,float32,float64,complex64,complex128]}",
     .shape = determinant_shape,
     .gradient = log_determinant_gradient,
     .compute = widened<compute_log_determinant>},
    {.name = "MatrixSolve",
     .inputs = "matrix:T, rhs:T",
     .outputs = "output:T",
     .attrs = "adjoint:bool=false; T:type{matrix_elements}",
     .shape = solve_shape,
     .gradient = matrix_solve_gradient,
     .compute = widened<compute_solve>},
    {.name = "CholeskyGrad",
     .inputs = "l:T, grad:T",
     .outputs = "output:T",
     .attrs = "T:type{ieee_floats}",
     .shape = cholesky_grad_shape,
     .compute = compute_cholesky_grad},
    {.name = "SelfAdjointEig",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{[float64,float32,float16]}",
     .shape = stacked_eigenvalues_shape,
     .compute = widened<compute_stacked_eigenvalues>},
    {.name = "SelfAdjointEigV2",
     .inputs = "input:T",
     .outputs = "e:T, v:T",
     .attrs = "compute_v:bool=true; T:type{matrix_elements}",
     .shape = eigenvalues_shape,
     .gradient = eigenvalues_gradient,
     .compute = widened<compute_eigenvalues>},
    {.name = "Svd",
     .inputs = "input:T",
     .outputs = "s:T, u:T, v:T",
     .attrs = "compute_uv:bool=true; full_matrices:bool=false; T:type{matrix_elements}",
     .shape = svd_shape,
     .gradient = svd_gradient,
     .compute = widened<compute_svd>},
    {.name = "Lu",
     .inputs = "input:T",
     .outputs = "lu:T, p:output_idx_type",
     .attrs = "T:type{matrix_elements}; output_idx_type:type=int32{indices}",
     .shape = lu_shape,
     .compute = compute_lu_of_any},
    {.name = "MatrixExponential",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{matrix_elements}",
     .shape = square_shape,
     .compute = widened<compute_exponential>},
    {.name = "MatrixLogarithm",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{complex}",
     .shape = square_shape,
     .compute = widened<compute_logarithm>},
    {.name = "BatchCholesky",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type{[float64,float32]}",
     .shape = square_shape,
     .compute = widened<compute_cholesky>},
    {.name = "BatchMatrixInverse",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "adjoint:bool=false; T:type{[float64,float32]}",
     .shape = square_shape,
     .compute = widened<compute_inverse, true>},
};

}  // namespace

void register_linear_algebra_ops(OpTable& table) {
  for (const graph::OpRow& row : kLinearAlgebraOps) table.add(row);
}

}  // namespace flowray::ops
