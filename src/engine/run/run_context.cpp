#include "engine/run/run_context.h"

#include <flowray/errors.h>

#include "core/subnormals.h"

#include <utility>

namespace flowray::engine {

void RunSurroundings::check_wanted() const {
  const bool cancelled = context.cancellation != nullptr && context.cancellation->is_cancelled();
  if (cancelled || closing.is_cancelled()) throw errors::CancelledError("Step was cancelled");
  if (context.has_deadline() && RunContext::Clock::now() >= context.deadline) {
    throw errors::DeadlineExceededError("Timed out waiting for notification");
  }
}

void tell(const RunDone& done, RunOutcome outcome) {
  const KeepSubnormals keep;
  done(std::move(outcome));
}

}  // namespace flowray::engine
