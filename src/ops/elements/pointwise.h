#pragma once
/// Elementwise kernels of any element types from a function object, for functions that are not worth loops of
/// their own for each CpuLevel (math_loops.h): what is dear by itself, or rare.

#include "ops/elements/element_types.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/kernel_for_dtype.h"

#include <array>
#include <utility>

namespace flowray::ops {

namespace internal {

template <class F, class T, class Indices>
struct Pointwise;

/// out[i] = F::apply(in0[i], in1[i], ...), inputs of element type T, broadcast as NumPy does.
template <class F, class T, size_t... kI>
struct Pointwise<F, T, std::index_sequence<kI...>> {
  static constexpr size_t kArity = sizeof...(kI);
  using Computed = decltype(F::apply((static_cast<void>(kI), Wide<T>())...));
  using Result = std::conditional_t<std::is_same_v<Computed, Wide<T>>, T, Computed>;
  BroadcastPlan plan;

  void run_row(const std::array<const T*, kArity>& in, Result* out, int64_t begin, int64_t end) const {
    const std::array<int64_t, kArity> step = {(plan.inner_moves[kI] ? 1 : 0)...};
    for (int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<Result>(F::apply(static_cast<Wide<T>>(in[kI][i * step[kI]])...));
    }
  }

  void run(const graph::KernelCall& call) const {
    constexpr int64_t kMinPerWorker = 4096;
    const std::array<const T*, kArity> in = {call.in<T>(static_cast<int>(kI))...};
    auto* out = call.out<Result>(0);
    if (plan.rows == 1) {
      return for_elements(call.parallel(), plan.inner, kMinPerWorker,
                          [&](int64_t begin, int64_t end) { run_row(in, out, begin, end); });
    }
    for_elements(call.parallel(), plan.rows,
                 std::max<int64_t>(1, kMinPerWorker / std::max<int64_t>(1, plan.inner)),
                 [&](int64_t begin, int64_t end) {
                   plan.for_rows(begin, end, [&](int64_t row, const BroadcastPlan::Offsets& offsets) {
                     run_row({(in[kI] + offsets[kI])...}, out + row * plan.inner, 0, plan.inner);
                   });
                 });
  }
};

}  // namespace internal

/// Output 0 = F::apply of one element of each of the kArity inputs, which share one of `Types`.
template <class F, class Types, size_t kArity>
std::unique_ptr<graph::Kernel> prepare_pointwise(graph::PrepareContext& context) {
  return kernel_for_dtype<Types>(context, context.input_dtype(0), [&]<class T>() {
    std::array<const Shape*, kArity> shapes{};
    for (size_t i = 0; i < kArity; ++i) shapes[i] = &context.input_shape(static_cast<int>(i));
    const internal::Pointwise<F, T, std::make_index_sequence<kArity>> loop{
        plan_broadcast(context.output_shape(0), shapes)};
    return graph::make_kernel([loop](const graph::KernelCall& call) { loop.run(call); },
                              {.in_place = in_place_pairs(context)});
  });
}

}  // namespace flowray::ops
