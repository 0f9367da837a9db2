#pragma once
/// The two ways to run a Program that may have to wait: blocking a thread meanwhile, or not.

#include "engine/run/run_inbox.h"
#include "engine/run/run_state.h"
#include "engine/run/waiting_work.h"

#include <functional>
#include <memory>
#include <span>

namespace flowray::engine {

/// The way of run_program() for a program that may have to wait.
void run_waiting_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                         const RunSurroundings& surroundings);

/// The same as a part of another run, for a program that may wait: what it waits for comes to `inbox`. All of
/// it must outlive the work.
std::unique_ptr<WaitingWork> begin_program(RunState& state, std::span<const Array* const> feeds,
                                           std::span<Array> results, const RunSurroundings& surroundings,
                                           std::shared_ptr<RunInbox> inbox);

/// A run that stops where it has to wait, be it inside of branches and loops, and holds no thread then.
class PausingRun {
 public:
  /// `wake` is called once after each advance() that returned false, when it is time for the next one,
  /// by the thread that completes the wait. It must neither wait nor advance the run itself. The
  /// arguments must outlive the run.
  static std::unique_ptr<PausingRun> begin(RunState& state, std::span<const Array* const> feeds,
                                           const RunSurroundings& surroundings, std::function<void()> wake);
  virtual ~PausingRun() = default;

  /// Goes on as far as it can. True: it is over and `results` are handed out. False: it waits, unless `wake`
  /// has been called meanwhile, so the caller leaves it alone. Throws as run_program does, when nothing of
  /// the run waits any more.
  virtual bool advance(std::span<Array> results) = 0;
  /// Says that the context's deadline is over. From any thread.
  virtual void expire() = 0;
};

}  // namespace flowray::engine
