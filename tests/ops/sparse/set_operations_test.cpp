#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array rows(const std::vector<int64_t>& numbers) { return Array::from(numbers, {std::ssize(numbers) / 2, 2}); }
Array ints(const std::vector<int32_t>& numbers) { return Array(numbers); }

std::vector<Array> combined(const char* operation) {
  return run_op_all("DenseToDenseSetOperation",
                    {Array::from(std::vector<int32_t>{1, 2, 2, 5, 5, 5}, {2, 3}),
                     Array::from(std::vector<int32_t>{2, 3, 7, 8}, {2, 2})},
                    {.attrs = {{"set_operation", std::string(operation)}}});
}

TEST(SetOperations, GiveEachValueOnceAndInOrder) {
  const auto both = combined("intersection");
  EXPECT_EQ(both[0], rows({0, 0}));
  EXPECT_EQ(both[1], ints({2}));
  EXPECT_EQ(both[2], longs({2, 1}));
  const auto either = combined("union");
  EXPECT_EQ(either[0], rows({0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}));
  EXPECT_EQ(either[1], ints({1, 2, 3, 5, 7, 8}));
  EXPECT_EQ(combined("a-b")[1], ints({1, 5}));
  EXPECT_EQ(combined("b-a")[1], ints({3, 7, 8}));
  EXPECT_THROW(combined("xor"), errors::InvalidArgumentError);
}

TEST(SetOperations, TakeSparseRows) {
  const std::vector<Array> inputs = {Array::from(std::vector<int32_t>{1, 2, 3, 4}, {2, 2}),
                                     rows({1, 0, 1, 1}), ints({4, 9}), longs({2, 2})};
  const graph::Attrs attrs = {{"set_operation", std::string("a-b")}};
  const auto out = run_op_all("DenseToSparseSetOperation", inputs, {.attrs = attrs});
  EXPECT_EQ(out[0], rows({0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(out[1], ints({1, 2, 3}));
  EXPECT_EQ(out[2], longs({2, 2}));
  expect_run_error("indices[1] = [1,0] is repeated", "DenseToSparseSetOperation",
                   {inputs[0], rows({1, 0, 1, 0}), inputs[2], inputs[3]}, attrs);
}

TEST(SetSize, CountsDifferentValues) {
  EXPECT_EQ(run_op("SetSize", {rows({0, 0, 0, 1, 2, 0}), ints({4, 4, 5}), longs({3, 2})}), ints({1, 0, 1}));
}

}  // namespace
}  // namespace flowray::testing
