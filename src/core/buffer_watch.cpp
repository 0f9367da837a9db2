#include "core/buffer_watch.h"

#include <flowray/errors.h>

namespace flowray {
namespace {

// Counts, which order nothing: all accesses are relaxed.
std::atomic<int64_t> now{0};
std::atomic<int64_t> most{0};
std::atomic<int64_t> workspaces{0};
std::atomic<int64_t> most_values{0};

void raise_to(std::atomic<int64_t>& most_so_far, int64_t bytes) {
  int64_t before = most_so_far.load(std::memory_order_relaxed);
  while (bytes > before && !most_so_far.compare_exchange_weak(before, bytes, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::atomic<bool> BufferWatch::is_watching{false};

BufferWatch::BufferWatch(Taken) noexcept { begin(); }

void BufferWatch::begin() noexcept {
  now.store(0, std::memory_order_relaxed);
  workspaces.store(0, std::memory_order_relaxed);
  forget_most();
}

BufferWatch::BufferWatch() {
  if (is_watching.exchange(true)) {
    throw errors::FailedPreconditionError(
        "The memory of buffers is being watched already; one watch at a time");
  }
  begin();
}

std::unique_ptr<BufferWatch> BufferWatch::begin_if_free() {
  if (is_watching.exchange(true)) return nullptr;
  return std::unique_ptr<BufferWatch>(new BufferWatch(Taken{}));
}

BufferWatch::~BufferWatch() { is_watching.store(false); }

int64_t BufferWatch::bytes() const noexcept { return now.load(std::memory_order_relaxed); }

int64_t BufferWatch::most_bytes() const { return most.load(std::memory_order_relaxed); }

int64_t BufferWatch::most_value_bytes() const { return most_values.load(std::memory_order_relaxed); }

void BufferWatch::forget_most() noexcept {
  most.store(bytes(), std::memory_order_relaxed);
  most_values.store(bytes() - workspaces.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void BufferWatch::add(int64_t change) noexcept {
  const int64_t sum = now.fetch_add(change, std::memory_order_relaxed) + change;
  raise_to(most, sum);
  raise_to(most_values, sum - workspaces.load(std::memory_order_relaxed));
}

void BufferWatch::add_workspace(int64_t change) noexcept {
  workspaces.fetch_add(change, std::memory_order_relaxed);
}

}  // namespace flowray
