#include "support/op_runner.h"

#include <gtest/gtest.h>

namespace flowray::testing {
namespace {

Array floats(const std::vector<float>& values) { return Array(values); }
Array bools(const std::vector<bool>& values) { return Array(values); }

std::string error_of_select(const Array& condition, const Array& t, const Array& e, bool at_run_time) {
  try {
    run_op_all("Select", {condition, t, e}, {.unknown_shapes = at_run_time});
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

TEST(Select, ChoosesElements) {
  EXPECT_EQ(run_op("Select", {bools({true, false, true}), floats({1, 2, 3}), floats({4, 5, 6})}),
            floats({1, 5, 3}));
  EXPECT_EQ(run_op("Select", {bools({true, false}), bools({false, false}), bools({true, true})}),
            bools({false, true}));
}

TEST(Select, ChoosesStrings) {
  const Array words({"a", "a word that is longer than a pointer"});
  const Array others({"", "b"});
  EXPECT_EQ(run_op("Select", {bools({false, true}), words, others}),
            Array({"", "a word that is longer than a pointer"}));
  EXPECT_EQ(run_op("Select", {Array(true), words, others}), words);
  EXPECT_EQ(run_op("SelectV2", {bools({true, false}), words, Array("c")}), Array({"a", "c"}));
}

TEST(Select, AVectorChoosesRowsAndAScalarAll) {
  const Array t({{1, 2}, {3, 4}});
  const Array e({{5, 6}, {7, 8}});
  EXPECT_EQ(run_op("Select", {bools({true, false}), t, e}), Array({{1, 2}, {7, 8}}));
  EXPECT_EQ(run_op("Select", {Array(false), t, e}), e);
}

TEST(Select, TellsWhichShapesDoNotFit) {
  const Array two = floats({1, 2});
  const Array three = floats({1, 2, 3});
  const Array matrix({{1.f, 2.f}, {3.f, 4.f}});
  const bool building = false;
  const bool running = true;
  EXPECT_TRUE(
      error_of_select(bools({true}), two, two, building)
          .starts_with("Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2]."));
  EXPECT_TRUE(
      error_of_select(bools({true, false}), two, three, building)
          .starts_with("Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3]."));
  EXPECT_EQ(error_of_select(bools({true}), two, two, running),
            "Inputs to operation Select of type Select must have the same size and shape.  Input 0: [1] != "
            "input 1: [2]");
  EXPECT_EQ(error_of_select(bools({true, true}), two, three, running),
            "Inputs to operation Select of type Select must have the same size and shape.  Input 0: [2] != "
            "input 2: [3]");
  EXPECT_EQ(error_of_select(bools({true, true, true}), matrix, matrix, running),
            "Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 3");
  EXPECT_EQ(error_of_select(bools({true}), Array(1.f), Array(2.f), running),
            "'then' must be at least a vector, but saw shape: []");
  EXPECT_EQ(error_of_select(Array(true), two, matrix, running),
            "'then' and 'else' must have the same size.  but received: [2] vs. [2,2]");
}

TEST(SelectV2, BroadcastsAllThree) {
  const Array condition({{true}, {false}});
  EXPECT_EQ(run_op("SelectV2", {condition, Array({1, 2, 3}), Array(9)}), Array({{1, 2, 3}, {9, 9, 9}}));
  EXPECT_EQ(run_op("SelectV2", {bools({true, false}), Array(int64_t{1}), Array(std::vector<int64_t>{5, 6})}),
            Array(std::vector<int64_t>{1, 6}));
  EXPECT_EQ(run_op("SelectV2", {Array(true), Array({{1.5}, {2.5}}).astype(DType::kFloat64), Array(0.0)}),
            Array({{1.5}, {2.5}}).astype(DType::kFloat64));
  EXPECT_EQ(run_op("SelectV2", {bools({true, false}), Array({{1}, {2}}), Array({{3, 4}, {5, 6}})}),
            Array({{1, 4}, {2, 6}}));
  try {
    run_op_all("SelectV2", {bools({true, false, true}), floats({1, 2}), floats({3, 4})},
               {.unknown_shapes = true});
    FAIL();
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_TRUE(error.message().starts_with("condition [3], then [2], and else [2] must be broadcastable"));
  }
}

TEST(SelectV2, EmptyArraysBroadcast) {
  EXPECT_EQ(run_op("SelectV2", {Array(true), Array(DType::kFloat32, Shape{0, 2}), floats({1, 2})}).shape(),
            (Shape{0, 2}));
}

TEST(Select, GradientsAgreeWithDifferences) {
  const Array condition = bools({true, false, true});
  const Array t = Array(std::vector<double>{1, 2, 3});
  const Array e = Array(std::vector<double>{4, 5, 6});
  check_gradient("Select", {condition, t, e});
  check_gradient("SelectV2", {condition, t, e});
  check_gradient("SelectV2", {condition, t, Array(7.0)});
  check_gradient("SelectV2", {Array({{true}, {false}}), t, e});
}

}  // namespace
}  // namespace flowray::testing
