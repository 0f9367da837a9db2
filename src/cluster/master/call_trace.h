#pragma once
/// Calls of other tasks in a step's trace, and their times on the clock of the caller.

#include "wire/run_metadata.h"

#include <cstdint>
#include <string>

namespace flowray::cluster {

/// Nanoseconds since 1970 on the caller's clock.
struct CallTimes {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

/// Moves what a task tells of its part of a step to the caller's clock: all of it was within the call. Where
/// the times say otherwise the clocks differ, and the middles of the call and of the work are taken for one.
void align_to_call(wire::StepStats& stats, const CallTimes& call);

/// The call as what `caller` did meanwhile ("/job:worker/replica:0/task:0"), beside its devices.
wire::DeviceStepStats trace_of_call(const std::string& caller, const std::string& callee,
                                    const CallTimes& call);

}  // namespace flowray::cluster
