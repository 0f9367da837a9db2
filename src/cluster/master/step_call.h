#pragma once
/// One call of a step for a client: how it is wanted, what ends it early, and what is told of it besides
/// its results.

#include "core/cancellation.h"
#include "engine/run/step_trace.h"
#include "engine/session.h"
#include "wire/run_metadata.h"
#include "wire/session_config.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flowray::cluster {

struct StepCall {
  const wire::RunOptions& options;
  /// Given when the client is gone.
  Cancellation& cancellation;
  /// Filled where the options ask for it. Borrows from the session's graph.
  std::optional<wire::RunMetadata> metadata = {};
  engine::StepTrace trace = {};  // likewise
  /// What the metadata borrow from besides.
  std::vector<std::shared_ptr<const void>> owners = {};
};

/// When the call is to end, which wants `default_timeout_ms` where its options name no time (0: never).
engine::RunContext::Clock::time_point deadline_of(const StepCall& call, int64_t default_timeout_ms);

/// Starts `step` as the call wants it: for as long as its options, else `default_timeout_ms` allow (0: for
/// ever). All that is named lives until `done` is called. `device` is that which runs it
/// ("/job:local/replica:0/task:0"), for the metadata and for errors, which begin "From DEVICE:".
void start_step(engine::Session& session, engine::Step& step, std::vector<Array> feeds,
                const std::string& device, int64_t default_timeout_ms, StepCall& call, engine::RunDone done);

}  // namespace flowray::cluster
