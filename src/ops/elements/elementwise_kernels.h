#pragma once
/// Kernels of elementwise operations: the loops of math_loops.h over whole arrays, broadcast and on
/// several threads.

#include "graph/kernel/kernel.h"
#include "ops/elements/broadcast_plan.h"
#include "ops/loops/math_loops.h"

#include <optional>
#include <span>

namespace flowray::ops {

/// Output 0 = f(input 0), of the same shape. Throws UnimplementedError where the element type has no
/// such function.
std::unique_ptr<graph::Kernel> unary_kernel(graph::PrepareContext& context, UnaryFunction function);
/// Output 0 = f(input 0, input 1), broadcast as NumPy does.
std::unique_ptr<graph::Kernel> binary_kernel(graph::PrepareContext& context, BinaryFunction function);

/// For OpRow::prepare.
template <UnaryFunction kFunction>
std::unique_ptr<graph::Kernel> prepare_unary(graph::PrepareContext& context) {
  return unary_kernel(context, kFunction);
}
template <BinaryFunction kFunction>
std::unique_ptr<graph::Kernel> prepare_binary(graph::PrepareContext& context) {
  return binary_kernel(context, kFunction);
}

/// Runs body(begin, end) over [0, count), in the caller alone when there is too little to share.
template <class Body>
void for_elements(Parallel& parallel, int64_t count, int64_t min_per_worker, Body body) {
  if (count < 2 * min_per_worker || parallel.workers() == 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  parallel.for_range(count, min_per_worker, [&](int64_t begin, int64_t end, int) { body(begin, end); });
}

/// How the inputs are walked as the output's elements go by, for an op that broadcasts as NumPy does; none
/// where there are more than two kinds of dimensions, or where there is nothing to do. The caller says what
/// to run.
std::optional<graph::ElementwiseLoop> elementwise_walks(const graph::PrepareContext& context,
                                                        std::span<const Shape* const> operands,
                                                        int64_t elements_per_worker);
/// The same for an op whose inputs all have the output's shape.
std::optional<graph::ElementwiseLoop> elementwise_walks(const graph::PrepareContext& context,
                                                        int64_t elements_per_worker);

/// The inputs whose elements may be overwritten by output 0: those of its shape and element size.
std::vector<graph::InPlacePair> in_place_pairs(const graph::PrepareContext& context);

}  // namespace flowray::ops
