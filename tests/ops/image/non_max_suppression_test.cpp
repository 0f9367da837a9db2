// Worked out by hand; tests/python/programs/boxes_of_images.py compares with TensorFlow.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(NonMaxSuppressionWithOverlaps, DropsWhatOverlapsABetterOne) {
  const Array overlaps = Array::from(std::vector<float>{1, 0.9f, 0, 0.9f, 1, 0.3f, 0, 0.3f, 1}, {3, 3});
  const auto chosen = [&](int32_t most, float threshold) {
    return run_op("NonMaxSuppressionWithOverlaps", {overlaps, Array(std::vector<float>{0.5f, 0.9f, 0.7f}),
                                                    Array(most), Array(threshold), Array(0.1f)});
  };
  EXPECT_EQ(chosen(3, 0.5f), Array(std::vector<int32_t>{1, 2}));
  EXPECT_EQ(chosen(1, 0.5f), Array(std::vector<int32_t>{1}));
  EXPECT_EQ(chosen(3, 0.2f), Array(std::vector<int32_t>{1}));
  EXPECT_EQ(chosen(INT32_MAX, 1.f), Array(std::vector<int32_t>{1, 2, 0}));
}

}  // namespace
}  // namespace flowray::testing
