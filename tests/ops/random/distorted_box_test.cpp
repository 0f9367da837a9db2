// Worked out by hand; tests/python/programs/boxes_of_images.py compares with TensorFlow.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array boxes(const std::vector<float>& corners) {
  return Array::from(corners, {1, std::ssize(corners) / 4, 4});
}

TEST(SampleDistortedBoundingBox, KeepsToItsBounds) {
  const graph::Attrs attrs = {{"T", DType::kInt32},
                              {"seed", int64_t{3}},
                              {"seed2", int64_t{4}},
                              {"area_range", std::vector<float>{0.2f, 0.5f}},
                              {"max_attempts", int64_t{9}}};
  const Array size(std::vector<int32_t>{50, 80, 3});
  const auto out =
      run_op_all("SampleDistortedBoundingBox", {size, boxes({0.2f, 0.2f, 0.8f, 0.8f})}, {.attrs = attrs});
  const auto* begin = out[0].data<int32_t>();
  const auto* extent = out[1].data<int32_t>();
  EXPECT_GE(begin[0], 0);
  EXPECT_LE(begin[0] + extent[0], 50);
  EXPECT_LE(begin[1] + extent[1], 80);
  const double share = extent[0] * extent[1] / 4000.0;
  EXPECT_GE(share, 0.2);
  EXPECT_LE(share, 0.5);
  EXPECT_FLOAT_EQ(out[2].data<float>()[2], static_cast<float>(begin[0] + extent[0]) / 50.f);
}

TEST(SampleDistortedBoundingBox, TakesTheWholeWhereNothingFits) {
  const graph::Attrs attrs = {{"aspect_ratio_range", std::vector<float>{1e-38f, 2e-38f}},
                              {"max_attempts", int64_t{100}}};
  const Array size(std::vector<int64_t>{INT32_MAX, INT32_MAX, 3});
  const auto out = run_op_all("SampleDistortedBoundingBox", {size, boxes({0, 0, 1, 1})}, {.attrs = attrs});
  EXPECT_EQ(out[1], Array(std::vector<int64_t>{INT32_MAX, INT32_MAX, -1}));
  for (const int64_t wrong : {int64_t{-1}, INT64_MAX, INT64_MIN}) {
    EXPECT_THROW(
        run_op_all("SampleDistortedBoundingBox",
                   {Array(std::vector<int64_t>{wrong, 5, 3}), boxes({0, 0, 1, 1})}, {.attrs = attrs}),
        errors::InvalidArgumentError);
  }
  EXPECT_THROW(run_op_all("SampleDistortedBoundingBox", {size, boxes({0, 0, 1, 1})},
                          {.attrs = {{"max_attempts", INT64_MAX}}}),
               errors::InvalidArgumentError);
}

TEST(SampleDistortedBoundingBox, EndsWhereManyAttemptsAreInVainForManyBoxes) {
  std::vector<float> corners;
  for (int i = 0; i < 20'000; ++i) corners.insert(corners.end(), {0, 0, 1, 1});
  const auto drawn = [&](int64_t attempts) {  // half of an image covers none of them
    return run_op_all("SampleDistortedBoundingBox", {Array(std::vector<int64_t>{50, 80, 3}), boxes(corners)},
                      {.attrs = {{"area_range", std::vector<float>{0.1f, 0.5f}},
                                 {"min_object_covered", 1.0f},
                                 {"max_attempts", attempts}}});
  };
  EXPECT_EQ(drawn(100)[1], Array(std::vector<int64_t>{50, 80, -1}));
  EXPECT_THROW(drawn(1'000'000), errors::ResourceExhaustedError);
}

}  // namespace
}  // namespace flowray::testing
