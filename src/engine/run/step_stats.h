#pragma once

#include "engine/run/step_trace.h"
#include "wire/run_metadata.h"

#include <string>

namespace flowray::engine {

/// A trace in the form of TensorFlow's RunMetadata, which its timeline draws. `device`: what ran it,
/// "/job:local/replica:0/task:0/device:CPU:0". Names are borrowed from the graph.
wire::StepStats to_step_stats(const StepTrace& trace, const std::string& device);

}  // namespace flowray::engine
