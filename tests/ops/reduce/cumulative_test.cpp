#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace flowray::testing {
namespace {

Array scan(const std::string& op, const Array& x, int axis, bool exclusive = false, bool reverse = false) {
  return run_op(op, {x, Array(axis)}, {{"exclusive", exclusive}, {"reverse", reverse}});
}

TEST(Cumulative, AccumulatesForwardsAndBackwards) {
  const Array x({1, 2, 3, 4});
  EXPECT_EQ(scan("Cumsum", x, 0), Array({1, 3, 6, 10}));
  EXPECT_EQ(scan("Cumsum", x, 0, true), Array({0, 1, 3, 6}));
  EXPECT_EQ(scan("Cumsum", x, 0, false, true), Array({10, 9, 7, 4}));
  EXPECT_EQ(scan("Cumsum", x, 0, true, true), Array({9, 7, 4, 0}));
  EXPECT_EQ(scan("Cumprod", x, 0), Array({1, 2, 6, 24}));
  EXPECT_EQ(scan("Cumprod", x, 0, true), Array({1, 1, 2, 6}));
  EXPECT_EQ(scan("Cumprod", x, 0, true, true), Array({24, 12, 4, 1}));
}

TEST(Cumulative, WorksAlongAnyAxis) {
  const Array x({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  EXPECT_EQ(scan("Cumsum", x, 0), Array({{1.f, 2.f}, {4.f, 6.f}, {9.f, 12.f}}));
  EXPECT_EQ(scan("Cumsum", x, -1), Array({{1.f, 3.f}, {3.f, 7.f}, {5.f, 11.f}}));
  EXPECT_EQ(scan("Cumsum", Array(DType::kFloat32, Shape{0, 2}), 0).shape(), (Shape{0, 2}));
}

/// float16 has 11 bits of precision: 2048 + 1 is a tie, which goes to 2048. bfloat16 has 8.
TEST(Cumulative, RoundsEachSumOfSmallFloats) {
  Array ones(DType::kFloat32, Shape{3000});
  std::fill_n(ones.mutable_data<float>(), 3000, 1.0f);
  for (const auto& [dtype, greatest] : {std::pair(DType::kFloat16, 2048.0f), {DType::kBfloat16, 256.0f}}) {
    const Array sums = scan("Cumsum", ones.astype(dtype), 0).astype(DType::kFloat32);
    EXPECT_EQ(sums.data<float>()[2999], greatest);
    EXPECT_EQ(sums.data<float>()[100], 101.0f);
  }
}

/// In the order of the elements and in their own precision, so that programs that compare a sum with a limit
/// decide as with TensorFlow's: 16777216 + 1 is 16777216 in float32, but 16777216 + (1 + 1) is not.
TEST(Cumulative, AddsOneAfterTheOther) {
  const Array x({16777216.0f, 1.0f, 1.0f});
  EXPECT_EQ(scan("Cumsum", x, 0), Array({16777216.0f, 16777216.0f, 16777216.0f}));
  EXPECT_EQ(scan("Cumsum", x, 0, false, true), Array({16777218.0f, 2.0f, 1.0f}));
}

TEST(Cumulative, RefusesAnAxisThatIsNotThere) {
  EXPECT_THROW(run_op("Cumsum", {Array({1.f}), Array(1)}), errors::InvalidArgumentError);
}

TEST(Cumulative, GradientsAgreeWithDifferences) {
  const Array x = Array({{0.7, -1.9, 3.1}, {2.2, 0.3, 1.4}}).astype(DType::kFloat64);
  for (const char* op : {"Cumsum", "Cumprod"}) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        check_gradient(op, {x, Array(1)}, {.attrs = {{"exclusive", exclusive}, {"reverse", reverse}}});
      }
    }
  }
}

TEST(ListDiff, LeavesWhatTheOtherListDoesNotHave) {
  const std::vector<Array> out = run_op_all("ListDiff", {Array({1, 2, 3, 2, 6}), Array({1, 3, 5})});
  EXPECT_EQ(out[0], Array({2, 2, 6}));
  EXPECT_EQ(out[1], Array({1, 3, 4}));
  EXPECT_EQ(run_op_all("ListDiff", {Array({1}), Array({1})})[0].shape(), (Shape{0}));
}

TEST(ListDiff, LeavesNaNWhateverTheOtherListHas) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Array> out = run_op_all("ListDiff", {Array({nan, 1.0f, 2.0f}), Array({nan, 2.0f})});
  EXPECT_EQ(out[1].to_string(), Array({0, 1}).to_string());
}

TEST(Cumulative, OfNoRows) {
  const Shape shape{0, int64_t{1} << 62, 4};
  EXPECT_EQ(run_op("Cumsum", {Array(DType::kFloat32, shape), Array(1)}).shape(), shape);
}

}  // namespace
}  // namespace flowray::testing
