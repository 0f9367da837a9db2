// Variables, initializers and variable scopes make TensorFlow's nodes and names.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

TEST(Variable, OfALiteralZeroIsAVariable) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable counter(0);
  EXPECT_EQ(dtype_name(counter.dtype()), "int32_ref");
  EXPECT_EQ(counter.shape().rank(), 0);
}

TEST(Variable, KeepsItsConstraintWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  const tf::Variable v({1.0f, -1.0f}, {.constraint = tf::nn::relu});
  EXPECT_TRUE(v.constraint().has_value());
  EXPECT_FALSE(tf::Variable(1.0f).constraint().has_value());
  tf::train::GradientDescentOptimizer(0.5).minimize(
      [&] { return tf::reduce_sum(v * tf::constant({4.0f, 1.0f})); });
  EXPECT_EQ(v.read_value().value(), Array({0.0f, 0.0f}));  // -1 and -1.5 without it
}

GOLDEN_PROGRAM(variable_from_value) {
  tf::Variable(1);
  tf::Variable(0.5);
  tf::Variable({1.0, 2.0});
  tf::Variable(Array(tf::float32, {2, 3}));
  tf::Variable(true);
  tf::Variable(3, {.dtype = tf::float32});
  tf::Variable("text");
}

GOLDEN_PROGRAM(variable_from_tensor) {
  tf::Variable(tf::zeros({2, 3}));
  tf::Variable(tf::random_uniform({2}, -1.0, 1.0));
  tf::Variable(tf::constant(2.0));
  tf::Variable(tf::constant({1, 2}) + 1, {.name = "sum"});
}

GOLDEN_PROGRAM(variable_named) {
  tf::Variable(0.0, {.name = "weight"});
  tf::Variable(0.0, {.name = "weight"});
  tf::Variable(0.0, {.trainable = false, .name = "bias"});
  tf::Variable(tf::zeros({1}), {.name = "zeros"});
  tf::Variable(0, {.collections = {"local_variables"}, .name = "local"});
}

GOLDEN_PROGRAM(variable_from_function) {
  tf::Variable([] { return tf::zeros({2}); }, {.name = "lazy"});
  tf::Variable([] { return tf::constant(4.0, {.name = "initial_value"}); }, {});
}

GOLDEN_PROGRAM(variable_without_static_shape) {
  const auto x = tf::placeholder(tf::float32);
  tf::Variable(x, {.validate_shape = false, .name = "any"});
  tf::Variable(tf::placeholder(tf::float32, {2}), {.name = "two"});
}

GOLDEN_PROGRAM(variable_assign) {
  const auto v = tf::Variable({1.0, 2.0}, {.name = "v"});
  v.assign({3.0, 4.0});
  v.assign_add({1.0, 1.0});
  v.assign_sub({1.0, 1.0});
  v.assign(v + 1.0);
  v.assign(tf::placeholder(tf::float32, {2}), {.use_locking = true});
}

GOLDEN_PROGRAM(variable_value_and_reads) {
  const auto v = tf::Variable(1.0, {.name = "v"});
  v.value();
  v.read_value();
  tf::identity(v);
  v + 1.0;
  1.0 - v;
  -v;
  v* v;
  v.value()[tf::newaxis];
}

GOLDEN_PROGRAM(variable_is_initialized) {
  tf::Variable v(0.0, {.name = "v"});
  tf::is_variable_initialized(v);
  tf::report_uninitialized_variables({v});
}

GOLDEN_PROGRAM(variable_initializers) {
  tf::Variable(1, {.name = "a"});
  tf::Variable(2, {.name = "b"});
  tf::Variable(3, {.trainable = false, .name = "c"});
  tf::global_variables_initializer();
  tf::global_variables_initializer();
  tf::local_variables_initializer();
  tf::variables_initializer(tf::trainable_variables(), "only_two");
  tf::variables_initializer({});
}

GOLDEN_PROGRAM(get_variable_defaults) {
  tf::get_variable("w", tf::TensorShape{3, 4});
  tf::get_variable("i", tf::TensorShape{3}, {.dtype = tf::int32});
  tf::get_variable("flag", tf::TensorShape{2}, {.dtype = tf::boolean});
  tf::get_variable("d", tf::TensorShape{3, 4}, {.dtype = tf::float64});
  tf::get_variable("scalar", tf::TensorShape{});
  tf::get_variable("frozen", tf::TensorShape{2}, {.trainable = false});
}

GOLDEN_PROGRAM(get_variable_simple_initializers) {
  tf::get_variable("zeros", {2}, {.initializer = tf::zeros_initializer()});
  tf::get_variable("zeros_uncalled", {2}, {.initializer = tf::zeros_initializer()});
  tf::get_variable("ones", {2, 2}, {.initializer = tf::ones_initializer()});
  tf::get_variable("constant", {2}, {.initializer = tf::constant_initializer(0.4)});
  tf::get_variable("list", {2, 2}, {.initializer = tf::constant_initializer({1.0, 2.0, 3.0, 4.0})});
  tf::get_variable("ints", {2}, {.dtype = tf::int32, .initializer = tf::constant_initializer(3)});
  tf::get_variable("large", {40, 50}, {.initializer = tf::zeros_initializer()});
}

GOLDEN_PROGRAM(get_variable_random_initializers) {
  tf::get_variable("uniform", {2},
                   {.initializer = tf::random_uniform_initializer({.minval = -0.5, .maxval = 0.5})});
  tf::get_variable("uniform_seed", {2},
                   {.initializer = tf::random_uniform_initializer({.minval = 0, .maxval = 1, .seed = 3})});
  tf::get_variable("normal", {2}, {.initializer = tf::random_normal_initializer()});
  tf::get_variable("normal_seed", {2},
                   {.initializer = tf::random_normal_initializer({.mean = 1.0, .stddev = 0.1, .seed = 4})});
  tf::get_variable("truncated", {2}, {.initializer = tf::truncated_normal_initializer({.stddev = 0.1})});
  tf::get_variable("truncated_seed", {2}, {.initializer = tf::truncated_normal_initializer({.seed = 5})});
}

GOLDEN_PROGRAM(get_variable_glorot) {
  tf::get_variable("matrix", {3, 4}, {.initializer = tf::glorot_uniform_initializer({.seed = 0})});
  tf::get_variable("vector", {5}, {.initializer = tf::glorot_uniform_initializer()});
  tf::get_variable("filter", {5, 5, 2, 3}, {.initializer = tf::glorot_normal_initializer({.seed = 1})});
  tf::get_variable("normal", {3, 4}, {.initializer = tf::glorot_normal_initializer()});
  tf::get_variable("wide", {3, 4},
                   {.dtype = tf::float64, .initializer = tf::glorot_uniform_initializer({.seed = 0})});
}

GOLDEN_PROGRAM(get_variable_from_value) {
  tf::get_variable("from_tensor", {.initializer = tf::constant({1.0, 2.0})});
  tf::get_variable("from_number", {.initializer = 3.0});
  tf::get_variable("from_list", {.initializer = Array({1, 2})});
  tf::get_variable("from_array", {.initializer = Array::full(tf::float32, {2, 2}, 1.0)});
}

GOLDEN_PROGRAM(get_variable_with_seeds) {
  tf::set_random_seed(11);
  tf::get_variable("a", tf::TensorShape{2});
  tf::get_variable("b", {2}, {.initializer = tf::glorot_uniform_initializer({.seed = 0})});
  tf::get_variable("c", {2}, {.initializer = tf::random_normal_initializer()});
}

GOLDEN_PROGRAM(global_step) {
  tf::train::get_or_create_global_step();
  tf::train::get_or_create_global_step();
  tf::Variable(0, {.trainable = false, .name = "step"});
}

// ---- scopes

void zeros_variable(const char* name, const tf::TensorShape& shape) {
  tf::get_variable(name, shape, {.initializer = tf::zeros_initializer()});
}

GOLDEN_PROGRAM(variable_scope_basic) {
  {
    const auto first = tf::variable_scope("first");
    zeros_variable("v", {2});
    tf::constant(1);
    const auto second = tf::variable_scope("second");
    zeros_variable("v", {2});
    tf::Variable(0, {.name = "plain"});
  }
  const auto first = tf::variable_scope("first");
  zeros_variable("w", {2});
  tf::constant(1);
}

GOLDEN_PROGRAM(variable_scope_document) {
  {
    const auto scope = tf::variable_scope("test1", {.initializer = tf::constant_initializer(0.4)});
    tf::get_variable("firstvar", tf::TensorShape{2});
    const auto inner = tf::variable_scope("test2");
    tf::get_variable("test3", {2}, {.initializer = tf::constant_initializer(0.3)});
  }
  const auto scope = tf::variable_scope("test1", {.reuse = true});
  tf::get_variable("firstvar", tf::TensorShape{2});
}

GOLDEN_PROGRAM(variable_scope_reuse) {
  {
    const auto scope = tf::variable_scope("s");
    zeros_variable("v", {2});
  }
  {
    const auto scope = tf::variable_scope("s", {.reuse = true});
    tf::get_variable("v", tf::TensorShape{2}) + 1.0;
  }
  {
    auto scope = tf::variable_scope("s");
    scope.reuse_variables();
    tf::get_variable("v", tf::TensorShape{2}) * 2.0;
  }
  const auto scope = tf::variable_scope("s", {.reuse = tf::AUTO_REUSE});
  tf::get_variable("v", tf::TensorShape{2});
  tf::get_variable("fresh", {2}, {.initializer = tf::ones_initializer()});
}

GOLDEN_PROGRAM(variable_scope_reentered_by_object) {
  tf::VariableScope descriptor;
  {
    const auto scope = tf::variable_scope("s");
    descriptor = scope.scope();
    zeros_variable("v", {});
  }
  const auto other = tf::variable_scope("other");
  {
    const auto scope = tf::variable_scope(descriptor);
    zeros_variable("w", {});
    tf::constant(1);
  }
  const auto scope = tf::variable_scope(descriptor, {.auxiliary_name_scope = false});
  zeros_variable("x", {});
  tf::constant(1);
}

GOLDEN_PROGRAM(variable_scope_default_name) {
  for (int i = 0; i < 2; ++i) {
    const auto scope = tf::variable_scope("", {.default_name = "layer"});
    zeros_variable("v", {});
    tf::constant(1);
  }
}

GOLDEN_PROGRAM(variable_scope_in_name_scope) {
  const auto n = tf::name_scope("n");
  zeros_variable("v", {});
  const auto s = tf::variable_scope("s");
  zeros_variable("v", {});
  tf::Variable(1.0);
  tf::constant(1);
}

}  // namespace
}  // namespace flowray
