// An embedding of which rows are gathered is updated row by row, with TensorFlow's values.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "support/json.h"

namespace flowray::tf {
namespace {

using ::flowray::testing::Json;
using ::flowray::testing::parse_json;

const Json& recorded() {
  static const Json* const kRecorded = [] {
    std::ifstream file(FLOWRAY_SOURCE_DIR "/tests/golden/training/sparse.json");
    std::ostringstream text;
    text << file.rdbuf();
    return new Json(parse_json(text.str()));
  }();
  return *kRecorded;
}

struct Embedding {
  Variable variable;
  Tensor loss;

  Embedding() {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(i / 10.0 - 0.5);
    variable = Variable(Array::from(values, Shape{6, 2}), {.name = "embedding"});
    const Tensor rows = gather(variable, Array(std::vector<int32_t>{3, 1, 3, 0}));
    const Tensor others = gather(variable, Array(std::vector<int32_t>{4, 1}));
    const Tensor near = reduce_sum(square(rows - 0.3));
    loss = near + reduce_sum(pow(others, 3.0));
  }
};

void expect_as_recorded(const std::string& name, train::Optimizer& optimizer) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Embedding embedding;
  const Operation step = optimizer.minimize(embedding.loss);
  Session session;
  session.run(global_variables_initializer());
  for (const Json& expected : recorded().at(name).items) {
    session.run(step);
    const Array value = session.run(embedding.variable);
    for (size_t i = 0; i < expected.items.size(); ++i) {
      EXPECT_NEAR(value.data<double>()[i], expected.items[i].number(), 1e-12) << name << ", element " << i;
    }
  }
}

TEST(SparseTraining, WithGradientDescentIsTensorFlows) {
  train::GradientDescentOptimizer optimizer(0.1);
  expect_as_recorded("gradient_descent", optimizer);
}

TEST(SparseTraining, WithMomentumIsTensorFlows) {
  train::MomentumOptimizer plain(0.1, 0.9);
  expect_as_recorded("momentum", plain);
  train::MomentumOptimizer nesterov(0.1, 0.9, {.use_nesterov = true});
  expect_as_recorded("nesterov", nesterov);
}

TEST(SparseTraining, WithAdagradIsTensorFlows) {
  train::AdagradOptimizer optimizer(0.1);
  expect_as_recorded("adagrad", optimizer);
}

TEST(SparseTraining, WithRmsPropIsTensorFlows) {
  train::RMSPropOptimizer plain(0.1, {.momentum = 0.5});
  expect_as_recorded("rms_prop", plain);
  train::RMSPropOptimizer centered(0.1, {.centered = true});
  expect_as_recorded("centered_rms_prop", centered);
}

TEST(SparseTraining, WithAdamIsTensorFlows) {
  train::AdamOptimizer optimizer(0.1);
  expect_as_recorded("adam", optimizer);
}

int count_of(const Graph& graph, const std::string& op) {
  int count = 0;
  for (const Operation& operation : graph.get_operations()) count += operation.type() == op ? 1 : 0;
  return count;
}

TEST(SparseTraining, LeavesADenseUpdateWhereTheVariableIsAlsoReadWhole) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Embedding embedding;
  const Tensor loss = embedding.loss + reduce_sum(square(embedding.variable));
  train::AdagradOptimizer(0.1).minimize(loss);
  EXPECT_EQ(count_of(graph, "ApplyAdagrad"), 1);
  EXPECT_EQ(count_of(graph, "SparseApplyAdagrad"), 0);
}

TEST(SparseTraining, WithAdadeltaIsTensorFlows) {
  train::AdadeltaOptimizer optimizer(10.0);
  expect_as_recorded("adadelta", optimizer);
}

TEST(SparseTraining, WithAdagradDaIsTensorFlows) {
  train::AdagradDAOptimizer optimizer(
      0.1, int64_t{2}, {.l1_regularization_strength = 0.01, .l2_regularization_strength = 0.02});
  expect_as_recorded("adagrad_da", optimizer);
}

TEST(SparseTraining, WithFtrlIsTensorFlows) {
  train::FtrlOptimizer plain(
      0.1, {.l1_regularization_strength = 0.01, .l2_regularization_strength = 0.02, .beta = 0.5});
  expect_as_recorded("ftrl", plain);
  train::FtrlOptimizer shrinking(0.1,
                                 {.learning_rate_power = -0.25, .l2_shrinkage_regularization_strength = 0.5});
  expect_as_recorded("ftrl_shrinkage", shrinking);
}

TEST(SparseTraining, WithProximalOptimizersLeavesOtherRowsAlone) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Variable table(Array::from(std::vector<float>{1, 1, 1}, Shape{3, 1}), {.name = "table"});
  const Tensor loss = reduce_sum(gather(table, Array(std::vector<int32_t>{2, 2})));  // a gradient of 2
  train::ProximalGradientDescentOptimizer descent(
      0.25, {.l1_regularization_strength = 1.0, .l2_regularization_strength = 4.0});
  const Operation step = descent.minimize(loss, {.var_list = {table}});
  train::ProximalAdagradOptimizer adagrad(0.25, {.initial_accumulator_value = 12.0});
  const Operation other_step = adagrad.minimize(loss, {.var_list = {table}});
  Session session;
  session.run(global_variables_initializer());
  session.run(step);  // 1 - 0.25 * 2 = 0.5, then 0.25 * 1 nearer to 0, then divided by 1 + 0.25 * 4
  Array value = session.run(table);
  EXPECT_EQ(value.data<float>()[0], 1.0F);
  EXPECT_EQ(value.data<float>()[2], 0.125F);
  session.run(other_step);  // the accumulator is 12 + 2 * 2
  value = session.run(table);
  EXPECT_EQ(value.data<float>()[0], 1.0F);
  EXPECT_EQ(value.data<float>()[2], 0.125F - 0.25F * 2.0F / 4.0F);
}

}  // namespace
}  // namespace flowray::tf
