#pragma once
/// The cases of tests/golden/ops/*.json: what TensorFlow's kernels gave for single ops.
/// tests/golden/README.md has the format.

#include "support/json.h"

#include <flowray/array.h>

#include <string>
#include <vector>

namespace flowray::testing {

/// An expected array; a large one is told by its ends and its sum.
struct GoldenArray {
  DType dtype = DType::kInvalid;
  Shape shape;
  bool is_summary = false;
  std::vector<double> values;     ///< All of them, or of a summary the first 8 and the last 8.
  std::vector<int64_t> integers;  ///< The same as integers, exact.
  double sum = 0;                 ///< Of a summary.
};

/// What running a case needs: nothing here depends on how ops are run.
struct GoldenOpCase {
  std::string op;
  Json attrs;
  std::vector<Array> inputs;
  std::vector<bool> is_variable;  ///< One for each input.
  /// What to expect of each run: the outputs, or the variables after it.
  std::vector<std::vector<GoldenArray>> runs;
  bool compares_variables = false;
  std::string text;  ///< A short description for messages.
};

/// The cases of tests/golden/ops/`name`.json.
std::vector<GoldenOpCase> read_golden_ops(const std::string& name);

/// Runs `test` with the interpreter and EXPECTs what TensorFlow gave. Returns false, without a failure, where
/// the op or its kernel for these dtypes is not there yet.
bool run_golden_op(const GoldenOpCase& test);

}  // namespace flowray::testing
