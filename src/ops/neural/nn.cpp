// L2Loss, and how often the right class is among the k best: InTopK.

#include "graph/gradient_context.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/register.h"
#include "ops/neural/softmax_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- L2Loss: half the sum of the squares

template <class T>
struct SumOfSquares {
  FLOWRAY_ALWAYS_INLINE static void run(const T* x, int64_t count, double* sum) {
    // In float32 the squares are added up in blocks and the blocks' sums in float64, so that long arrays
    // stay exact.
    constexpr int64_t kBlock = 256;
    T squares[kBlock];
    double total = 0;
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t size = count - i < kBlock ? count - i : kBlock;
      for (int64_t j = 0; j < size; ++j) squares[j] = x[i + j] * x[i + j];
      total += static_cast<double>(sum_of(squares, size));
    }
    *sum = total;
  }
};

std::unique_ptr<Kernel> prepare_l2_loss(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    const auto loop = compiled_loop<SumOfSquares<T>>();
    return graph::make_kernel([loop, count](const KernelCall& call) {
      double sum = 0;
      loop(call.in<T>(0), count, &sum);
      *call.out<T>(0) = static_cast<T>(sum / 2);
    });
  });
}

std::vector<Endpoint> l2_loss_gradient(GradientContext& g) {
  return {g.op("Mul", {g.input(0), g.grad()}, {}, "mul")};
}

// ---- InTopK

void in_top_k_shape(ShapeContext& context) {
  if (context.running()) {
    const Shape& predictions = context.input(0);
    const Shape& targets = context.input(1);
    if (context.num_inputs() == 3 && context.input(2).rank() != 0) {
      ShapeContext::fail("k must be 0-D, got shape " + context.input(2).to_string());
    }
    if (predictions.rank() != 2) ShapeContext::fail("predictions must be 2-dimensional");
    if (targets.rank() != 1) ShapeContext::fail("targets must be 1-dimensional");
    if (predictions.dim(0) != targets.dim(0)) {
      ShapeContext::fail(fmt::format("First dimension of predictions {} must match length of targets {}",
                                     predictions.dim(0), targets.dim(0)));
    }
  }
  const Shape predictions = context.with_rank(0, 2);
  const Shape targets = context.with_rank(1, 1);
  if (context.num_inputs() == 3) context.with_rank(2, 0);
  context.set_output(0, Shape{ShapeContext::merge_dim(predictions.dim(0), targets.dim(0))});
}

/// Ties count for the target; a target out of range and numbers that are not finite count against it.
template <class Index>
bool is_in_top(const float* predictions, int64_t classes, Index target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(predictions[target])) return false;
  int64_t better = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(predictions[c])) return false;
    better += predictions[c] > predictions[target] ? 1 : 0;
  }
  return better < k;
}

std::unique_ptr<Kernel> prepare_in_top_k(PrepareContext& context) {
  const int64_t rows = context.input_shape(0).dim(0);
  const int64_t classes = context.input_shape(0).dim(1);
  const bool k_is_input = context.num_inputs() == 3;
  const int64_t k_attr = k_is_input ? 0 : context.attrs().get<int64_t>("k");
  return kernel_for_dtype<IndexTypes>(context, context.input_dtype(1), [&]<class Index>() {
    return graph::make_kernel([=](const KernelCall& call) {
      const int64_t k = k_is_input ? static_cast<int64_t>(*call.in<Index>(2)) : k_attr;
      for (int64_t r = 0; r < rows; ++r) {
        call.out<bool>(0)[r] = is_in_top(call.in<float>(0) + r * classes, classes, call.in<Index>(1)[r], k);
      }
    });
  });
}

constexpr OpRow kNnOps[] = {
    {.name = "L2Loss",
     .inputs = "t:T",
     .outputs = "output:T",
     .attrs = "T:type{floats}",
     .shape = graph::scalar_shape,
     .gradient = l2_loss_gradient,
     .prepare = prepare_l2_loss},
    {.name = "InTopK",
     .inputs = "predictions:float32, targets:T",
     .outputs = "precision:bool",
     .attrs = "k:int; T:type=int32{indices}",
     .shape = in_top_k_shape,
     .prepare = prepare_in_top_k},
    {.name = "InTopKV2",
     .inputs = "predictions:float32, targets:T, k:T",
     .outputs = "precision:bool",
     .attrs = "T:type=int32{indices}",
     .shape = in_top_k_shape,
     .prepare = prepare_in_top_k},
};

}  // namespace

void register_nn_ops(graph::OpTable& table) {
  for (const OpRow& row : kNnOps) table.add(row);
}

}  // namespace flowray::ops
