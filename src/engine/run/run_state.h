#pragma once
/// What one run of a Program works on.

#include "core/parallel.h"
#include "engine/program/program.h"
#include "engine/run/dynamic_node.h"
#include "engine/run/run_context.h"

#include <array>
#include <memory>
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

  /// Where a slot's elements are.
  struct Place {
    SlotId slot;
    void* memory;
  };

  /// What one body of an If or a While runs on, made when it first runs.
  struct Body {
    std::unique_ptr<RunState> state;
    /// Two of each for the body of a While, one for the others.
    std::array<std::vector<const Array*>, 2> feeds;
    /// Results of the runs before; their memory serves the next run where it is not shared.
    std::array<std::vector<Array>, 2> results;
    /// Where a straight loop's variables are read and written, for either of the two results.
    std::array<std::vector<Place>, 2> reads;
    std::array<std::vector<Place>, 2> writes;
  };
  const std::shared_ptr<const Program> program_;
  Array memory_;  // bytes; 64-byte aligned; none where the arena is borrowed
  std::byte* arena_;
  std::vector<void*> slots_;  // by SlotId
  std::vector<Array> held_;   // by SlotId; without value unless the slot is held just now
  std::vector<Body> bodies_;  // as Program::bodies
  std::vector<std::unique_ptr<DynamicNode>> dynamic_;  // made when they first run
};

}  // namespace flowray::engine
