#include "engine/compile.h"

#include "engine/fuse/fuse.h"
#include "engine/plan/instructions.h"
#include "engine/plan/order.h"
#include "engine/plan/plan_buffers.h"
#include "engine/plan/update_sweep.h"
#include "engine/program/verify_program.h"
#include "engine/raise/as_tokens.h"
#include "engine/raise/raise.h"
#include "engine/step/drop.h"
#include "engine/step/extended_calls.h"
#include "engine/step/reread.h"
#include "engine/step/share.h"
#include "engine/step/verify_graph.h"

#include <utility>

namespace flowray::engine {

StepGraph make_step_graph(const StepRequest& request, const PassOptions& passes, const DeviceSet* devices) {
  const auto checked = [&](StepGraph graph) {
    if (passes.verify) verify(graph);
    return graph;
  };
  StepGraph graph = prune(request);
  const std::vector<graph::Node*> targets = with_extensions(graph, request.targets);
  if (devices != nullptr) (void)place(graph, *devices);  // there is one device: whether it is the right one
  if (!has_control_flow(graph)) graph = checked(reread_updated(std::move(graph)));
  if (calls_functions(graph)) graph = call_functions(graph, targets, structured);
  const bool runs_as_tokens = !passes.raise && has_control_flow(graph);
  graph = checked(runs_as_tokens ? as_tokens(std::move(graph)) : structured(std::move(graph)));
  if (passes.drop) graph = checked(drop_unread(std::move(graph), targets));
  if (passes.share) graph = checked(share(std::move(graph)));
  return checked(blocking_first(std::move(graph)));
}

std::unique_ptr<Program> make_program(const StepGraph& step, std::vector<ValueFacts> fed,
                                      const Resources& resources) {
  const auto with = [&](std::vector<ValueFacts> known, Misfits misfits) {
    const Facts facts = specialise(step, std::move(known), resources, misfits);
    return plan({.step = step, .facts = facts, .misfits = misfits}, resources);
  };
  // An assertion that other nodes wait for tells in the program's own words what does not fit.
  if (!has_checks(step)) return with(std::move(fed), Misfits::kRefused);
  try {
    return with(fed, Misfits::kRefused);
  } catch (const errors::OpError&) {
    return with(std::move(fed), Misfits::kLeftToTheRun);
  }
}

std::unique_ptr<Program> plan(const PlanRequest& request, const Resources& resources) {
  const PassOptions& passes = resources.passes;
  const auto plan_inner = [&](const PlanRequest& inner) { return plan(inner, resources); };
  std::unique_ptr<Program> program = make_instructions(request, resources, plan_inner);
  if (passes.fuse) fuse(*program);
  if (passes.order) order_for_memory(*program, request.step, passes.least_order_gain_bytes);
  if (passes.fuse) sweep_updates(*program);
  plan_buffers(*program);
  if (passes.verify) verify(*program);
  return program;
}

}  // namespace flowray::engine
