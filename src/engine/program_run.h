#pragma once
/// One run of a Program: what it works on, and the two ways to go through it.

#include "core/parallel.h"
#include "engine/dynamic_node.h"
#include "engine/program.h"
#include "engine/run_context.h"
#include "graph/evaluate.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace flowray::engine {

/// What one run works on: its arena, the table of pointers, the arrays it holds. Checked out of an Executor
/// for a run, so that any number of threads may run one Program.
class RunState {
 public:
  explicit RunState(std::shared_ptr<const Program> program);
  /// For a body, whose arena is a part of the one around it.
  RunState(std::shared_ptr<const Program> program, std::byte* arena);

  const std::shared_ptr<const Program>& program() const { return program_; }

 private:
  friend class ProgramRun;

  /// What one body of an If or a While runs on, made when it first runs.
  struct Body {
    std::unique_ptr<RunState> state;
    /// Two of each for the body of a While, one for the others.
    std::array<std::vector<const Array*>, 2> feeds;
    /// Of the runs before; their memory serves the next one where nobody else holds it.
    std::array<std::vector<Array>, 2> results;
  };
  const std::shared_ptr<const Program> program_;
  Array memory_;              // bytes; 64-byte aligned; none where the arena is somebody else's
  std::byte* arena_;
  std::vector<void*> slots_;  // by SlotId
  std::vector<Array> held_;   // by SlotId; without value unless the slot is held just now
  std::vector<Body> bodies_;  // as Program::bodies
  std::vector<std::unique_ptr<DynamicNode>> dynamic_;  // made when they first run
};

/// What a run uses that is not its own.
struct RunSurroundings {
  graph::NodeStates& states;
  Parallel& parallel;
  const RunContext& context;
  Cancellation& closing;  // the session's, which ends what waits
};

/// Runs from begin to end in the calling thread, which stands still where the program has to wait. Throws
/// errors::OpError naming the node that failed, or what the context tells; nothing is handed out then.
void run_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                 const RunSurroundings& surroundings);

/// A run that stops where it has to wait, and holds no thread then.
class PausingRun {
 public:
  /// `wake` hears once after each advance() that said false that it is time for the next one. It is called by
  /// whoever brings that about, and must not wait, nor advance the run itself. All of it must outlive the
  /// run.
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

/// Whether an If or a While has something in it that may have to wait. It does so in run_program() only.
bool waits_in_bodies(const Program& program);

}  // namespace flowray::engine
