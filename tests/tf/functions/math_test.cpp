// Values of functions that are made of several nodes. Expectations are worked out by hand or with NumPy.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace flowray {
namespace {

using testing::expect_close;

/// A new default graph for each test.
class MathOps : public ::testing::Test {
 protected:
  static Array value_of(const tf::Tensor& tensor, const tf::FeedDict& feeds = {}) {
    tf::Session session;
    return session.run(tensor, feeds);
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
};
using ArrayOps = MathOps;
using Operators = MathOps;
using RandomOps = MathOps;
using StateOps = MathOps;

TEST_F(Operators, ComputeWithNumbersOnEitherSide) {
  auto x = tf::constant({1.0, -2.0, 4.0});
  EXPECT_EQ(value_of(x + 1), Array({2.f, -1.f, 5.f}));
  EXPECT_EQ(value_of(1 - x), Array({0.f, 3.f, -3.f}));
  EXPECT_EQ(value_of(2 * x), Array({2.f, -4.f, 8.f}));
  EXPECT_EQ(value_of(8 / x), Array({8.f, -4.f, 2.f}));
  EXPECT_EQ(value_of(x % 3), Array({1.f, 1.f, 1.f}));
  EXPECT_EQ(value_of(-x), Array({-1.f, 2.f, -4.f}));
  EXPECT_EQ(value_of(1 < x), Array(std::vector<bool>{false, false, true}));
  EXPECT_EQ(value_of(x <= 1), Array(std::vector<bool>{true, true, false}));
}

TEST_F(Operators, DivideIntegersIntoDoubles) {
  auto x = tf::constant({7, -7});
  EXPECT_EQ(value_of(x / 2), Array(std::vector<double>{3.5, -3.5}));
  EXPECT_EQ(value_of(tf::floordiv(x, 2)), Array({3, -4}));
  EXPECT_EQ(value_of(tf::truncatediv(x, 2)), Array({3, -3}));
  EXPECT_EQ(value_of(tf::div(x, 2)), Array({3, -4}));
  EXPECT_EQ(value_of(x % 4), Array({3, 1}));
  EXPECT_EQ(value_of(tf::truncatemod(x, 4)), Array({3, -3}));
}

TEST_F(Operators, CombineBools) {
  auto x = tf::constant({true, true, false, false});
  auto y = tf::constant({true, false, true, false});
  EXPECT_EQ(value_of(x & y), Array(std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(value_of(x | y), Array(std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(value_of(x ^ y), Array(std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(value_of(~x), Array(std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(value_of(x * y), value_of(x & y));
}

TEST_F(Operators, TakeArraysAndVariablesAsOperands) {
  tf::Variable v({1.0, 2.0});
  tf::Session session;
  auto product = v * Array({3.f, 4.f});
  session.run(v.initializer());
  EXPECT_EQ(session.run(product), Array({3.f, 8.f}));
}

TEST_F(MathOps, ClipsToBothLimits) {
  auto x = tf::constant({-5.0, 0.5, 5.0});
  EXPECT_EQ(value_of(tf::clip_by_value(x, -1.0, 2.0)), Array({-1.f, 0.5f, 2.f}));
  EXPECT_THROW(tf::clip_by_value(x, {{-1.0}, {-2.0}}, 1.0), ValueError);
}

TEST_F(MathOps, DividesByZeroToZeroWhereAsked) {
  EXPECT_EQ(value_of(tf::div_no_nan(tf::constant({6.0, 1.0}), {3.0, 0.0})), Array({2.f, 0.f}));
}

TEST_F(MathOps, CountsInTheWidestDtype) {
  EXPECT_EQ(value_of(tf::range(4)), Array({0, 1, 2, 3}));
  EXPECT_EQ(value_of(tf::range(3, 10, 3)), Array({3, 6, 9}));
  EXPECT_EQ(value_of(tf::range(3, 0, -1)), Array({3, 2, 1}));
  EXPECT_EQ(value_of(tf::range(0, 1.0, 0.25)), Array({0.f, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(tf::range(int64_t{2}).dtype(), tf::int64);
  EXPECT_EQ(value_of(tf::range(2, {.dtype = tf::float64})), Array(std::vector<double>{0, 1}));
  EXPECT_THROW(tf::range(tf::constant(true)), TypeError);
}

TEST_F(MathOps, ReducesAlongWhatIsAsked) {
  auto x = tf::constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  EXPECT_EQ(value_of(tf::reduce_sum(x)), Array(21.f));
  EXPECT_EQ(value_of(tf::reduce_sum(x, 0)), Array({5.f, 7.f, 9.f}));
  EXPECT_EQ(value_of(tf::reduce_mean(x, -1)), Array({2.f, 5.f}));
  EXPECT_EQ(value_of(tf::reduce_max(x, {0, 1})), Array(6.f));
  EXPECT_EQ(value_of(tf::reduce_min(x, 1, {.keepdims = true})), Array({{1.f}, {4.f}}));
  EXPECT_EQ(value_of(tf::reduce_prod(x, {.reduction_indices = {1}})), Array({6.f, 120.f}));
  EXPECT_EQ(value_of(tf::reduce_sum(x, {.axis = tf::Literal::list({})})), value_of(x));
  EXPECT_THROW(tf::reduce_sum(x, {.axis = 0, .reduction_indices = 0}), ValueError);
}

TEST_F(MathOps, SumsExponentialsWithoutOverflow) {
  auto x = tf::constant({{1000.0, 1000.0}, {0.0, std::log(3.0)}});
  const float first = 1000.f + std::log(2.f);
  expect_close(value_of(tf::reduce_logsumexp(x, 1)), Array({first, std::log(4.f)}));
  expect_close(value_of(tf::reduce_logsumexp(x, 1, {.keepdims = true})), Array({{first}, {std::log(4.f)}}));
  const double none = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_of(tf::reduce_logsumexp({none, none})), Array(-std::numeric_limits<float>::infinity()));
}

TEST_F(MathOps, FindsTheLargestAndSmallest) {
  auto x = tf::constant({{1.0, 9.0, 9.0}, {7.0, 5.0, 6.0}});
  EXPECT_EQ(value_of(tf::argmax(x, 1)), Array(std::vector<int64_t>{1, 0}));
  EXPECT_EQ(value_of(tf::argmin(x, 1, {.output_type = tf::int32})), Array({0, 1}));
  EXPECT_EQ(value_of(tf::argmax(x)), Array(std::vector<int64_t>{1, 0, 0}));
}

TEST_F(MathOps, MultipliesMatricesTurnedAsAsked) {
  auto a = tf::constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  EXPECT_EQ(value_of(tf::matmul(a, a, {.transpose_a = true})), Array({{35.f, 44.f}, {44.f, 56.f}}));
  EXPECT_EQ(value_of(tf::matmul(a, {{1.0, 10.0}}, {.adjoint_b = true})), Array({{21.f}, {43.f}, {65.f}}));
  EXPECT_THROW(tf::matmul(a, a, {.transpose_a = true, .adjoint_a = true}), ValueError);
}

TEST_F(MathOps, CastsByNameToo) {
  EXPECT_EQ(value_of(tf::cast({1.9, -1.9}, tf::as_dtype("int32"))), Array({1, -1}));
  EXPECT_EQ(value_of(tf::to_int64(2.5)), Array(int64_t{2}));
}

// ---- arrays

TEST_F(ArrayOps, SliceAsPythonDoes) {
  auto x = tf::reshape(tf::range(24), {2, 3, 4});
  EXPECT_EQ(value_of(x[{1, 2, 3}]), Array(23));
  EXPECT_EQ(value_of(x[{-1, 0}]), Array({12, 13, 14, 15}));
  EXPECT_EQ(value_of(x[{0, tf::Slice{.step = 2}, -1}]), Array({3, 11}));
  EXPECT_EQ(value_of(x[{tf::ellipsis, 1}]), Array({{1, 5, 9}, {13, 17, 21}}));
  EXPECT_EQ(value_of(x[{1, tf::Slice{.step = -1}, 0}]), Array({20, 16, 12}));
  EXPECT_EQ((x[{tf::newaxis, 0, tf::ellipsis, tf::newaxis}].shape()), (Shape{1, 3, 4, 1}));
  auto i = tf::constant(1, tf::int64);
  EXPECT_EQ(value_of(x[{i, tf::Slice{.stop = i}, tf::Slice{i, 3}}]), Array({{13, 14}}));
  EXPECT_THROW(x["a"], TypeError);
  EXPECT_THROW(x[0.5], TypeError);
  EXPECT_THROW(x[tf::constant({0, 1})], TypeError);
}

TEST_F(ArrayOps, PackListsWithTensorsInThem) {
  auto two = tf::constant(2);
  EXPECT_EQ(value_of(tf::zeros({two, 1})), Array({{0.f}, {0.f}}));
  EXPECT_EQ(value_of(tf::convert_to_tensor({{two, 3}, {4, two}})), Array({{2, 3}, {4, 2}}));
  EXPECT_EQ(value_of(tf::stack({two, 7})), Array({2, 7}));
  EXPECT_EQ(value_of(tf::stack({{1, 2}, {3, 4}}, 1)), Array({{1, 3}, {2, 4}}));
}

TEST_F(ArrayOps, TakeApartWhatTheyPutTogether) {
  auto x = tf::reshape(tf::range(12), {3, 4});
  EXPECT_EQ(value_of(tf::unstack(x, {.axis = 1})[2]), Array({2, 6, 10}));
  EXPECT_EQ(value_of(tf::split(x, {1, -1}, 1)[1]), Array({{1, 2, 3}, {5, 6, 7}, {9, 10, 11}}));
  EXPECT_EQ(value_of(tf::split(x, 3)[2]), Array({{8, 9, 10, 11}}));
  EXPECT_EQ(value_of(tf::transpose(x)[0]), Array({0, 4, 8}));
}

TEST_F(ArrayOps, FillWithTheDtypeOfTheLike) {
  auto x = tf::placeholder(tf::int64, {tf::None});
  const tf::FeedDict feeds = {{x, std::vector<int64_t>{5, 6}}};
  EXPECT_EQ(value_of(tf::ones_like(x), feeds), Array(std::vector<int64_t>{1, 1}));
  EXPECT_EQ(value_of(tf::zeros_like(x, tf::float32), feeds), Array({0.f, 0.f}));
  EXPECT_EQ(value_of(tf::ones({2}, tf::boolean)), Array(std::vector<bool>{true, true}));
  EXPECT_EQ(value_of(tf::zeros({1}, tf::string)), Array(std::vector<std::string>{""}));
}

TEST_F(ArrayOps, MakeOneHotVectorsOfTheValuesGiven) {
  EXPECT_EQ(value_of(tf::one_hot({2, -1, 0}, 3)), Array({{0.f, 0.f, 1.f}, {0.f, 0.f, 0.f}, {1.f, 0.f, 0.f}}));
  EXPECT_EQ(value_of(tf::one_hot({1}, 2, {.on_value = 5, .off_value = -5})), Array({{-5, 5}}));
  EXPECT_THROW(tf::one_hot({1}, 2, {.on_value = 5, .off_value = 0.5}), TypeError);
}

TEST_F(ArrayOps, FindTheCoordinatesOfTrueElements) {
  auto x = tf::placeholder(tf::float32, {tf::None, 2});
  const Array found = value_of(tf::where(x > 0.0), {{x, Array({{1.f, -1.f}, {-1.f, 2.f}})}});
  EXPECT_EQ(found, Array(std::vector<int64_t>{0, 0, 1, 1}).reshape({2, 2}));
}

TEST_F(ArrayOps, PadWithTheValueGiven) {
  EXPECT_EQ(value_of(tf::pad({{1}}, {{0, 1}, {1, 0}})), Array({{0, 1}, {0, 0}}));
  EXPECT_EQ(value_of(tf::pad({{1}}, {{0, 1}, {1, 0}}, {.constant_values = 7})), Array({{7, 1}, {7, 7}}));
  EXPECT_THROW(tf::pad({{1}}, {{0, 1}, {1, 0}}, {.mode = "wrap"}), ValueError);
}

// ---- random

TEST_F(RandomOps, GiveTensorFlowsNumbersForASeed) {
  // Real TensorFlow 2.21's: tf.set_random_seed(0); tf.random_uniform([3], -1.0, 1.0, seed=1)
  tf::set_random_seed(0);
  expect_close(value_of(tf::random_uniform({3}, -1.0, 1.0, {.seed = 1})),
               Array({0.0794603825f, -0.790120602f, -0.597636461f}), 1e-6, 1e-6);
  expect_close(value_of(tf::random_normal({2}, 10.0, 0.5, {.seed = 2})), Array({10.0431499f, 10.3640022f}),
               1e-6, 1e-6);
}

TEST_F(RandomOps, StayInTheirRange) {
  const Array numbers = value_of(tf::random_uniform({1000}, 3, 6, {.dtype = tf::int32, .seed = 3}));
  bool seen[3] = {};
  for (int32_t number : numbers.span<int32_t>()) {
    ASSERT_GE(number, 3);
    ASSERT_LT(number, 6);
    seen[number - 3] = true;
  }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
  EXPECT_THROW(tf::random_uniform({1}, {.dtype = tf::int32}), ValueError);
  EXPECT_THROW(tf::random_uniform({1}, {.dtype = tf::boolean}), ValueError);
}

// ---- state

TEST_F(StateOps, ChangeTheVariable) {
  tf::Variable v({1.0, 2.0});
  auto set = tf::assign(v, {5.0, 6.0});
  auto add = tf::assign_add(v, {1.0, 1.0});
  auto subtract = tf::assign_sub(v, {0.5, 0.0});
  tf::Session session;
  EXPECT_EQ(session.run(set), Array({5.f, 6.f}));
  EXPECT_EQ(session.run(add), Array({6.f, 7.f}));
  EXPECT_EQ(session.run(subtract), Array({5.5f, 7.f}));
  EXPECT_EQ(session.run(v), Array({5.5f, 7.f}));
}

}  // namespace
}  // namespace flowray
