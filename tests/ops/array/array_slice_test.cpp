#include "ops/array/strided_slice_spec.h"
#include "ops/array_testing.h"

#include <optional>

namespace flowray::testing {
namespace {

// ---- Slice

TEST(Slice, CutsABlock) {
  const Array x = counting<int32_t>({3, 4});
  EXPECT_EQ(run_op("Slice", {x, int_vector({1, 2}), int_vector({2, 2})}), Array({{6, 7}, {10, 11}}));
  EXPECT_EQ(run_op("Slice", {x, int_vector({1, 0}), int_vector({-1, 1})}), Array({{4}, {8}}));
  EXPECT_EQ(run_op("Slice", {x, Array(std::vector<int64_t>{0, 3}), Array(std::vector<int64_t>{3, -1})}),
            Array({{3}, {7}, {11}}));
  EXPECT_EQ(run_op("Slice", {x, int_vector({0, 0}), int_vector({-1, -1})}), x);
  EXPECT_EQ(run_op("Slice", {x, int_vector({3, 0}), int_vector({0, 4})}).shape(), Shape({0, 4}));
  EXPECT_EQ(run_op("Slice", {Array({"a", "b", "c"}), int_vector({1}), int_vector({2})}), Array({"b", "c"}));
}

TEST(Slice, KnowsItsShapeWhileAGraphIsBuilt) {
  const Array begin = int_vector({1, 2});
  EXPECT_EQ(built_shape("Slice", {floats({4, 5}), begin, int_vector({2, -1})}), "[2,3]");
  EXPECT_EQ(built_shape("Slice", {floats({4, 5}), ints({2}), int_vector({2, -1})}), "[2,?]");
  EXPECT_EQ(built_shape("Slice", {floats({4, 5}), ints({2}), int_vector({2, 1})}), "[2,1]");
  EXPECT_EQ(built_shape("Slice", {floats({4, 5}), begin, ints({2})}), "[?,?]");
  EXPECT_EQ(built_shape("Slice", {floats(kUnknownRank), ints(kUnknownRank), ints(kUnknownRank)}),
            "<unknown>");
  EXPECT_EQ(built_shape("Slice", {floats(kUnknownRank), begin, int_vector({2, -1})}), "[2,?]");
  EXPECT_EQ(built_shape("Slice", {floats({-1, -1}), int_vector({0, 0}), int_vector({2, -1})}), "[2,?]");
}

TEST(Slice, RefusesWhatLiesOutside) {
  const auto run = [](const std::string& text, const std::vector<int32_t>& begin,
                      const std::vector<int32_t>& size) {
    expect_run_error(text, "Slice", {zeros({4, 5}), int_vector(begin), int_vector(size)});
  };
  run("Expected size[0] in [0, 3], but got 4", {1, 2}, {4, 1});
  run("Expected begin[0] in [0, 4], but got -1", {-1, 2}, {1, 1});
  run("Expected size[0] in [0, 3], but got -2", {1, 2}, {-2, 1});
  run("Expected begin[0] in [0, 4], but got 5", {5, 2}, {-1, 1});
  run("Expected begin and size arguments to be 1-D tensors of size 2, but got shapes [2] and [1] instead.",
      {1, 2}, {1});
  const auto build = [](const std::string& text, const std::vector<int32_t>& begin,
                        const std::vector<int32_t>& size) {
    expect_build_error(text, "Slice", {floats({4, 5}), int_vector(begin), int_vector(size)});
  };
  build("Negative dimension size caused by subtracting 5 from 4", {5, 2}, {-1, 1});
  build("Shape must be rank 1 but is rank 2", {1}, {1});
  build("Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].", {1, 2}, {1});
}

TEST(Slice, PadsItsGradient) {
  check_gradient("Slice", {counting<double>({3, 4}), int_vector({1, 0}), int_vector({-1, 2})});
  check_gradient("Slice",
                 {counting<double>({5}), Array(std::vector<int64_t>{2}), Array(std::vector<int64_t>{2})});
}

// ---- StridedSlice

/// x[...] as Python writes it.
struct Index {
  std::optional<int32_t> begin, end, stride;
  enum Kind { kRange, kSingle, kNewAxis, kEllipsis } kind = kRange;
};
Index range(std::optional<int32_t> begin, std::optional<int32_t> end, std::optional<int32_t> stride = {}) {
  return {begin, end, stride, Index::kRange};
}
Index at(int32_t i) { return {i, i + 1, 1, Index::kSingle}; }
const Index kAll = range({}, {});
const Index kNewAxis = {0, 0, 1, Index::kNewAxis};
const Index kEllipsis = {0, 0, 1, Index::kEllipsis};

struct Written {
  std::vector<int32_t> begin, end, strides;
  graph::Attrs attrs;
};

Written written(const std::vector<Index>& indices) {
  Written result;
  int64_t masks[5] = {};
  for (size_t i = 0; i < indices.size(); ++i) {
    const Index& index = indices[i];
    const int64_t bit = int64_t{1} << i;
    result.begin.push_back(index.begin.value_or(0));
    result.end.push_back(index.end.value_or(0));
    result.strides.push_back(index.stride.value_or(1));
    if (!index.begin) masks[0] |= bit;
    if (!index.end) masks[1] |= bit;
    if (index.kind == Index::kEllipsis) masks[2] |= bit;
    if (index.kind == Index::kNewAxis) masks[3] |= bit;
    if (index.kind == Index::kSingle) masks[4] |= bit;
  }
  const char* const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                               "shrink_axis_mask"};
  for (int i = 0; i < 5; ++i) result.attrs.set(names[i], masks[i]);
  return result;
}

Array sliced(const Array& x, const std::vector<Index>& indices) {
  const Written w = written(indices);
  const Array y = run_op("StridedSlice", {x, Array(w.begin), Array(w.end), Array(w.strides)}, w.attrs);
  const auto wide = [](const std::vector<int32_t>& values) { return Array(values).astype(DType::kInt64); };
  EXPECT_EQ(run_op("StridedSlice", {x, wide(w.begin), wide(w.end), wide(w.strides)}, w.attrs), y);
  return y;
}

std::string sliced_shape(const Shape& shape, const std::vector<Index>& indices) {
  const Written w = written(indices);
  return built_shape("StridedSlice", {floats(shape), Array(w.begin), Array(w.end), Array(w.strides)},
                     w.attrs);
}

TEST(StridedSlice, IndexesAsNumPyDoes) {
  const Array x = counting<int32_t>({3, 4});
  EXPECT_EQ(sliced(x, {range(1, 3), range(0, 2)}), Array({{4, 5}, {8, 9}}));
  EXPECT_EQ(sliced(x, {at(1)}), Array({4, 5, 6, 7}));
  EXPECT_EQ(sliced(x, {at(-1), at(-2)}), Array(10));
  EXPECT_EQ(sliced(x, {kAll, at(2)}), Array({2, 6, 10}));
  EXPECT_EQ(sliced(x, {range({}, {}, 2)}), Array({{0, 1, 2, 3}, {8, 9, 10, 11}}));
  EXPECT_EQ(sliced(x, {range({}, {}, -1), range({}, {}, -2)}), Array({{11, 9}, {7, 5}, {3, 1}}));
  EXPECT_EQ(sliced(x, {range(-2, {}), range({}, -1)}), Array({{4, 5, 6}, {8, 9, 10}}));
  EXPECT_EQ(sliced(x, {kAll, range(3, 0, -2)}), Array({{3, 1}, {7, 5}, {11, 9}}));
  EXPECT_EQ(sliced(x, {range(-100, 100), range(2, 100)}), Array({{2, 3}, {6, 7}, {10, 11}}));
  EXPECT_EQ(sliced(x, {}), x);
}

TEST(StridedSlice, TakesNothingWhereTheRangeIsEmpty) {
  EXPECT_EQ(sliced(zeros({3, 4}), {range(2, 1)}).shape(), Shape({0, 4}));
  EXPECT_EQ(sliced(zeros({3, 4}), {range(0, 3, -1)}).shape(), Shape({0, 4}));
  EXPECT_EQ(sliced(zeros({0, 4}), {kAll}).shape(), Shape({0, 4}));
}

TEST(StridedSlice, AddsAxesAndSkipsWithAnEllipsis) {
  const Array x = counting<int32_t>({2, 2, 3});
  EXPECT_EQ(sliced(x, {kEllipsis, at(1)}), Array({{1, 4}, {7, 10}}));
  EXPECT_EQ(sliced(x, {at(1), kEllipsis}), Array({{6, 7, 8}, {9, 10, 11}}));
  EXPECT_EQ(sliced(x, {at(0), kEllipsis, range(1, 2)}), Array({{1}, {4}}));
  EXPECT_EQ(sliced(x, {kNewAxis, at(0), at(1)}), Array({{3, 4, 5}}));
  EXPECT_EQ(sliced(x, {at(0), at(1), kNewAxis}), Array({{3, 4, 5}}));
  EXPECT_EQ(sliced(x, {kEllipsis, kNewAxis}).shape(), Shape({2, 2, 3, 1}));
  EXPECT_EQ(sliced(x, {kNewAxis, kEllipsis, kNewAxis, at(0)}).shape(), Shape({1, 2, 2, 1}));
  EXPECT_EQ(sliced(x, {kEllipsis}), x);
}

TEST(StridedSlice, KnowsItsShapeWhileAGraphIsBuilt) {
  EXPECT_EQ(sliced_shape({-1, 5}, {kAll, range(1, 3)}), "[?,2]");
  EXPECT_EQ(sliced_shape({-1, 5}, {at(1)}), "[5]");
  EXPECT_EQ(sliced_shape({-1, 5}, {range(0, 3)}), "[?,5]");
  EXPECT_EQ(sliced_shape({-1, 5}, {kNewAxis, kEllipsis, range({}, {}, 2)}), "[1,?,3]");
  EXPECT_EQ(sliced_shape(kUnknownRank, {at(1)}), "<unknown>");
  EXPECT_EQ(built_shape("StridedSlice", {floats({4, 5}), ints({1}), ints({1}), int_vector({1})}), "[?,5]");
  EXPECT_EQ(built_shape("StridedSlice", {floats({4, 5}), ints({1}), ints({1}), int_vector({1})},
                        {{"shrink_axis_mask", int64_t{1}}}),
            "[5]");
  EXPECT_EQ(built_shape("StridedSlice", {floats({4, 5}), ints({1}), ints({1}), int_vector({-2})},
                        {{"begin_mask", int64_t{1}}, {"end_mask", int64_t{1}}}),
            "[2,5]");
  EXPECT_EQ(built_shape("StridedSlice", {floats({4, 5}), ints({1}), ints({1}), ints({1})}), "<unknown>");
}

TEST(StridedSlice, RefusesIndicesThatMeanNothing) {
  const auto both = [](const std::string& text, const std::vector<Index>& indices) {
    const Written w = written(indices);
    const std::vector<Array> lists = {Array(w.begin), Array(w.end), Array(w.strides)};
    expect_build_error(text, "StridedSlice", {floats({4, 5}), lists[0], lists[1], lists[2]}, w.attrs);
    expect_run_error(text, "StridedSlice", {zeros({4, 5}), lists[0], lists[1], lists[2]}, w.attrs);
  };
  both("slice index 4 of dimension 0 out of bounds.", {at(4)});
  both("slice index -1 of dimension 0 out of bounds.", {at(-5)});
  both("slice index 5 of dimension 1 out of bounds.", {kEllipsis, at(5)});
  both("only stride 1 allowed on non-range indexing.", {Index{1, 2, -1, Index::kSingle}});
  both("strides[0] must be non-zero", {range(1, 2, 0)});
  both("Index out of range using input dim 2; input has only 2 dims", {at(1), at(1), at(1)});
  both("Multiple ellipses in slice spec not allowed", {kEllipsis, kEllipsis});
  expect_run_error(
      "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [2], [1], and [1] "
      "instead.",
      "StridedSlice", {zeros({4, 5}), int_vector({1, 1}), int_vector({2}), int_vector({1})});
}

TEST(StridedSlice, ResolvesTheSameIndicesInARunAndBefore) {
  const int64_t begin[] = {-2};
  const int64_t end[] = {7};
  const int64_t strides[] = {1};
  const ops::StridedSliceSpec spec({4, 5}, {begin, end, strides, 1}, {});
  EXPECT_EQ(spec.output_shape(), Shape({2, 5}));
  EXPECT_EQ(spec.begin[0], 2);
}

TEST(StridedSlice, PutsItsGradientBack) {
  const auto check = [](const std::vector<Index>& indices) {
    const Written w = written(indices);
    check_gradient("StridedSlice", {counting<double>({3, 4}), Array(w.begin), Array(w.end), Array(w.strides)},
                   {.attrs = w.attrs});
  };
  check({range(1, 3), range({}, {}, 2)});
  check({range({}, {}, -2), at(1)});
  check({kEllipsis, kNewAxis, range(3, 0, -1)});
}

TEST(StridedSliceGrad, ScattersIntoZeros) {
  const Array dy = Array({{1.f, 2.f}});
  const std::vector<Array> inputs = {int_vector({2, 3}), int_vector({1, 2}), int_vector({2, -4}),
                                     int_vector({1, -2}), dy};
  EXPECT_EQ(run_op("StridedSliceGrad", inputs), Array({{0.f, 0.f, 0.f}, {2.f, 0.f, 1.f}}));
  expect_run_error("shape of dy was [3,5] instead of [2,5]", "StridedSliceGrad",
                   {int_vector({4, 5}), int_vector({1}), int_vector({3}), int_vector({1}), zeros({3, 5})});
  check_gradient("StridedSliceGrad",
                 {int_vector({5}), int_vector({1}), int_vector({5}), int_vector({2}), counting<double>({2})});
}

// ---- sizes that no array has

TEST(Slice, RefusesABlockThatEndsBehindTheLastInt64) {
  const auto run = [](const std::string& text, int64_t begin, int64_t size) {
    expect_run_error(text, "Slice",
                     {zeros({4}), Array(std::vector<int64_t>{begin}), Array(std::vector<int64_t>{size})});
  };
  run("Expected size[0] in [0, 3], but got 9223372036854775807", 1, INT64_MAX);
  run("Expected begin[0] in [0, 4], but got -9223372036854775808", INT64_MIN, -1);
  expect_build_error("Shape must have rank at most", "Slice",
                     {floats({4}), ints({(int64_t{1} << 32) + 1}), ints(kUnknownRank)});
}

TEST(StridedSlice, TakesAnyStrideOfOneElement) {
  const auto longs = [](std::vector<int64_t> values) { return Array(values); };
  const Array x = counting<int32_t>({4, 4});
  EXPECT_EQ(run_op("StridedSlice", {x, longs({1, 0}), longs({4, 4}), longs({int64_t{1} << 62, 1})}),
            Array({{4, 5, 6, 7}}));
  EXPECT_EQ(run_op("StridedSlice", {x, longs({3, 0}), longs({0, 4}), longs({INT64_MIN, 1})}),
            Array({{12, 13, 14, 15}}));
  const int64_t many = int64_t{1} << 62;
  EXPECT_EQ(
      run_op("StridedSlice", {zeros({0, many, 4}), longs({0, 1}), longs({0, many}), longs({1, 1})}).shape(),
      Shape({0, many - 1, 4}));
}

}  // namespace
}  // namespace flowray::testing
