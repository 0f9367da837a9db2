#pragma once

#include <flowray/array.h>

#include <cstdint>

namespace flowray::ops {

/// Copies `count` elements of `from`, from number `from_begin` on, to those of `to` from number `to_begin`
/// on. The dtypes are the same; strings are copied as strings.
void copy_elements(const Array& from, int64_t from_begin, Array& to, int64_t to_begin, int64_t count);

}  // namespace flowray::ops
