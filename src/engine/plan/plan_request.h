#pragma once
/// What is to become a Program.

#include "core/function_ref.h"
#include "engine/plan/specialise.h"
#include "engine/program/program.h"

#include <memory>
#include <vector>

namespace flowray::engine {

struct PlanRequest {
  const StepGraph& step;
  const Facts& facts;
  Misfits misfits = Misfits::kRefused;
  /// For a body, the dtypes that its results have outside: a reference is handed out as one, or as the value
  /// behind it. Null for the step itself.
  const std::vector<DType>* gives = nullptr;
  bool is_loop_body = false;
};

/// All of planning, as compile.cpp has it, for passes that plan graphs inside of a graph.
using PlanProgram = FunctionRef<std::unique_ptr<Program>(const PlanRequest&)>;

}  // namespace flowray::engine
