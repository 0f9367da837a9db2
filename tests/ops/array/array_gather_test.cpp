#include "ops/array_testing.h"

#include "graph/gradient_context.h"

namespace flowray::testing {
namespace {

graph::Attrs batch(int64_t dims) { return {{"batch_dims", dims}}; }

TEST(GatherV2, PicksRows) {
  const Array x = counting({3, 2});
  EXPECT_EQ(run_op("GatherV2", {x, int_vector({2, 0, 2}), Array(0)}),
            Array({{4.f, 5.f}, {0.f, 1.f}, {4.f, 5.f}}));
  EXPECT_EQ(run_op("GatherV2", {x, Array(int64_t{1}), Array(0)}), Array({2.f, 3.f}));
  EXPECT_EQ(run_op("GatherV2", {x, Array({{0, 1}}), Array(int64_t{0})}), Array({{{0.f, 1.f}, {2.f, 3.f}}}));
  EXPECT_EQ(run_op("Gather", {x, int_vector({1})}), Array({{2.f, 3.f}}));
  EXPECT_EQ(run_op("GatherV2", {x, Array(DType::kInt32, Shape{0}), Array(0)}).shape(), Shape({0, 2}));
  EXPECT_EQ(run_op("GatherV2", {Array({"a", "b"}), int_vector({1, 1}), Array(0)}), Array({"b", "b"}));
}

TEST(GatherV2, PicksAlongAnyAxis) {
  const Array x = counting<int32_t>({2, 3, 2});
  EXPECT_EQ(run_op("GatherV2", {x, int_vector({2, 0}), Array(1)}),
            Array({{{4, 5}, {0, 1}}, {{10, 11}, {6, 7}}}));
  EXPECT_EQ(run_op("GatherV2", {x, Array(1), Array(-1)}), Array({{1, 3, 5}, {7, 9, 11}}));
}

TEST(GatherV2, PicksWithinBatches) {
  const Array x = counting<int32_t>({2, 3});
  EXPECT_EQ(run_op("GatherV2", {x, Array({{2, 0}, {1, 1}}), Array(1)}, batch(1)), Array({{2, 0}, {4, 4}}));
  EXPECT_EQ(run_op("GatherV2", {x, Array({{2, 0}, {1, 1}}), Array(1)}, batch(-1)), Array({{2, 0}, {4, 4}}));
  // [batch 2, outer 2, gathered 3]: row b takes its own indices in both of its outer rows.
  const Array y = run_op("GatherV2", {counting<int32_t>({2, 2, 3}), Array({{2}, {0}}), Array(2)}, batch(1));
  EXPECT_EQ(y, Array({{{2}, {5}}, {{6}, {9}}}));
}

TEST(GatherV2, SplitsLargeWork) {
  const int64_t rows = 2000;
  const Array x = counting<int32_t>({rows, 64});
  std::vector<int32_t> picks(5000);
  for (size_t i = 0; i < picks.size(); ++i) picks[i] = static_cast<int32_t>(i * 7919 % rows);
  const Array y = run_op("GatherV2", {x, Array(picks), Array(0)});
  for (size_t i = 0; i < picks.size(); ++i) {
    for (int32_t k = 0; k < 64; ++k)
      ASSERT_EQ(y.data<int32_t>()[i * 64 + static_cast<size_t>(k)], picks[i] * 64 + k);
  }
}

TEST(GatherV2, SaysWhichIndexIsOutside) {
  const auto run = [](const std::string& text, const Array& indices, int axis = 0) {
    expect_run_error(text, "GatherV2", {zeros({3, 2}), indices, Array(axis)});
  };
  run("indices[1] = 7 is not in [0, 3)", int_vector({0, 7}));
  run("indices[1,1] = -1 is not in [0, 3)", Array({{0, 1}, {2, -1}}));
  run("indices = 7 is not in [0, 3)", Array(7));
  run("indices[1,0] = 2 is not in [0, 2)", Array({{0, 1}, {2, -1}}), 1);
  run("Shape must be at least rank 3 but is rank 2", int_vector({0}), 2);
  expect_run_error("indices[0] = 4294967296 is not in [0, 3)", "Gather",
                   {zeros({3, 2}), Array(std::vector<int64_t>{int64_t{1} << 32})});
  expect_run_error("params must be at least 1 dimensional", "GatherV2",
                   {zeros({}), int_vector({0}), Array(0)});
}

TEST(GatherV2, RefusesBatchesThatDoNotFit) {
  const auto run = [](const std::string& text, const Array& indices, int axis, int64_t dims) {
    expect_run_error(text, "GatherV2", {zeros({3, 2}), indices, Array(axis)}, batch(dims));
  };
  run("params.shape[0]: 3 should be equal to indices.shape[0]: 2", Array({{0}, {0}}), 1, 1);
  run("indices[2,0] = 5 is not in [0, 2)", Array({{0}, {0}, {5}}), 1, 1);
  run("batch_dims (1) must be less than or equal to axis (0).", Array({{0}, {0}, {0}}), 0, 1);
  run("Expected batch_dims in the range [-1, 1], but got 2", int_vector({0, 1}), 1, 2);
}

TEST(GatherV2, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("GatherV2", {floats({3, 2}), ints({4, 5}), Array(0)}), "[4,5,2]");
  EXPECT_EQ(built_shape("GatherV2", {floats({3, 2}), ints({4}), ints({})}), "[?,?]");
  EXPECT_EQ(built_shape("GatherV2", {floats(kUnknownRank), ints({4}), Array(0)}), "<unknown>");
  EXPECT_EQ(built_shape("GatherV2", {floats({3, 2}), ints(kUnknownRank), Array(0)}), "<unknown>");
  EXPECT_EQ(built_shape("GatherV2", {floats({-1, 2}), ints({4}), Array(-1)}), "[?,4]");
  EXPECT_EQ(built_shape("GatherV2", {floats({-1, 5, 2}), ints({3, 4}), Array(2)}, batch(1)), "[?,5,4]");
  expect_build_error("Shape must be at least rank 3 but is rank 2", "GatherV2",
                     {floats({3, 2}), ints({1}), Array(2)});
  expect_build_error("Shape must be rank 0 but is rank 1", "GatherV2",
                     {floats({3, 2}), ints({1}), int_vector({0})});
}

TEST(GatherV2, AddsUpTheGradientsOfARow) {
  const Array x = counting<double>({4, 3});
  check_gradient("GatherV2", {x, int_vector({2, 0, 2}), Array(0)});
  check_gradient("GatherV2", {x, Array({{1, 1}, {0, 3}}), Array(0)});
  check_gradient("GatherV2", {x, int_vector({2, 0, 2}), Array(1)});
  check_gradient("GatherV2", {x, int_vector({2, 0, 2}), Array(-1)});
  check_gradient("Gather", {x, int_vector({3, 3})});
}

TEST(GatherV2, AddsUpTheGradientsWithinBatches) {
  const Array indices = Array({{2, 0, 2}, {1, 1, 0}});
  check_gradient("GatherV2", {counting<double>({2, 3, 2}), indices, Array(1)}, {.attrs = batch(1)});
  check_gradient("GatherV2", {counting<double>({2, 2, 3}), indices, Array(2)}, {.attrs = batch(1)});
  check_gradient("GatherV2", {counting<double>({1, 2, 3}), Array({{{2, 0}, {1, 1}}}), Array(2)},
                 {.attrs = batch(2)});
}

TEST(OneHot, SetsOneElement) {
  const Array on(2.f);
  const Array off(-1.f);
  EXPECT_EQ(run_op("OneHot", {int_vector({1, 0, 3, -1}), Array(3), on, off}),
            Array({{-1.f, 2.f, -1.f}, {2.f, -1.f, -1.f}, {-1.f, -1.f, -1.f}, {-1.f, -1.f, -1.f}}));
  EXPECT_EQ(run_op("OneHot", {int_vector({1, 0}), Array(3), on, off}, {{"axis", int64_t{0}}}),
            Array({{-1.f, 2.f}, {2.f, -1.f}, {-1.f, -1.f}}));
  EXPECT_EQ(run_op("OneHot", {Array(std::vector<uint8_t>{2}), Array(3), Array(true), Array(false)}),
            Array({{false, false, true}}));
  EXPECT_EQ(run_op("OneHot", {Array(int64_t{1}), Array(2), Array(int64_t{5}), Array(int64_t{6})}),
            Array(std::vector<int64_t>{6, 5}));
  EXPECT_EQ(run_op("OneHot", {Array({{0, 1}}), Array(2), on, off}, {{"axis", int64_t{1}}}),
            Array({{{2.f, -1.f}, {-1.f, 2.f}}}));
  EXPECT_EQ(run_op("OneHot", {int_vector({0}), Array(0), on, off}).shape(), Shape({1, 0}));
}

TEST(OneHot, RefusesWhatDoesNotFit) {
  const Array on(1.f);
  const Array off(0.f);
  const auto axis = [](int64_t value) { return graph::Attrs{{"axis", value}}; };
  expect_build_error("Dimension size, given by scalar input 1, must be non-negative but is -1", "OneHot",
                     {int_vector({0, 1}), Array(-1), on, off});
  expect_build_error("axis must be >= -1", "OneHot", {int_vector({0, 1}), Array(3), on, off}, axis(-2));
  expect_build_error("Input must be scalar but has rank 1", "OneHot",
                     {int_vector({0, 1}), int_vector({3}), on, off});
  expect_run_error("depth must be non-negative, got: -1", "OneHot", {int_vector({0, 1}), Array(-1), on, off});
  expect_run_error("Expected axis to be -1 or between [0, 2).  But received: 2", "OneHot",
                   {int_vector({0, 1}), Array(3), on, off}, axis(2));
  expect_run_error("on_value must be a scalar, but got: [1]", "OneHot",
                   {int_vector({0, 1}), Array(3), Array({1.f}), off});
  EXPECT_EQ(built_shape("OneHot", {ints({2}), ints({}), on, off}), "[2,?]");
  EXPECT_EQ(built_shape("OneHot", {ints(kUnknownRank), Array(3), on, off}), "<unknown>");
}

TEST(DynamicStitch, PutsRowsInTheirPlaces) {
  const Array a = Array({{1.f, 2.f}, {3.f, 4.f}});
  const Array b = Array({{5.f, 6.f}});
  EXPECT_EQ(run_op("DynamicStitch", {int_vector({2, 0}), int_vector({1}), a, b}),
            Array({{3.f, 4.f}, {5.f, 6.f}, {1.f, 2.f}}));
  EXPECT_EQ(run_op("DynamicStitch", {int_vector({0, 1}), int_vector({1}), a, b}),
            Array({{1.f, 2.f}, {5.f, 6.f}}));
  EXPECT_EQ(run_op("ParallelDynamicStitch", {Array(1), int_vector({0}), Array(7), int_vector({8})}),
            Array({8, 7}));
  EXPECT_EQ(run_op("DynamicStitch", {Array({{1, 0}}), Array({{4, 5}})}), Array({5, 4}));
}

TEST(DynamicStitch, KnowsAndChecksItsShapes) {
  EXPECT_EQ(
      built_shape("DynamicStitch", {int_vector({0, 4}), int_vector({1}), floats({2, 3}), floats({1, 3})}),
      "[5,3]");
  EXPECT_EQ(built_shape("DynamicStitch", {ints({2}), int_vector({1}), floats({2, 3}), floats({1, -1})}),
            "[?,3]");
  expect_build_error("Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3] and [4].",
                     "DynamicStitch", {int_vector({0, 2}), int_vector({1}), floats({2, 3}), floats({1, 4})});
  expect_build_error("Dimensions must be equal, but are 3 and 2", "DynamicStitch",
                     {int_vector({0, 2}), int_vector({1}), floats({3, 3}), floats({1, 3})});
  expect_run_error("indices[1] is out of range", "DynamicStitch",
                   {int_vector({0, -2}), int_vector({1}), zeros({2, 3}), zeros({1, 3})});
  expect_run_error(
      "Need data[0].shape[1:] = data[1].shape[1:], got data[0].shape = [2,3], data[1].shape = [1,4], "
      "indices[0].shape = "
      "[2], indices[1].shape = [1]",
      "DynamicStitch", {int_vector({0, 2}), int_vector({1}), zeros({2, 3}), zeros({1, 4})});
  expect_run_error("data[0].shape = [3,3] does not start with indices[0].shape = [2]", "DynamicStitch",
                   {int_vector({0, 2}), int_vector({1}), zeros({3, 3}), zeros({1, 3})});
}

TEST(DynamicStitch, GathersItsGradients) {
  check_gradient("DynamicStitch",
                 {int_vector({2, 0}), int_vector({1}), counting<double>({2, 3}), counting<double>({1, 3})});
}

TEST(UnsortedSegmentSum, AddsUpRowsBySegment) {
  const Array x = Array({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  EXPECT_EQ(run_op("UnsortedSegmentSum", {x, int_vector({2, 0, 2}), Array(4)}),
            Array({{3.f, 4.f}, {0.f, 0.f}, {6.f, 8.f}, {0.f, 0.f}}));
  EXPECT_EQ(run_op("UnsortedSegmentSum", {x, int_vector({0, -1, 0}), Array(1)}), Array({{6.f, 8.f}}));
  EXPECT_EQ(run_op("UnsortedSegmentSum", {x, Array({{0, 1}, {1, 0}, {0, 0}}), Array(int64_t{2})}),
            Array({16.f, 5.f}));
  EXPECT_EQ(run_op("UnsortedSegmentSum", {zeros({0, 2}), Array(DType::kInt64, Shape{0}), Array(2)}),
            Array({{0.f, 0.f}, {0.f, 0.f}}));
}

TEST(UnsortedSegmentSum, SplitsLargeWork) {
  const Array x = counting<int64_t>({300, 400});
  std::vector<int32_t> ids(300);
  std::vector<int64_t> expected(7 * 400);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int32_t>(i * 5 % 7);
    for (size_t k = 0; k < 400; ++k)
      expected[static_cast<size_t>(ids[i]) * 400 + k] += static_cast<int64_t>(i * 400 + k);
  }
  EXPECT_EQ(run_op("UnsortedSegmentSum", {x, Array(ids), Array(7)}), Array::from(expected, {7, 400}));
}

TEST(UnsortedSegmentSum, KnowsAndChecksItsShapes) {
  EXPECT_EQ(built_shape("UnsortedSegmentSum", {floats({3, 2}), ints({3}), ints({})}), "[?,2]");
  EXPECT_EQ(built_shape("UnsortedSegmentSum", {floats({3, 2}), ints({3}), Array(5)}), "[5,2]");
  EXPECT_EQ(built_shape("UnsortedSegmentSum", {floats({3, 2}), ints(kUnknownRank), Array(5)}), "<unknown>");
  EXPECT_EQ(built_shape("UnsortedSegmentSum", {floats(kUnknownRank), ints({3}), Array(5)}), "<unknown>");
  expect_build_error("Dimensions must be equal, but are 3 and 2", "UnsortedSegmentSum",
                     {floats({3, 2}), ints({2}), Array(3)});
  expect_build_error("Dimension size, given by scalar input 2, must be non-negative but is -1",
                     "UnsortedSegmentSum", {floats({3, 2}), ints({3}), Array(-1)});
  expect_run_error("segment_ids[2] = 5 is out of range [0, 3)", "UnsortedSegmentSum",
                   {zeros({3, 2}), int_vector({0, 1, 5}), Array(3)});
  expect_run_error("segment_ids[1,1] = 5 is out of range [0, 3)", "UnsortedSegmentSum",
                   {zeros({2, 2}), Array({{0, 1}, {2, 5}}), Array(3)});
  expect_run_error("data.shape = [3,2] does not start with segment_ids.shape = [2]", "UnsortedSegmentSum",
                   {zeros({3, 2}), int_vector({0, 1}), Array(3)});
  expect_run_error("Input num_segments == -1 must not be negative.", "UnsortedSegmentSum",
                   {zeros({3, 2}), int_vector({0, 1, 1}), Array(-1)});
}

TEST(UnsortedSegmentSum, GathersItsGradient) {
  check_gradient("UnsortedSegmentSum", {counting<double>({4, 3}), int_vector({2, 0, -1, 2}), Array(3)});
  check_gradient("UnsortedSegmentSum", {counting<double>({4}), int_vector({1, 0, -1, 1}), Array(2)});
}

TEST(GatherV2, RefusesAxesThatNoIntHolds) {
  const auto build = [](const std::string& text, int64_t axis, int64_t dims) {
    expect_build_error(text, "GatherV2", {floats({2, 2}), ints({2, 2}), Array(axis)}, batch(dims));
  };
  build("Attr batch_dims has value -9223372036854775808 out of range for an int32", 1, INT64_MIN);
  build("Attr batch_dims has value 4294967297 out of range for an int32", 1, (int64_t{1} << 32) + 1);
  build("Rank cannot exceed kint32max", (int64_t{1} << 32) + 1, 0);
  build("Dimension size overflow from subtracting -9223372036854775808 from 0", INT64_MIN, 0);
}

TEST(GatherV2, LooksForNothingInRowsWithoutElements) {
  const int64_t many = int64_t{1} << 40;
  EXPECT_EQ(run_op("GatherV2", {zeros({many, 4, 0}), int_vector({3, 1}), Array(1)}).shape(),
            Shape({many, 2, 0}));
  EXPECT_EQ(
      run_op("GatherV2", {zeros({0, int64_t{1} << 62, 4}), Array(DType::kInt32, {0}), Array(0)}).shape(),
      Shape({0, int64_t{1} << 62, 4}));
}

TEST(OneHot, RefusesAnAxisThatNoIntHolds) {
  expect_build_error("Attr axis has value 4294967296 out of range for an int32", "OneHot",
                     {ints({2}), Array(3), Array(1.f), Array(0.f)}, {{"axis", int64_t{1} << 32}});
}

TEST(OneHot, DoesNothingForRowsWithoutElements) {
  const int64_t many = int64_t{1} << 40;
  EXPECT_EQ(run_op("OneHot", {Array(DType::kInt32, {many, 0}), Array(4), Array(1.f), Array(0.f)}).shape(),
            Shape({many, 0, 4}));
  EXPECT_EQ(run_op("OneHot", {Array(DType::kInt32, {many, 0}), Array(4), Array(1.f), Array(0.f)},
                   {{"axis", int64_t{1}}})
                .shape(),
            Shape({many, 4, 0}));
}

}  // namespace
}  // namespace flowray::testing
