#include "ops/reduce/reduce_loops.h"
#include "ops/reduce/reduce_plan.h"
#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace flowray::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Array floats(const std::vector<float>& values) { return Array(values); }
Array longs(const std::vector<int64_t>& values) { return Array(values); }
Array bools(const std::vector<bool>& values) { return Array(values); }

Array reduce(const std::string& op, const Array& x, const Array& axes, bool keep_dims = false) {
  return run_op_all(op, {x, axes}, {.attrs = {{"keep_dims", keep_dims}}, .constants = {1}})[0];
}

Array no_axes() { return Array(std::vector<int32_t>{}); }

TEST(Reduce, SumsOverAnyAxes) {
  const Array x({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  EXPECT_EQ(reduce("Sum", x, Array({0, 1})), Array(21.f));
  EXPECT_EQ(reduce("Sum", x, Array({1, 0})), Array(21.f));
  EXPECT_EQ(reduce("Sum", x, Array{0}), floats({5, 7, 9}));
  EXPECT_EQ(reduce("Sum", x, Array({1})), floats({6, 15}));
  EXPECT_EQ(reduce("Sum", x, Array(-1)), floats({6, 15}));
  EXPECT_EQ(reduce("Sum", x, longs({-2})), floats({5, 7, 9}));
  EXPECT_EQ(reduce("Sum", x, no_axes()), x);
  EXPECT_EQ(reduce("Sum", Array(3.f), no_axes()), Array(3.f));
}

TEST(Reduce, KeepsDimensionsWhereAsked) {
  const Array x({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(reduce("Sum", x, Array({0, 1}), true), Array({{21}}));
  EXPECT_EQ(reduce("Sum", x, Array{0}, true), Array({{5, 7, 9}}));
  EXPECT_EQ(reduce("Max", x, Array({1}), true), Array({{3}, {6}}));
}

TEST(Reduce, TakesMeansProductsAndExtremes) {
  const Array x({{1.f, -2.f, 3.f}, {4.f, 5.f, 6.f}});
  EXPECT_EQ(reduce("Mean", x, Array{0}), floats({2.5, 1.5, 4.5}));
  EXPECT_EQ(reduce("Mean", x, Array({1})), floats({2.f / 3, 5}));
  EXPECT_EQ(reduce("Prod", x, Array({1})), floats({-6, 120}));
  EXPECT_EQ(reduce("Max", x, Array{0}), floats({4, 5, 6}));
  EXPECT_EQ(reduce("Min", x, Array{0}), floats({1, -2, 3}));
  EXPECT_EQ(reduce("Min", x, Array({0, 1})), Array(-2.f));
}

// Rounded to float32 after each product, a million factors near 1 are off by six in a thousand.
TEST(Reduce, ProductsOfManyFactorsNearOneAreExact) {
  std::mt19937 random(7);
  std::vector<float> factors(1000003);
  double expected = 1;
  for (float& factor : factors) {
    factor = 1.f + 1e-4f * (static_cast<float>(random() % 20001) / 10000.f - 1.f);
    expected *= factor;
  }
  const float product = reduce("Prod", Array(factors), Array(0)).item<float>();
  EXPECT_NEAR(product / expected, 1.0, 2e-7);
}

TEST(Reduce, IntegersWrapAroundButTheirMeansDoNot) {
  const int32_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(reduce("Sum", Array({most, 1}), Array(0)), Array(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(reduce("Mean", Array({most, most}), Array(0)), Array(most));
  EXPECT_EQ(reduce("Mean", Array({1, 2, 2, -7, -8}), Array(0)), Array(-2));
  EXPECT_EQ(reduce("Mean", Array({{1, 2}, {4, 9}}), Array({1})), Array({1, 6}));
  EXPECT_EQ(reduce("Prod", longs({3, -4, 5}), Array(0)), Array(int64_t{-60}));
}

TEST(Reduce, NanWinsOverAllOtherValues) {
  EXPECT_TRUE(std::isnan(reduce("Max", floats({1, kNan, 3}), Array(0)).item<float>()));
  EXPECT_TRUE(std::isnan(reduce("Min", floats({kNan, 1, 3}), Array(0)).item<float>()));
  std::vector<float> many(1000, 1.f);
  many[777] = kNan;
  EXPECT_TRUE(std::isnan(reduce("Max", floats(many), Array(0)).item<float>()));
  expect_close(reduce("Max", Array({{1.f, kNan}, {2.f, 0.f}}), Array(0)), floats({2, kNan}));
}

TEST(Reduce, AllAndAnyOfBools) {
  const Array x({{true, false}, {true, true}});
  EXPECT_EQ(reduce("All", x, Array(0)), bools({true, false}));
  EXPECT_EQ(reduce("All", x, Array(1)), bools({false, true}));
  EXPECT_EQ(reduce("Any", x, Array({0, 1})), Array(true));
  EXPECT_EQ(reduce("Any", bools({false, false}), Array(0)), Array(false));
  EXPECT_EQ(reduce("Any", Array({{false, true}, {false, false}}), Array(1), true), Array({{true}, {false}}));
}

TEST(Reduce, NothingHasANeutralResult) {
  const Array x(DType::kFloat32, Shape{0, 2});
  const Array n(DType::kInt32, Shape{0, 2});
  EXPECT_EQ(reduce("Sum", x, Array(0)), floats({0, 0}));
  expect_close(reduce("Mean", x, Array(0)), floats({kNan, kNan}));
  EXPECT_EQ(reduce("Prod", x, Array(0)), floats({1, 1}));
  EXPECT_EQ(reduce("Max", x, Array(0)), floats({-kInf, -kInf}));
  EXPECT_EQ(reduce("Min", x, Array(0)), floats({kInf, kInf}));
  EXPECT_EQ(reduce("Mean", n, Array(0)), Array({0, 0}));
  EXPECT_EQ(reduce("Max", n, Array(0)),
            Array({std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::min()}));
  EXPECT_EQ(reduce("All", Array(DType::kBool, Shape{0}), Array(0)), Array(true));
  EXPECT_EQ(reduce("Any", Array(DType::kBool, Shape{0}), Array(0)), Array(false));
  EXPECT_EQ(reduce("Sum", x, Array(1)).shape(), (Shape{0}));
}

/// Sums of 0, 1, 2, ... in int64 over every set of axes, against plain loops.
TEST(Reduce, AgreesWithPlainLoopsOnEverySetOfAxes) {
  const Shape shape{3, 5, 1, 7, 2};
  Array x(DType::kInt64, shape);
  std::iota(x.mutable_data<int64_t>(), x.mutable_data<int64_t>() + x.size(), 0);
  for (unsigned set = 0; set < 32; ++set) {
    std::vector<int32_t> axes;
    for (int axis = 0; axis < 5; ++axis) {
      if (set >> axis & 1u) axes.push_back(axis);
    }
    std::map<std::vector<int64_t>, int64_t> sums;  // by the kept index, in order
    for (int64_t i = 0; i < x.size(); ++i) {
      std::vector<int64_t> kept;
      int64_t rest = i;
      for (int axis = 4; axis >= 0; --axis) {
        if (!(set >> axis & 1u)) kept.insert(kept.begin(), rest % shape.dim(axis));
        rest /= shape.dim(axis);
      }
      sums[kept] += i;
    }
    const Array actual = reduce("Sum", x, Array(axes));
    ASSERT_EQ(actual.size(), static_cast<int64_t>(sums.size()));
    int64_t at = 0;
    for (const auto& [index, sum] : sums) ASSERT_EQ(actual.data<int64_t>()[at++], sum) << "axes " << set;
  }
}

/// Large enough for rows that are cut into chunks and shared, of many and of few columns.
TEST(Reduce, AgreesWithPlainLoopsOnLargeArrays) {
  for (const Shape& shape :
       {Shape{200003}, Shape{70001, 3}, Shape{301, 700}, Shape{5, 3000, 20}, Shape{2, 5000, 33}}) {
    Array x(DType::kFloat64, shape);
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<double>()[i] = static_cast<double>(i % 1009);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      int64_t inner = 1;
      for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
      std::vector<double> sums(static_cast<size_t>(x.size() / shape.dim(axis)));
      for (int64_t i = 0; i < x.size(); ++i) {
        sums[static_cast<size_t>(i / (inner * shape.dim(axis)) * inner + i % inner)] +=
            static_cast<double>(i % 1009);
      }
      const Array actual = reduce("Sum", x, Array(axis));
      ASSERT_EQ(actual.size(), static_cast<int64_t>(sums.size()));
      for (size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(actual.data<double>()[i], sums[i]) << shape << " axis " << axis << " element " << i;
      }
    }
  }
}

/// One addition after the other is off by 1% here (TensorFlow's sums of columns are).
TEST(Reduce, LongSumsOfFloatsStayExact) {
  Array x(DType::kFloat32, Shape{1000000, 2});
  for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = 0.1f;
  const double exact = 1e6 * static_cast<double>(0.1f);
  EXPECT_NEAR(reduce("Sum", x, Array(0)).data<float>()[1], exact, exact * 1e-6);
  EXPECT_NEAR(reduce("Sum", x, Array({0, 1})).item<float>(), 2 * exact, 2 * exact * 1e-6);
  EXPECT_NEAR(reduce("Mean", x, Array({0, 1})).item<float>(), 0.1, 1e-7);
}

TEST(Reduce, EveryLevelOfInstructionsAgrees) {
  std::vector<int32_t> x(1234);
  std::iota(x.begin(), x.end(), -600);
  for (const auto level : {ops::CpuLevel::kPortable, ops::CpuLevel::kAvx2, ops::CpuLevel::kAvx512}) {
    if (level > ops::highest_cpu_level()) continue;
    std::vector<int32_t> sums(2);
    ops::compiled_loop<ops::RowsLoop<ops::Adding, int32_t, int32_t>>(level)(x.data(), 2, 617, sums.data());
    EXPECT_EQ(sums[0], (-600 + 16) * 617 / 2) << ops::name_of(level);
    EXPECT_EQ(sums[1], (17 + 633) * 617 / 2) << ops::name_of(level);
  }
}

TEST(ReducePlan, MergesWhatLiesTogether) {
  const auto passes = [](const Shape& shape, std::vector<bool> reduced) {
    return ops::plan_reduction(shape, reduced).passes;
  };
  const auto whole = passes({4, 1, 5}, {true, false, true});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].reduced, 20);
  EXPECT_EQ(whole[0].outer * whole[0].inner, 1);
  const auto middle = passes({2, 3, 4, 5}, {false, true, true, false});
  ASSERT_EQ(middle.size(), 1u);
  EXPECT_EQ(middle[0].outer, 2);
  EXPECT_EQ(middle[0].reduced, 12);
  EXPECT_EQ(middle[0].inner, 5);
  EXPECT_EQ(passes({2, 3, 4}, {true, false, true}).size(), 2u);
  EXPECT_TRUE(passes({1, 3}, {true, false}).empty());
}

std::string error_of(const Array& x, const Array& axes, bool building) {
  try {
    run_op_all("Sum", {x, axes},
               building ? RunOptions{.constants = {1}} : RunOptions{.unknown_shapes = true});
  } catch (const Error& error) {
    return error.message().substr(0, error.message().find('\n'));
  }
  return "no error";
}

TEST(Reduce, TellsWhichAxesAreNotThere) {
  const Array x({{1.f, 2.f}});
  EXPECT_TRUE(
      error_of(x, Array(2), true).starts_with("Invalid reduction dimension 2 for input with 2 dimensions."));
  EXPECT_TRUE(error_of(x, Array(-3), true)
                  .starts_with("Invalid reduction dimension -3 for input with 2 dimensions."));
  EXPECT_TRUE(error_of(x, Array({{0}}), true).starts_with("Shape must be at most rank 1 but is rank 2"));
  EXPECT_EQ(error_of(x, Array(2), false), "Invalid reduction dimension (2 for input with 2 dimension(s)");
  EXPECT_EQ(error_of(Array(1.f), Array(0), false),
            "Invalid reduction dimension (0 for input with 0 dimension(s)");
  EXPECT_EQ(error_of(x, Array({0, -2}), false),
            "Invalid reduction arguments: Axes contains duplicate dimension: 0");
}

TEST(Reduce, GradientsAgreeWithDifferences) {
  const Array x = Array({{0.7, -1.9, 3.1}, {2.2, 0.3, 1.4}}).astype(DType::kFloat64);
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"}) {
    for (const Array& axes : {Array{0}, Array({1}), Array({0, 1}), Array({1, 0}), Array(-1), no_axes()}) {
      check_gradient(op, {x, axes});
      check_gradient(op, {x, axes}, {.attrs = {{"keep_dims", true}}});
    }
  }
}

TEST(Reduce, GradientOfProdIsRightAtZeros) {
  const Array x = Array({{0.0, -1.9, 3.1}, {0.0, 0.0, 1.4}}).astype(DType::kFloat64);
  check_gradient("Prod", {x, Array({1})});
  check_gradient("Prod", {x, Array{0}});
}

TEST(Sum, OfNoRows) {
  const Array x(DType::kFloat32, {0, int64_t{1} << 62, 4});
  EXPECT_EQ(run_op("Sum", {x, Array({1, 2})}).shape(), Shape({0}));
  EXPECT_EQ(run_op("Sum", {x, Array({0, 1})}), Array({0.f, 0.f, 0.f, 0.f}));
  EXPECT_EQ(run_op("Sum", {x, Array({2})}).shape(), Shape({0, int64_t{1} << 62}));
}

}  // namespace
}  // namespace flowray::testing
