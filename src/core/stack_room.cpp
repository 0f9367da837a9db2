#include "core/stack_room.h"

#include <flowray/errors.h>

#include <pthread.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace flowray {
namespace {

constexpr size_t kLeftOver = size_t{512} << 10;

/// Of one thread; empty until they are asked for.
struct StackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
  size_t left_over = 0;
};
thread_local StackBounds bounds;

/// What the system says of the thread: for the first one of a process it reads a file.
void find_bounds() {
  bounds.high = UINTPTR_MAX;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<uintptr_t>(low);
    bounds.high = bounds.low + size;
    bounds.left_over = std::min(kLeftOver, size / 4);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

size_t stack_room() {
  if (bounds.high == 0) find_bounds();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return bounds.low != 0 && here >= bounds.low && here < bounds.high ? here - bounds.low : SIZE_MAX;
}

void check_stack_room(const char* what) {
  if (stack_room() >= bounds.left_over) [[likely]]
    return;
  throw errors::ResourceExhaustedError(
      fmt::format("{} are nested too deeply for the stack of this thread", what));
}

}  // namespace flowray
