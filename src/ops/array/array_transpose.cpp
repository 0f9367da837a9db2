// Transpose, InvertPermutation, Reverse, ReverseV2: the same elements in another order.

#include "core/dtype_dispatch.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/shape_parts.h"
#include "ops/elements/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- Transpose

/// Axes from 0, negative ones counted from the end. Throws unless it is a permutation of `rank` axes.
std::vector<int64_t> checked_perm(std::vector<int64_t> perm, int64_t rank) {
  if (static_cast<int64_t>(perm.size()) != rank) {
    ShapeContext::fail(fmt::format(
        "transpose expects a vector of size {}. But input(1) is a vector of size {}", rank, perm.size()));
  }
  std::vector<bool> seen(perm.size(), false);
  for (int64_t& axis : perm) {
    if (axis < -rank || axis >= rank)
      ShapeContext::fail(fmt::format("{} is out of range [0 .. {})", axis < 0 ? axis + rank : axis, rank));
    axis += axis < 0 ? rank : 0;
    seen[static_cast<size_t>(axis)] = true;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    ShapeContext::fail(
        fmt::format("{} is missing from {{{}}}.", missing - seen.begin(), fmt::join(perm, ",")));
  }
  return perm;
}

void transpose_in_step(ShapeContext& context) {
  if (context.input(1).rank() != 1) {
    ShapeContext::fail("perm must be rank 1, got shape " + context.input(1).to_string());
  }
  const Shape& in = context.input(0);
  Shape out = in;
  const std::vector<int64_t> perm = checked_perm(context.integers(1), in.rank());
  for (size_t i = 0; i < perm.size(); ++i)
    out.set_dim(static_cast<int>(i), in.dim(static_cast<int>(perm[i])));
  context.set_output(0, out);
}

/// While a graph is built a permutation is not checked for axes that are there twice.
void transpose_shape(ShapeContext& context) {
  if (context.running()) return transpose_in_step(context);
  const Shape& in = context.input(0);
  const Shape perm_shape = context.with_rank(1, 1);
  const Array* const perm = context.value(1);
  const int64_t rank = in.has_rank() ? in.rank() : perm != nullptr ? perm->size() : perm_shape.dim(0);
  if (rank < 0) return;
  if (!in.has_rank() && rank < 2) return;  // a permutation of one axis may be a scalar's, too
  if (perm_shape.dim(0) >= 0 && perm_shape.dim(0) != rank) {
    ShapeContext::fail(fmt::format("Dimension must be {} but is {}", rank, perm_shape.dim(0)));
  }
  Shape out = Shape::of_rank(rank);
  const std::vector<int64_t> axes = perm == nullptr ? std::vector<int64_t>() : context.integers(1);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank) {
      ShapeContext::fail(fmt::format("perm dim {} is out of range of input rank {}", axes[i], rank));
    }
    if (in.has_rank()) out.set_dim(static_cast<int>(i), in.dim(static_cast<int>(axes[i])));
  }
  // With no or one axis there is one permutation only.
  context.set_output(0, perm == nullptr && in.has_rank() && rank < 2 ? in : out);
}

std::unique_ptr<Kernel> prepare_transpose(PrepareContext& context) {
  const Shape& in = context.input_shape(0);
  if (dtype_size(context.input_dtype(0)) == 0) context.no_kernel_for(context.input_dtype(0));
  std::vector<int64_t> perm(static_cast<size_t>(in.rank()), 0);
  if (in.rank() >= 2) perm = checked_perm(context.integers(1), in.rank());
  const std::vector<int64_t> from = dense_strides(in);
  const std::vector<int64_t> to = dense_strides(context.output_shape(0));
  std::vector<StridedCopy::Dim> dims;
  for (size_t i = 0; i < perm.size(); ++i) {
    const auto axis = static_cast<size_t>(perm[i]);
    dims.push_back({in.dim(static_cast<int>(axis)), from[axis], to[i]});
  }
  return make_kernel([copy = StridedCopy(context.input_dtype(0), dims)](const KernelCall& call) {
    copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

/// The elements are conjugated where they lie in the output.
std::unique_ptr<Kernel> prepare_conjugate_transpose(PrepareContext& context) {
  std::unique_ptr<Kernel> transpose = prepare_transpose(context);
  const DType dtype = context.input_dtype(0);
  if (!is_complex(dtype)) return transpose;
  const int64_t count = context.output_shape(0).num_elements();
  return make_kernel([transpose = std::shared_ptr<const Kernel>(std::move(transpose)), dtype,
                      count](const KernelCall& call) {
    transpose->run(call);
    const auto conjugate = [&]<class T>(T* out) {
      for (int64_t i = 0; i < count; ++i) out[i] = std::conj(out[i]);
    };
    if (dtype == DType::kComplex64) return conjugate(call.out<std::complex<float>>(0));
    conjugate(call.out<std::complex<double>>(0));
  });
}

std::vector<Endpoint> transpose_gradient(GradientContext& g) {
  const Endpoint inverse = g.op("InvertPermutation", {g.input(1)});
  return {g.op(g.node().op(), {g.grad(), inverse}, {}, "transpose"), {}};
}

// ---- InvertPermutation

void invert_permutation_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() != 1) {
    ShapeContext::fail("invert_permutation expects a 1D vector.");
  }
  context.set_output(0, context.with_rank(0, 1));
}

std::unique_ptr<Kernel> prepare_invert_permutation(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<IndexTypes>(context.input_dtype(0), [&]<class T>() {
    kernel = make_kernel([count](const KernelCall& call) {
      const T* const in = call.in<T>(0);
      T* const out = call.out<T>(0);
      std::fill_n(out, count, T(-1));
      for (int64_t i = 0; i < count; ++i) {
        const T to = in[i];
        if (to < 0 || to >= count) {
          throw errors::InvalidArgumentError(fmt::format("{} is not between 0 and {}", to, count));
        }
        if (out[to] != -1)
          throw errors::InvalidArgumentError(fmt::format("{} is duplicated in the input.", to));
        out[to] = static_cast<T>(i);
      }
    });
  });
  if (!known) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

// ---- ReverseV2

/// Marks the axes to reverse. Throws for an axis that is not there, or named twice.
void mark_axes(const int64_t* axes, int64_t count, int rank, bool* reversed) {
  std::fill_n(reversed, rank, false);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) {
      ShapeContext::fail(fmt::format("'axis'[{}] = {} is out of valid range [0, {}", i, axes[i], rank - 1));
    }
    if (reversed[axis]) ShapeContext::fail(fmt::format("axis {} specified more than once.", axis));
    reversed[axis] = true;
  }
}

void reverse_shape(ShapeContext& context) {
  // In a step the axes are not checked where there is nothing to reverse.
  if (context.running() && (context.input(0).rank() == 0 || context.input(0).num_elements() == 0))
    return context.set_output(0, context.input(0));
  if (context.running() && context.input(1).rank() != 1) {
    ShapeContext::fail(fmt::format("'dims' must be 1-dimension, not {}", context.input(1).rank()));
  }
  context.with_rank(1, 1);
  const Shape& in = context.input(0);
  context.set_output(0, in);
  if (in.rank() > 8) ShapeContext::fail("reverse does not work on tensors with more than 8 dimensions");
  if (!in.has_rank() || context.value(1) == nullptr) return;
  const std::vector<int64_t> axes = context.integers(1);
  bool reversed[8];
  mark_axes(axes.data(), static_cast<int64_t>(axes.size()), in.rank(), reversed);
}

/// Copies the dimensions that `reversed` marks from their end.
void copy_reversed(const KernelCall& call, DType dtype, const Shape& in, const bool* reversed) {
  std::array<StridedCopy::Dim, 8> dims;
  int64_t stride = 1;
  int64_t first = 0;
  for (int i = in.rank() - 1; i >= 0; --i) {
    dims[static_cast<size_t>(i)] = {in.dim(i), reversed[i] ? -stride : stride, stride};
    if (reversed[i]) first += (in.dim(i) - 1) * stride;
    stride *= in.dim(i);
  }
  const std::span<const StridedCopy::Dim> used(dims.data(), static_cast<size_t>(in.rank()));
  StridedCopy(dtype, used, first).run(call.in<void>(0), call.out<void>(0), call.parallel());
}

/// The first version: which dimensions to reverse as a bool each.
void reverse_by_bools_shape(ShapeContext& context) {
  const Shape& in = context.input(0);
  if (context.running() && context.input(1).rank() != 1) {
    ShapeContext::fail(fmt::format("'dims' must be 1-dimension, not {}", context.input(1).rank()));
  }
  if (context.running() && in.rank() > 0 && in.dim(0) == 0)
    ShapeContext::fail("Invalid input first dimension. Found 0.");
  const Shape dims = context.with_rank(1, 1);
  if (in.rank() > 8) ShapeContext::fail("reverse does not work on tensors with more than 8 dimensions");
  if (context.running() && in.rank() != dims.dim(0)) {
    ShapeContext::fail(
        fmt::format("'dims' must have the same number of values as 'input' has dimensions. 'input' has "
                    "{}'dims' has {} values",
                    in.rank(), dims.dim(0)));
  }
  context.set_output(0, in.has_rank() || dims.dim(0) < 0 ? in : Shape::of_rank(dims.dim(0)));
}

std::unique_ptr<Kernel> prepare_reverse_by_bools(PrepareContext& context) {
  const Shape in = context.input_shape(0);
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  if (in.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  return make_kernel(
      [in, dtype](const KernelCall& call) { copy_reversed(call, dtype, in, call.in<bool>(1)); });
}

std::vector<Endpoint> reverse_by_bools_gradient(GradientContext& g) {
  return {g.op("Reverse", {g.grad(), g.input(1)}), {}};
}

/// The axes do not change the shape, so they may be known in a run only.
std::unique_ptr<Kernel> prepare_reverse(PrepareContext& context) {
  const Shape in = context.input_shape(0);
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  if (in.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  if (in.rank() == 0) {
    return make_kernel([in, dtype](const KernelCall& call) { copy_reversed(call, dtype, in, nullptr); });
  }
  const DType axis_dtype = context.input_dtype(1);
  const int64_t num_axes = std::min<int64_t>(context.input_shape(1).num_elements(), 8);
  return make_kernel([in, dtype, axis_dtype, num_axes](const KernelCall& call) {
    int64_t axes[8];
    for (int64_t i = 0; i < num_axes; ++i) {
      axes[i] = axis_dtype == DType::kInt32 ? call.in<int32_t>(1)[i] : call.in<int64_t>(1)[i];
    }
    bool reversed[8];
    mark_axes(axes, num_axes, in.rank(), reversed);
    copy_reversed(call, dtype, in, reversed);
  });
}

std::vector<Endpoint> reverse_gradient(GradientContext& g) {
  return {g.op("ReverseV2", {g.grad(), g.input(1)}), {}};
}

constexpr graph::OpRow kArrayTransposeOps[] = {
    {.name = "Transpose",
     .inputs = "x:T, perm:Tperm",
     .outputs = "y:T",
     .attrs = "T:type; Tperm:type=int32{indices}",
     .shape = transpose_shape,
     .gradient = transpose_gradient,
     .prepare = prepare_transpose},
    {.name = "ConjugateTranspose",
     .inputs = "x:T, perm:Tperm",
     .outputs = "y:T",
     .attrs = "T:type; Tperm:type=int32{indices}",
     .shape = transpose_shape,
     .gradient = transpose_gradient,
     .prepare = prepare_conjugate_transpose},
    {.name = "InvertPermutation",
     .inputs = "x:T",
     .outputs = "y:T",
     .attrs = "T:type=int32{indices}",
     .shape = invert_permutation_shape,
     .not_differentiable = true,
     .prepare = prepare_invert_permutation},
    {.name = "Reverse",
     .inputs = "tensor:T, dims:bool",
     .outputs = "output:T",
     .attrs =
         "T:type{[uint8,int8,uint16,int16,uint32,int32,uint64,int64,bool,bfloat16,float16,float32,float64,"
         "complex64,complex128,string]}",
     .shape = reverse_by_bools_shape,
     .gradient = reverse_by_bools_gradient,
     .prepare = prepare_reverse_by_bools},
    {.name = "ReverseV2",
     .inputs = "tensor:T, axis:Tidx",
     .outputs = "output:T",
     .attrs = "Tidx:type=int32{indices}; "
              "T:type{[uint8,int8,uint16,int16,int32,uint32,int64,uint64,bool,bfloat16,float16,float32,"
              "float64,complex64,complex128,string]}",
     .shape = reverse_shape,
     .gradient = reverse_gradient,
     .prepare = prepare_reverse},
};

}  // namespace

void register_array_transpose_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayTransposeOps) table.add(row);
}

}  // namespace flowray::ops
