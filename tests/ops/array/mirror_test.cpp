#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

graph::Attrs mode(const std::string& name) { return {{"mode", name}}; }

Array paddings(std::vector<int64_t> values) {
  return Array(values).reshape({static_cast<int64_t>(values.size() / 2), 2});
}

TEST(MirrorPad, RefusesSizesThatCannotBeCounted) {
  expect_build_error("Dimension size overflow from adding 9223372036854775807 and 8", "MirrorPad",
                     {floats({INT64_MAX}), paddings({4, 4})}, mode("SYMMETRIC"));
  expect_run_error(
      "paddings must be no greater than the dimension size: 9223372036854775807, 0 greater than 4",
      "MirrorPad", {zeros({4}), paddings({INT64_MAX, 0})}, mode("SYMMETRIC"));
  expect_run_error("Dimension size overflow from adding 9223372036854775807 and 9223372036854775807",
                   "MirrorPadGrad", {zeros({4}), paddings({INT64_MAX, INT64_MAX})}, mode("SYMMETRIC"));
  expect_run_error("Paddings must be non-negative: -9223372036854775808, 0", "MirrorPadGrad",
                   {zeros({4}), paddings({INT64_MIN, 0})}, mode("SYMMETRIC"));
}

TEST(MirrorPad, LeavesAloneWhatIsEmpty) {
  const int64_t many = int64_t{1} << 61;
  EXPECT_EQ(run_op("MirrorPad", {zeros({0, many}), paddings({0, 0, 1, 1})}, mode("SYMMETRIC")).shape(),
            Shape({0, many + 2}));
}

TEST(ReverseSequence, LeavesAloneWhatIsEmpty) {
  const graph::Attrs dims = {{"seq_dim", int64_t{2}}, {"batch_dim", int64_t{1}}};
  const int64_t many = int64_t{1} << 40;
  EXPECT_EQ(run_op("ReverseSequence", {zeros({many, 2, 2, 0}), int_vector({1, 2})}, dims).shape(),
            Shape({many, 2, 2, 0}));
  EXPECT_EQ(run_op("ReverseSequence", {zeros({many, 0, 2, 3}), Array(DType::kInt32, {0})}, dims).shape(),
            Shape({many, 0, 2, 3}));
}

}  // namespace
}  // namespace flowray::testing
