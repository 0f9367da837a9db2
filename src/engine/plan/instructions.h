#pragma once
/// From a specialised step to a Program: which instructions there are, with their kernels, and the slots that
/// they read and write. Where slots lie, what is updated in place and when held values are let go is decided
/// after (plan_buffers.h).

#include "engine/plan/plan_request.h"

namespace flowray::engine {

/// Bodies of If and While and what runs node by node go through `plan_program`. Throws errors::OpError,
/// naming the node, where an op has no kernel for its dtypes.
std::unique_ptr<Program> make_instructions(const PlanRequest& request, const Resources& resources,
                                           PlanProgram plan_program);

}  // namespace flowray::engine
