// Values are compared with TensorFlow's in GoldenOps; here sizes that are hard to walk through.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(ResizeBicubic, OfNoImagesIsDoneAtOnce) {
  const Array none = zeros({0, 1, 1, 1});
  const Array size = int_vector({INT32_MAX, INT32_MAX});
  for (const char* op : {"ResizeBicubic", "ResizeArea", "ResizeBilinear", "ResizeNearestNeighbor"}) {
    EXPECT_EQ(run_op(op, {none, size}).shape(), (Shape{0, INT32_MAX, INT32_MAX, 1})) << op;
  }
}

TEST(ResizeBicubicGrad, HasImagesWithPixels) {
  expect_run_error("original dimensions must be positive", "ResizeBicubicGrad",
                   {zeros({1, 2, 2, 1}), zeros({1, 0, 2, 1})});
}

TEST(ResizeArea, GoesThroughRowsLongerThanABlockOfColumns) {
  // Each column of two becomes its own half of the row.
  constexpr int64_t kColumns = 10'000;
  const Array row = Array::from(std::vector<float>{1, 3}, {1, 1, 2, 1});
  const Array wide = run_op("ResizeArea", {row, int_vector({2, kColumns})});
  std::vector<float> expected;
  for (int64_t i = 0; i < 2 * kColumns; ++i) expected.push_back(i % kColumns < kColumns / 2 ? 1 : 3);
  expect_close(wide, Array::from(expected, {1, 2, kColumns, 1}), 1e-3);  // TensorFlow's weights are as rough
}

}  // namespace
}  // namespace flowray::testing
