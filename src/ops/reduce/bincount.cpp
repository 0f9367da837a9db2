// Bincount, DenseBincount: how often each number occurs, or the sum of what is given for it. NthElement: the
// one that would stand at a place if each row were sorted.

#include "core/dtype_dispatch.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void bincount_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() != 0) {
      ShapeContext::fail(fmt::format("Shape must be rank 0 but is rank {}", context.input(1).rank()));
    }
    const int64_t size = context.integers(1)[0];
    if (size < 0) ShapeContext::fail(fmt::format("size ({}) must be non-negative", size));
    const int64_t weights = context.input(2).num_elements();
    if (weights != 0 && weights != context.input(0).num_elements()) {
      ShapeContext::fail("Input indices and weights must have the same size.");
    }
    return context.set_output(0, Shape{size});
  }
  context.with_rank(1, 0);
  if (context.value(1) == nullptr) return context.set_output(0, Shape{Shape::kUnknownDim});
  const int64_t size = context.integers(1)[0];
  if (size < 0) ShapeContext::fail(fmt::format("size ({}) must be non-negative", size));
  context.set_output(0, Shape{size});
}

using BinTypes = TypeList<int32_t, int64_t, float, double>;

std::unique_ptr<graph::Kernel> prepare_bincount(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  const int64_t size = context.output_shape(0).num_elements();
  const bool has_weights = context.input_shape(2).num_elements() > 0;
  return kernel_for_dtype<BinTypes>(context, context.input_dtype(2), [&]<class T>() {
    return graph::make_kernel([count, size, has_weights](const KernelCall& call) {
      const int32_t* const numbers = call.in<int32_t>(0);
      T* const bins = call.out<T>(0);
      std::fill_n(bins, size, T(0));
      for (int64_t i = 0; i < count; ++i) {
        if (numbers[i] < 0) throw errors::InvalidArgumentError("Input arr must be non-negative!");
      }
      for (int64_t i = 0; i < count; ++i) {
        if (numbers[i] >= size) continue;
        T& bin = bins[numbers[i]];
        bin = wrapping_add(bin, has_weights ? call.in<T>(2)[i] : T(1));
      }
    });
  });
}

// ---- DenseBincount: the same for each row, of any integers

void dense_bincount_shape(ShapeContext& context) {
  const Shape& input = context.input(0);
  if (input.rank() > 2)
    ShapeContext::fail(fmt::format("Shape must be at most rank 2 but is rank {}", input.rank()));
  context.with_rank(1, 0);
  const bool known = context.value(1) != nullptr;
  const int64_t bins = known ? context.integers(1)[0] : Shape::kUnknownDim;
  if (known && bins < 0) ShapeContext::fail(fmt::format("size ({}) must be non-negative", bins));
  if (!input.has_rank()) return;
  context.set_output(0, input.rank() == 2 ? Shape{input.dim(0), bins} : Shape{bins});
}

void dense_bincount(DynamicCall& call) {
  const Array& input = call.in(0);
  const Array& weights = call.in(2);
  if (call.in(1).rank() != 0) {
    throw errors::InvalidArgumentError(fmt::format("Shape must be rank 0 but is rank {}", call.in(1).rank()));
  }
  const int64_t bins = graph::to_integers(call.in(1))[0];
  if (input.rank() > 2)
    throw errors::InvalidArgumentError(
        fmt::format("Shape must be at most rank 2 but is rank {}", input.rank()));
  if (bins < 0) throw errors::InvalidArgumentError(fmt::format("size ({}) must be non-negative", bins));
  if (weights.size() != 0 && !(weights.shape() == input.shape())) {
    throw errors::InvalidArgumentError(
        fmt::format("`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which "
                    "case it acts as all weights equal to 1. Received {}",
                    weights.shape().to_string()));
  }
  const bool once = call.attrs().get<bool>("binary_output");
  const std::vector<int64_t> values = graph::to_integers(input);
  const int64_t columns = input.rank() == 2 ? input.dim(1) : input.size();
  Array out(weights.dtype(), input.rank() == 2 ? Shape{input.dim(0), bins} : Shape{bins});
  (void)dispatch<NumberTypes>(out.dtype(), [&]<class T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0) throw errors::InvalidArgumentError("Input arr must be non-negative!");
      if (values[i] >= bins) continue;
      const int64_t row = input.rank() == 2 ? static_cast<int64_t>(i) / columns : 0;
      T& bin = out.mutable_data<T>()[row * bins + values[i]];
      const T weight = weights.size() == 0 ? T(1) : weights.data<T>()[i];
      bin = once ? T(1) : wrapping_add(bin, weight);
    }
  });
  call.set_out(0, std::move(out));
}

// ---- NthElement

void nth_element_shape(ShapeContext& context) {
  if (context.running()) {
    const int of_n = context.input(1).rank();
    if (of_n != 0) ShapeContext::fail(fmt::format("N must be scalar but has rank {}", of_n));
    if (context.input(0).rank() < 1) {
      ShapeContext::fail(
          fmt::format("Input must be at least rank 1 but is rank {}", context.input(0).rank()));
    }
  }
  const Shape in = context.with_rank_at_least(0, 1);
  context.with_rank(1, 0);
  if (!in.has_rank()) return;
  if (context.running() || context.value(1) != nullptr) {
    const int64_t n = context.integers(1)[0];
    if (n < 0) ShapeContext::fail(fmt::format("n must be non-negative but is {}", n));
    if (in.dim(-1) >= 0 && in.dim(-1) <= n) {
      ShapeContext::fail(fmt::format("Input must have last dimension > n = {}", n));
    }
  }
  context.set_output(0, Shape(in.dims().first(static_cast<size_t>(in.rank()) - 1)));
}

std::unique_ptr<graph::Kernel> prepare_nth_element(PrepareContext& context) {
  const int64_t columns = context.input_shape(0).dim(-1);
  const int64_t rows = context.output_shape(0).num_elements();
  const int64_t n = context.integers(1)[0];
  const int64_t place = context.attrs().get<bool>("reverse") ? columns - 1 - n : n;
  return kernel_for_dtype<RealTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([columns, rows, place](const KernelCall& call) {
      if (rows == 0) return;  // of any length
      std::vector<T> row(static_cast<size_t>(columns));
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(call.in<T>(0) + r * columns, columns, row.begin());
        std::nth_element(row.begin(), row.begin() + place, row.end());
        call.out<T>(0)[r] = row[static_cast<size_t>(place)];
      }
    });
  });
}

/// Elements equal to the one that was found share the gradient equally.
std::vector<Endpoint> nth_element_gradient(GradientContext& g) {
  const Endpoint found = python_expand_dims(g, g.output(0), -1);
  const Endpoint grad = python_expand_dims(g, g.grad(), -1);
  const Endpoint is_it = python_cast(g, g.op("Equal", {found, g.input(0)}), base_dtype(g.grad().dtype()));
  const Endpoint count =
      python_expand_dims(g, g.op("Sum", {is_it, g.constant(Array(int32_t{-1}), "axis")}), -1);
  return {g.op("Mul", {g.op("RealDiv", {is_it, count}, {}, "truediv"), grad}, {}, "mul"), {}};
}

constexpr graph::OpRow kBincountOps[] = {
    {.name = "Bincount",
     .inputs = "arr:int32, size:int32, weights:T",
     .outputs = "bins:T",
     .attrs = "T:type{[int32,int64,float32,float64]}",
     .shape = bincount_shape,
     .prepare = prepare_bincount},
    {.name = "DenseBincount",
     .inputs = "input:Tidx, size:Tidx, weights:T",
     .outputs = "output:T",
     .attrs = "Tidx:type{indices}; T:type{[int32,int64,float32,float64]}; binary_output:bool=false",
     .shape = dense_bincount_shape,
     .compute = dense_bincount},
    {.name = "NthElement",
     .inputs = "input:T, n:int32",
     .outputs = "values:T",
     .attrs = "reverse:bool=false; T:type{real_numbers}",
     .shape = nth_element_shape,
     .gradient = nth_element_gradient,
     .prepare = prepare_nth_element},
};

}  // namespace

void register_bincount_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kBincountOps) table.add(row);
}

}  // namespace flowray::ops
