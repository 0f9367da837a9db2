#pragma once
/// One op alone: its outputs for given arrays, its errors, and its gradient against finite differences.

#include "graph/graph.h"
#include "support/interpreter.h"

#include <functional>
#include <string>
#include <vector>

namespace flowray::testing {

/// Builds a graph of placeholders (of the arrays' exact shapes; those whose index is in `constants` as
/// Const nodes) and one node of `op`, runs it, returns all its outputs. Errors of building and running
/// pass through.
struct RunOptions {
  graph::Attrs attrs = {};
  std::vector<int> constants = {};
  /// Feed instead of folding: placeholders of unknown shape.
  bool unknown_shapes = false;
};
std::vector<Array> run_op_all(const std::string& op, const std::vector<Array>& inputs,
                              const RunOptions& options = {});
/// Output 0.
Array run_op(const std::string& op, const std::vector<Array>& inputs, graph::Attrs attrs = {});

/// Checks the registered gradient of `op` with respect to every float64 input that is not in `skip`, at
/// `inputs`, for the scalar sum(output_k * weight) with fixed pseudo-random weights over all float64 outputs
/// k in `outputs` (default: output 0), against central finite differences (step 1e-5, tolerance relative).
/// Uses GoogleTest's EXPECT.
struct GradientOptions {
  graph::Attrs attrs = {};
  std::vector<int> skip = {};
  std::vector<int> outputs = {0};
  double tolerance = 1e-5;
  double step = 1e-5;
};
void check_gradient(const std::string& op, const std::vector<Array>& inputs,
                    const GradientOptions& options = {});

/// EXPECTs equal dtype, shape and elements within `relative` plus `absolute` (NaN equals NaN).
void expect_close(const Array& actual, const Array& expected, double relative = 1e-6, double absolute = 1e-6);

}  // namespace flowray::testing
