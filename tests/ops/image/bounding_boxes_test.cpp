// Worked out by hand; tests/python/programs/boxes_of_images.py compares with TensorFlow.

#include "ops/array_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

Array boxes(const std::vector<float>& corners) {
  return Array::from(corners, {1, std::ssize(corners) / 4, 4});
}

TEST(DrawBoundingBoxes, DrawsLinesAroundBoxes) {
  const Array image(DType::kFloat32, Shape{1, 4, 4, 1});
  // Rows 0 to 2, columns 1 to 3; grey images have white lines.
  EXPECT_EQ(run_op("DrawBoundingBoxes", {image, boxes({0, 0.34f, 0.7f, 1})}),
            Array::from(std::vector<float>{0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0}, {1, 4, 4, 1}));
}

TEST(DrawBoundingBoxes, LeavesOutWhatLiesOutside) {
  const Array image(DType::kFloat32, Shape{1, 3, 3, 1});
  const float huge = std::numeric_limits<float>::max();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(run_op("DrawBoundingBoxes", {image, boxes({0.9f, 0, 0.1f, 1, 2, 2, 3, 3})}), image);
  // Beyond the image on all sides: no edge is inside.
  EXPECT_EQ(run_op("DrawBoundingBoxes", {image, boxes({-huge, -huge, huge, huge, -5, -5, 9, 9})}), image);
  EXPECT_NO_THROW(run_op("DrawBoundingBoxes", {image, boxes({nan, nan, nan, nan, nan, 0, 1, nan})}));
}

TEST(DrawBoundingBoxesV2, TakesColorsInTurn) {
  const Array image(DType::kFloat32, Shape{1, 1, 3, 3});
  const Array colors(Array::from(std::vector<float>{0.5f, 0.25f, 1, 0, 0, 2}, {2, 3}));
  EXPECT_EQ(run_op("DrawBoundingBoxesV2", {image, boxes({0, 0, 0, 0, 0, 1, 0, 1, 0, 0.5f, 0, 0.5f}), colors}),
            Array::from(std::vector<float>{0.5f, 0.25f, 1, 0.5f, 0.25f, 1, 0, 0, 2}, {1, 1, 3, 3}));
  EXPECT_THROW(
      run_op("DrawBoundingBoxesV2", {image, boxes({0, 0, 0, 0}), Array(std::vector<float>{1, 2, 3})}),
      errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::testing
