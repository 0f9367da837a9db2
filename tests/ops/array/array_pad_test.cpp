#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(Tile, RepeatsEachDimension) {
  EXPECT_EQ(run_op("Tile", {Array({{1, 2}, {3, 4}}), int_vector({2, 1})}),
            Array({{1, 2}, {3, 4}, {1, 2}, {3, 4}}));
  EXPECT_EQ(run_op("Tile", {Array({{1, 2}, {3, 4}}), int_vector({1, 3})}),
            Array({{1, 2, 1, 2, 1, 2}, {3, 4, 3, 4, 3, 4}}));
  EXPECT_EQ(run_op("Tile", {Array({{1}, {2}}), Array(std::vector<int64_t>{2, 2})}),
            Array({{1, 1}, {2, 2}, {1, 1}, {2, 2}}));
  EXPECT_EQ(run_op("Tile", {Array({"a", "b"}), int_vector({2})}), Array({"a", "b", "a", "b"}));
  EXPECT_EQ(run_op("Tile", {Array(3.f), Array(DType::kInt32, Shape{0})}), Array(3.f));
  EXPECT_EQ(run_op("Tile", {zeros({2, 3}), int_vector({0, 2})}).shape(), Shape({0, 6}));
  EXPECT_EQ(run_op("Tile", {zeros({0, 3}), int_vector({2, 2})}).shape(), Shape({0, 6}));
}

TEST(Tile, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("Tile", {floats({-1, 3}), int_vector({2, 2})}), "[?,6]");
  EXPECT_EQ(built_shape("Tile", {floats({-1, 3}), int_vector({0, 2})}), "[0,6]");
  EXPECT_EQ(built_shape("Tile", {floats({2, 3}), ints(kUnknownRank)}), "[?,?]");
  EXPECT_EQ(built_shape("Tile", {floats(kUnknownRank), int_vector({2, 1})}), "[?,?]");
  EXPECT_EQ(built_shape("Tile", {floats(kUnknownRank), ints(kUnknownRank)}), "<unknown>");
}

TEST(Tile, RefusesMultiplesThatDoNotFit) {
  expect_build_error("Shape must be rank 2 but is rank 1", "Tile", {floats({2, 3}), int_vector({2})});
  expect_build_error("Shape must be rank 1 but is rank 2", "Tile", {floats({2, 3}), Array({{2, 1}})});
  expect_run_error("Expected multiples argument to be a vector of length 2 but got length 1", "Tile",
                   {zeros({2, 3}), int_vector({2})});
  expect_run_error("Expected multiples[1] >= 0, but got -1", "Tile", {zeros({2, 3}), int_vector({2, -1})});
}

TEST(Tile, SumsItsGradient) {
  check_gradient("Tile", {counting<double>({2, 3}), int_vector({2, 3})});
  check_gradient("Tile", {counting<double>({2, 1}), int_vector({1, 4})});
}

TEST(Pad, SurroundsWithZeros) {
  EXPECT_EQ(run_op("Pad", {Array({{1, 2}, {3, 4}}), Array({{1, 0}, {2, 1}})}),
            Array({{0, 0, 0, 0, 0}, {0, 0, 1, 2, 0}, {0, 0, 3, 4, 0}}));
  EXPECT_EQ(run_op("Pad", {Array({1.5f}), Array({{0, 2}}).astype(DType::kInt64)}), Array({1.5f, 0.f, 0.f}));
  EXPECT_EQ(run_op("Pad", {zeros({0, 1}), Array({{1, 1}, {0, 0}})}), Array({{0.f}, {0.f}}));
  EXPECT_EQ(run_op("Pad", {zeros({2, 0}), Array({{1, 1}, {0, 0}})}).shape(), Shape({4, 0}));
  EXPECT_EQ(run_op("Pad", {Array(7), Array(DType::kInt32, Shape{0, 2})}), Array(7));
}

TEST(PadV2, SurroundsWithAValue) {
  EXPECT_EQ(run_op("PadV2", {Array({{1, 2}}), Array({{0, 1}, {1, 0}}), Array(9)}),
            Array({{9, 1, 2}, {9, 9, 9}}));
  expect_run_error("constant_values must be a scalar. Found: [1]", "PadV2",
                   {zeros({2, 3}), Array({{1, 1}, {1, 1}}), zeros({1})});
}

TEST(Pad, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("Pad", {floats({-1, 3}), Array({{1, 1}, {0, 2}})}), "[?,5]");
  EXPECT_EQ(built_shape("Pad", {floats({2, 3}), ints(kUnknownRank)}), "[?,?]");
  EXPECT_EQ(built_shape("Pad", {floats(kUnknownRank), Array({{1, 1}, {2, 2}})}), "[?,?]");
  EXPECT_EQ(built_shape("Pad", {floats(kUnknownRank), ints({-1, 2})}), "<unknown>");
}

TEST(Pad, RefusesPaddingsThatDoNotFit) {
  expect_build_error("Shape must be rank 1 but is rank 2", "Pad", {floats({2, 3}), Array({{1, 1}})});
  expect_build_error("Dimension must be 2 but is 3", "Pad", {floats({2, 3}), Array({{1, 1, 1}, {1, 1, 1}})});
  expect_build_error("Paddings must be non-negative", "Pad", {floats({2, 3}), Array({{1, -1}, {0, 0}})});
  expect_run_error("The first dimension of paddings must be the rank of inputs[1,2] [2,3]", "Pad",
                   {zeros({2, 3}), Array({{1, 1}})});
  expect_run_error("paddings must be a matrix with 2 columns: [2,3]", "Pad",
                   {zeros({2, 3}), Array({{1, 1, 1}, {1, 1, 1}})});
  expect_run_error("Paddings must be non-negative: 1 -1", "Pad", {zeros({2, 3}), Array({{1, -1}, {0, 0}})});
}

TEST(Pad, CutsItsGradientOut) {
  check_gradient("Pad", {counting<double>({2, 3}), Array({{1, 2}, {0, 1}})});
  check_gradient("PadV2", {counting<double>({2}), Array({{1, 2}}), Array(0.0)}, {.skip = {2}});
}

TEST(Tile, RefusesMoreElementsThanCanBeCounted) {
  const std::string text =
      "Negative dimension size caused by overflow when multiplying 4 and 4611686018427387904";
  const Array multiples(std::vector<int64_t>{int64_t{1} << 62});
  expect_build_error(text, "Tile", {floats({4}), multiples});
  expect_run_error(text, "Tile", {zeros({4}), multiples});
  expect_run_error("Shape [4611686018427387904,4] would have more than 2**63 - 1 elements", "Tile",
                   {zeros({1, 4}), Array(std::vector<int64_t>{int64_t{1} << 62, 1})});
  EXPECT_EQ(run_op("Tile", {zeros({1, 0}), Array(std::vector<int64_t>{int64_t{1} << 40, 4})}).shape(),
            Shape({int64_t{1} << 40, 0}));
}

TEST(Pad, RefusesMoreElementsThanCanBeCounted) {
  const Array paddings = Array(std::vector<int64_t>{INT64_MAX, 0}).reshape({1, 2});
  expect_build_error("Dimension size overflow from adding", "Pad", {floats({4}), paddings});
  expect_run_error("Dimension size overflow from adding", "Pad", {zeros({4}), paddings});
  expect_build_error("Rank cannot exceed kint32max", "Pad", {floats({4}), ints({(int64_t{1} << 32) + 1, 2})});
}

}  // namespace
}  // namespace flowray::testing
