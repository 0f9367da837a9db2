#pragma once
/// A bool that is neither 0 nor 1 in memory is not a valid value: what compilers make of code with it counts
/// 255 elements where there is one. So bytes from outside are put right where they become an Array.

#include <flowray/dtype.h>

#include <cstddef>

namespace flowray {

/// Makes 1 of every byte but 0 in the elements of an array of bool; leaves those of other dtypes alone.
inline void make_truth_values(DType dtype, void* elements, size_t size_bytes) noexcept {
  if (dtype != DType::kBool) return;
  auto* const bytes = static_cast<unsigned char*>(elements);
  for (size_t i = 0; i < size_bytes; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace flowray
