#include "cluster/memory_need.h"

#include <malloc.h>

#include "core/block_pool.h"

namespace flowray::cluster {
namespace {

/// What was allocated and not freed; what the allocator keeps of the system's memory is not counted.
int64_t heap_bytes_in_use() {
#ifdef __GLIBC__
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

}  // namespace

bool is_memory_short(int64_t limit_bytes) {
  if (limit_bytes <= 0) return false;
  return block_pool_stats().bytes_in_use > limit_bytes / 8 * 7 || heap_bytes_in_use() > limit_bytes;
}

}  // namespace flowray::cluster
