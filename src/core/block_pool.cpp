#include "core/block_pool.h"

#include <flowray/errors.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <optional>
#include <string>

#include "core/environment.h"
#include "core/guarded.h"
#include "core/sanitizers.h"
#include "core/thread_owned.h"

namespace flowray {
namespace {

constexpr bool kKeepBlocks = !kAddressSanitizer && !kThreadSanitizer && !kMemorySanitizer;

// Size classes. Class i <= 16 holds 64 * i bytes; above, class 16 + 4 * d + s holds 1024 * 2^d * (1 + s / 4),
// 1 <= s <= 4.

constexpr size_t kFineStepBytes = 64;
constexpr uint32_t kFineClasses = 16;
constexpr int kFineBits = 10;  // 64 * 16 = 2^10
constexpr int kLargestBits = 47;
constexpr size_t kLargestBytes = size_t{1} << kLargestBits;  // more than any machine of today can address
constexpr uint32_t kClasses = kFineClasses + 4 * (kLargestBits - kFineBits) + 1;

constexpr uint32_t class_of(size_t bytes) {
  if (bytes <= kFineStepBytes * kFineClasses) {
    return static_cast<uint32_t>((bytes + kFineStepBytes - 1) / kFineStepBytes);
  }
  const size_t last = bytes - 1;
  const int bits = static_cast<int>(std::bit_width(last)) - 1;
  const auto quarter = static_cast<uint32_t>((last >> (bits - 2)) & 3);
  return kFineClasses + 4 * static_cast<uint32_t>(bits - kFineBits) + quarter + 1;
}

constexpr size_t capacity_of(uint32_t size_class) {
  if (size_class <= kFineClasses) return size_class * kFineStepBytes;
  const uint32_t beyond = size_class - kFineClasses - 1;
  return size_t{5 + beyond % 4} << (kFineBits - 2 + static_cast<int>(beyond / 4));
}

constexpr size_t block_bytes_of(uint32_t size_class) { return kBlockHeadBytes + capacity_of(size_class); }

static_assert(class_of(0) == 0 && class_of(1) == 1 && class_of(64) == 1 && class_of(65) == 2);
static_assert(capacity_of(class_of(1024)) == 1024 && capacity_of(class_of(1025)) == 1280);
static_assert(capacity_of(class_of(1280)) == 1280 && capacity_of(class_of(2048)) == 2048);
static_assert(class_of(kLargestBytes) == kClasses - 1 && capacity_of(kClasses - 1) == kLargestBytes);

constexpr uint32_t kSmallClasses = class_of(64 << 10) + 1;
constexpr size_t kCachedBytesPerClass = 128 << 10;
constexpr uint32_t kCachedBlocksPerClass = 64;

constexpr std::array<uint32_t, kSmallClasses> kCacheLimits = [] {
  std::array<uint32_t, kSmallClasses> limits{};
  for (uint32_t i = 0; i < kSmallClasses; ++i) {
    const size_t fitting = kCachedBytesPerClass / std::max<size_t>(capacity_of(i), 1);
    limits[i] = static_cast<uint32_t>(std::clamp<size_t>(fitting, 2, kCachedBlocksPerClass));
  }
  return limits;
}();

// The system's memory.

constexpr size_t kHugePageBytes = 2 << 20;
// From here on own mappings, on huge pages where the system has them; sanitizers see into their own
// allocator only.
constexpr size_t kMappedFromBytes = size_t{4} << (kKeepBlocks ? 20 : 30);

void* map_block(size_t bytes) noexcept {
  // More is mapped than needed and the ends given back, because only whole, aligned huge pages are used
  // as such.
  const size_t mapped_bytes = bytes + kHugePageBytes;
  void* const mapped =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  constexpr size_t kPageBytes = 4096;
  auto* const begin = static_cast<std::byte*>(mapped);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePageBytes;
  const size_t kept = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (before != 0) munmap(begin, before);
  if (mapped_bytes > before + kept) munmap(begin + before + kept, mapped_bytes - before - kept);
  madvise(begin + before, kept,
          MADV_HUGEPAGE);  // Advice: where it is refused the block is good all the same.
  return begin + before;
}

void* take_from_system(size_t bytes) noexcept {
  if (bytes >= kMappedFromBytes) return map_block(bytes);
  return ::operator new(bytes, std::align_val_t{kBlockHeadBytes}, std::nothrow);
}

void give_to_system(void* memory, size_t bytes) noexcept {
  if (bytes >= kMappedFromBytes) {
    munmap(memory, bytes);
  } else {
    ::operator delete(memory, std::align_val_t{kBlockHeadBytes});
  }
}

// A free block carries these links in its first bytes, the only ones of it that are ever touched here.
struct FreeBlock {
  FreeBlock*
      next;  // in a thread's cache, or a chain: the next one; in the pool: the next older one of its class
  FreeBlock* previous;  // in the pool: the next newer one of its class
  FreeBlock* older;     // in the pool: of all classes
  FreeBlock* newer;
  uint32_t size_class;
};
static_assert(sizeof(FreeBlock) <= kBlockHeadBytes);

// Blocks of the classes below kSmallClasses that this thread freed last. Only its thread writes it;
// block_pool_stats() reads the counters, which is why these are atomic. All accesses are relaxed: the
// counters order nothing.
struct ThreadCache {
  struct List {
    FreeBlock* newest = nullptr;
    std::atomic<uint32_t> count{0};
  };

  ThreadCache();
  ~ThreadCache();

  FreeBlock* pop(uint32_t size_class) noexcept {
    List& list = lists[size_class];
    FreeBlock* const block = list.newest;
    if (block == nullptr) return nullptr;
    list.newest = block->next;
    list.count.store(list.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return block;
  }

  bool push(FreeBlock* block, uint32_t size_class) noexcept {
    List& list = lists[size_class];
    const uint32_t count = list.count.load(std::memory_order_relaxed);
    if (count >= kCacheLimits[size_class]) return false;
    block->next = list.newest;
    list.newest = block;
    list.count.store(count + 1, std::memory_order_relaxed);
    return true;
  }

  void count_allocation() noexcept {
    blocks_allocated.store(blocks_allocated.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::array<List, kSmallClasses> lists;
  std::atomic<int64_t> blocks_allocated{0};
  ThreadCache* next_cache = nullptr;  // guarded by the pool's lock
};

// What the threads share: the kept blocks by class, each list from the newest to the oldest, and all of them
// by age.
struct Pool {
  struct Ends {
    FreeBlock* newest = nullptr;
    FreeBlock* oldest = nullptr;
  };

  std::array<Ends, kClasses> classes{};
  Ends ages;
  int64_t kept_bytes = 0;
  int64_t limit_bytes = -1;  // -1: the environment has not been read
  int64_t system_bytes = 0;  // all blocks that the system gave and has not got back
  int64_t most_bytes = 0;    // that these may have; 0: no limit
  int64_t system_allocations = 0;
  int64_t blocks_allocated = 0;  // by threads without a cache, or with one that has ended
  ThreadCache* caches = nullptr;

  bool has_room() const noexcept { return most_bytes == 0 || system_bytes <= most_bytes; }
  FreeBlock* pop(uint32_t size_class) noexcept;
  FreeBlock* push(FreeBlock* block, uint32_t size_class) noexcept;
  void remove(FreeBlock* block) noexcept;
  FreeBlock* shrink_to(int64_t bytes) noexcept;
};

// Never destroyed (the destructor is trivial): buffers of other static objects may be freed after main.
constinit Guarded<Pool> shared_pool;

// Null before the first allocation in a thread and after its cache has ended. One load without a call,
// also from a shared library: that is what initial-exec is for, and eight bytes of it fit into what
// loaders keep free.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCache* this_cache = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool cache_has_ended = false;

void Pool::remove(FreeBlock* block) noexcept {
  Ends& ends = classes[block->size_class];
  (block->previous != nullptr ? block->previous->next : ends.newest) = block->next;
  (block->next != nullptr ? block->next->previous : ends.oldest) = block->previous;
  (block->newer != nullptr ? block->newer->older : ages.newest) = block->older;
  (block->older != nullptr ? block->older->newer : ages.oldest) = block->newer;
  kept_bytes -= static_cast<int64_t>(block_bytes_of(block->size_class));
}

FreeBlock* Pool::pop(uint32_t size_class) noexcept {
  FreeBlock* const block = classes[size_class].newest;
  if (block != nullptr) remove(block);
  return block;
}

// Keeps a block; returns a chain of those that have to go to the system for it.
FreeBlock* Pool::push(FreeBlock* block, uint32_t size_class) noexcept {
  const auto bytes = static_cast<int64_t>(block_bytes_of(size_class));
  block->size_class = size_class;
  if (bytes > limit_bytes) {  // It alone is more than may be kept: do not push all others out for it.
    block->next = nullptr;
    system_bytes -= bytes;
    return block;
  }
  Ends& ends = classes[size_class];
  block->previous = nullptr;
  block->next = ends.newest;
  (ends.newest != nullptr ? ends.newest->previous : ends.oldest) = block;
  ends.newest = block;
  block->newer = nullptr;
  block->older = ages.newest;
  (ages.newest != nullptr ? ages.newest->newer : ages.oldest) = block;
  ages.newest = block;
  kept_bytes += bytes;
  return shrink_to(limit_bytes);
}

FreeBlock* Pool::shrink_to(int64_t bytes) noexcept {
  FreeBlock* chain = nullptr;
  while (kept_bytes > bytes) {
    FreeBlock* const block = ages.oldest;
    remove(block);
    system_bytes -= static_cast<int64_t>(block_bytes_of(block->size_class));
    block->next = chain;
    chain = block;
  }
  return chain;
}

// Outside of the pool's lock: unmapping is slow.
void give_chain_to_system(FreeBlock* chain) noexcept {
  while (chain != nullptr) {
    FreeBlock* const next = chain->next;
    give_to_system(chain, block_bytes_of(chain->size_class));
    chain = next;
  }
}

FreeBlock* join_chains(FreeBlock* first, FreeBlock* second) noexcept {
  if (first == nullptr) return second;
  FreeBlock* last = first;
  while (last->next != nullptr) last = last->next;
  last->next = second;
  return first;
}

// A child of fork() has one thread. The lock is taken around the fork so that it is not left locked by
// another one, and the other threads' caches, which may have been in the middle of a change, are given up.
std::optional<Guarded<Pool>::Lock<Pool>> lock_around_fork;

void before_fork() { lock_around_fork.emplace(shared_pool.lock()); }
void after_fork_in_parent() { lock_around_fork.reset(); }
void after_fork_in_child() {
  (*lock_around_fork)->caches = this_cache;
  if (this_cache != nullptr) this_cache->next_cache = nullptr;
  lock_around_fork.reset();
}

void configure(Pool& pool) {
  if (pool.limit_bytes >= 0) return;
  constexpr int64_t kDefaultLimitBytes = int64_t{256} << 20;
  const int64_t limit_bytes =
      integer_from_environment("FLOWRAY_POOL_BYTES", 0, int64_t{1} << kLargestBits, kDefaultLimitBytes);
  pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
  pool.limit_bytes = limit_bytes;
}

ThreadCache::ThreadCache() {
  auto pool = shared_pool.lock();
  next_cache = pool->caches;
  pool->caches = this;
}

ThreadCache::~ThreadCache() {
  this_cache = nullptr;
  cache_has_ended = true;
  FreeBlock* surplus = nullptr;
  {
    auto pool = shared_pool.lock();
    for (uint32_t size_class = 0; size_class < kSmallClasses; ++size_class) {
      while (FreeBlock* const block = pop(size_class)) {
        surplus = join_chains(pool->push(block, size_class), surplus);
      }
    }
    pool->blocks_allocated += blocks_allocated.load(std::memory_order_relaxed);
    ThreadCache** link = &pool->caches;
    while (*link != this) link = &(*link)->next_cache;
    *link = next_cache;
  }
  give_chain_to_system(surplus);
}

// The cache of this thread; null where it has none because the thread is ending, there is no memory for one,
// or blocks are not to be kept.
ThreadCache* make_cache() noexcept {
  if (!kKeepBlocks || cache_has_ended) return nullptr;
  if (this_cache == nullptr) {
    try {
      this_cache = &ThreadOwned<ThreadCache>::get();
    } catch (const std::bad_alloc&) {  // the pool serves this thread directly
    }
  }
  return this_cache;
}

[[noreturn]] void throw_out_of_memory(size_t bytes) {
  throw errors::ResourceExhaustedError(
      "OOM when allocating a buffer of " + std::to_string(bytes) +
      " bytes: the system has no such memory left; use smaller arrays or batches");
}

[[noreturn]] void throw_over_limit(size_t bytes, int64_t most_bytes) {
  throw errors::ResourceExhaustedError(
      "OOM when allocating a buffer of " + std::to_string(bytes) +
      " bytes\nThe arrays of all sessions of this process together may have " + std::to_string(most_bytes) +
      " bytes: use smaller ones, close other sessions, or raise that limit (flowray server --memory-limit).");
}

// Takes a block from the system that is counted already.
void* take_counted(uint32_t size_class) noexcept {
  if (!shared_pool.lock()->has_room()) return nullptr;
  return take_from_system(block_bytes_of(size_class));
}

[[gnu::noinline]] Block allocate_slowly(uint32_t size_class, size_t bytes) {
  ThreadCache* const cache = make_cache();
  FreeBlock* block = nullptr;
  bool has_room = true;
  {
    auto pool = shared_pool.lock();
    configure(*pool);
    block = pool->pop(size_class);
    if (block != nullptr && cache != nullptr && size_class < kSmallClasses) {
      // Where one is missing more will be: take half a cache of them under the same lock.
      for (uint32_t i = 1; i < kCacheLimits[size_class] / 2; ++i) {
        FreeBlock* const further = pool->pop(size_class);
        if (further == nullptr) break;
        cache->push(further, size_class);
      }
    }
    if (block == nullptr) {
      pool->system_allocations += 1;
      pool->system_bytes += static_cast<int64_t>(block_bytes_of(size_class));
      has_room = pool->has_room();
    }
    if (cache == nullptr) pool->blocks_allocated += 1;
  }
  if (cache != nullptr) cache->count_allocation();
  if (block != nullptr) return {block, size_class};

  void* memory = has_room ? take_from_system(block_bytes_of(size_class)) : nullptr;
  if (memory == nullptr) {  // What is kept for other sizes may be what is missing.
    trim_block_pool();
    memory = take_counted(size_class);
  }
  if (memory == nullptr) {
    int64_t most_bytes = 0;
    {
      auto pool = shared_pool.lock();
      if (!pool->has_room()) most_bytes = pool->most_bytes;
      pool->system_bytes -= static_cast<int64_t>(block_bytes_of(size_class));
    }
    if (most_bytes != 0) throw_over_limit(bytes, most_bytes);
    throw_out_of_memory(bytes);
  }
  return {memory, size_class};
}

[[gnu::noinline]] void free_slowly(Block freed) noexcept {
  auto* block = ::new (freed.memory) FreeBlock;
  const uint32_t size_class = freed.size_class;
  ThreadCache* const cache = size_class < kSmallClasses ? make_cache() : nullptr;
  if (cache != nullptr && cache->push(block, size_class)) return;
  FreeBlock* surplus = nullptr;
  {
    auto pool = shared_pool.lock();
    if (!kKeepBlocks) {
      pool->system_bytes -= static_cast<int64_t>(block_bytes_of(size_class));
      block->size_class = size_class;
      block->next = nullptr;
      surplus = block;
    } else {
      surplus = pool->push(block, size_class);
      // The cache is full. Half of it goes to the pool, so that a thread that only frees takes the
      // lock seldom.
      const uint32_t moved = cache != nullptr ? kCacheLimits[size_class] / 2 : 0;
      for (uint32_t i = 0; i < moved; ++i) {
        surplus = join_chains(pool->push(cache->pop(size_class), size_class), surplus);
      }
    }
  }
  give_chain_to_system(surplus);
}

}  // namespace

Block allocate_block(size_t bytes) {
  if (bytes > kLargestBytes) [[unlikely]]
    throw_out_of_memory(bytes);
  const uint32_t size_class = class_of(bytes);
  ThreadCache* const cache = this_cache;
  if (cache != nullptr && size_class < kSmallClasses) [[likely]] {
    if (FreeBlock* const block = cache->pop(size_class)) [[likely]] {
      cache->count_allocation();
      return {block, size_class};
    }
  }
  return allocate_slowly(size_class, bytes);
}

void free_block(Block freed) noexcept {
  ThreadCache* const cache = this_cache;
  if (cache != nullptr && freed.size_class < kSmallClasses) [[likely]] {
    auto* const block = ::new (freed.memory) FreeBlock;
    if (cache->push(block, freed.size_class)) [[likely]]
      return;
  }
  free_slowly(freed);
}

size_t block_capacity_bytes(uint32_t size_class) noexcept { return capacity_of(size_class); }

BlockPoolStats block_pool_stats() {
  auto pool = shared_pool.lock();
  BlockPoolStats stats;
  stats.bytes_kept = pool->kept_bytes;
  stats.blocks_allocated = pool->blocks_allocated;
  stats.system_allocations = pool->system_allocations;
  for (const ThreadCache* cache = pool->caches; cache != nullptr; cache = cache->next_cache) {
    stats.blocks_allocated += cache->blocks_allocated.load(std::memory_order_relaxed);
    for (uint32_t size_class = 0; size_class < kSmallClasses; ++size_class) {
      const int64_t count = cache->lists[size_class].count.load(std::memory_order_relaxed);
      stats.bytes_kept += count * static_cast<int64_t>(block_bytes_of(size_class));
    }
  }
  stats.bytes_in_use = pool->system_bytes - stats.bytes_kept;
  return stats;
}

void limit_block_pool(int64_t bytes) noexcept { shared_pool.lock()->most_bytes = bytes; }

void trim_block_pool() noexcept {
  FreeBlock* chain = nullptr;
  {
    auto pool = shared_pool.lock();
    if (ThreadCache* const cache = this_cache; cache != nullptr) {
      for (uint32_t size_class = 0; size_class < kSmallClasses; ++size_class) {
        while (FreeBlock* const block = cache->pop(size_class)) {
          chain = join_chains(pool->push(block, size_class), chain);
        }
      }
    }
    chain = join_chains(pool->shrink_to(0), chain);
  }
  give_chain_to_system(chain);
}

}  // namespace flowray
