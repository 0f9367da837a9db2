#pragma once
/// Data movement is instantiated by element width, not by dtype: all types of a width share one
/// instantiation, strings have their own.

#include <flowray/dtype.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace flowray::ops {

/// An element of complex128, moved as a whole.
struct Word16 {
  uint64_t low;
  uint64_t high;
};

/// Calls body.operator()<W>() with the type W that stands for elements of `dtype` when they are only moved;
/// false for types that have no array elements (resource, variant).
template <class F>
[[nodiscard]] bool dispatch_words(DType dtype, F&& body) {
  if (!is_trivial(dtype)) return body.template operator()<std::string>(), true;
  switch (dtype_size(dtype)) {
    case 1:
      return body.template operator()<uint8_t>(), true;
    case 2:
      return body.template operator()<uint16_t>(), true;
    case 4:
      return body.template operator()<uint32_t>(), true;
    case 8:
      return body.template operator()<uint64_t>(), true;
    case 16:
      return body.template operator()<Word16>(), true;
    default:
      return false;
  }
}

/// `count` elements from `in` to `out`, which do not overlap.
template <class W>
void copy_words(const W* in, W* out, int64_t count) {
  if constexpr (std::is_trivially_copyable_v<W>) {
    if (count > 0) std::memcpy(out, in, static_cast<size_t>(count) * sizeof(W));
  } else {
    std::copy_n(in, count, out);
  }
}

/// `bytes` + `count` elements of `element_bytes` each.
inline const void* advance(const void* pointer, int64_t count, size_t element_bytes) {
  return static_cast<const char*>(pointer) + count * static_cast<int64_t>(element_bytes);
}
inline void* advance(void* pointer, int64_t count, size_t element_bytes) {
  return static_cast<char*>(pointer) + count * static_cast<int64_t>(element_bytes);
}

}  // namespace flowray::ops
