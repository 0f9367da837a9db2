// tests/oracle/misuses/variables.py in C++: errors of variables, gradients and optimizers.
#include "support/recorded_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable_scope.h>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape) { return tf::placeholder(tf::float32, shape, {.name = "x"}); }
tf::train::GradientDescentOptimizer optimizer() { return tf::train::GradientDescentOptimizer(0.5); }

RECORDED_ERROR(get_variable_twice) {
  tf::get_variable("v", {2});
  tf::get_variable("v", {2});
}
RECORDED_ERROR(get_variable_twice_in_scope) {
  for (int i = 0; i < 2; ++i) {
    auto scope = tf::variable_scope("s");
    tf::get_variable("v", {2});
  }
}
RECORDED_ERROR(get_variable_reuse_missing) {
  auto scope = tf::variable_scope("s", {.reuse = true});
  tf::get_variable("v", {2});
}
RECORDED_ERROR(get_variable_reuse_of_plain_variable) {
  {
    auto scope = tf::variable_scope("s");
    tf::Variable v(1.0, {.name = "v"});
  }
  auto scope = tf::variable_scope("s", {.reuse = true});
  tf::get_variable("v", tf::TensorShape{});
}
RECORDED_ERROR(get_variable_reuse_other_shape) {
  tf::get_variable("v", {2});
  auto scope = tf::variable_scope(tf::get_variable_scope(), {.reuse = true});
  tf::get_variable("v", {3});
}
RECORDED_ERROR(get_variable_reuse_other_dtype) {
  tf::get_variable("v", {2});
  auto scope = tf::variable_scope(tf::get_variable_scope(), {.reuse = true});
  tf::get_variable("v", {2}, {.dtype = tf::int32});
}
RECORDED_ERROR(get_variable_partial_shape) { tf::get_variable("v", {tf::None, 2}); }
RECORDED_ERROR(get_variable_bad_name) { tf::get_variable("a b", {2}); }
RECORDED_ERROR(get_variable_constant_too_many_values) {
  tf::get_variable("v", {2}, {.initializer = tf::constant_initializer({1.0, 2.0, 3.0})});
}
RECORDED_ERROR(get_variable_glorot_int) {
  tf::get_variable("v", {2}, {.dtype = tf::int32, .initializer = tf::glorot_uniform_initializer()});
}
RECORDED_ERROR(get_variable_text_without_initializer) { tf::get_variable("v", {2}, {.dtype = tf::string}); }
RECORDED_ERROR(variable_scope_without_name) { auto scope = tf::variable_scope(std::string_view()); }
RECORDED_ERROR(variable_without_known_shape) { tf::Variable v(tf::placeholder(tf::float32), {.name = "v"}); }
RECORDED_ERROR(gradients_with_number_of_grad_ys) {
  auto x = floats({2});
  tf::gradients(x * 2.0, {x}, {.grad_ys = {x, x}});
}
RECORDED_ERROR(gradients_with_grad_ys_dtype) {
  auto x = floats({2});
  tf::gradients(x * 2.0, {x}, {.grad_ys = {tf::constant({1, 2})}});
}
RECORDED_ERROR(gradients_x_of_another_graph) {
  auto x = tf::constant(1.0, {.name = "x"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::gradients(tf::constant(2.0, {.name = "y"}), {x});
}
RECORDED_ERROR(optimizer_without_variables) { optimizer().minimize(tf::reduce_sum(floats({2}))); }
RECORDED_ERROR(optimizer_without_gradients) {
  tf::Variable v(1.0, {.name = "v"});
  optimizer().minimize(tf::constant(1.0));
}
RECORDED_ERROR(optimizer_without_gradients_two_variables) {
  tf::Variable w({1.0}, {.name = "w"});
  tf::Variable b(1.0, {.name = "b"});
  tf::train::AdamOptimizer().minimize(tf::reduce_sum(floats({2})));
}
RECORDED_ERROR(optimizer_apply_nothing) { optimizer().apply_gradients({}); }
RECORDED_ERROR(optimizer_apply_none) {
  tf::Variable v(1.0, {.name = "v"});
  optimizer().apply_gradients({{tf::Tensor(), v}});
}
RECORDED_ERROR(optimizer_apply_wrong_shape) {
  tf::Variable v({1.0, 2.0}, {.name = "v"});
  optimizer().apply_gradients({{tf::constant({1.0, 2.0, 3.0}), v}});
}
RECORDED_ERROR(optimizer_int_loss) {
  tf::Variable v(1, {.name = "v"});
  optimizer().minimize(v * 2);
}
RECORDED_ERROR(optimizer_int_variable) {
  tf::Variable v(1, {.name = "v"});
  optimizer().apply_gradients({{tf::constant(1), v}});
}
RECORDED_ERROR(variable_not_initialized_in_training) {
  tf::Variable w({1.0, 2.0}, {.name = "w"});
  auto train = optimizer().minimize(tf::reduce_sum(tf::square(w)));
  tf::Session session;
  session.run(train);
}
RECORDED_ERROR(momentum_not_initialized) {
  tf::Variable w({1.0, 2.0}, {.name = "w"});
  auto train = tf::train::MomentumOptimizer(0.5, 0.9).minimize(tf::reduce_sum(tf::square(w)));
  tf::Session session;
  session.run(w.initializer());
  session.run(train);
}
RECORDED_ERROR(variable_load_wrong_shape) {
  tf::Variable v({1.0, 2.0}, {.name = "v"});
  tf::Session session;
  session.run(v.initializer());
  v.load(Array(tf::float32, {3}), &session);
}
RECORDED_ERROR(variable_eval_without_session) { tf::Variable(1.0, {.name = "v"}).eval(); }

}  // namespace
}  // namespace flowray
