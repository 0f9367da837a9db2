// tests/oracle/programs/regularized_optimizers.py and moving_averages.py in C++.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

using namespace tf::train;

tf::Tensor line_loss() {
  const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  const auto w = tf::Variable(0.5, {.name = "w"});
  const auto b = tf::Variable({0.0, 1.0}, {.name = "b"});
  const auto line = tf::reduce_mean(tf::square(x * w));
  return line + tf::reduce_sum(b * b);
}

template <class Optimizer>
void minimize(Optimizer optimizer, bool with_step = false) {
  const auto loss = line_loss();
  MinimizeOptions options;
  if (with_step) options.global_step = get_or_create_global_step();
  optimizer.minimize(loss, options);
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(optimizer_adadelta) { minimize(AdadeltaOptimizer(), true); }
GOLDEN_PROGRAM(optimizer_adagrad_da) {
  const auto step = get_or_create_global_step();
  minimize(AdagradDAOptimizer(0.1, step), true);
}
GOLDEN_PROGRAM(optimizer_ftrl) { minimize(FtrlOptimizer(0.1), true); }
GOLDEN_PROGRAM(optimizer_ftrl_shrinkage) {
  minimize(FtrlOptimizer(0.1, {.learning_rate_power = -0.25,
                               .initial_accumulator_value = 0.2,
                               .l1_regularization_strength = 0.5,
                               .l2_regularization_strength = 0.125,
                               .name = "F",
                               .accum_name = "a",
                               .linear_name = "l",
                               .l2_shrinkage_regularization_strength = 0.75,
                               .beta = 0.5}));
}
GOLDEN_PROGRAM(optimizer_ftrl_rate_tensor) {
  minimize(FtrlOptimizer(tf::placeholder(tf::float32, tf::TensorShape{}, {.name = "rate"})));
}
GOLDEN_PROGRAM(optimizer_proximal_gradient_descent) {
  minimize(ProximalGradientDescentOptimizer(
               0.5, {.l1_regularization_strength = 0.25, .l2_regularization_strength = 0.125}),
           true);
}
GOLDEN_PROGRAM(optimizer_proximal_adagrad) { minimize(ProximalAdagradOptimizer(0.5), true); }

GOLDEN_PROGRAM(moving_averages_of_tensors) {
  const auto w = tf::Variable({1.0, 2.0}, {.name = "w"});
  ExponentialMovingAverage(0.5).apply({w * 2.0});
}

GOLDEN_PROGRAM(moving_averages) {
  const auto w = tf::Variable({1.0, 2.0}, {.name = "w"});
  const auto b = tf::Variable(0.5, {.name = "b"});
  ExponentialMovingAverage(0.9).apply({w, b});
}
GOLDEN_PROGRAM(moving_averages_by_updates) {
  tf::Variable({1.0, 2.0}, {.name = "w"});
  const auto step = tf::Variable(0, {.trainable = false, .name = "step"});
  ExponentialMovingAverage averages(0.99, {.num_updates = step, .name = "averages"});
  averages.apply();
  averages.apply();
}
GOLDEN_PROGRAM(moving_averages_without_bias) {
  const auto w = tf::Variable({1.0, 2.0}, {.name = "w"});
  ExponentialMovingAverage(0.5, {.zero_debias = true}).apply({w * 2.0, w});
}
GOLDEN_PROGRAM(moving_averages_in_a_scope) {
  const auto scope = tf::variable_scope("net");
  const auto w = tf::get_variable("w", {2}, {.initializer = tf::zeros_initializer()});
  const auto wait = tf::control_dependencies({tf::no_op("trained")});
  ExponentialMovingAverage(0.5).apply({w});
}

TEST(ExponentialMovingAverage, FollowsVariablesFromTheirFirstValue) {
  tf::reset_default_graph();
  const auto w = tf::Variable(1.0, {.name = "w"});
  const auto other = tf::Variable(2.0, {.trainable = false, .name = "other"});
  ExponentialMovingAverage averages(0.75);
  EXPECT_EQ(averages.average_name(w), "w/ExponentialMovingAverage");
  const auto update = averages.apply({w});
  const auto shadow = averages.average(w);
  EXPECT_EQ(shadow.op().name(), averages.average_name(w));
  EXPECT_FALSE(averages.average(other).has_value());
  const auto names = averages.variables_to_restore();
  ASSERT_EQ(names.size(), 2U);  // the shadow is a variable, too, but w is restored by its name
  EXPECT_EQ(names.at("w/ExponentialMovingAverage"), w);
  EXPECT_EQ(names.at("other"), other);
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(session.run(shadow).item<float>(), 1.0F);
  w.load(Array(5.0F), &session);
  session.run(update);
  EXPECT_EQ(session.run(shadow).item<float>(), 2.0F);
}

TEST(ExponentialMovingAverage, OfATensorLacksWhatZeroHasAdded) {
  tf::reset_default_graph();
  const auto x = tf::placeholder(tf::float32, tf::TensorShape{});
  ExponentialMovingAverage plain(0.5);
  ExponentialMovingAverage fair(0.5, {.zero_debias = true, .name = "fair"});
  const auto updates = tf::group({plain.apply({x}), fair.apply({x})});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  session.run(updates, {{x, 3.0F}});
  EXPECT_EQ(session.run(plain.average(x)).item<float>(), 1.5F);
  EXPECT_EQ(session.run(fair.average(x)).item<float>(), 3.0F);
}

TEST(ExponentialMovingAverage, IsShorterWhileThereAreFewUpdates) {
  tf::reset_default_graph();
  const auto w = tf::Variable(1.0, {.name = "w"});
  ExponentialMovingAverage averages(0.99, {.num_updates = 8});  // (1 + 8) / (10 + 8) = 0.5
  const auto update = averages.apply();
  tf::Session session;
  session.run(tf::global_variables_initializer());
  w.load(Array(5.0F), &session);
  session.run(update);
  EXPECT_EQ(session.run(averages.average(w)).item<float>(), 3.0F);
}

TEST(ExponentialMovingAverage, TakesFloatsOnly) {
  tf::reset_default_graph();
  const auto n = tf::Variable(1, {.name = "n"});
  EXPECT_THROW(ExponentialMovingAverage(0.5).apply({n}), tf::TypeError);
}

tf::Variable step_variable() { return tf::Variable(0, {.trainable = false, .name = "step"}); }

GOLDEN_PROGRAM(rates_of_a_cosine) {
  const auto step = step_variable();
  cosine_decay(0.1, step, 100);
  cosine_decay(0.1, step, 100, {.alpha = 0.25, .name = "half"});
  linear_cosine_decay(0.1, step, 100);
  linear_cosine_decay(0.1, step, 100, {.num_periods = 2.0, .alpha = 0.5, .beta = 0.25, .name = "linear"});
}
GOLDEN_PROGRAM(rates_of_a_noisy_cosine) {
  tf::set_random_seed(3);
  const auto step = step_variable();
  noisy_linear_cosine_decay(0.1, step, 100);
  noisy_linear_cosine_decay(0.1, step, 100,
                            {.initial_variance = 2.0,
                             .variance_decay = 0.25,
                             .num_periods = 3.0,
                             .alpha = 0.5,
                             .beta = 0.125,
                             .name = "noise"});
}

GOLDEN_PROGRAM(rates_of_a_cosine_that_restarts) {
  const auto step = step_variable();
  cosine_decay_restarts(0.1, step, 100);
  cosine_decay_restarts(0.1, step, 100, {.t_mul = 1.0, .m_mul = 0.5, .alpha = 0.25, .name = "even"});
}

TEST(LearningRates, RestartAlongACosine) {
  tf::reset_default_graph();
  const auto step = tf::placeholder(tf::int32, tf::TensorShape{});
  const auto growing = cosine_decay_restarts(1.0, step, 10);
  const auto even = cosine_decay_restarts(1.0, step, 10, {.t_mul = 1.0, .m_mul = 0.5});
  tf::Session session;
  // Periods of 10, 20, 40 steps; half of the second one is over at 20.
  EXPECT_NEAR(session.run(growing, {{step, 5}}).item<float>(), 0.5, 1e-6);
  EXPECT_NEAR(session.run(growing, {{step, 10}}).item<float>(), 1.0, 1e-5);
  EXPECT_NEAR(session.run(growing, {{step, 20}}).item<float>(), 0.5, 1e-5);
  EXPECT_NEAR(session.run(even, {{step, 15}}).item<float>(), 0.25, 1e-6);
}

GOLDEN_PROGRAM(global_steps) {
  const auto step = create_global_step();
  assert_global_step(step.ref());
  get_global_step();
}

TEST(GlobalStep, IsMadeOnceAndIsAScalarInteger) {
  tf::reset_default_graph();
  EXPECT_FALSE(get_global_step().has_value());
  create_global_step();
  EXPECT_THROW(create_global_step(), tf::ValueError);
  EXPECT_THROW(assert_global_step(tf::constant(1.0)), tf::TypeError);
  EXPECT_THROW(assert_global_step(tf::constant({1, 2})), tf::TypeError);
}

GOLDEN_PROGRAM(initializers_of_matrices) {
  tf::set_random_seed(7);
  tf::get_variable("wide", {2, 5}, {.initializer = tf::orthogonal_initializer()});
  tf::get_variable("tall", {3, 2, 2}, {.initializer = tf::orthogonal_initializer({.gain = 0.5, .seed = 3})});
  tf::get_variable("scaled", {4, 2}, {.initializer = tf::uniform_unit_scaling_initializer()});
  tf::get_variable("factor", {2, 3, 2},
                   {.initializer = tf::uniform_unit_scaling_initializer({.factor = 1.5, .seed = 2})});
  tf::get_variable("eye", {2, 3}, {.initializer = tf::initializers::identity()});
  tf::get_variable("square", {2, 2}, {.initializer = tf::initializers::identity(2.0)});
}

GOLDEN_PROGRAM(old_names_of_initializing) {
  const auto v = tf::Variable(1.0, {.name = "v"});
  tf::Variable(2.0, {.collections = {"local_variables"}, .name = "w"});
  tf::global_variables_initializer();
  tf::local_variables_initializer();
  tf::variables_initializer({v});
  tf::tables_initializer();
  tf::tables_initializer();
}

}  // namespace
}  // namespace flowray
