#pragma once

#include <cstddef>
#include <cstdint>

namespace flowray {

/// Where the memory of buffers comes from and goes to: blocks of fixed sizes, kept when they are freed.
///
/// A block has a head of kBlockHeadBytes and a capacity of one of the size classes: every multiple of 64
/// bytes up to 1 KiB, then four to each doubling, so that at most a quarter is wasted. Blocks up to 64 KiB go
/// through a small cache in each thread (no lock, no atomic read-modify-write); what is more, and all larger
/// blocks, through one pool a process, which keeps the most recently used ones up to FLOWRAY_POOL_BYTES (256
/// MiB unless the environment says otherwise) and gives the rest back to the system, the longest unused
/// first. A block may be freed in any thread; a thread that ends leaves its cache to the pool.
///
/// Under AddressSanitizer and ThreadSanitizer nothing is kept: each block is the system's, so that a use
/// after free is found.
inline constexpr size_t kBlockHeadBytes = 64;

struct Block {
  void* memory;         ///< kBlockHeadBytes + the class's capacity, aligned to 64 bytes
  uint32_t size_class;  ///< to be handed to free_block
};

/// A block with room for a head and `bytes` bytes, not initialised.
/// Throws errors::ResourceExhaustedError if the system has no such memory or limit_block_pool allows no more,
/// InvalidArgumentError if FLOWRAY_POOL_BYTES is not a number.
Block allocate_block(size_t bytes);

/// Gives a block back.
void free_block(Block block) noexcept;

/// Room behind the head of the blocks of a class, in bytes.
size_t block_capacity_bytes(uint32_t size_class) noexcept;

/// Counts since the process began, for tests that count allocations. Exact while no other thread allocates.
struct BlockPoolStats {
  int64_t bytes_in_use = 0;        ///< whole blocks that are handed out, heads and rounding included
  int64_t bytes_kept = 0;          ///< whole blocks that wait for the next use, all threads' caches included
  int64_t blocks_allocated = 0;    ///< calls of allocate_block
  int64_t system_allocations = 0;  ///< those that had to ask the system
};
BlockPoolStats block_pool_stats();

/// All blocks together, kept ones too, have at most so many bytes from now on; 0: what the system has. What
/// is kept is given back before a request is refused; what is in use already stays.
void limit_block_pool(int64_t bytes) noexcept;

/// Gives the calling thread's cache and everything that the pool keeps back to the system.
void trim_block_pool() noexcept;

}  // namespace flowray
