#pragma once

#include <flowray/array.h>

#include "core/cancellation.h"
#include "files/file_access.h"

#include <chrono>
#include <exception>
#include <functional>
#include <vector>

namespace flowray {
class Parallel;
}

namespace flowray::graph {
class NodeStates;
class Rendezvous;
}  // namespace flowray::graph

namespace flowray::engine {

class StepTrace;

/// What may end a run early, and where it records how it went. A run without any of it pays nothing for it.
struct RunContext {
  using Clock = std::chrono::steady_clock;

  /// Polled between instructions, and wakes what waits; the run then throws errors::CancelledError.
  Cancellation* cancellation = nullptr;
  /// Likewise; errors::DeadlineExceededError "Timed out waiting for notification".
  Clock::time_point deadline = Clock::time_point::max();
  /// Gets a record of each node that runs.
  StepTrace* trace = nullptr;
  /// Where its _Send and _Recv nodes meet those of the step's other parts.
  graph::Rendezvous* rendezvous = nullptr;
  /// How many functions of datasets it is within (graph::CallLimits).
  int nested = 0;

  bool has_deadline() const { return deadline != Clock::time_point::max(); }
  bool is_empty() const { return cancellation == nullptr && !has_deadline() && trace == nullptr; }
};

/// What a run uses that is not its own. It goes from the session down to every part of the run as it is.
struct RunSurroundings {
  graph::NodeStates& states;
  Parallel& parallel;
  const RunContext& context;
  Cancellation& closing;           // the session's, which ends what waits
  const files::FileAccess& files;  // those that ops may use

  /// The same but for the context, which lives as long as what is given.
  RunSurroundings with(const RunContext& other) const { return {states, parallel, other, closing, files}; }

  /// Throws what has ended the run: the caller, the session's end or the deadline.
  void check_wanted() const;
};

/// How a run that was started ended.
struct RunOutcome {
  std::exception_ptr error;    // null: it went well
  std::vector<Array> results;  // one for each fetch then
};
/// Is told of the end once, in the thread that started the run or in one of core/job_queue.h. It must neither
/// wait nor throw.
using RunDone = std::function<void(RunOutcome)>;
/// Calls it, with subnormal numbers as they are outside of steps.
void tell(const RunDone& done, RunOutcome outcome);

}  // namespace flowray::engine
