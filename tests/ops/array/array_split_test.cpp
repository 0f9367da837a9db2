#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

RunOptions parts(int64_t count) { return {.attrs = {{"num_split", count}}}; }

TEST(Split, CutsIntoEqualParts) {
  const Array x = Array({{1, 2, 3, 4}, {5, 6, 7, 8}});
  const std::vector<Array> columns = run_op_all("Split", {Array(1), x}, parts(2));
  EXPECT_EQ(columns[0], Array({{1, 2}, {5, 6}}));
  EXPECT_EQ(columns[1], Array({{3, 4}, {7, 8}}));
  const std::vector<Array> rows = run_op_all("Split", {Array(-2), x}, parts(2));
  EXPECT_EQ(rows[0], Array({{1, 2, 3, 4}}));
  EXPECT_EQ(rows[1], Array({{5, 6, 7, 8}}));
  EXPECT_EQ(run_op_all("Split", {Array(0), x}, parts(1))[0], x);
  EXPECT_EQ(run_op_all("Split", {Array(0), zeros({0, 3})}, parts(2))[1].shape(), Shape({0, 3}));
}

TEST(Split, RefusesUnevenParts) {
  const graph::Attrs two = parts(2).attrs;
  expect_build_error("Dimension size must be evenly divisible by 2 but is 3", "Split",
                     {Array(1), floats({2, 3})}, two);
  expect_build_error("Dimension size, given by scalar input 2 must be in range [-2, 2)", "Split",
                     {Array(2), floats({2, 3})}, two);
  expect_build_error("Input must be scalar but has rank 1", "Split", {int_vector({0}), floats({2, 3})}, two);
  expect_run_error(
      "Number of ways to split should evenly divide the split dimension, but got split_dim 1 (size = 3) and "
      "num_split 2",
      "Split", {Array(1), zeros({2, 3})}, two);
  expect_run_error("-input rank(-2) <= split_dim < input rank (2), but got -3", "Split",
                   {Array(-3), zeros({2, 3})}, two);
}

TEST(Split, KnowsItsShapeWhileAGraphIsBuilt) {
  const graph::Attrs two = parts(2).attrs;
  EXPECT_EQ(built_shapes("Split", {ints({}), floats({2, 3})}, two),
            (std::vector<std::string>{"[?,?]", "[?,?]"}));
  EXPECT_EQ(built_shape("Split", {Array(1), floats({2, -1})}, two), "[2,?]");
  EXPECT_EQ(built_shape("Split", {Array(1), floats(kUnknownRank)}, two), "<unknown>");
}

TEST(Split, JoinsItsGradients) {
  check_gradient("Split", {Array(1), counting<double>({2, 4})}, {.attrs = parts(2).attrs, .outputs = {0, 1}});
  check_gradient("SplitV", {counting<double>({2, 4}), int_vector({1, 3}), Array(1)},
                 {.attrs = parts(2).attrs, .outputs = {0, 1}});
}

TEST(SplitV, CutsIntoPartsOfGivenSizes) {
  const Array x = Array({{1, 2, 3}, {4, 5, 6}});
  const std::vector<Array> columns = run_op_all("SplitV", {x, int_vector({1, 2}), Array(1)}, parts(2));
  EXPECT_EQ(columns[0], Array({{1}, {4}}));
  EXPECT_EQ(columns[1], Array({{2, 3}, {5, 6}}));
  const std::vector<Array> rest =
      run_op_all("SplitV", {x, Array(std::vector<int64_t>{-1, 1, 0}), Array(-1)}, parts(3));
  EXPECT_EQ(rest[0], Array({{1, 2}, {4, 5}}));
  EXPECT_EQ(rest[1], Array({{3}, {6}}));
  EXPECT_EQ(rest[2].shape(), Shape({2, 0}));
  EXPECT_EQ(run_op_all("SplitV", {x, int_vector({-1}), Array(0)}, parts(1))[0], x);
}

TEST(SplitV, RefusesSizesThatDoNotFit) {
  const graph::Attrs two = parts(2).attrs;
  const auto built = [&](const std::string& text, const std::vector<int32_t>& sizes, int axis = 1) {
    expect_build_error(text, "SplitV", {floats({2, 6}), int_vector(sizes), Array(axis)}, two);
  };
  built("can't split axis of size 6 into pieces of size [2,3]", {2, 3});
  built("Split size at index 0 must be >= 0. Got: -1", {-1, 7});
  built("Split size at index 0 must be >= 0. Got: -2", {-2, 8});
  built("size_splits can only have one -1", {-1, -1});
  built("Length of size_splits should be equal to num_outputs", {2, 2, 2});
  built("Dimension size, given by scalar input 2 must be in range [-2, 2)", {2, 4}, 2);
  const auto run = [&](const std::string& text, const std::vector<int32_t>& sizes) {
    expect_run_error(text, "SplitV", {zeros({2, 6}), int_vector(sizes), Array(1)}, two);
  };
  const std::string whole =
      "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
      "than the "
      "size of the input along split_dim if not fully specified.  Got: ";
  run(whole + "5", {2, 3});
  run(whole + "7", {-1, 7});
  run("There can only be one -1 in the input.", {-1, -1});
  run("Split size at index 0 must be >= 0. Got: -2", {-2, 8});
  run("size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and 3 elements",
      {2, 2, 2});
}

TEST(SplitV, KnowsItsShapeWhileAGraphIsBuilt) {
  const graph::Attrs two = parts(2).attrs;
  using Shapes = std::vector<std::string>;
  EXPECT_EQ(built_shapes("SplitV", {floats({2, 6}), int_vector({2, -1}), Array(1)}, two),
            (Shapes{"[2,2]", "[2,4]"}));
  EXPECT_EQ(built_shapes("SplitV", {floats({2, 6}), ints({2}), Array(1)}, two), (Shapes{"[2,?]", "[2,?]"}));
  EXPECT_EQ(built_shapes("SplitV", {floats({2, -1}), int_vector({2, 4}), Array(1)}, two),
            (Shapes{"[2,2]", "[2,4]"}));
  EXPECT_EQ(built_shapes("SplitV", {floats({2, -1}), int_vector({2, -1}), Array(1)}, two),
            (Shapes{"[2,2]", "[2,?]"}));
}

TEST(Unpack, TakesAnAxisApart) {
  const Array x = Array({{1, 2, 3}, {4, 5, 6}});
  const std::vector<Array> rows = run_op_all("Unpack", {x}, {.attrs = {{"num", int64_t{2}}}});
  EXPECT_EQ(rows[0], Array({1, 2, 3}));
  EXPECT_EQ(rows[1], Array({4, 5, 6}));
  const std::vector<Array> columns =
      run_op_all("Unpack", {x}, {.attrs = {{"num", int64_t{3}}, {"axis", int64_t{-1}}}});
  EXPECT_EQ(columns[0], Array({1, 4}));
  EXPECT_EQ(columns[2], Array({3, 6}));
}

TEST(Unpack, RefusesAnotherNumber) {
  const auto attrs = [](int64_t axis) { return graph::Attrs{{"num", int64_t{3}}, {"axis", axis}}; };
  expect_build_error("Dimension must be 3 but is 2", "Unpack", {floats({2, 3})}, attrs(0));
  expect_build_error("Invalid axis: 2; must be in [-2,2)", "Unpack", {floats({2, 3})}, attrs(2));
  expect_run_error("Input shape axis 0 must equal 3, got shape [2,3]", "Unpack", {zeros({2, 3})}, attrs(0));
  expect_run_error("axis = -3 not in [-2, 2)", "Unpack", {zeros({2, 3})}, attrs(-3));
}

TEST(Unpack, PacksItsGradients) {
  check_gradient("Unpack", {counting<double>({2, 3})},
                 {.attrs = {{"num", int64_t{3}}, {"axis", int64_t{1}}}, .outputs = {0, 1, 2}});
}

TEST(SplitV, RefusesSizesWhoseSumWrapsAround) {
  const graph::Attrs four = {{"num_split", int64_t{4}}};
  const graph::Attrs two = {{"num_split", int64_t{2}}};
  const Array wraps(std::vector<int64_t>{INT64_MAX, INT64_MAX, 2, 4});
  const Array rest(std::vector<int64_t>{INT64_MIN, -1});
  const std::string text = "Dimension size overflow from adding 9223372036854775807 and 9223372036854775807";
  expect_build_error(text, "SplitV", {floats({4}), wraps, Array(0)}, four);
  expect_run_error(text, "SplitV", {zeros({4}), wraps, Array(0)}, four);
  expect_run_error("Split size at index 0 must be >= 0. Got: -9223372036854775808", "SplitV",
                   {zeros({4}), rest, Array(0)}, two);
}

TEST(Split, LeavesAloneWhatIsEmpty) {
  const int64_t many = int64_t{1} << 62;
  const std::vector<Array> parts =
      run_op_all("Split", {Array(1), zeros({0, many, 4})}, {.attrs = {{"num_split", int64_t{2}}}});
  EXPECT_EQ(parts.at(1).shape(), Shape({0, many / 2, 4}));
}

TEST(Unpack, RefusesAnAxisThatNoIntHolds) {
  expect_build_error("Attr axis has value -9223372036854775808 out of range for an int32", "Unpack",
                     {floats({2})}, {{"num", int64_t{2}}, {"axis", INT64_MIN}});
}

}  // namespace
}  // namespace flowray::testing
