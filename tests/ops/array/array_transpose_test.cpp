#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

const Shape kMatrix = {2, 3};

TEST(Transpose, SwapsRowsAndColumns) {
  EXPECT_EQ(run_op("Transpose", {counting(kMatrix), int_vector({1, 0})}),
            Array({{0.f, 3.f}, {1.f, 4.f}, {2.f, 5.f}}));
  EXPECT_EQ(run_op("Transpose", {counting<int64_t>(kMatrix), Array(std::vector<int64_t>{-1, 0})}),
            Array::from(std::vector<int64_t>{0, 3, 1, 4, 2, 5}, {3, 2}));
}

TEST(Transpose, FollowsThePermutationOfManyAxes) {
  const Shape shape = {2, 3, 4, 5};
  const Array x = counting(shape);
  const std::vector<std::vector<int32_t>> perms = {
      {0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {3, 2, 1, 0}, {1, 0, 3, 2}};
  for (const std::vector<int32_t>& perm : perms) {
    const Array y = run_op("Transpose", {x, Array(perm)});
    int64_t flat = 0;
    int64_t at[4];
    for (at[0] = 0; at[0] < shape[perm[0]]; ++at[0])
      for (at[1] = 0; at[1] < shape[perm[1]]; ++at[1])
        for (at[2] = 0; at[2] < shape[perm[2]]; ++at[2])
          for (at[3] = 0; at[3] < shape[perm[3]]; ++at[3], ++flat) {
            int64_t in[4];
            for (int i = 0; i < 4; ++i) in[perm[static_cast<size_t>(i)]] = at[i];
            ASSERT_EQ(y.data<float>()[flat],
                      static_cast<float>(((in[0] * 3 + in[1]) * 4 + in[2]) * 5 + in[3]));
          }
  }
}

TEST(Transpose, MovesStringsBoolsAndEmptyArrays) {
  EXPECT_EQ(run_op("Transpose", {Array({{"a", "b"}, {"c", "d"}}), int_vector({1, 0})}),
            Array({{"a", "c"}, {"b", "d"}}));
  EXPECT_EQ(run_op("Transpose", {Array({{true, false}}), int_vector({1, 0})}), Array({{true}, {false}}));
  EXPECT_EQ(run_op("Transpose", {zeros({0, 3}), int_vector({1, 0})}).shape(), Shape({3, 0}));
  EXPECT_EQ(run_op("Transpose", {Array(5.f), Array(DType::kInt32, Shape{0})}), Array(5.f));
}

TEST(Transpose, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("Transpose", {floats({2, -1, 4}), int_vector({2, 0, 1})}), "[4,2,?]");
  EXPECT_EQ(built_shape("Transpose", {floats(kUnknownRank), int_vector({1, 0})}), "[?,?]");
  EXPECT_EQ(built_shape("Transpose", {floats(kUnknownRank), int_vector({0})}), "<unknown>");
  EXPECT_EQ(built_shape("Transpose", {floats(kMatrix), ints({2})}), "[?,?]");
  EXPECT_EQ(built_shape("Transpose", {floats({}), ints(kUnknownRank)}), "[]");
  EXPECT_EQ(built_shape("Transpose", {floats(kUnknownRank), ints({3})}), "[?,?,?]");
  EXPECT_EQ(built_shape("Transpose", {floats(kUnknownRank), ints({-1})}), "<unknown>");
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  expect_build_error("Dimension must be 2 but is 1", "Transpose", {floats(kMatrix), int_vector({0})});
  expect_build_error("perm dim 2 is out of range of input rank 2", "Transpose",
                     {floats(kMatrix), int_vector({0, 2})});
  expect_build_error("Shape must be rank 1 but is rank 2", "Transpose", {floats(kMatrix), Array({{0, 1}})});
  expect_run_error("transpose expects a vector of size 2. But input(1) is a vector of size 1", "Transpose",
                   {zeros(kMatrix), int_vector({0})});
  expect_run_error("1 is missing from {0,0}.", "Transpose", {zeros(kMatrix), int_vector({0, 0})});
  expect_run_error("2 is out of range [0 .. 2)", "Transpose", {zeros(kMatrix), int_vector({0, 2})});
  expect_run_error("perm must be rank 1, got shape [1,2]", "Transpose", {zeros(kMatrix), Array({{0, 1}})});
}

TEST(Transpose, HasTheInverseAsItsGradient) {
  check_gradient("Transpose", {counting<double>({2, 3, 4}), int_vector({2, 0, 1})});
}

TEST(InvertPermutation, PutsEachNumberAtItsPlace) {
  EXPECT_EQ(run_op("InvertPermutation", {int_vector({3, 4, 0, 2, 1})}), int_vector({2, 4, 3, 0, 1}));
  EXPECT_EQ(run_op("InvertPermutation", {Array(std::vector<int64_t>{1, 2, 0})}),
            Array(std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(run_op("InvertPermutation", {Array(DType::kInt32, Shape{0})}).size(), 0);
}

TEST(InvertPermutation, RefusesWhatIsNoPermutation) {
  expect_run_error("0 is duplicated in the input.", "InvertPermutation", {int_vector({0, 0})});
  expect_run_error("2 is not between 0 and 2", "InvertPermutation", {int_vector({0, 2})});
  expect_run_error("-1 is not between 0 and 2", "InvertPermutation", {int_vector({0, -1})});
  expect_run_error("invert_permutation expects a 1D vector.", "InvertPermutation", {Array({{0}})});
  expect_build_error("Shape must be rank 1 but is rank 2", "InvertPermutation", {ints({1, 1})});
}

TEST(ReverseV2, TurnsTheNamedAxes) {
  const Array x = counting<int32_t>({2, 3});
  EXPECT_EQ(run_op("ReverseV2", {x, int_vector({1})}), Array({{2, 1, 0}, {5, 4, 3}}));
  EXPECT_EQ(run_op("ReverseV2", {x, int_vector({-2})}), Array({{3, 4, 5}, {0, 1, 2}}));
  EXPECT_EQ(run_op("ReverseV2", {x, Array(std::vector<int64_t>{0, 1})}), Array({{5, 4, 3}, {2, 1, 0}}));
  EXPECT_EQ(run_op("ReverseV2", {x, Array(DType::kInt32, Shape{0})}), x);
  EXPECT_EQ(run_op("ReverseV2", {Array({"a", "b"}), int_vector({0})}), Array({"b", "a"}));
  EXPECT_EQ(run_op("ReverseV2", {zeros({2, 0}), int_vector({1})}).shape(), Shape({2, 0}));
}

TEST(ReverseV2, RefusesAxesThatAreNotThere) {
  expect_build_error("'axis'[0] = 2 is out of valid range [0, 1", "ReverseV2",
                     {floats(kMatrix), int_vector({2})});
  expect_build_error("axis 1 specified more than once.", "ReverseV2", {floats(kMatrix), int_vector({1, -1})});
  expect_run_error("'axis'[0] = 2 is out of valid range [0, 1", "ReverseV2",
                   {zeros(kMatrix), int_vector({2})});
  expect_run_error("'dims' must be 1-dimension, not 0", "ReverseV2", {zeros(kMatrix), Array(1)});
  EXPECT_EQ(built_shape("ReverseV2", {floats({2, -1}), ints(kUnknownRank)}), "[2,?]");
}

// Words and values are TensorFlow 2.21's.
TEST(ReverseV2, LooksAtNoAxesWhereThereIsNothingToReverse) {
  const auto fed = [](const Array& x, int axis) {
    return run_op_all("ReverseV2", {x, int_vector({axis})}, {.unknown_shapes = true})[0];
  };
  EXPECT_EQ(fed(Array(1.5f), 3), Array(1.5f));
  EXPECT_EQ(fed(zeros({0, 3}), -4), zeros({0, 3}));
}

TEST(Reverse, TurnsTheMarkedDimensions) {
  const Array x = counting<int32_t>({2, 3});
  EXPECT_EQ(run_op("Reverse", {x, Array({false, true})}), Array({{2, 1, 0}, {5, 4, 3}}));
  EXPECT_EQ(run_op("Reverse", {x, Array({true, true})}), Array({{5, 4, 3}, {2, 1, 0}}));
  EXPECT_EQ(run_op("Reverse", {zeros({3, 0}), Array({true, true})}), zeros({3, 0}));
  expect_run_error("Invalid input first dimension. Found 0.", "Reverse",
                   {zeros({0, 3}), Array({true, true})});
  expect_run_error(
      "'dims' must have the same number of values as 'input' has dimensions. 'input' has 2'dims' has 1 "
      "values",
      "Reverse", {zeros({2, 3}), Array({true})});
  check_gradient("Reverse", {counting<double>({3, 2}), Array({true, false})});
}

TEST(ReverseV2, TurnsTheGradientBack) {
  check_gradient("ReverseV2", {counting<double>({3, 2}), int_vector({0})});
}

TEST(Transpose, LeavesAloneWhatIsEmpty) {
  const int64_t many = int64_t{1} << 40;
  EXPECT_EQ(run_op("Transpose", {zeros({0, many, 4}), int_vector({2, 1, 0})}).shape(), Shape({4, many, 0}));
  EXPECT_EQ(run_op("Reverse", {zeros({1, many, 4, 0}), Array({true, true, true, false})}).shape(),
            Shape({1, many, 4, 0}));
  EXPECT_EQ(run_op("ReverseV2", {zeros({1, many, 4, 0}), int_vector({1})}).shape(), Shape({1, many, 4, 0}));
}

TEST(Reverse, RefusesARankThatNoIntHolds) {
  const Shape many{(int64_t{1} << 32) + 3};
  EXPECT_THROW(built_shape("Reverse", {floats(kUnknownRank), TestInput(DType::kBool, many)}), Error);
  EXPECT_THROW(built_shape("Transpose", {floats(kUnknownRank), ints(many)}), Error);
}

}  // namespace
}  // namespace flowray::testing
