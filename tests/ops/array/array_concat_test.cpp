#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

graph::Attrs axis_attr(int64_t axis) { return {{"axis", axis}}; }

TEST(ConcatV2, JoinsAlongAnyAxis) {
  const Array a = Array({{1, 2}, {3, 4}});
  const Array b = Array({{5, 6}, {7, 8}});
  EXPECT_EQ(run_op("ConcatV2", {a, b, Array(0)}), Array({{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(run_op("ConcatV2", {a, b, Array(1)}), Array({{1, 2, 5, 6}, {3, 4, 7, 8}}));
  EXPECT_EQ(run_op("ConcatV2", {a, Array({{9}, {10}}), b, Array(int64_t{-1})}),
            Array({{1, 2, 9, 5, 6}, {3, 4, 10, 7, 8}}));
  EXPECT_EQ(run_op("Concat", {Array(1), a, b}), Array({{1, 2, 5, 6}, {3, 4, 7, 8}}));
}

TEST(ConcatV2, JoinsTheMiddleOfThreeAxes) {
  const Array y = run_op("ConcatV2", {counting({2, 1, 2}), counting({2, 2, 2}, 100.f), Array(1)});
  EXPECT_EQ(
      y, Array({{{0.f, 1.f}, {100.f, 101.f}, {102.f, 103.f}}, {{2.f, 3.f}, {104.f, 105.f}, {106.f, 107.f}}}));
}

TEST(ConcatV2, JoinsStringsAndEmptyParts) {
  EXPECT_EQ(run_op("ConcatV2", {Array{"a"}, Array({"b", "c"}), Array(0)}), Array({"a", "b", "c"}));
  EXPECT_EQ(run_op("ConcatV2", {zeros({2, 0}), counting({2, 1}), Array(1)}), Array({{0.f}, {1.f}}));
  EXPECT_EQ(run_op("ConcatV2", {zeros({0, 2}), zeros({0, 2}), Array(0)}).shape(), Shape({0, 2}));
}

TEST(ConcatV2, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("ConcatV2", {floats({2, 3}), floats({2, 3}), ints({})}), "[?,?]");
  EXPECT_EQ(built_shape("ConcatV2", {floats(kUnknownRank), floats({2, 3}), Array(0)}), "[?,3]");
  EXPECT_EQ(built_shape("ConcatV2", {floats(kUnknownRank), floats({2, 3}), Array(-1)}), "[2,?]");
  EXPECT_EQ(built_shape("ConcatV2", {floats(kUnknownRank), floats(kUnknownRank), Array(1)}), "<unknown>");
  EXPECT_EQ(built_shape("ConcatV2", {floats({-1, 3}), floats({2, -1}), Array(0)}), "[?,3]");
  EXPECT_EQ(built_shape("ConcatV2", {floats({-1, 3}), floats({2, 4}), Array(1)}), "[2,7]");
}

TEST(ConcatV2, RefusesPartsThatDoNotFit) {
  const std::string high = "Shape must be at least rank 3 but is rank 2";
  expect_build_error(high, "ConcatV2", {floats({2, 3}), floats({2, 3}), Array(2)});
  expect_build_error(high, "ConcatV2", {floats({2, 3}), floats({2, 3}), Array(-3)});
  expect_build_error("Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].",
                     "ConcatV2", {floats({2, 3}), floats({3, 3}), Array(1)});
  expect_build_error("Shape must be rank 2 but is rank 1", "ConcatV2",
                     {floats({2, 3}), floats({3}), Array(0)});
  expect_build_error("Can't concatenate scalars (use tf.stack instead)", "ConcatV2",
                     {floats({}), floats({}), ints({})});
  expect_run_error("ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 2", "ConcatV2",
                   {zeros({2, 3}), zeros({2, 3}), Array(2)});
  expect_run_error(
      "ConcatOp : Dimension 0 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [3,3]",
      "ConcatV2", {zeros({2, 3}), zeros({3, 3}), Array(1)});
  expect_run_error("ConcatOp : Ranks of all input tensors should match: shape[0] = [2,3] vs. shape[1] = [3]",
                   "ConcatV2", {zeros({2, 3}), zeros({3}), Array(0)});
  expect_run_error("ConcatOp : Can't concatenate scalars (use tf.stack instead)", "ConcatV2",
                   {zeros({}), zeros({}), Array(0)});
  expect_run_error("ConcatOp : Expected concatenating dimensions in the range [0, 0), but got -1", "ConcatV2",
                   {zeros({}), zeros({}), Array(-1)});
}

TEST(ConcatV2, SplitsItsGradient) {
  check_gradient("ConcatV2", {counting<double>({2, 3}), counting<double>({2, 1}), Array(1)});
  check_gradient("ConcatV2", {counting<double>({1, 2}), counting<double>({3, 2}), Array(-2)});
  check_gradient("Concat", {Array(0), counting<double>({1, 2}), counting<double>({3, 2})});
  std::vector<Array> many(18, counting<double>({2, 2}));
  many.back() = Array(1);
  check_gradient("ConcatV2", many);
}

TEST(ConcatOffset, SaysWhereEachPartBegins) {
  const std::vector<Array> offsets = run_op_all(
      "ConcatOffset", {Array(1), int_vector({2, 2, 7}), int_vector({2, 3, 7}), int_vector({2, 9, 7})});
  EXPECT_EQ(offsets[0], int_vector({0, 0, 0}));
  EXPECT_EQ(offsets[1], int_vector({0, 2, 0}));
  EXPECT_EQ(offsets[2], int_vector({0, 5, 0}));
  expect_run_error("Concat dim is out of range: 2 vs. 2", "ConcatOffset",
                   {Array(2), int_vector({2, 3}), int_vector({2, 5})});
  expect_run_error(
      "All dimensions except 1 must match. Input 1 has shape [3 5] and doesn't match input 0 with shape [2 "
      "3].",
      "ConcatOffset", {Array(1), int_vector({2, 3}), int_vector({3, 5})});
  expect_run_error("input 1 should contain 2 elements, but got 3", "ConcatOffset",
                   {Array(1), int_vector({2, 3}), int_vector({3, 5, 6})});
}

TEST(Pack, StacksAlongANewAxis) {
  const Array a = Array({1, 2, 3});
  const Array b = Array({4, 5, 6});
  EXPECT_EQ(run_op("Pack", {a, b}), Array({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(run_op("Pack", {a, b}, axis_attr(1)), Array({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(run_op("Pack", {a, b}, axis_attr(-2)), Array({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(run_op("Pack", {Array(1.5), Array(2.5)}), Array(std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(run_op("Pack", {Array("x"), Array("y")}), Array({"x", "y"}));
  EXPECT_EQ(run_op("Pack", {zeros({0}), zeros({0})}).shape(), Shape({2, 0}));
}

TEST(Pack, RefusesUnequalShapes) {
  expect_build_error("Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,3].",
                     "Pack", {floats({2, 3}), floats({3, 3})});
  expect_build_error("Invalid axis: 3; must be in [-3,3)", "Pack", {floats({2, 3}), floats({2, 3})},
                     axis_attr(3));
  expect_run_error("Shapes of all inputs must match: values[0].shape = [2,3] != values[1].shape = [3,3]",
                   "Pack", {zeros({2, 3}), zeros({3, 3})});
  expect_run_error("axis = -4 not in [-3, 3)", "Pack", {zeros({2, 3}), zeros({2, 3})}, axis_attr(-4));
  EXPECT_EQ(built_shape("Pack", {floats(kUnknownRank), floats({2, -1})}), "[2,2,?]");
}

TEST(Pack, UnpacksItsGradient) {
  check_gradient("Pack", {counting<double>({2, 3}), counting<double>({2, 3})}, {.attrs = axis_attr(1)});
}

TEST(ConcatV2, RefusesAnAxisThatNoIntHolds) {
  const auto build = [](int64_t axis) {
    expect_build_error("Rank cannot exceed kint32max", "ConcatV2",
                       {floats({2, 2}), floats({2, 2}), Array(axis)}, {{"N", int64_t{2}}});
  };
  build((int64_t{1} << 32) + 1);
  build(int64_t{1} << 31);
  expect_build_error("Dimension size overflow", "ConcatV2",
                     {floats({2, 2}), floats({2, 2}), Array(INT64_MIN)}, {{"N", int64_t{2}}});
  expect_run_error("ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 4294967297",
                   "ConcatV2", {zeros({2, 2}), zeros({2, 2}), Array((int64_t{1} << 32) + 1)});
}

TEST(ConcatV2, RefusesMoreRowsThanCanBeCounted) {
  const std::string text = "Dimension size overflow from adding 4611686018427387904 and 4611686018427387904";
  const int64_t many = int64_t{1} << 62;
  expect_build_error(text, "ConcatV2", {floats({many, 0}), floats({many, 0}), Array(0)});
  // A row is 2^63 elements, of which there are none.
  const int64_t half = int64_t{1} << 61;
  EXPECT_EQ(run_op("ConcatV2", {zeros({0, half, 2}), zeros({0, half, 2}), Array(1)}).shape(),
            Shape({0, many, 2}));
}

TEST(ConcatOffset, WrapsAroundAsInTensorFlow) {
  const Array most = int_vector({INT32_MAX});
  const std::vector<Array> offsets = run_op_all("ConcatOffset", {Array(0), most, most, most});
  EXPECT_EQ(offsets.at(2), int_vector({-2}));
}

TEST(Pack, RefusesAnAxisThatNoIntHolds) {
  expect_build_error("Attr axis has value 4294967296 out of range for an int32", "Pack", {floats({2})},
                     axis_attr(int64_t{1} << 32));
}

}  // namespace
}  // namespace flowray::testing
