#include "ops/variable_testing.h"

#include <limits>
#include <set>

namespace flowray::testing {
namespace {

using graph::Endpoint;

graph::Attrs seeds(int64_t seed, int64_t seed2, const char* type_attr, DType dtype) {
  graph::Attrs attrs{{"seed", seed}, {"seed2", seed2}};
  attrs.set(type_attr, dtype);
  return attrs;
}

Array dims(const std::vector<int32_t>& values) { return Array(values); }

// What TensorFlow gives is in tests/golden/ops/random_*.json (golden_ops_test.cpp); here is what goes beyond.

TEST(Random, GoesOnInTheNextRunAndStartsAnewInAnotherSession) {
  const auto first_two_runs = [] {
    VariableGraph g(false);
    const Endpoint numbers =
        g.builder.op("RandomUniform", {g.constant(dims({5}))}, seeds(1, 2, "dtype", DType::kFloat32));
    const Array first = g.run(numbers);
    return std::pair{first, g.run(numbers)};
  };
  const auto [first, second] = first_two_runs();
  EXPECT_FALSE(first == second);
  EXPECT_EQ(first_two_runs(), std::pair(first, second));
}

TEST(Random, OfSeedZeroIsNotForeseeable) {
  const auto run = [] {
    return run_op_all("RandomUniform", {dims({8})}, {.attrs = seeds(0, 0, "dtype", DType::kFloat32)})[0];
  };
  EXPECT_FALSE(run() == run());
}

TEST(Random, OfTwoNodesIsIndependent) {
  VariableGraph g(false);
  const auto make = [&] {
    return g.builder.op("RandomUniform", {g.constant(dims({5}))}, seeds(1, 2, "dtype", DType::kFloat32));
  };
  const Endpoint a = make();
  const Endpoint b = make();
  const Array first = g.run(a);
  g.run(a);
  EXPECT_EQ(g.run(b), first);
}

TEST(Random, TakesItsShapeFromAValue) {
  const auto options = RunOptions{.attrs = seeds(1, 2, "dtype", DType::kFloat32), .constants = {0}};
  EXPECT_EQ(run_op_all("RandomStandardNormal", {dims({2, 0, 3})}, options)[0].shape(), Shape({2, 0, 3}));
  EXPECT_EQ(run_op_all("TruncatedNormal", {Array(DType::kInt64, {0})}, options)[0].shape(), Shape());
}

TEST(Random, RefusesShapesInTensorFlowsWords) {
  const graph::Attrs attrs = seeds(1, 2, "dtype", DType::kFloat32);
  EXPECT_EQ(run_error("RandomUniform", {dims({2, -1})}, attrs), "Dimension -1 must be >= 0");
  EXPECT_EQ(run_error("RandomUniform", {dims({2, 1}).reshape({1, 2})}, attrs),
            "shape must be a vector of {int32,int64}, got shape [1,2]");
  EXPECT_EQ(build_error("RandomUniform", {dims({2, 1}).reshape({1, 2})}, attrs),
            "Shape must be rank 1 but is rank 2");
}

TEST(RandomUniformInt, StaysInItsRange) {
  const Array numbers = run_op("RandomUniformInt", {dims({1000}), Array(int64_t{-2}), Array(int64_t{3})},
                               seeds(1, 2, "Tout", DType::kInt64));
  const std::set<int64_t> seen(numbers.data<int64_t>(), numbers.data<int64_t>() + 1000);
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(RandomUniformInt, RefusesBoundsInTensorFlowsWords) {
  const graph::Attrs attrs = seeds(1, 2, "Tout", DType::kInt32);
  EXPECT_EQ(run_error("RandomUniformInt", {dims({2}), Array(3), Array(3)}, attrs),
            "Need minval < maxval, got 3 >= 3");
  EXPECT_EQ(run_error("RandomUniformInt", {dims({2}), dims({3}), Array(3)}, attrs),
            "minval must be 0-D, got shape [1]");
  EXPECT_EQ(build_error("RandomUniformInt", {dims({2}), Array(3), dims({3})}, attrs),
            "maxval must be a scalar; got a tensor of shape [1]");
  EXPECT_EQ(run_op("RandomUniformInt", {dims({0}), Array(3), Array(3)}, attrs).size(), 0);
}

TEST(RandomShuffle, KeepsRowsWhole) {
  const Array rows = floats({0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f}, {4, 2});
  const graph::Attrs attrs{{"seed", int64_t{1}}, {"seed2", int64_t{2}}};
  // Recorded from TensorFlow: rows 3, 0, 2, 1.
  EXPECT_EQ(run_op("RandomShuffle", {rows}, attrs), floats({3, 3.5f, 0, 0.5f, 2, 2.5f, 1, 1.5f}, {4, 2}));
  EXPECT_EQ(run_op("RandomShuffle", {Array(7)}, attrs), Array(7));
  EXPECT_EQ(run_op("RandomShuffle", {Array(DType::kFloat32, {3, 0})}, attrs), Array(DType::kFloat32, {3, 0}));
}

/// Logarithms of probabilities, and what TensorFlow draws by them.
TEST(Multinomial, DrawsWhatTensorFlowDraws) {
  const std::vector<float> p = {.1f, .2f, .7f, .5f, .25f, .25f, 1, 1, 1, .9f, .05f, .05f};
  std::vector<float> logits;
  for (float probability : p) logits.push_back(std::log(probability));
  VariableGraph g(false);
  const Endpoint drawn =
      g.builder.op("Multinomial", {g.constant(floats(logits, {4, 3})), g.constant(Array(5))},
                   {{"seed", int64_t{3}}, {"seed2", int64_t{4}}, {"output_dtype", DType::kInt32}});
  EXPECT_EQ(drawn.shape(), Shape({4, 5}));
  EXPECT_EQ(
      g.run(drawn),
      Array::from(std::vector<int32_t>{2, 2, 2, 2, 0, 0, 0, 1, 2, 0, 2, 1, 2, 2, 2, 0, 0, 0, 0, 0}, {4, 5}));
  EXPECT_EQ(
      g.run(drawn),
      Array::from(std::vector<int32_t>{2, 2, 2, 1, 2, 0, 0, 1, 0, 2, 1, 2, 1, 2, 2, 0, 0, 0, 0, 0}, {4, 5}));
}

TEST(Multinomial, DrawsByTheSeedAloneWhereItHasNoState) {
  const std::vector<float> p = {.1f, .2f, .7f, .5f, .25f, .25f, 1, 1, 1, .9f, .05f, .05f};
  std::vector<float> logits;
  for (float probability : p) logits.push_back(std::log(probability));
  graph::Attrs attrs;
  attrs.set("output_dtype", DType::kInt32);
  const Array seed(std::vector<int32_t>{3, 4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run_op("StatelessMultinomial", {floats(logits, {4, 3}), Array(5), seed}, attrs),
              Array::from(std::vector<int32_t>{2, 2, 1, 2, 2, 1, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 0, 0, 0, 0},
                          {4, 5}));
  }
  logits.resize(3);
  const Array large(std::vector<int64_t>{-3, (int64_t{1} << 40) + 1});
  EXPECT_EQ(run_op("StatelessMultinomial", {floats(logits, {1, 3}), Array(8), large}),
            Array::from(std::vector<int64_t>{2, 2, 2, 2, 2, 2, 0, 0}, {1, 8}));
  EXPECT_EQ(run_error("StatelessMultinomial",
                      {floats({1, 2}, {1, 2}), Array(5), Array(std::vector<int64_t>{1, 2, 3})}),
            "seed must have shape [2], not [3]");
}

TEST(Multinomial, NeverDrawsAnImpossibleClass) {
  const float nothing = -std::numeric_limits<float>::infinity();
  const Array drawn = run_op("Multinomial", {floats({nothing, 0, nothing}, {1, 3}), Array(50)});
  EXPECT_EQ(drawn, Array::full(DType::kInt64, {1, 50}, 1));
}

TEST(Multinomial, RefusesShapesInTensorFlowsWords) {
  EXPECT_EQ(run_error("Multinomial", {floats({1, 2}, {2}), Array(5)}),
            "logits should be a matrix, got shape [2]");
  EXPECT_EQ(run_error("Multinomial", {floats({1, 2}, {1, 2}), Array(-1)}),
            "num_samples should be non-negative, got -1");
}

Array poisson(double rate, DType dtype) {
  graph::Attrs attrs = seeds(1, 2, "dtype", dtype);
  attrs.set("R", DType::kFloat64);
  return run_op("RandomPoissonV2", {dims({2}), Array(rate)}, attrs);
}

TEST(RandomPoisson, OfInfiniteRatesIsZeroAsAnInteger) {
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    EXPECT_EQ(poisson(std::numeric_limits<double>::infinity(), dtype), Array(dtype, {2}));
  }
}

TEST(RandomPoisson, OfRatesBeyondTheGreatestIntegerIsThat) {
  // TensorFlow looks for a number that fits, without end.
  EXPECT_EQ(poisson(1e19, DType::kInt64), Array(std::vector<int64_t>(2, INT64_MAX)));
  EXPECT_EQ(poisson(1e19, DType::kInt32), Array(std::vector<int32_t>(2, INT32_MAX)));
}

}  // namespace
}  // namespace flowray::testing
