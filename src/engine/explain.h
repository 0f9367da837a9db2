#pragma once
/// A step's Program for people: what runs, in which memory, and how long each instruction took.

#include "engine/program.h"
#include "engine/step_graph.h"
#include "engine/step_trace.h"

#include <span>
#include <string>

namespace flowray::engine {

/// One run that was measured.
struct MeasuredRun {
  int64_t total_ns = 0;  // of a run without the trace
  StepTrace trace;       // of one with it
};

/// A summary, then each instruction on a line, in the order in which they run; behind `runs` each with its
/// time (the median of the runs, summed over the iterations of a loop) and its share of the time of all.
std::string explain(const StepGraph& step, const Program& program, std::span<const MeasuredRun> runs = {});

}  // namespace flowray::engine
