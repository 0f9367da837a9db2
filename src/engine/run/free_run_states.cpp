#include "engine/run/free_run_states.h"

#include <algorithm>

namespace flowray::engine {
namespace {

/// Threads are numbered as they come: those of a pool get places of their own.
size_t number_of_this_thread() {
  static std::atomic<size_t> next{0};
  thread_local const size_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

FreeRunStates::Place& FreeRunStates::own_place() { return places_[number_of_this_thread() % kMost]; }

// Sequentially consistent throughout: the Executor looks at which program is the current one after it gave a
// state, and clears after it set another; one of the two must see the other.

std::unique_ptr<RunState> FreeRunStates::take() {
  if (RunState* const own = own_place().state.exchange(nullptr)) return std::unique_ptr<RunState>(own);
  for (Place& place : places_) {
    if (place.state.load(std::memory_order_relaxed) == nullptr) continue;
    if (RunState* const found = place.state.exchange(nullptr)) return std::unique_ptr<RunState>(found);
  }
  return nullptr;
}

void FreeRunStates::give(std::unique_ptr<RunState> state) {
  const auto put = [&state](Place& place) {
    RunState* expected = nullptr;
    if (!place.state.compare_exchange_strong(expected, state.get())) return false;
    (void)state.release();  // the place's now
    return true;
  };
  if (!put(own_place())) (void)std::any_of(places_.begin(), places_.end(), put);
}

void FreeRunStates::clear() {
  for (Place& place : places_) delete place.state.exchange(nullptr);
}

size_t FreeRunStates::count() const {
  return static_cast<size_t>(std::count_if(places_.begin(), places_.end(),
                                           [](const Place& place) { return place.state.load() != nullptr; }));
}

}  // namespace flowray::engine
