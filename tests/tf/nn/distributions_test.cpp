// tf.distributions: the numbers of TensorFlow 2.21's, those of normal vectors by numpy.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/error_words.h"

namespace flowray::tf {
namespace {

using namespace distributions;  // NOLINT: all names in it are what is tested
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::NanSensitiveFloatNear;
using ::testing::Pointwise;
using ::testing::StartsWith;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class DistributionsTest : public ::testing::Test {
 protected:
  static void expect(const Tensor& tensor, const Shape& shape, const std::vector<float>& values) {
    const Array found = Session().run(tensor);
    EXPECT_EQ(found.shape(), shape);
    const auto numbers = found.span<float>();
    EXPECT_THAT(std::vector<float>(numbers.begin(), numbers.end()),
                Pointwise(NanSensitiveFloatNear(2e-5f), values));
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return testing::without_line(error);
    }
    return "nothing";
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(DistributionsTest, NormalNumbers) {
  const Normal d({0.0, 1.0}, {1.0, 2.0});
  EXPECT_EQ(d.batch_shape(), TensorShape{2});
  EXPECT_EQ(d.event_shape(), TensorShape{});
  EXPECT_EQ(d.name(), "Normal/");
  const Array value({0.5f, -1.0f});
  expect(d.prob(value), {2}, {0.35206532f, 0.12098535f});
  expect(d.log_prob(value), {2}, {-1.0439385f, -2.1120858f});
  expect(d.cdf(value), {2}, {0.69146246f, 0.15865526f});
  expect(d.entropy(), {2}, {1.4189385f, 2.1120858f});
  expect(d.mean(), {2}, {0, 1});
  expect(d.mode(), {2}, {0, 1});
  expect(d.variance(), {2}, {1, 4});
  expect(d.stddev(), {2}, {1, 2});
  expect(d.sample(2, {.seed = 7}), {2, 2}, {-0.04694568f, -1.4078047f, 1.1668352f, 3.341241f});
  expect(d.log_prob(0.0), {2}, {-0.9189385f, -1.7370857f});
  expect(kl_divergence(d, Normal(0.5, 1.5)), {2}, {0.18324286f, 0.15676236f});
  EXPECT_EQ(Session().run(d.sample({3, 1, 2})).shape(), (Shape{3, 1, 2, 2}));
  EXPECT_EQ(Session().run(d.sample()).shape(), Shape{2});
}

TEST_F(DistributionsTest, UniformNumbers) {
  const Uniform d({0.0, -1.0}, {2.0, 3.0});
  const Array value({1.5f, 4.0f});
  expect(d.prob(value), {2}, {0.5f, 0});
  expect(d.log_prob(value), {2}, {-0.6931472f, -kInfinity});
  expect(d.cdf(value), {2}, {0.75f, 1});
  expect(d.entropy(), {2}, {0.6931472f, 1.3862944f});
  expect(d.mean(), {2}, {1, 1});
  expect(d.variance(), {2}, {0.33333334f, 1.3333334f});
  expect(d.sample(2, {.seed = 7}), {2, 2}, {0.9678819f, 1.0248122f, 0.5102875f, -0.5010309f});
  // Of [0, 2) in [-1, 2.5), and of [-1, 3), which is not in it.
  expect(kl_divergence(d, Uniform(-1.0, 2.5)), {2}, {std::log(3.5f / 2), kInfinity});
  EXPECT_THAT(error_of([&] { d.mode(); }), StartsWith("mode is not implemented: Uniform"));
}

TEST_F(DistributionsTest, Chances) {
  const Bernoulli d({.logits = {-1.0, 0.5}});
  const Bernoulli other({.probs = {0.3, 0.9}});
  expect(d.prob({1, 0}), {2}, {0.2689414f, 0.37754068f});
  expect(d.entropy(), {2}, {0.58220303f, 0.6628473f});
  expect(d.mean(), {2}, {0.26894143f, 0.62245935f});
  expect(d.variance(), {2}, {0.19661194f, 0.23500371f});
  expect(other.prob({1.0, 0.0}), {2}, {0.3f, 0.1f});
  expect(other.entropy(), {2}, {0.6108643f, 0.32508302f});
  expect(kl_divergence(d, other), {2}, {0.00234534f, 0.27205473f});
  Session session;
  EXPECT_EQ(session.run(d.mode()), Array({0, 1}));
  EXPECT_EQ(session.run(d.sample(2, {.seed = 7})), Array({{0, 1}, {1, 1}}));
  EXPECT_EQ(session.run(Bernoulli({.probs = 1.0, .dtype = DType::kBool}).sample()), Array(true));
  EXPECT_THAT(error_of([] { Bernoulli none({}); }), StartsWith("Must pass probs or logits, but not both."));
  EXPECT_THAT(error_of([] { Categorical both({.logits = 0.0, .probs = 1.0}); }),
              StartsWith("Must pass probs or logits, but not both."));
}

TEST_F(DistributionsTest, Classes) {
  const Categorical d({.logits = {{0.0, 1.0, 2.0}, {2.0, 0.5, 0.5}}});
  const Categorical other({.probs = {0.2, 0.3, 0.5}});
  expect(d.prob({2, 0}), {2}, {0.66524094f, 0.6914384f});
  expect(d.log_prob({2, 0}), {2}, {-0.40760595f, -0.3689812f});
  expect(d.entropy(), {2}, {0.83239555f, 0.83182347f});
  expect(other.prob({2, 0}), {2}, {0.5f, 0.2f});
  expect(kl_divergence(d, other), {2}, {0.06825939f, 0.5736928f});
  Session session;
  EXPECT_EQ(session.run(d.mode()), Array({2, 0}));
  EXPECT_EQ(session.run(d.sample(2, {.seed = 7})), Array({{2, 0}, {0, 1}}));
  EXPECT_EQ(session.run(other.sample(2, {.seed = 7})), Array({2, 0}));
  EXPECT_THAT(error_of([&] { d.mean(); }), StartsWith("mean is not implemented: Categorical"));
}

TEST_F(DistributionsTest, GammaAndBeta) {
  const Gamma gamma({2.0, 0.5}, {1.0, 3.0});
  expect(gamma.prob({1.5, 0.25}), {2}, {0.33469525f, 0.923198f});
  expect(gamma.cdf({1.5, 0.25}), {2}, {0.44217455f, 0.77932864f});
  expect(gamma.entropy(), {2}, {1.5772158f, -1.0080028f});
  expect(gamma.mean(), {2}, {2, 0.16666667f});
  expect(gamma.mode(), {2}, {1, kNan});
  expect(gamma.variance(), {2}, {2, 0.05555556f});
  expect(gamma.sample(2, {.seed = 7}), {2, 2}, {2.4105992f, 1.1359524f, 2.7530365f, 0.01199476f});
  expect(kl_divergence(gamma, Gamma(1.0, 2.0)), {2}, {1.729637f, 0.64818895f});
  const Beta beta({2.0, 0.5}, {3.0, 1.5});
  expect(beta.prob({0.25, 0.75}), {2}, {1.6875001f, 0.3675526f});
  expect(beta.cdf({0.25, 0.75}), {2}, {0.26171866f, 0.94233114f});
  expect(beta.entropy(), {2}, {-0.23490667f, -0.5484177f});
  expect(beta.mean(), {2}, {0.4f, 0.25f});
  expect(beta.mode(), {2}, {0.33333334f, kNan});
  expect(beta.variance(), {2}, {0.04f, 0.0625f});
  expect(kl_divergence(beta, Beta(1.0, 2.0)), {2}, {0.12509274f, 0.24156475f});
  const Tensor drawn = beta.sample(4000, {.seed = 3});
  Session session;
  const auto means = session.run(reduce_mean(drawn, 0));
  EXPECT_NEAR(means.data<float>()[0], 0.4f, 0.02f);
  EXPECT_NEAR(means.data<float>()[1], 0.25f, 0.02f);
}

TEST_F(DistributionsTest, DirichletVectors) {
  const Dirichlet d({{1.0, 2.0, 3.0}, {2.0, 2.0, 0.5}});
  EXPECT_EQ(d.batch_shape(), TensorShape{2});
  EXPECT_EQ(d.event_shape(), TensorShape{3});
  EXPECT_EQ(Session().run(d.batch_shape_tensor()), Array({2}));
  EXPECT_EQ(Session().run(d.event_shape_tensor()), Array({3}));
  const Array value({{0.2f, 0.3f, 0.5f}, {0.1f, 0.6f, 0.3f}});
  expect(d.prob(value), {2}, {4.5f, 0.718886f});
  expect(d.log_prob(value), {2}, {1.5040774f, -0.3300525f});
  expect(d.entropy(), {2}, {-1.2443442f, -1.6253891f});
  expect(d.mean(), {2, 3}, {0.16666667f, 0.33333334f, 0.5f, 0.44444445f, 0.44444445f, 0.11111111f});
  expect(d.variance(), {2, 3},
         {0.01984127f, 0.03174603f, 0.03571429f, 0.04489338f, 0.04489338f, 0.01795735f});
  expect(d.sample(1, {.seed = 7}), {1, 2, 3},
         {0.0048235f, 0.31601277f, 0.67916375f, 0.26044932f, 0.6064689f, 0.13308176f});
  expect(kl_divergence(d, Dirichlet({1.0, 1.0, 2.0})), {2}, {0.23591828f, 3.1860113f});
  expect(Dirichlet({{2.0, 3.0}, {1.0, 2.0}}).mode(), {2, 2}, {1.0f / 3, 2.0f / 3, kNan, kNan});
}

TEST_F(DistributionsTest, NormalVectors) {
  const MultivariateNormalTriL d({1.0, -1.0}, {{2.0, 0.0}, {0.5, 1.5}});
  EXPECT_EQ(d.batch_shape(), TensorShape{});
  EXPECT_EQ(d.event_shape(), TensorShape{2});
  expect(d.log_prob({{0.0, 0.0}, {1.0, -2.0}}), {2}, {-3.4087116f, -3.1587116f});
  expect(d.entropy(), {}, {3.9364895f});
  expect(d.covariance(), {2, 2}, {4, 1, 1, 2.5f});
  expect(d.mean(), {2}, {1, -1});
  expect(d.variance(), {2}, {4, 2.5f});
  expect(kl_divergence(d, MultivariateNormalTriL({0.5, 0.0}, {{1.0, 0.0}, {-0.3, 0.8}})), {}, {3.0708223f});
  const Tensor drawn = d.sample(4000, {.seed = 3});
  const Tensor centred = drawn - reduce_mean(drawn, 0);
  const Array covariance = Session().run(matmul(centred, centred, {.transpose_a = true}) / 4000.0);
  const auto near = covariance.span<float>();
  EXPECT_THAT(std::vector<float>(near.begin(), near.end()),
              Pointwise(FloatNear(0.2f), std::vector<float>{4, 1, 1, 2.5f}));
}

TEST_F(DistributionsTest, GradientsFlowThroughSamplesAndDensities) {
  const Variable loc(0.5f);
  const Normal d(loc, 2.0);
  const Tensor by_sample = gradients({d.sample(1, {.seed = 1})}, {loc})[0];
  const Tensor by_density = gradients({d.log_prob(1.5)}, {loc})[0];
  Session session;
  session.run(global_variables_initializer());
  EXPECT_FLOAT_EQ(session.run(by_sample).item<float>(), 1.0f);
  EXPECT_FLOAT_EQ(session.run(by_density).item<float>(), 0.25f);  // (1.5 - 0.5) / 2^2
}

TEST_F(DistributionsTest, ParametersAreFloats) {
  EXPECT_THAT(error_of([] { Normal d(0, 1); }),
              StartsWith("Expected floating point type, got <dtype: 'int32'>."));
  EXPECT_THAT(error_of([] { Normal d(0.0, constant(1)); }),
              StartsWith("Expected floating point type, got <dtype: 'int32'>."));
  EXPECT_THAT(error_of([] { Normal(0.0, 1.0).log_prob(Tensor()); }), HasSubstr("'value' is an unset"));
}

}  // namespace
}  // namespace flowray::tf
