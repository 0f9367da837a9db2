#pragma once
/// Runs Programs, each run on a RunState of its own.

#include "core/mutex.h"
#include "engine/run/free_run_states.h"
#include "engine/run/run_context.h"
#include "engine/run/run_state.h"
#include "engine/run/started_run.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace flowray::engine {

/// A Program for one set of fed shapes, with its free RunStates. Thread-safe. The program may be exchanged
/// for one for other shapes while runs of it are under way.
class Executor {
 public:
  void exchange(std::shared_ptr<const Program> program);

  /// A RunState for feeds of these shapes; null if the program is for others.
  std::unique_ptr<RunState> check_out(std::span<const Array* const> feeds);

  /// RunStates that wait for the next runs.
  size_t num_free_states() const { return free_states_.count(); }

  /// Runs once in the calling thread, which blocks where the step waits, and takes `state` back.
  /// `feeds` are as planned in number, dtype and shape; `results` gets one array for each fetch. Throws
  /// errors::OpError naming the node that failed, or what the context tells; nothing is handed out then.
  void run(std::unique_ptr<RunState> state, std::span<const Array* const> feeds, std::span<Array> results,
           const RunSurroundings& surroundings);

  /// The same without blocking a thread: runs in the calling thread until the step has to wait,
  /// and goes on in one of core/job_queue.h. What `surroundings` name must live until `done` is called.
  /// Throws nothing.
  void start(std::unique_ptr<RunState> state, std::vector<Array> feeds, const RunSurroundings& surroundings,
             StartedRuns& started, RunDone done);

 private:
  void check_in(std::unique_ptr<RunState> state);
  RunOutcome run_to_end(std::unique_ptr<RunState> state, const std::vector<Array>& feeds,
                        const RunSurroundings& surroundings);

  Mutex mutex_;
  std::shared_ptr<const Program> program_ FLOWRAY_GUARDED_BY(mutex_);
  std::atomic<const Program*> current_{nullptr};  // program_, to compare with
  FreeRunStates free_states_;
};

}  // namespace flowray::engine
