#pragma once
/// The axes input of reductions: which dimensions it names, and the errors for those that are not there.

#include "graph/shape_context.h"

#include <vector>

namespace flowray::ops {

/// Shape function of reductions: axes are input 1 (a scalar or vector), the attribute keep_dims tells what
/// becomes of them.
void reduction_shape(graph::ShapeContext& context);

/// Which of `rank` dimensions `axes` name; they must be in range.
std::vector<bool> reduced_dims(const std::vector<int64_t>& axes, int rank);

}  // namespace flowray::ops
