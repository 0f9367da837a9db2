// tests/oracle/programs/partitioner.py in C++, but for what it does with scopes, and what variables
// that are cut hold, save and refuse.
#include "support/golden_graph.h"
#include "support/idx_files.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/checkpoint_utils.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/partitioner.h>
#include <flowray/tf/saver.h>
#include <flowray/tf/session.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable_scope.h>

#include <string>
#include <vector>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape) { return tf::placeholder(tf::float32, shape, {.name = "x"}); }

tf::Variable cut(const std::string& name, const tf::TensorShape& shape, int64_t parts = 2) {
  return tf::get_variable(name, shape, {.partitioner = tf::fixed_size_partitioner(parts)});
}

GOLDEN_PROGRAM(partitioned_into_a_fixed_number) {
  cut("w", {10, 4}, 3);
  tf::get_variable(
      "columns", {3, 4},
      {.initializer = tf::zeros_initializer(), .partitioner = tf::fixed_size_partitioner(2, {.axis = 1})});
  cut("rows", {2, 3}, 5);
  cut("whole", {2, 3}, 1);
}

GOLDEN_PROGRAM(partitioned_by_bytes) {
  tf::get_variable("w", {10, 4}, {.partitioner = tf::variable_axis_size_partitioner(64)});
  tf::get_variable("few", {10, 4},
                   {.partitioner = tf::variable_axis_size_partitioner(16, {.max_shards = 2})});
  tf::get_variable(
      "d", {4, 6},
      {.dtype = tf::float64, .partitioner = tf::variable_axis_size_partitioner(64, {.axis = 1})});
  tf::get_variable(
      "m", {64, 8},
      {.partitioner = tf::min_max_variable_partitioner({.max_partitions = 4, .min_slice_size = 512})});
  tf::get_variable("n", {8, 8},
                   {.partitioner = tf::min_max_variable_partitioner(
                        {.max_partitions = 10, .axis = 1, .min_slice_size = 32})});
}

GOLDEN_PROGRAM(partitioned_by_a_function) {
  tf::get_variable("w", {4, 6}, {.partitioner = [](const tf::TensorShape&, tf::DType) {
                     return std::vector<int64_t>{1, 3};
                   }});
}

GOLDEN_PROGRAM(partitioned_value) {
  auto w = cut("w", {5, 3});
  auto x = floats({2, 5});
  tf::matmul(x, w);
  {
    auto scope = tf::name_scope("scope");
    auto wait = tf::control_dependencies({x});
    w.value();
    tf::identity(w);
  }
  auto one = cut("one", {2}, 1);
  tf::square(one);
}

GOLDEN_PROGRAM(partitioned_from_a_value) {
  auto t = tf::constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  tf::get_variable("t", {.initializer = t, .partitioner = tf::fixed_size_partitioner(2)});
  tf::get_variable(
      "l", {4},
      {.initializer = tf::Input({1.0, 2.0, 3.0, 4.0}), .partitioner = tf::fixed_size_partitioner(2)});
}

GOLDEN_PROGRAM(partitioned_resource) {
  auto w =
      tf::get_variable("w", {5, 3}, {.partitioner = tf::fixed_size_partitioner(2), .use_resource = true});
  tf::square(w);
}

GOLDEN_PROGRAM(partitioned_in_scopes) {
  tf::Variable w;
  {
    auto scope = tf::variable_scope("net", {.partitioner = tf::fixed_size_partitioner(2)});
    w = tf::get_variable("w", {4, 2});
    tf::get_variable("scalar", {});
    auto inner = tf::variable_scope("inner");
    tf::get_variable("w", {3});
  }
  {
    auto scope = tf::variable_scope("net", {.reuse = true});
    tf::add(tf::get_variable("w", {4, 2}), w);
  }
  auto scope =
      tf::variable_scope("net", {.partitioner = tf::fixed_size_partitioner(2), .reuse = tf::AUTO_REUSE});
  tf::get_variable("w", {4, 2});
  tf::get_variable("v", {4, 2});
}

GOLDEN_PROGRAM(partitioned_assign) {
  auto w = cut("w", {5, 3});
  tf::assign_parts(w, Array(std::vector<float>(15, 1)).reshape({5, 3}));
  auto x = floats({5, 3});
  tf::assign_add_parts(w, x);
  auto upper = tf::ones({3, 3});
  auto lower = tf::ones({2, 3});
  tf::assign_sub_parts(w, {upper, lower});
}

GOLDEN_PROGRAM(partitioned_saver) {
  cut("w", {5, 3});
  tf::get_variable("b", {3});
  tf::get_variable("r", {4}, {.partitioner = tf::fixed_size_partitioner(2), .use_resource = true});
  tf::train::Saver();
}

GOLDEN_PROGRAM(partitioned_saver_by_name) {
  auto w = cut("w", {5, 3});
  tf::train::Saver({.named_variables = {{"other", w}}});
  tf::train::Saver({.var_list = {w}});
}

GOLDEN_PROGRAM(partitioned_saver_of_many_parts) {
  cut("w", {12}, 12);
  tf::train::Saver();
}

GOLDEN_PROGRAM(partitioned_saver_in_shards) {
  {
    auto there = tf::device(tf::train::replica_device_setter({.ps_tasks = 2}));
    cut("w", {5, 3});
  }
  tf::train::Saver({.sharded = true});
}

GOLDEN_PROGRAM(partitioned_momentum) {
  auto w = cut("w", {4, 2});
  auto x = floats({3, 4});
  auto loss = tf::reduce_sum(tf::square(tf::matmul(x, w)));
  tf::train::MomentumOptimizer(0.1, 0.9).minimize(loss);
  tf::train::Saver();
}

GOLDEN_PROGRAM(partitioned_adam_in_a_scope) {
  {
    auto scope =
        tf::variable_scope("net", {.partitioner = tf::fixed_size_partitioner(2), .use_resource = true});
    auto w = tf::get_variable("w", {4});
    auto loss = tf::reduce_sum(tf::square(w));
    tf::train::AdamOptimizer(0.1).minimize(loss);
  }
  tf::train::Saver();
}

GOLDEN_PROGRAM(partitioned_variables_created) {
  auto parts = tf::create_partitioned_variables({4, 3}, {2, 1}, tf::zeros_initializer(), {.name = "w"});
  tf::concat(parts, 0);
  auto value = tf::constant({1.0, 2.0, 3.0, 4.0});
  tf::create_partitioned_variables({4}, {2}, value, {.trainable = false});
  tf::create_partitioned_variables({4}, {1}, tf::ones_initializer(), {.dtype = tf::float64});
}

// ---- what they hold

std::vector<float> as_floats(const Array& array) {
  const auto values = array.span<float>();
  return {values.begin(), values.end()};
}

TEST(PartitionedVariable, HasTheValueOfItsParts) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto w = tf::get_variable("w", {.initializer = tf::constant({1.f, 2.f, 3.f, 4.f, 5.f}),
                                  .partitioner = tf::fixed_size_partitioner(2)});
  EXPECT_EQ(w.name(), "w");
  EXPECT_EQ(w.shape(), (tf::TensorShape{5}));
  EXPECT_EQ(w.dtype(), tf::float32);
  EXPECT_TRUE(w.is_partitioned());
  EXPECT_EQ(w.partitions(), std::vector<int64_t>{2});
  ASSERT_EQ(w.parts().size(), 2U);
  EXPECT_EQ(w.parts()[0].name(), "w/part_0:0");
  EXPECT_EQ(w.parts()[1].shape(), (tf::TensorShape{2}));
  auto more = tf::assign_add_parts(w, {10.f, 20.f, 30.f, 40.f, 50.f});
  auto total = w + 0.0;
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(as_floats(session.run(total)), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(as_floats(session.run(more[1])), (std::vector<float>{44, 55}));
  EXPECT_EQ(as_floats(w.eval(&session)), (std::vector<float>{1, 2, 3, 44, 55}));
}

TEST(PartitionedVariable, IsSavedAsOneAndRestoredIntoAnotherNumberOfParts) {
  const testing::TestFolder folder;
  const std::string path = (folder.path() / "model").string();
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    tf::get_variable("w", {.initializer = tf::constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}),
                           .partitioner = tf::fixed_size_partitioner(3)});
    tf::train::Saver saver;
    tf::Session session;
    session.run(tf::global_variables_initializer());
    saver.save(session, path);
  }
  EXPECT_EQ(tf::train::list_variables(path), (std::map<std::string, tf::TensorShape>{{"w", {3, 2}}}));
  EXPECT_EQ(tf::train::load_variable(path, "w"), Array({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}));
  {  // into two parts
    const tf::Graph graph;
    const auto scope = graph.as_default();
    auto w = tf::get_variable("w", {3, 2}, {.partitioner = tf::fixed_size_partitioner(2, {.axis = 1})});
    tf::train::Saver saver;
    tf::Session session;
    saver.restore(session, path);
    EXPECT_EQ(w.eval(&session), Array({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}));
  }
  {  // through the .meta file, whose saver knows the parts
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto imported = tf::train::import_meta_graph(path + ".meta");
    tf::train::Saver again({.name = "again"});
    tf::Session session;
    again.restore(session, path);
    EXPECT_EQ(session.run("w/part_2:0"), Array({{5.f, 6.f}}));
  }
}

TEST(PartitionedVariable, IsTrainedAsAWholeOneIs) {
  const auto trained = [](const tf::Partitioner& partitioner) {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    auto w =
        tf::get_variable("w", {.initializer = tf::constant({1.f, -2.f, 3.f}), .partitioner = partitioner});
    auto loss = tf::reduce_sum(tf::square(w));
    auto step = tf::train::AdamOptimizer(0.1).minimize(loss);
    tf::Session session;
    session.run(tf::global_variables_initializer());
    for (int i = 0; i < 5; ++i) session.run(step);
    return w.eval(&session);
  };
  EXPECT_EQ(trained(tf::fixed_size_partitioner(2)), trained(nullptr));
}

TEST(PartitionedVariable, IsALayersKernel) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto x = floats({2, 3});
  tf::Tensor y;
  {
    auto net = tf::variable_scope(
        "net", {.initializer = tf::ones_initializer(), .partitioner = tf::fixed_size_partitioner(2)});
    y = tf::layers::dense(x, 2);
  }
  std::vector<std::string> names;
  for (const tf::Variable& variable : tf::trainable_variables()) names.push_back(variable.name());
  EXPECT_EQ(names, (std::vector<std::string>{"net/dense/kernel/part_0:0", "net/dense/kernel/part_1:0",
                                             "net/dense/bias/part_0:0", "net/dense/bias/part_1:0"}));
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(session.run(y, {{x, {{1, 2, 3}, {0, 0, 1}}}}), Array({{6.f, 6.f}, {1.f, 1.f}}));
}

TEST(PartitionedVariable, IsRegularizedPartByPart) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::get_variable("w", {4},
                   {.initializer = tf::ones_initializer(),
                    .regularizer = tf::nn::l2_loss,
                    .partitioner = tf::fixed_size_partitioner(2)});
  const auto losses = tf::get_collection(tf::GraphKeys::REGULARIZATION_LOSSES);
  ASSERT_EQ(losses.size(), 2U);
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(session.run(tf::add_n(losses.tensors())), Array(2.f));
}

// ---- what they refuse

TEST(PartitionedVariable, RefusesWhatCannotBeCut) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto by = [](std::vector<int64_t> partitions) {
    return tf::Partitioner([partitions](const tf::TensorShape&, tf::DType) { return partitions; });
  };
  expect_error<tf::ValueError>(
      [&] { tf::get_variable("w", {4, tf::None}, {.partitioner = tf::fixed_size_partitioner(2)}); },
      "Shape of a new partitioned variable must be fully defined, but instead was (4, ?).");
  expect_error<tf::ValueError>(
      [&] { tf::get_variable("w", {4}, {.partitioner = by({1, 2})}); },
      "Partitioner returned a partition list that does not match the Variable's rank: [1, 2] vs. (4,)");
  expect_error<tf::ValueError>([&] { tf::get_variable("w", {4}, {.partitioner = by({0})}); },
                               "Partitioner returned zero partitions for some axes: [0]");
  expect_error<tf::ValueError>(
      [&] { tf::get_variable("w", {4, 4}, {.partitioner = by({2, 2})}); },
      "Can only slice a variable along one dimension: shape: (4, 4), partitioning: [2, 2]");
  expect_error<tf::ValueError>(
      [&] {
        tf::get_variable("w", {4},
                         {.partitioner = tf::min_max_variable_partitioner({.max_partitions = 2, .axis = 1})});
      },
      "Cannot partition variable along axis 1 when shape is only (4,)");
  expect_error<tf::ValueError>([&] { tf::variable_axis_size_partitioner(0); },
                               "Both max_shard_bytes and bytes_per_string_element must be positive.");
  expect_error<tf::ValueError>(
      [&] { tf::create_partitioned_variables({4}, {1, 2}, tf::zeros_initializer()); },
      "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: (4,), slicing: [1, "
      "2]");
  EXPECT_TRUE(tf::global_variables().empty());
}

TEST(PartitionedVariable, IsSharedAsItIsCutOnly) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto w = cut("w", {4});
  tf::get_variable("plain", {4});
  expect_error<tf::ValueError>([] { cut("plain", {4}); },
                               "A partitioner was provided, but an unpartitioned version of the variable was "
                               "found: plain.");
  expect_error<tf::ValueError>([] { tf::get_variable("w", {4}); },
                               "No partitioner was provided, but a partitioned version of the variable was "
                               "found: w/part_0.");
  expect_error<tf::ValueError>([] { cut("w", {4}); }, "Partitioned variable with name w already exists.");
  auto again = tf::variable_scope(tf::get_variable_scope(), {.reuse = true});
  EXPECT_EQ(cut("w", {4}), w);
  EXPECT_EQ(tf::get_variable("w", {4}), w);
  expect_error<tf::ValueError>(
      [] { cut("w", {4}, 4); },
      "Trying to reuse partitioned variable w, but specified partitions [4] and found "
      "partitions [2].");
  expect_error<tf::ValueError>([] { cut("w", {5}); },
                               "Trying to reuse partitioned variable w, but specified shape (5,) and found "
                               "shape (4,).");
  expect_error<tf::ValueError>([] { cut("v", {5}); }, "PartitionedVariable v does not exist");
}

TEST(PartitionedVariable, HasNoOperationOfItsOwn) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto w = cut("w", {4});
  const char* const words =
      "of 'w', which a partitioner has cut into 2 parts.\nEach of its parts is a variable";
  expect_error<tf::ValueError>([&] { w.op(); }, words);
  expect_error<tf::ValueError>([&] { w.ref(); }, words);
  expect_error<tf::ValueError>([&] { w.initializer(); }, words);
  expect_error<tf::ValueError>([&] { w.assign({1.0, 2.0, 3.0, 4.0}); }, words);
  expect_error<tf::ValueError>([&] { tf::gradients(tf::reduce_sum(w), {w}); }, words);
  expect_error<tf::ValueError>([&] { tf::assign_parts(w, {tf::ones({2})}); },
                               "1 values for the 2 parts of w.");
}

}  // namespace
}  // namespace flowray
