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

}  // namespace
}  // namespace flowray::tf
