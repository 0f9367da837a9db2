// Crops of images: values are compared with TensorFlow's by scripts/conformance;
// here what no small image shows.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

/// A float has no number for the last row: the nearest one is that of a row beyond it.
TEST(CropAndResize, EndsAtTheLastOfManyRows) {
  constexpr int64_t kRows = 16'777'220;
  Array image(DType::kUint8, {1, kRows, 1, 1});
  image.mutable_data<uint8_t>()[kRows - 1] = 7;
  const Array box = Array::from(std::vector<float>{1, 0, 1, 0}, {1, 4});
  const Array first(std::vector<int32_t>{0});
  const Array one(std::vector<int32_t>{1, 1});
  for (const std::string method : {"bilinear", "nearest"}) {
    EXPECT_EQ(run_op("CropAndResize", {image, box, first, one}, {{"method", method}}).data<float>()[0], 7)
        << method;
  }
  const Array grads = Array::full(DType::kFloat32, {1, 1, 1, 1}, 1.0);
  const Array gradient =
      run_op("CropAndResizeGradImage", {grads, box, first, Array(std::vector<int32_t>{1, kRows, 1, 1})},
             {{"T", DType::kFloat32}});
  EXPECT_EQ(gradient.data<float>()[kRows - 1], 1);
}

/// Of pixels without channels there may be more than anybody counts.
TEST(CropAndResize, CountsNoPixelsWithoutChannels) {
  constexpr int32_t kSide = 1 << 30;
  const Array image(DType::kFloat32, {1, 2, 2, 0});
  const Array box = Array::from(std::vector<float>{0, 0, 1, 1}, {1, 4});
  const Array first(std::vector<int32_t>{0});
  const Array crops = run_op("CropAndResize", {image, box, first, Array(std::vector<int32_t>{kSide, kSide})});
  EXPECT_EQ(crops.shape(), (Shape{1, kSide, kSide, 0}));
  const Array of_image =
      run_op("CropAndResizeGradImage", {crops, box, first, Array(std::vector<int32_t>{1, 2, 2, 0})},
             {{"T", DType::kFloat32}});
  EXPECT_EQ(of_image.shape(), (Shape{1, 2, 2, 0}));
  EXPECT_EQ(run_op("CropAndResizeGradBoxes", {crops, image, box, first}), Array(DType::kFloat32, {1, 4}));
}

}  // namespace
}  // namespace flowray::testing
