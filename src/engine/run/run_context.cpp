#include "engine/run/run_context.h"

#include <flowray/errors.h>

#include "core/subnormals.h"

#include <utility>

namespace flowray::engine {

void RunContext::check_wanted(const Cancellation& closing) const {
  const bool cancelled = cancellation != nullptr && cancellation->is_cancelled();
  if (cancelled || closing.is_cancelled()) throw errors::CancelledError("Step was cancelled");
  if (has_deadline() && Clock::now() >= deadline) {
    throw errors::DeadlineExceededError("Timed out waiting for notification");
  }
}

void tell(const RunDone& done, RunOutcome outcome) {
  const KeepSubnormals keep;
  done(std::move(outcome));
}

}  // namespace flowray::engine
