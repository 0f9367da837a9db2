#pragma once
/// All passes in a row: from a graph to the Program that runs.

#include "engine/plan/plan_request.h"
#include "engine/plan/specialise.h"
#include "engine/program/program.h"
#include "engine/step/pass_options.h"
#include "engine/step/place.h"
#include "engine/step/step_graph.h"

#include <memory>
#include <vector>

namespace flowray::engine {

/// What can be done before shapes are known, once for each set of feeds and fetches. `devices`: those on
/// which the nodes must be able to run; null: unchecked. What cannot be raised becomes one node of kind
/// kTokens. Throws what prune(), place() and call_functions() throw.
StepGraph make_step_graph(const StepRequest& request, const PassOptions& passes = {},
                          const DeviceSet* devices = nullptr);

/// The rest, for what is known of the feeds: their shapes at least. Throws errors::OpError, naming the node.
std::unique_ptr<Program> make_program(const StepGraph& step, std::vector<ValueFacts> fed,
                                      const Resources& resources);

/// The second half of that, for facts that are there.
std::unique_ptr<Program> plan(const PlanRequest& request, const Resources& resources);

}  // namespace flowray::engine
