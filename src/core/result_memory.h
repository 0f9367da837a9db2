#pragma once
/// Another place than the heap for arrays that sessions hand out.

#include <atomic>
#include <cstddef>

#include "core/buffer.h"

namespace flowray {

/// Memory of that many bytes, 64-byte aligned; none: the heap's is as good. Called by threads that run steps.
using ResultMemory = BufferRef (*)(size_t bytes);

/// Smaller results are always allocated from the heap.
inline constexpr size_t kLeastResultBytes = size_t{256} << 10;

/// Null: all results are allocated from the heap.
inline constinit std::atomic<ResultMemory> result_memory{nullptr};

}  // namespace flowray
