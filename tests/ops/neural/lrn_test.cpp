// Values are compared with TensorFlow's in GoldenOps; here what is refused, in its words.

#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

TEST(LRN, CountsItsRadiusInInts) {
  const Array image = floats({1, 2, 3}, {1, 1, 1, 3});
  for (const int64_t radius : {int64_t{1} << 40, int64_t{-1}, int64_t{INT32_MAX}}) {
    EXPECT_EQ(run_error("LRN", {image}, {{"depth_radius", radius}}),
              "depth_radius = " + std::to_string(radius) + " larger than int max");
  }
  EXPECT_EQ(run_op("LRN", {image}, {{"depth_radius", int64_t{INT32_MAX - 1}}}).shape(), image.shape());
}

TEST(LRN, OfNoChannelsHasNoPixels) {
  const Array none(DType::kFloat32, {0, int64_t{1} << 40, int64_t{1} << 40, 2});
  EXPECT_EQ(run_op("LRN", {none}).shape(), none.shape());
}

}  // namespace
}  // namespace flowray::testing
