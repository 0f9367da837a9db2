#include "ops/elements/copy_elements.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace flowray::ops {

void copy_elements(const Array& from, int64_t from_begin, Array& to, int64_t to_begin, int64_t count) {
  if (count == 0) return;
  if (is_trivial(from.dtype())) {
    const size_t width = dtype_size(from.dtype());
    std::memcpy(static_cast<char*>(to.mutable_raw_data()) + static_cast<size_t>(to_begin) * width,
                static_cast<const char*>(from.raw_data()) + static_cast<size_t>(from_begin) * width,
                static_cast<size_t>(count) * width);
  } else {
    std::copy_n(from.data<std::string>() + from_begin, count, to.mutable_data<std::string>() + to_begin);
  }
}

}  // namespace flowray::ops
