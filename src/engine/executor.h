#pragma once
/// Runs Programs.

#include "core/parallel.h"
#include "engine/program.h"
#include "engine/run_context.h"
#include "engine/specialise.h"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace flowray::engine {

/// What one run works on: its arena, the table of pointers, the arrays it holds. Checked out of an Executor
/// for a run, so that any number of threads may run one Program.
class RunState {
 public:
  explicit RunState(const Program& program);

 private:
  friend class Executor;
  friend class ProgramRun;

  /// What one body of an If or a While runs on, made when it first runs.
  struct Body {
    std::unique_ptr<RunState> state;
    /// Two of each for the body of a While, one for the others.
    std::array<std::vector<const Array*>, 2> feeds;
    /// Of the runs before; their memory serves the next one where nobody else holds it.
    std::array<std::vector<Array>, 2> results;
  };
  Array arena_;               // bytes; 64-byte aligned
  std::vector<void*> slots_;  // by SlotId
  std::vector<Array> held_;   // by SlotId; without value unless the slot is held just now
  std::vector<Body> bodies_;  // as Program::bodies
};

/// A Program with its free RunStates. Thread-safe.
class Executor {
 public:
  /// `closing`: the session's, which ends what waits.
  Executor(std::unique_ptr<Program> program, graph::NodeStates& states, Cancellation& closing)
      : program_(std::move(program)), states_(states), closing_(closing) {}

  /// Runs once in the calling thread. `feeds` are as planned in number, dtype and shape; `results` gets one
  /// array for each fetch. Throws errors::OpError naming the node that failed, or what `context` tells;
  /// nothing is handed out then.
  void run(std::span<const Array* const> feeds, std::span<Array> results, Parallel& parallel,
           const RunContext& context = {});

  const Program& program() const { return *program_; }

 private:
  std::unique_ptr<RunState> check_out();
  void check_in(std::unique_ptr<RunState> state);

  const std::unique_ptr<Program> program_;
  graph::NodeStates& states_;
  Cancellation& closing_;
  std::mutex mutex_;  // guards free_states_
  std::vector<std::unique_ptr<RunState>> free_states_;
};

}  // namespace flowray::engine
