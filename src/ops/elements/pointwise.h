#pragma once
/// Elementwise kernels of any element types from a function object, for functions that are not worth loops of
/// their own for each CpuLevel (math_loops.h): what is dear by itself, or rare.

#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "ops/elements/element_types.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace flowray::ops {

namespace internal {

/// A function over elements [begin, end) of a row. From one to the next operand k moves by steps[k] of its
/// elements, which is 0 or 1.
struct PointwiseLoop {
  using Run = void (*)(const void* const* in, const int64_t* steps, void* out, int64_t begin, int64_t end);
  Run run = nullptr;
  size_t in_bytes = 0;  ///< of an element
  size_t out_bytes = 0;
};

template <class F, class T, size_t... kI>
PointwiseLoop pointwise_loop(std::index_sequence<kI...>) {
  using Computed = decltype(F::apply((static_cast<void>(kI), Wide<T>())...));
  using Result = std::conditional_t<std::is_same_v<Computed, Wide<T>>, T, Computed>;
  const auto run = [](const void* const* in, const int64_t* steps, void* out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      static_cast<Result*>(out)[i] = static_cast<Result>(
          F::apply(static_cast<Wide<T>>(static_cast<const T*>(in[kI])[i * steps[kI]])...));
    }
  };
  return {run, sizeof(T), sizeof(Result)};
}

/// The inputs, `arity` of them, broadcast as NumPy does.
std::unique_ptr<graph::Kernel> pointwise_kernel(graph::PrepareContext& context, size_t arity,
                                                const PointwiseLoop& loop);

}  // namespace internal

/// Output 0 = F::apply of one element of each of the kArity inputs, which share one of `Types`.
template <class F, class Types, size_t kArity>
std::unique_ptr<graph::Kernel> prepare_pointwise(graph::PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  internal::PointwiseLoop loop;
  if (!dispatch<Types>(dtype, [&]<class T>() {
        loop = internal::pointwise_loop<F, T>(std::make_index_sequence<kArity>());
      })) {
    context.no_kernel_for(dtype);
  }
  return internal::pointwise_kernel(context, kArity, loop);
}

}  // namespace flowray::ops
