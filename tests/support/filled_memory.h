#pragma once
/// What buffers hold when they are handed out: results that are not wholly written show it.

#include <cstddef>

namespace flowray::testing {

/// Whether blocks are kept when they are freed; under a sanitizer they are not, and nothing can be filled.
bool can_fill_free_memory();

inline constexpr size_t kMostFilledBytes = 64 << 10;

/// Fills the free blocks of up to kMostFilledBytes that the calling thread is handed next, some of each size.
void fill_free_memory(std::byte pattern);

}  // namespace flowray::testing
