#pragma once
/// From a specialised step to a Program: prepares kernels, and decides where each value lives, what is
/// updated in place and when held values are let go. The buffer plan is valid for the instructions' list
/// order only.

#include "engine/program/program.h"
#include "engine/plan/specialise.h"

namespace flowray::engine {

/// Throws errors::OpError, naming the node, where an op has no kernel for its dtypes.
std::unique_ptr<Program> plan(const StepGraph& step, const Facts& facts, const Resources& resources,
                              Misfits misfits = Misfits::kRefused);

}  // namespace flowray::engine
