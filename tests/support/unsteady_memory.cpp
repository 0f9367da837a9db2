#include "support/unsteady_memory.h"

#include "core/buffer.h"
#include "core/dtype_dispatch.h"
#include "core/sanitizers.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <random>

namespace flowray::testing {

// The pages may not be touched. A thread that touches them gets SIGSEGV: its handler lets the pages be read,
// changes what stands there, and has the processor stop after the one instruction (the trap flag); SIGTRAP's
// handler closes them again.

#if defined(__x86_64__)

namespace {

constexpr int kMostRegions = 64;
constexpr greg_t kTrapFlag = 0x100;

struct Region {
  std::atomic<std::byte*> begin{nullptr};  // null: free
  size_t mapped_bytes = 0;
  size_t size_bytes = 0;
  size_t element_bytes = 1;
  bool is_real = false;
  std::unique_ptr<std::byte[]> original;
  std::minstd_rand random;
};

std::array<Region, kMostRegions> the_regions;
std::mutex the_regions_mutex;
struct sigaction the_old_segv;

// What has been opened for the instruction that runs.
thread_local Region* opened[4] = {};

Region* region_of(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (Region& region : the_regions) {
    const std::byte* begin = region.begin.load(std::memory_order_acquire);
    if (begin != nullptr && at >= begin && at < begin + region.mapped_bytes) return &region;
  }
  return nullptr;
}

/// Edges by their bits: of integers, and of reals of each size.
uint64_t edge_of(Region& region) {
  static constexpr uint64_t kIntegers[] = {0,
                                           1,
                                           2,
                                           3,
                                           UINT64_MAX,
                                           UINT64_MAX - 1,
                                           uint64_t{1} << 63,
                                           0x7F7F'7F7F'7F7F'7F7F,
                                           INT64_MAX,
                                           0x8080'8080'8080'8080,
                                           100};
  static constexpr uint64_t kDoubles[] = {std::bit_cast<uint64_t>(0.0),  std::bit_cast<uint64_t>(1.0),
                                          std::bit_cast<uint64_t>(-1.0), std::bit_cast<uint64_t>(1e300),
                                          std::bit_cast<uint64_t>(3e9),  std::bit_cast<uint64_t>(-3e9),
                                          std::bit_cast<uint64_t>(0.5),  UINT64_MAX /* NaN */,
                                          0x7FF0'0000'0000'0000,         0xFFF0'0000'0000'0000};
  static constexpr uint64_t kFloats[] = {std::bit_cast<uint32_t>(0.f),
                                         std::bit_cast<uint32_t>(1.f),
                                         std::bit_cast<uint32_t>(-1.f),
                                         std::bit_cast<uint32_t>(1e30f),
                                         std::bit_cast<uint32_t>(3e9f),
                                         std::bit_cast<uint32_t>(-3e9f),
                                         std::bit_cast<uint32_t>(0.5f),
                                         UINT32_MAX,
                                         0x7F80'0000,
                                         0xFF80'0000};
  const uint64_t drawn = region.random();
  if (region.is_real && region.element_bytes >= 8) return kDoubles[drawn % std::size(kDoubles)];
  if (region.is_real && region.element_bytes == 4) return kFloats[drawn % std::size(kFloats)];
  if (region.is_real)
    return kFloats[drawn % std::size(kFloats)] >> 16;  // bfloat16's; of float16 some numbers
  return kIntegers[drawn % std::size(kIntegers)];
}

void change(Region& region) {
  std::byte* const begin = region.begin.load(std::memory_order_relaxed);
  std::memcpy(begin, region.original.get(), region.size_bytes);
  const size_t step = std::min<size_t>(region.element_bytes, 8);
  const size_t count = region.size_bytes / step;
  const uint64_t kind = region.random() % 4;
  if (kind == 0 || count == 0) return;
  // All of them, or every few.
  const size_t stride = kind == 1 ? 1 : 1 + region.random() % 3;
  const uint64_t edge = edge_of(region);
  for (size_t i = region.random() % stride; i < count; i += stride) {
    const uint64_t bits = kind == 3 ? edge_of(region) : edge;
    std::memcpy(begin + i * step, &bits, step);
  }
}

void open_for_one_instruction(int signal, siginfo_t* info, void* context) {
  Region* const region = region_of(info->si_addr);
  Region** const slot =
      region == nullptr ? nullptr : std::find(std::begin(opened), std::end(opened), nullptr);
  if (slot == nullptr || slot == std::end(opened)) {
    sigaction(SIGSEGV, &the_old_segv, nullptr);  // and the same again, without us
    (void)signal;
    return;
  }
  mprotect(region->begin, region->mapped_bytes, PROT_READ | PROT_WRITE);
  change(*region);
  *slot = region;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

void close_again(int, siginfo_t*, void* context) {
  for (Region*& region : opened) {
    if (region != nullptr) mprotect(region->begin, region->mapped_bytes, PROT_NONE);
    region = nullptr;
  }
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

void install_handlers() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    action.sa_sigaction = open_for_one_instruction;
    sigaction(SIGSEGV, &action, &the_old_segv);
    action.sa_sigaction = close_again;
    sigaction(SIGTRAP, &action, nullptr);
    return true;
  }();
  (void)installed;
}

void end_region(void* owner) {
  auto* const region = static_cast<Region*>(owner);
  munmap(region->begin, region->mapped_bytes);
  const std::lock_guard lock(the_regions_mutex);
  region->begin.store(nullptr, std::memory_order_release);
}

}  // namespace

bool has_unsteady_memory() { return !kThreadSanitizer && std::getenv("FLOWRAY_UNDER_VALGRIND") == nullptr; }

Array unsteady(const Array& value, uint64_t seed) {
  install_handlers();
  Region* region = nullptr;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t mapped = (value.size_bytes() / page + 1) * page;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  {
    const std::lock_guard lock(the_regions_mutex);
    for (Region& candidate : the_regions) {
      if (candidate.begin.load() == nullptr && region == nullptr) region = &candidate;
    }
    if (region != nullptr) {
      region->mapped_bytes = mapped;
      region->size_bytes = value.size_bytes();
      region->element_bytes = dtype_size(value.dtype());
      region->is_real = is_floating(value.dtype()) || is_complex(value.dtype());
      region->original = std::make_unique<std::byte[]>(value.size_bytes());
      if (value.size_bytes() > 0) std::memcpy(region->original.get(), value.raw_data(), value.size_bytes());
      region->random.seed(static_cast<uint32_t>(seed));
      region->begin.store(static_cast<std::byte*>(memory), std::memory_order_release);
    }
  }
  if (region == nullptr) {
    munmap(memory, mapped);
    return value;
  }
  BufferRef buffer = Buffer::adopt(memory, value.size_bytes(), end_region, region, /*writable=*/false);
  mprotect(memory, mapped, PROT_NONE);
  return Array::wrap(buffer.leave(), memory, value.dtype(), value.shape());
}

#else

bool has_unsteady_memory() { return false; }
Array unsteady(const Array& value, uint64_t) { return value; }

#endif

}  // namespace flowray::testing
