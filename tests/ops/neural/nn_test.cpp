#include "ops/nn_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

TEST(L2Loss, IsHalfTheSumOfSquares) {
  EXPECT_EQ(run_op("L2Loss", {floats({1, -2, 3, 4}, {2, 2})}), Array(15.0f));
  EXPECT_EQ(run_op("L2Loss", {doubles({3}, {})}), Array(4.5));
  EXPECT_EQ(run_op("L2Loss", {Array(DType::kFloat32, {0, 3})}), Array(0.0f));
}

TEST(L2Loss, OfManyElementsStaysExact) {
  const int64_t count = 1000003;
  const Array x = Array::full(DType::kFloat32, {count}, 0.1);
  const double square = static_cast<double>(0.1f) * 0.1f;
  expect_close(run_op("L2Loss", {x}), Array(static_cast<float>(square * static_cast<double>(count) / 2)),
               1e-6, 0);
}

TEST(L2Loss, HasAGradient) { check_gradient("L2Loss", {scattered(DType::kFloat64, {3, 4})}); }

TEST(InTopK, CountsBetterClassesOnly) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Array predictions = floats({1, 2, 3, 3, 2, 1, 1, 1, 1, kInf, 1, 2, kNan, 1, 2, 1, 2, 3}, {6, 3});
  const Array targets(std::vector<int32_t>{0, 1, 2, 0, 1, 7});
  const Array expected(std::vector<bool>{false, true, true, false, false, false});
  EXPECT_EQ(run_op("InTopKV2", {predictions, targets, Array(2)}), expected);
  EXPECT_EQ(run_op("InTopK", {predictions, targets}, {{"k", int64_t{2}}}), expected);
  EXPECT_EQ(run_op("InTopKV2", {predictions, targets.astype(DType::kInt64), Array(int64_t{3})}),
            Array(std::vector<bool>{true, true, true, false, false, false}));
}

TEST(InTopK, RefusesShapesInTensorFlowsWords) {
  const Array k(2);
  const auto targets = [](const Shape& shape) { return Array(DType::kInt32, shape); };
  const auto predictions = [](const Shape& shape) { return Array(DType::kFloat32, shape); };
  EXPECT_EQ(run_error("InTopKV2", {predictions({2, 3}), targets({3}), k}),
            "First dimension of predictions 2 must match length of targets 3");
  EXPECT_EQ(run_error("InTopKV2", {predictions({3}), targets({3}), k}), "predictions must be 2-dimensional");
  EXPECT_EQ(run_error("InTopKV2", {predictions({2, 3}), targets({2, 1}), k}),
            "targets must be 1-dimensional");
  EXPECT_EQ(build_error("InTopKV2", {predictions({2, 3}), targets({3}), k}),
            "Dimensions must be equal, but are 2 and 3");
}

}  // namespace
}  // namespace flowray::testing
