// Values by hand; tests/python/programs/ragged_rows.py compares with TensorFlow.

#include "ops/array_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array doubles(const std::vector<double>& numbers) { return Array(numbers); }

TEST(RaggedRange, CountsTheNumbersOfEachRow) {
  const auto out = run_op_all("RaggedRange", {longs({2, 5, 8}), longs({5, 5, 2}), longs({1, 1, -3})});
  EXPECT_EQ(out[0], longs({0, 3, 3, 5}));
  EXPECT_EQ(out[1], longs({2, 3, 4, 8, 5}));
  expect_run_error("Requires delta != 0", "RaggedRange", {longs({0}), longs({1}), longs({0})});
}

TEST(RaggedRange, RefusesMoreNumbersThanThereCanBe) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_THROW(run_op("RaggedRange", {longs({-most}), longs({most}), longs({1})}),
               errors::InvalidArgumentError);
}

const std::vector<std::string>& by_splits() {
  static const std::vector<std::string> kinds = {"ROW_SPLITS"};
  return kinds;
}

TEST(RaggedTensorToTensor, FillsRowsUpAndCutsThemOff) {
  const graph::Attrs attrs = {{"row_partition_types", by_splits()}};
  const auto dense = [&](const std::vector<int64_t>& shape) {
    return run_op("RaggedTensorToTensor",
                  {longs(shape), doubles({1, 2, 3}), Array(-1.0), longs({0, 2, 2, 3})}, attrs);
  };
  EXPECT_EQ(dense({-1, -1}), Array::from(std::vector<double>{1, 2, -1, -1, 3, -1}, {3, 2}));
  EXPECT_EQ(dense({2, 1}), Array::from(std::vector<double>{1, -1}, {2, 1}));
  check_gradient("RaggedTensorToTensor",
                 {longs({2, 1}), doubles({1, 2, 3}), Array(-1.0), longs({0, 2, 2, 3})},
                 {.attrs = attrs, .skip = {2}});
}

TEST(RaggedTensorToTensor, RefusesRowsThatDoNotFitTheValues) {
  const graph::Attrs attrs = {{"row_partition_types", by_splits()}};
  for (const std::vector<int64_t>& splits :
       std::vector<std::vector<int64_t>>{{0, 2, 5}, {1, 3}, {0, 3, 2, 3}, {}}) {
    EXPECT_THROW(run_op("RaggedTensorToTensor",
                        {longs({-1, -1}), doubles({1, 2, 3}), Array(0.0), longs(splits)}, attrs),
                 errors::InvalidArgumentError);
  }
}

TEST(RaggedTensorToSparse, TellsWhereEachValueStands) {
  const auto out =
      run_op_all("RaggedTensorToSparse", {longs({0, 1, 3}), longs({0, 2, 2, 3}), doubles({1, 2, 3})});
  EXPECT_EQ(out[0], Array::from(std::vector<int64_t>{0, 0, 0, 0, 0, 1, 1, 1, 0}, {3, 3}));
  EXPECT_EQ(out[1], doubles({1, 2, 3}));
  EXPECT_EQ(out[2], longs({2, 2, 2}));
}

// Values without elements, of which there may be more than anybody counts.
constexpr int64_t kMany = int64_t{1} << 59;

TEST(RaggedTensorToSparse, CountsNoValuesWithoutElements) {
  const auto out =
      run_op_all("RaggedTensorToSparse", {longs({0, kMany}), Array(DType::kFloat64, {kMany, 0})});
  EXPECT_EQ(out[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(out[2], longs({1, kMany, 0}));
}

TEST(RaggedTensorToTensor, CountsNoValuesWithoutElements) {
  const Array out =
      run_op("RaggedTensorToTensor",
             {longs({-1, 5, 0}), Array(DType::kFloat64, {kMany, 0}), Array(0.0), longs({0, kMany})},
             {{"row_partition_types", by_splits()}});
  EXPECT_EQ(out.shape(), (Shape{1, 5, 0}));
}

TEST(RaggedGather, RefusesMoreRowsThanMemoryCanHold) {
  const Array none(DType::kInt64, {kMany, 0});
  EXPECT_THROW(run_op_all("RaggedGather", {longs({0, 1}), doubles({1}), none},
                          {.attrs = {{"OUTPUT_RAGGED_RANK", int64_t{2}}}}),
               errors::ResourceExhaustedError);
}

TEST(RaggedGather, TakesRowsMoreThanOnce) {
  const std::vector<Array> inputs = {longs({0, 2, 2, 3}), doubles({1, 2, 3}), longs({2, 0, 0})};
  const graph::Attrs attrs = {{"OUTPUT_RAGGED_RANK", int64_t{1}}};
  const auto out = run_op_all("RaggedGather", inputs, {.attrs = attrs});
  EXPECT_EQ(out[0], longs({0, 1, 3, 5}));
  EXPECT_EQ(out[1], doubles({3, 1, 2, 1, 2}));
  check_gradient("RaggedGather", inputs, {.attrs = attrs, .outputs = {1}});
  expect_run_error("indices[0] = 3 is not in [0, 3)", "RaggedGather", {inputs[0], inputs[1], longs({3})},
                   attrs);
}

}  // namespace
}  // namespace flowray::testing
