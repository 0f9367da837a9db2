// Values are compared with TensorFlow's in GoldenOps; what is refused here makes TensorFlow 2.21 crash.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(SparseTensorDenseMatMul, RefusesMatricesThatCannotBe) {
  const Array no_indices(DType::kInt64, {0, 2});
  const auto expect_refused = [&](const char* text, int64_t rows) {
    expect_run_error(text, "SparseTensorDenseMatMul",
                     {no_indices, zeros({0}), Array(std::vector<int64_t>{rows, 2}), zeros({2, 2})});
  };
  expect_refused("Dimension -1 must be >= 0", -1);
  expect_refused("Shape [4611686018427387904,2] would have more than 2**63 - 1 elements", int64_t{1} << 62);
}

}  // namespace
}  // namespace flowray::testing
