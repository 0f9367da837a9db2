// Optimizers make the nodes, slots and names that TensorFlow's make.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

using tf::train::AdagradOptimizer;
using tf::train::AdamOptimizer;
using tf::train::GradientDescentOptimizer;
using tf::train::MomentumOptimizer;
using tf::train::RMSPropOptimizer;

tf::Tensor line_loss() {
  const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  const auto w = tf::Variable(0.5, {.name = "w"});
  const auto b = tf::Variable({0.0, 1.0}, {.name = "b"});
  // One statement a node: C++ leaves open which operand of + is built first.
  const auto line = tf::reduce_mean(tf::square(x * w));
  return line + tf::reduce_sum(b * b);
}

template <class Optimizer>
void minimize(Optimizer optimizer, bool with_step = false) {
  const auto loss = line_loss();
  tf::train::MinimizeOptions options;
  if (with_step) options.global_step = tf::train::get_or_create_global_step();
  optimizer.minimize(loss, options);
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(optimizer_gradient_descent) { minimize(GradientDescentOptimizer(0.5)); }
GOLDEN_PROGRAM(optimizer_gradient_descent_global_step) { minimize(GradientDescentOptimizer(0.5), true); }
GOLDEN_PROGRAM(optimizer_gradient_descent_named_and_locking) {
  minimize(GradientDescentOptimizer(0.5, {.use_locking = true, .name = "Down"}));
}
GOLDEN_PROGRAM(optimizer_momentum) { minimize(MomentumOptimizer(0.1, 0.9)); }
GOLDEN_PROGRAM(optimizer_momentum_nesterov_global_step) {
  minimize(MomentumOptimizer(0.1, 0.9, {.use_nesterov = true}), true);
}
GOLDEN_PROGRAM(optimizer_adam) { minimize(AdamOptimizer()); }
GOLDEN_PROGRAM(optimizer_adam_global_step) {
  minimize(AdamOptimizer(1e-3, {.beta1 = 0.8, .beta2 = 0.99, .epsilon = 1e-6}), true);
}
GOLDEN_PROGRAM(optimizer_adagrad) { minimize(AdagradOptimizer(0.01)); }
GOLDEN_PROGRAM(optimizer_adagrad_global_step) {
  minimize(AdagradOptimizer(0.01, {.initial_accumulator_value = 0.5}), true);
}
GOLDEN_PROGRAM(optimizer_rmsprop) { minimize(RMSPropOptimizer(1e-3)); }
GOLDEN_PROGRAM(optimizer_rmsprop_centered_global_step) {
  minimize(RMSPropOptimizer(1e-3, {.decay = 0.8, .momentum = 0.5, .centered = true}), true);
}
GOLDEN_PROGRAM(optimizer_learning_rate_tensor) {
  minimize(GradientDescentOptimizer(tf::placeholder(tf::float32, tf::TensorShape{}, {.name = "rate"})));
}

GOLDEN_PROGRAM(optimizer_var_list) {
  const auto loss = line_loss();
  MomentumOptimizer(0.1, 0.9).minimize(loss, {.var_list = {tf::trainable_variables()[1]}});
}

GOLDEN_PROGRAM(optimizer_exponential_decay) {
  const auto loss = line_loss();
  const tf::Variable step(0, {.trainable = false, .name = "step"});
  const auto rate = tf::train::exponential_decay(0.1, step, 100, 0.96, {.staircase = true});
  GradientDescentOptimizer(rate).minimize(loss, {.global_step = step});
}

GOLDEN_PROGRAM(optimizer_two_at_once) {
  const auto loss = line_loss();
  GradientDescentOptimizer(0.5).minimize(loss);
  GradientDescentOptimizer(0.25).minimize(loss);
  AdamOptimizer().minimize(loss);
  AdamOptimizer().minimize(loss, {.name = "second"});
}

GOLDEN_PROGRAM(optimizer_clipped_gradients) {
  const auto loss = line_loss();
  GradientDescentOptimizer optimizer(0.5);
  auto pairs = optimizer.compute_gradients(loss);
  for (auto& pair : pairs) pair.gradient = tf::clip_by_value(pair.gradient, -1.0, 1.0);
  optimizer.apply_gradients(pairs, {.name = "clipped"});
}

GOLDEN_PROGRAM(optimizer_in_scopes) {
  {
    const auto scope = tf::name_scope("train");
    const auto loss = line_loss();
    AdamOptimizer().minimize(loss);
  }
  const auto scope = tf::variable_scope("net");
  const auto w = tf::get_variable("w", tf::TensorShape{2});
  MomentumOptimizer(0.1, 0.9).minimize(tf::reduce_sum(w * w), {.var_list = {w}});
}

GOLDEN_PROGRAM(optimizer_float64) {
  const auto w = tf::Variable(tf::zeros({2}, tf::float64), {.name = "w"});
  MomentumOptimizer(0.1, 0.9).minimize(tf::reduce_sum(tf::square(w - 1.0)));
}

GOLDEN_PROGRAM(optimizer_unused_variable) {
  const auto loss = line_loss();
  tf::Variable(1.0, {.name = "unused"});
  AdamOptimizer().minimize(loss);
}

}  // namespace
}  // namespace flowray
