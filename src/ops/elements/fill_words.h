#pragma once
/// Writing one value many times.

#include "core/parallel.h"
#include "ops/elements/element_words.h"

#include <flowray/dtype.h>

#include <cstdint>

namespace flowray::ops {

/// `count` copies of the element at `value` to `out`. The dtype must have elements.
inline void fill_words(DType dtype, const void* value, void* out, int64_t count, Parallel& parallel) {
  constexpr int64_t kMinPerWorker = 65536;
  (void)dispatch_words(dtype, [&]<class W>() {
    const W word = *static_cast<const W*>(value);
    W* const to = static_cast<W*>(out);
    if (count < 2 * kMinPerWorker) {
      std::fill_n(to, count, word);
    } else {
      parallel.for_range(count, kMinPerWorker, [to, &word](int64_t begin, int64_t end, int) {
        std::fill(to + begin, to + end, word);
      });
    }
  });
}

}  // namespace flowray::ops
