#pragma once
/// The RunStates that wait for the next run.

#include "engine/run/run_state.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace flowray::engine {

/// Each thread has a place that it looks into first, so that threads that run one step side by side neither
/// wait for each other nor share a cache line. Thread-safe; no locks.
class FreeRunStates {
 public:
  /// More than threads are likely to run one step at once; after a crowd of steps that waited the others
  /// are dropped.
  static constexpr size_t kMost = 32;

  FreeRunStates() = default;
  FreeRunStates(const FreeRunStates&) = delete;
  FreeRunStates& operator=(const FreeRunStates&) = delete;
  ~FreeRunStates() { clear(); }

  /// One of them, that of this thread first; null if there is none.
  std::unique_ptr<RunState> take();
  /// Drops it where there are kMost.
  void give(std::unique_ptr<RunState> state);
  /// Drops those that were given before.
  void clear();
  size_t count() const;

 private:
  static constexpr size_t kCacheLineBytes = 64;
  /// Owns what it points to.
  struct alignas(kCacheLineBytes) Place {
    std::atomic<RunState*> state{nullptr};
  };

  Place& own_place();

  std::array<Place, kMost> places_;
};

}  // namespace flowray::engine
