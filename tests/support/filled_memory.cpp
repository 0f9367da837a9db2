#include "support/filled_memory.h"

#include "core/block_pool.h"
#include "core/sanitizers.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace flowray::testing {

bool can_fill_free_memory() { return !kAddressSanitizer && !kThreadSanitizer && !kMemorySanitizer; }

void fill_free_memory(std::byte pattern) {
  constexpr size_t kBytesOfASize = 32 << 10;
  for (size_t bytes = 1; bytes <= kMostFilledBytes;) {
    std::vector<Block> blocks = {allocate_block(bytes)};
    const size_t capacity = block_capacity_bytes(blocks[0].size_class);
    const size_t count = std::clamp<size_t>(kBytesOfASize / capacity, 2, 16);
    while (blocks.size() < count) blocks.push_back(allocate_block(bytes));
    for (const Block& block : blocks) {
      std::memset(static_cast<std::byte*>(block.memory) + kBlockHeadBytes, static_cast<int>(pattern),
                  capacity);
      free_block(block);
    }
    bytes = capacity + 1;
  }
}

}  // namespace flowray::testing
