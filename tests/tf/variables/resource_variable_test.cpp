// Resource variables make TensorFlow's nodes, and are what was assigned before they are read.
#include <flowray/tf.h>

#include "support/golden_graph.h"
#include "support/idx_files.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace flowray {
namespace {

GOLDEN_PROGRAM(resource_variable_from_value) {
  tf::Variable(1.0, {.use_resource = true});
  tf::Variable({1, 2}, {.name = "v", .use_resource = true});
  tf::Variable("text", {.trainable = false, .use_resource = true});
  tf::Variable(3, {.dtype = tf::float32, .use_resource = true});
  tf::Variable(tf::zeros({2, 3}), {.name = "zeros", .use_resource = true});
  tf::Variable([] { return tf::ones({2}); }, {.name = "lazy", .use_resource = true});
  tf::Variable(Array({{1.0F, 1.0F}, {1.0F, 1.0F}}),
               {.collections = {"local_variables"}, .use_resource = true});
}

GOLDEN_PROGRAM(resource_variable_without_static_shape) {
  tf::Variable(tf::placeholder(tf::float32), {.validate_shape = false, .name = "any", .use_resource = true});
  tf::Variable(tf::placeholder(tf::float32, {2}), {.name = "two", .use_resource = true});
}

GOLDEN_PROGRAM(resource_variable_reads) {
  const tf::Variable v(1.0, {.name = "v", .use_resource = true});
  const tf::Variable w(2.0, {.name = "w", .use_resource = true});
  v.value();
  v.read_value();
  tf::identity(v);
  v + 1.0;
  1.0 - v;
  v* v;
  v* w;
  v / w;
  -v;
  (void)(v < 2.0);
  tf::pow(v.value(), 2.0, {.name = "pow"});
  tf::add(v, 1.0, {.name = "Add"});
  tf::square(v);
  tf::reduce_sum(v);
  v[tf::newaxis];
}

GOLDEN_PROGRAM(resource_variable_assign) {
  const tf::Variable v({1.0, 2.0}, {.name = "v", .use_resource = true});
  v.assign({3.0, 4.0});
  v.assign_add({1.0, 1.0});
  v.assign_sub({1.0, 1.0}, {.name = "less"});
  v.assign(v + 1.0);
  const auto x = tf::placeholder(tf::float32, {2});
  v.assign(x, {.use_locking = true});
  tf::assign(v, {1.0, 2.0});
  tf::assign_add(v, {1.0, 2.0}, {.name = "more"});
  tf::assign_sub(v, {1.0, 2.0});
}

GOLDEN_PROGRAM(resource_get_variable) {
  tf::get_variable("w", {3, 4}, {.use_resource = true});
  tf::get_variable("i", {3}, {.dtype = tf::int32, .use_resource = true});
  tf::get_variable("zeros", {2}, {.initializer = tf::zeros_initializer(), .use_resource = true});
  tf::get_variable("from_tensor", {.initializer = tf::constant({1.0, 2.0}), .use_resource = true});
  tf::get_variable("from_number", {.initializer = 3.0, .use_resource = true});
  tf::get_variable("frozen", {2}, {.trainable = false, .use_resource = true});
  tf::get_variable("reference", {2}, {.use_resource = false});
}

GOLDEN_PROGRAM(resource_variables_in_scopes) {
  tf::Variable w;
  {
    auto net = tf::variable_scope("net", {.use_resource = true});
    w = tf::get_variable("w", {2});
    tf::Variable(0.0, {.name = "b"});
    {
      auto inner = tf::variable_scope("inner");
      tf::get_variable("w", {2});
    }
    auto reference = tf::variable_scope("reference", {.use_resource = false});
    tf::get_variable("w", {2});
  }
  {
    auto net = tf::variable_scope("net", {.reuse = true});
    tf::get_variable("w", {2}) + w;
  }
  auto plain = tf::variable_scope("plain");
  tf::get_variable("w", {2});
}

GOLDEN_PROGRAM(resource_variables_enabled) {
  tf::enable_resource_variables();
  tf::get_variable("w", {2});
  tf::Variable(1.0, {.name = "v"});
  tf::Variable(1.0, {.name = "r", .use_resource = false});
  tf::disable_resource_variables();
}

GOLDEN_PROGRAM(resource_variable_initializers) {
  const tf::Variable v(tf::random_normal({2}), {.name = "v", .use_resource = true});
  tf::Variable(v * 2.0, {.name = "x", .use_resource = true});
  tf::is_variable_initialized(v);
  tf::is_variable_initialized(v);
  tf::report_uninitialized_variables();
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(resource_variable_gradient_descent) {
  const auto x = tf::placeholder(tf::float32, {tf::None, 2}, {.name = "x"});
  const auto w = tf::get_variable("w", {2, 1}, {.use_resource = true});
  const auto b = tf::get_variable("b", {1}, {.initializer = tf::zeros_initializer(), .use_resource = true});
  const auto loss = tf::reduce_mean(tf::square(tf::matmul(x, w) + b));
  const auto step = tf::train::get_or_create_global_step();
  tf::train::GradientDescentOptimizer(0.1).minimize(loss, {.global_step = step});
}

GOLDEN_PROGRAM(resource_variable_global_step) {
  tf::Variable step;
  tf::Variable v;
  {
    auto scope = tf::variable_scope("", {.use_resource = true});
    step = tf::train::get_or_create_global_step();
    v = tf::get_variable("v", {2});
  }
  tf::train::GradientDescentOptimizer(0.1).minimize(tf::reduce_sum(v), {.global_step = step});
}

GOLDEN_PROGRAM(resource_variable_saver) {
  tf::get_variable("w", {2, 3}, {.use_resource = true});
  tf::get_variable("r", {2}, {.use_resource = false});
  tf::get_variable("b", {3}, {.use_resource = true});
  tf::train::Saver();
}

GOLDEN_PROGRAM(resource_variable_saver_reshapes) {
  const auto v = tf::get_variable("w", {2, 3}, {.use_resource = true});
  tf::train::Saver({.named_variables = {{"other", v}}, .reshape = true});
}

void optimized(tf::train::Optimizer& optimizer) {
  const auto w = tf::get_variable("w", {2, 3}, {.use_resource = true});
  optimizer.minimize(tf::reduce_sum(tf::square(w)));
}

GOLDEN_PROGRAM(resource_variable_momentum) {
  tf::train::MomentumOptimizer optimizer(0.1, 0.9, {.use_nesterov = true});
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_adam) {
  tf::train::AdamOptimizer optimizer(0.1);
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_adagrad) {
  tf::train::AdagradOptimizer optimizer(0.1);
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_rmsprop) {
  tf::train::RMSPropOptimizer optimizer(0.1, {.centered = true});
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_plain_rmsprop) {
  tf::train::RMSPropOptimizer optimizer(0.1);
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_adadelta) {
  tf::train::AdadeltaOptimizer optimizer(0.1);
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_ftrl) {
  tf::train::FtrlOptimizer optimizer(0.1, {.l1_regularization_strength = 0.01});
  optimized(optimizer);
}
GOLDEN_PROGRAM(resource_variable_proximal) {
  tf::train::ProximalGradientDescentOptimizer optimizer(0.1);
  optimized(optimizer);
  const auto other = tf::get_variable("other", {2}, {.use_resource = true});
  tf::train::ProximalAdagradOptimizer(0.1).minimize(tf::reduce_sum(other));
}
GOLDEN_PROGRAM(resource_variable_adagrad_da) {
  const auto step = tf::train::get_or_create_global_step();
  tf::train::AdagradDAOptimizer optimizer(0.1, step);
  optimized(optimizer);
}
/// Control inputs are sorted in recorded lines.
std::string with_sorted_controls(const std::string& line) {
  const size_t first = line.find('^');
  const size_t end = line.find(')');
  if (first == std::string::npos || first > end) return line;
  std::set<std::string> controls;
  std::istringstream list(line.substr(first, end - first));
  for (std::string control; std::getline(list >> std::ws, control, ',');) controls.insert(control);
  std::string sorted;
  for (const std::string& control : controls) sorted += (sorted.empty() ? "" : ", ") + control;
  return line.substr(0, first) + sorted + line.substr(end);
}

/// Updates of rows: the gradient of gathering makes the sum of the rows here, too, which nothing runs.
void expect_updates_of_rows(const std::string& program, tf::train::Optimizer& optimizer) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto table = tf::get_variable("table", {5, 3}, {.use_resource = true});
  const auto rows = tf::placeholder(tf::int32, {tf::None}, {.name = "rows"});
  optimizer.minimize(tf::reduce_sum(tf::gather(table, rows)));
  std::ifstream file(FLOWRAY_SOURCE_DIR "/tests/golden/graphs/" + program + ".txt");
  std::istringstream ours(testing::listing_of(graph));
  std::string expected;
  std::string line;
  while (std::getline(ours, line)) {
    if (line.starts_with("gradients/Gather_grad/strided_slice_1") ||
        line.starts_with("gradients/Gather_grad/UnsortedSegmentSum")) {
      continue;
    }
    ASSERT_TRUE(std::getline(file, expected));
    EXPECT_EQ(with_sorted_controls(line), expected);
  }
  EXPECT_FALSE(std::getline(file, expected));
}

TEST(ResourceVariable, IsUpdatedRowByRow) {
  tf::train::GradientDescentOptimizer descent(0.1);
  expect_updates_of_rows("resource_variable_sparse_gradient_descent", descent);
  tf::train::MomentumOptimizer momentum(0.1, 0.9);
  expect_updates_of_rows("resource_variable_sparse_momentum", momentum);
  tf::train::AdamOptimizer adam(0.1);
  expect_updates_of_rows("resource_variable_sparse_adam", adam);
  tf::train::FtrlOptimizer ftrl(0.1);
  expect_updates_of_rows("resource_variable_sparse_ftrl", ftrl);
}

GOLDEN_PROGRAM(resource_variable_lookups) {
  const auto table = tf::get_variable("table", {5, 3}, {.use_resource = true});
  tf::gather(table, {0, 1});
  tf::gather(table, {0, 1}, {.axis = 1});
  tf::gather(table, {0, 1}, {.name = "rows"});
  tf::nn::embedding_lookup(table, tf::placeholder(tf::int64, {tf::None}, {.name = "ids"}));
}

GOLDEN_PROGRAM(resource_variable_in_branches) {
  const auto v = tf::get_variable("v", {2}, {.use_resource = true});
  const auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  const auto y = tf::cond(p, [&] { return v * 2.0; }, [] { return tf::zeros({2}); });
  tf::gradients(y, {v});
}

GOLDEN_PROGRAM(variables_with_caching_devices) {
  tf::Variable v;
  tf::Variable w;
  tf::Variable x;
  {
    auto device = tf::device("/device:CPU:0");
    v = tf::Variable(1.0, {.caching_device = "/cpu:1", .name = "v"});
    w = tf::Variable(1.0, {.caching_device = "/cpu:1", .name = "w", .use_resource = true});
    const auto of_op = [](const tf::Operation& op) { return op.device(); };
    x = tf::Variable(1.0, {.caching_device = of_op, .name = "x", .use_resource = true});
  }
  tf::Variable y;
  {
    auto scope = tf::variable_scope("scope", {.caching_device = "/cpu:0"});
    y = tf::get_variable("y", {}, {.use_resource = true});
    tf::get_variable("z", {});
  }
  v + w + x + y;
  w.assign_add(1.0);
  w.read_value();
}

GOLDEN_PROGRAM(resource_variable_in_loops) {
  const auto v = tf::get_variable("v", {2}, {.use_resource = true});
  const auto ones = tf::ones({2});
  auto [i, y] = tf::while_loop([](auto at, auto) { return at < 3; },
                               [&](auto at, auto a) {
                                 const auto next = at + 1;
                                 return std::vector<tf::Input>{next, tf::tanh(a * v)};
                               },
                               {0, ones});
  tf::train::GradientDescentOptimizer(0.1).minimize(tf::reduce_sum(y));
}

GOLDEN_PROGRAM(resource_variable_with_constraint) {
  const auto v = tf::get_variable("v", {2}, {.use_resource = true, .constraint = [](const tf::Variable& own) {
                                               return tf::clip_by_value(own, 0.0, 1.0);
                                             }});
  const auto w = tf::get_variable("w", {2}, {.constraint = tf::nn::relu});
  tf::train::GradientDescentOptimizer(0.1).minimize(tf::reduce_sum(v * w));
}

GOLDEN_PROGRAM(resource_variable_moving_average) {
  const auto v = tf::get_variable("v", {2}, {.use_resource = true});
  tf::train::ExponentialMovingAverage average(0.9);
  average.apply({v});
}

TEST(ResourceVariable, IsWhatWasAssignedBeforeItIsRead) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable v(1.0, {.use_resource = true});
  const auto before = v.read_value();
  tf::Tensor more;
  {
    const auto wait = tf::control_dependencies({before});
    more = v.assign_add(2.0);
  }
  tf::Session session;
  session.run(tf::global_variables_initializer());
  const auto [first, second] = session.run({before, more});
  EXPECT_EQ(first.item<float>(), 1);
  EXPECT_EQ(second.item<float>(), 3);
  EXPECT_EQ(session.run(v).item<float>(), 3);
  v.load(7.0, &session);
  EXPECT_EQ(v.eval(&session).item<float>(), 7);
}

TEST(ResourceVariable, OfAnotherShapeIsNotAssigned) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable v({1.0, 2.0}, {.name = "v", .use_resource = true});
  EXPECT_EQ(v.dtype(), tf::float32);
  EXPECT_THROW(v.assign({1.0, 2.0, 3.0}), ValueError);
  EXPECT_THROW(v.assign(tf::constant({1, 2})), ValueError);
}

TEST(ResourceVariable, IsSavedAndRestoredAlsoByWayOfItsFile) {
  const testing::TestFolder folder;
  const std::string path = (folder.path() / "model").string();
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    tf::get_variable("v", {2}, {.initializer = tf::ones_initializer(), .use_resource = true});
    tf::train::Saver saver;
    tf::Session session;
    session.run(tf::global_variables_initializer());
    saver.save(session, path);
  }
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto imported = tf::train::import_meta_graph(path + ".meta");
  tf::Session session;
  imported.saver->restore(session, path);
  const auto variables = tf::global_variables();
  ASSERT_EQ(variables.size(), 1U);
  EXPECT_TRUE(variables[0].is_resource());
  EXPECT_EQ(session.run(variables[0] * 2.0).data<float>()[1], 2);
}

TEST(Variable, HasTheShapeThatIsExpected) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_NO_THROW(tf::Variable({1.0, 2.0}, {.expected_shape = tf::TensorShape{tf::None}}));
  EXPECT_THROW(tf::Variable({1.0, 2.0}, {.expected_shape = tf::TensorShape{3}}), ValueError);
}

}  // namespace
}  // namespace flowray
