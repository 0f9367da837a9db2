// tests/oracle/programs/activations_and_moments.py in C++.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

tf::Tensor placeholder(const tf::TensorShape& shape = {tf::None, 3}, const char* name = "x",
                       DType dtype = tf::float32) {
  return tf::placeholder(dtype, shape, {.name = name});
}

GOLDEN_PROGRAM(activations_of_several_nodes) {
  const auto x = placeholder();
  tf::nn::crelu(x);
  tf::nn::crelu(x, {.axis = 0, .name = "both"});
  tf::nn::silu(x);
  tf::nn::silu(x, 2.0);
  tf::nn::zero_fraction(x);
  tf::nn::zero_fraction(placeholder({4, 3}, "y"), {.name = "zeros"});
  tf::nn::zero_fraction(placeholder({4, 3}, "n", tf::int32), {.name = "of_integers"});
}

GOLDEN_PROGRAM(losses_of_elements) {
  const auto targets = placeholder({tf::None, 3}, "targets");
  const auto x = placeholder();
  tf::nn::weighted_cross_entropy_with_logits({targets, x, 2.0});
  const auto weight = placeholder({3}, "weight");
  tf::nn::weighted_cross_entropy_with_logits({targets, x, weight, "weighted"});
  tf::nn::log_poisson_loss(targets, x);
  tf::nn::log_poisson_loss(targets, x, {.compute_full_loss = true, .name = "full"});
}

GOLDEN_PROGRAM(moments_with_weights) {
  const auto x = placeholder({4, 3});
  tf::nn::weighted_moments(x, {0}, placeholder({4, 1}, "w"));
  tf::nn::weighted_moments(x, {0, 1}, placeholder({4, 3}, "v"), {.keep_dims = true, .name = "kept"});
  tf::nn::weighted_moments(placeholder({4, 3}, "n", tf::float16), {1}, 2.0, {.name = "number"});
  const auto h = placeholder({4, 3}, "h", tf::float16);
  tf::nn::weighted_moments(h, {1}, placeholder({4, 3}, "u", tf::float16));
}

GOLDEN_PROGRAM(statistics_of_moments) {
  const auto x = placeholder({4, 3});
  tf::nn::sufficient_statistics(x, {0});
  tf::nn::sufficient_statistics(placeholder({tf::None, 3}, "y"), {0},
                                {.shift = 1.5, .keep_dims = true, .name = "shifted"});
  const auto by = tf::constant(2.0, {.name = "by"});
  const auto all = tf::nn::sufficient_statistics(x, {0, 1}, {.shift = by, .name = "of_all"});
  tf::nn::normalize_moments(all.count, all.mean_ss, all.variance_ss, all.shift);
  tf::nn::normalize_moments(all.count, all.mean_ss, all.variance_ss, {}, {.name = "plain"});
}

GOLDEN_PROGRAM(normalization_of_batches_as_once) {
  const auto x = placeholder({2, 4, 4, 3});
  const auto m = placeholder({3}, "m");
  const auto v = placeholder({3}, "v");
  const auto beta = placeholder({3}, "beta");
  const auto gamma = placeholder({3}, "gamma");
  tf::nn::batch_normalization(x, m, v, {.offset = beta, .scale = gamma});
  tf::nn::batch_normalization(x, m, v, {.offset = beta, .name = "unscaled"});
}

TEST(Silu, HasTheGradientOfItsProduct) {
  tf::reset_default_graph();
  const auto x = tf::constant(1.0);
  const auto y = tf::nn::silu(x, 2.0);
  tf::Session session;
  const auto [value, slope] = session.run({y, tf::gradients(y, {x})[0]});
  const double s = 1 / (1 + std::exp(-2.0));
  EXPECT_NEAR(value.item<float>(), s, 1e-6);
  EXPECT_NEAR(slope.item<float>(), s + 2 * s * (1 - s), 1e-6);
}

TEST(Moments, ComeFromTheirStatistics) {
  tf::reset_default_graph();
  const auto x = tf::constant({1.0, 2.0, 3.0, 6.0});
  const auto sums = tf::nn::sufficient_statistics(x, {0}, {.shift = 2.0});
  const auto moments = tf::nn::normalize_moments(sums.count, sums.mean_ss, sums.variance_ss, sums.shift);
  const auto weighted = tf::nn::weighted_moments(x, {0}, {0.0, 1.0, 1.0, 0.0});
  tf::Session session;
  EXPECT_EQ(session.run(moments.mean).item<float>(), 3.0F);
  EXPECT_EQ(session.run(moments.variance).item<float>(), 3.5F);
  EXPECT_EQ(session.run(weighted.mean).item<float>(), 2.5F);
  EXPECT_EQ(session.run(weighted.variance).item<float>(), 0.25F);
}

}  // namespace
}  // namespace flowray
