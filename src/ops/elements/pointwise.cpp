#include "ops/elements/pointwise.h"

#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"

#include <algorithm>
#include <array>

namespace flowray::ops::internal {

namespace {

using Operands = std::array<const void*, BroadcastPlan::kMaxOperands>;

struct Pointwise {
  BroadcastPlan plan;
  size_t arity;
  PointwiseLoop loop;

  void run_row(const Operands& in, void* out, int64_t begin, int64_t end) const {
    std::array<int64_t, BroadcastPlan::kMaxOperands> steps = {};
    for (size_t k = 0; k < arity; ++k) steps[k] = plan.inner_moves[k] ? 1 : 0;
    loop.run(in.data(), steps.data(), out, begin, end);
  }

  void run(const graph::KernelCall& call) const {
    constexpr int64_t kMinPerWorker = 4096;
    Operands in = {};
    for (size_t k = 0; k < arity; ++k) in[k] = call.in<void>(static_cast<int>(k));
    void* const out = call.out<void>(0);
    if (plan.rows == 1) {
      return for_elements(call.parallel(), plan.inner, kMinPerWorker,
                          [&](int64_t begin, int64_t end) { run_row(in, out, begin, end); });
    }
    for_elements(call.parallel(), plan.rows,
                 std::max<int64_t>(1, kMinPerWorker / std::max<int64_t>(1, plan.inner)),
                 [&](int64_t begin, int64_t end) {
                   plan.for_rows(begin, end, [&](int64_t row, const BroadcastPlan::Offsets& offsets) {
                     Operands of_row = {};
                     for (size_t k = 0; k < arity; ++k) of_row[k] = advance(in[k], offsets[k], loop.in_bytes);
                     run_row(of_row, advance(out, row * plan.inner, loop.out_bytes), 0, plan.inner);
                   });
                 });
  }
};

}  // namespace

std::unique_ptr<graph::Kernel> pointwise_kernel(graph::PrepareContext& context, size_t arity,
                                                const PointwiseLoop& loop) {
  std::array<const Shape*, BroadcastPlan::kMaxOperands> shapes = {};
  for (size_t k = 0; k < arity; ++k) shapes[k] = &context.input_shape(static_cast<int>(k));
  const Pointwise pointwise{plan_broadcast(context.output_shape(0), {shapes.data(), arity}), arity, loop};
  return graph::make_kernel([pointwise](const graph::KernelCall& call) { pointwise.run(call); },
                            {.in_place = in_place_pairs(context)});
}

}  // namespace flowray::ops::internal
