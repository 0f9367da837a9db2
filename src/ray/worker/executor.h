#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ray/worker/worker_backend.h"

namespace flowray::ray {

/// To what waits in an actor that was abandoned.
inline constexpr const char* kActorHasEnded =
    "The actor whose method waits here has ended: it was killed, or Shutdown() was called.";

/// What a thread needs to run calls, one after the other; known to the backend while the thread does.
struct WorkerBackend::Executor {
  std::vector<std::byte> message;  // of the call that runs
  std::vector<ValuePart> parts;
  Run run;                             // points into these; written under the lock
  std::unique_ptr<Encoder[]> results;  // used again by each call
  size_t num_results = 0;
  std::vector<internal::ValueView> values;  // the arguments, while the call runs
  Answer answer;
  bool answers_later = false;
  std::atomic<bool> is_cancelled{false};
  bool fails_for_good = false;
  bool was_told = false;            // the cancellation has been thrown into the call
  std::optional<GoingOn> going_on;  // a coroutine of a call that began before

  /// Room for what the call returns; the making of an actor may fail.
  std::span<Encoder> results_for_run() {
    const size_t needed = std::max<size_t>(run.num_returns, 1);
    if (needed > num_results) {
      results = std::make_unique<Encoder[]>(needed);
      num_results = needed;
    }
    return {results.get(), needed};
  }

  /// The one whose thread this is, while a call runs in it; else null.
  static thread_local Executor* here;
};

}  // namespace flowray::ray
