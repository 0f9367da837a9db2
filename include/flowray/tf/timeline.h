#pragma once
/// tensorflow.python.client.timeline: what a step did, as a trace that people look at.

#include <flowray/tf/session.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// timeline.Timeline: draws RunMetadata::step_stats, which a run with RunOptions::FULL_TRACE fills.
///
///     tf::RunMetadata metadata;
///     session.run(train, {}, {.trace_level = tf::RunOptions::FULL_TRACE}, &metadata);
///     std::ofstream("step.json") << tf::Timeline(metadata.step_stats).generate_chrome_trace_format();
class Timeline {
 public:
  /// A timeline of what RunMetadata tells of a step that was run with a trace_level
  /// of at least HARDWARE_TRACE.
  explicit Timeline(RunMetadata::StepStats step_stats) : step_stats_(std::move(step_stats)) {}

  /// JSON in Chrome's trace event format, for ui.perfetto.dev and chrome://tracing: a process for each
  /// device, a row for each thread, a span for each node that ran.
  std::string generate_chrome_trace_format() const;

 private:
  RunMetadata::StepStats step_stats_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
