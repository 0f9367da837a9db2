#pragma once
/// Runs that were started and hold no thread while they wait.

#include "core/mutex.h"
#include "engine/run/run_context.h"
#include "engine/run/run_state.h"

#include <functional>
#include <memory>
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

/// Takes a RunState back that a run has used.
using GiveBack = std::function<void(std::unique_ptr<RunState>)>;

/// A run of a program that may have to wait. The context is copied; all else that `surroundings` name lives
/// until `done` is called.
struct RunToStart {
  std::unique_ptr<RunState> state;
  std::vector<Array> feeds;
  RunSurroundings surroundings;
  RunDone done;
  GiveBack give_back;
};

/// Runs in the calling thread until the program has to wait, and goes on in one of core/job_queue.h.
/// Throws nothing.
void start_run(RunToStart asked, StartedRuns& started);

}  // namespace flowray::engine
