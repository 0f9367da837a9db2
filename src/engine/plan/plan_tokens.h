#pragma once
/// The second form of a plan: a graph that runs node by node.

#include "engine/plan/plan_request.h"
#include "engine/program/token_program.h"

#include <memory>
#include <vector>

namespace flowray::engine {

/// Makes the program of a node of kind kTokens, whose inputs stand for `fed` (null for values). Throws
/// errors::InvalidArgumentError where a node has inputs from different loops.
std::unique_ptr<const TokenProgram> make_token_program(
    const StepNode& tokens, const std::vector<std::shared_ptr<graph::Resource>>& fed,
    const Resources& resources, PlanProgram plan_program);

}  // namespace flowray::engine
