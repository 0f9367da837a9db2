#pragma once
/// Runs Programs, each run on a RunState of its own.

#include "core/mutex.h"
#include "core/parallel.h"
#include "engine/run/free_run_states.h"
#include "engine/run/pausing_run.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace flowray::engine {

/// Counts the runs of a session that were started and are not over, for its end to wait for. Thread-safe.
class StartedRuns {
 public:
  void begin();
  void end();
  void wait();

 private:
  Mutex mutex_;
  CondVar ended_;
  size_t count_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

/// A Program for one set of fed shapes, with its free RunStates. Thread-safe. The program may be exchanged
/// for one for other shapes while runs of it are under way.
class Executor {
 public:
  /// `closing`: the session's, which ends what waits.
  Executor(graph::NodeStates& states, Cancellation& closing, StartedRuns& started)
      : states_(states), closing_(closing), started_(started) {}

  void exchange(std::shared_ptr<const Program> program);

  /// A RunState for feeds of these shapes; null if the program is for others.
  std::unique_ptr<RunState> check_out(std::span<const Array* const> feeds);

  /// RunStates that wait for the next runs.
  size_t num_free_states() const { return free_states_.count(); }

  /// Runs once in the calling thread, which stands still where the step waits, and takes `state` back.
  /// `feeds` are as planned in number, dtype and shape; `results` gets one array for each fetch. Throws
  /// errors::OpError naming the node that failed, or what `context` tells; nothing is handed out then.
  void run(std::unique_ptr<RunState> state, std::span<const Array* const> feeds, std::span<Array> results,
           Parallel& parallel, const RunContext& context);

  /// The same without a thread that stands still: runs in the calling thread until the step has to wait, and
  /// goes on in one of core/job_queue.h. What `context` names must live until `done` is called. Throws
  /// nothing.
  void start(std::unique_ptr<RunState> state, std::vector<Array> feeds, Parallel& parallel,
             const RunContext& context, RunDone done);

 private:
  class StartedRun;
  void check_in(std::unique_ptr<RunState> state);
  RunOutcome run_to_end(std::unique_ptr<RunState> state, const std::vector<Array>& feeds, Parallel& parallel,
                        const RunContext& context);

  graph::NodeStates& states_;
  Cancellation& closing_;
  StartedRuns& started_;
  Mutex mutex_;
  std::shared_ptr<const Program> program_ FLOWRAY_GUARDED_BY(mutex_);
  std::atomic<const Program*> current_{nullptr};  // program_, to compare with
  FreeRunStates free_states_;
};

}  // namespace flowray::engine
