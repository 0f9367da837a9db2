#pragma once
/// Conversion of elements between numeric dtypes, for Array::astype and the Cast op alike.

#include <flowray/dtype.h>

#include <cstdint>

namespace flowray {

/// Whether convert_elements knows the pair: all numeric dtypes and bool, no strings.
bool can_convert(DType from, DType to);

/// Converts `count` elements as C++ does (towards zero; to bool by != 0; complex to real drops the imaginary
/// part). The ranges must not overlap, unless `from` and `to` have equal sizes and start at the same address.
void convert_elements(DType from, const void* source, DType to, void* target, int64_t count);

}  // namespace flowray
