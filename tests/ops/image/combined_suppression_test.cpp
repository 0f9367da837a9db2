// Worked out by hand; tests/python/programs/boxes_of_images.py compares with TensorFlow.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(CombinedNonMaxSuppression, TakesTheBestOfAllClasses) {
  // Two boxes that do not overlap, two classes.
  const Array places = Array::from(std::vector<float>{0, 0, 1, 1, 2, 2, 3, 3}, {1, 2, 1, 4});
  const Array scores = Array::from(std::vector<float>{0.9f, 0.2f, 0.3f, 0.8f}, {1, 2, 2});
  const auto run = [&](int32_t of_class, int32_t most) {
    return run_op_all("CombinedNonMaxSuppression",
                      {places, scores, Array(of_class), Array(most), Array(0.5f), Array(0.25f)},
                      {.attrs = {{"clip_boxes", false}}});
  };
  const auto out = run(1, 3);
  EXPECT_EQ(out[0], Array::from(std::vector<float>{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0}, {1, 3, 4}));
  EXPECT_EQ(out[1], Array::from(std::vector<float>{0.9f, 0.8f, 0}, {1, 3}));
  EXPECT_EQ(out[2], Array::from(std::vector<float>{0, 1, 0}, {1, 3}));
  EXPECT_EQ(out[3], Array(std::vector<int32_t>{2}));
  EXPECT_EQ(run(2, 2)[3], Array(std::vector<int32_t>{2}));
  EXPECT_THROW(run(0, 2), errors::InvalidArgumentError);
}

TEST(CombinedNonMaxSuppression, LooksAtNoClassWhereThereIsNoBox) {
  // Scores of so many classes take no memory then; to look at each would take a day.
  const auto out = run_op_all("CombinedNonMaxSuppression", {Array(DType::kFloat32, {1, 0, 1, 4}),
                                                            Array(DType::kFloat32, {1, 0, int64_t{1} << 45}),
                                                            Array(5), Array(5), Array(0.5f), Array(0.0f)});
  EXPECT_EQ(out[0], Array(DType::kFloat32, {1, 5, 4}));
  EXPECT_EQ(out[3], Array(std::vector<int32_t>{0}));
}

}  // namespace
}  // namespace flowray::testing
