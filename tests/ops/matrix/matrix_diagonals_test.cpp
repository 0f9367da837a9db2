// Values are compared with TensorFlow's in GoldenOps; here sizes that are hard to count.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(MatrixDiagPart, OfAMatrixWithoutColumnsIsDoneAtOnce) {
  constexpr int64_t kRows = INT32_MAX;
  const Array diagonals = int_vector({-INT32_MAX + 1, -1});
  EXPECT_EQ(run_op("MatrixDiagPartV2", {zeros({1, kRows, 0}), diagonals, Array(0.f)}).shape(),
            (Shape{1, kRows - 1, 0}));
}

TEST(MatrixDiagPart, OfNoMatricesDoesNotMultiplyTheirSizes) {
  constexpr int64_t kSize = int64_t{1} << 40;
  EXPECT_EQ(run_op("MatrixDiagPart", {zeros({0, kSize, kSize})}).shape(), (Shape{0, kSize}));
}

}  // namespace
}  // namespace flowray::testing
