#pragma once
/// A step's Program for people: what runs, in which memory, and how long each instruction took.

#include "engine/program/program.h"
#include "engine/run/step_trace.h"
#include "engine/step/step_graph.h"

#include <optional>
#include <span>
#include <string>

namespace flowray::engine {

/// One run that was measured.
struct MeasuredRun {
  int64_t total_ns = 0;  // of a run without the trace
  StepTrace trace;       // of one with it
  /// That were in use at once, the arena included; not known where another watch counted just then.
  std::optional<size_t> most_bytes = std::nullopt;
};

/// What a run of a Program needs, as far as it is known before it runs, in bytes.
struct PlannedMemory {
  size_t value_bytes = 0;      // in the arena, for values that live for a part of the run
  size_t workspace_bytes = 0;  // by so much the arena is larger because kernels need memory of their own
  size_t result_bytes = 0;     // handed out, or given to bodies
  size_t constant_bytes = 0;   // the same in all runs
  size_t num_instructions = 0;
  size_t num_segments = 0;
};
PlannedMemory planned_memory(const Program& program);

/// A summary, then each instruction on a line, in the order in which they run; behind `runs` each with its
/// time (the median of the runs, summed over the iterations of a loop) and its share of the time of all.
std::string explain(const StepGraph& step, const Program& program, std::span<const MeasuredRun> runs = {});

}  // namespace flowray::engine
