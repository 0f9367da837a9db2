// Distances counted by hand; tests/python/programs/edits_and_bytes.py compares with TensorFlow.

#include "ops/array_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

Array pairs(const std::vector<int64_t>& numbers) {
  return Array::from(numbers, {std::ssize(numbers) / 2, 2});
}
Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }

/// Of "ab" and nothing, where the truth is "axb" and "c".
std::vector<Array> two_rows() {
  return {pairs({0, 0, 0, 1}),
          Array(std::vector<std::string>{"a", "b"}),
          longs({2, 2}),
          pairs({0, 0, 0, 1, 0, 2, 1, 0}),
          Array(std::vector<std::string>{"a", "x", "b", "c"}),
          longs({2, 3})};
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(run_op("EditDistance", two_rows(), {{"normalize", false}}), Array(std::vector<float>{1, 1}));
  expect_close(run_op("EditDistance", two_rows()), Array(std::vector<float>{1.f / 3, 1}));
}

TEST(EditDistance, IsInfiniteWhereNothingIsTrue) {
  const std::vector<Array> inputs = {pairs({1, 0}), Array(std::vector<int32_t>{4}), longs({3, 1}),
                                     pairs({}),     Array(std::vector<int32_t>{}),  longs({2, 1})};
  EXPECT_EQ(run_op("EditDistance", inputs),
            Array(std::vector<float>{0, std::numeric_limits<float>::infinity(), 0}));
  EXPECT_EQ(run_op("EditDistance", inputs, {{"normalize", false}}), Array(std::vector<float>{0, 1, 0}));
}

TEST(EditDistance, RefusesPlacesOutsideAndLargeSizes) {
  std::vector<Array> inputs = two_rows();
  inputs[0] = pairs({5, 0, 0, 1});
  EXPECT_THROW(run_op("EditDistance", inputs), errors::OpError);
  inputs[0] = pairs({-1, 0, 0, 1});
  EXPECT_THROW(run_op("EditDistance", inputs), errors::OpError);
  inputs = two_rows();
  inputs[2] = longs({int64_t{1} << 62, 2});
  EXPECT_THROW(run_op("EditDistance", inputs), errors::OpError);
  inputs[2] = longs({-1, 2});
  EXPECT_THROW(run_op("EditDistance", inputs), errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::testing
