// Worked out by hand; tests/python/programs/boxes_of_images.py compares with TensorFlow.

#include "ops/array_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

TEST(ExtractGlimpse, TakesAWindowAroundAPlace) {
  const Array image = Array::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1});
  const Array middle = Array::from(std::vector<float>{1, 1}, {1, 2});
  const graph::Attrs attrs = {
      {"centered", false}, {"normalized", false}, {"uniform_noise", false}, {"noise", std::string("zero")}};
  EXPECT_EQ(run_op("ExtractGlimpse", {image, Array(std::vector<int32_t>{2, 4}), middle}, attrs),
            Array::from(std::vector<float>{0, 1, 2, 3, 0, 4, 5, 6}, {1, 2, 4, 1}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Array nowhere = Array::from(std::vector<float>{nan, std::numeric_limits<float>::max()}, {1, 2});
  EXPECT_EQ(run_op("ExtractGlimpse", {image, Array(std::vector<int32_t>{1, 1}), nowhere}, attrs),
            Array::from(std::vector<float>{0}, {1, 1, 1, 1}));
  // Noise is between the least and the most of the image.
  for (const char* const kind : {"uniform", "gaussian"}) {
    const Array noisy = run_op("ExtractGlimpse", {image, Array(std::vector<int32_t>{1, 1}), nowhere},
                               {{"uniform_noise", false}, {"noise", std::string(kind)}});
    EXPECT_GE(noisy.data<float>()[0], 1.f);
    EXPECT_LE(noisy.data<float>()[0], 9.f);
  }
}

}  // namespace
}  // namespace flowray::testing
