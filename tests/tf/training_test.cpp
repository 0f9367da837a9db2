// Whole trainings give the losses that TensorFlow recorded in tests/golden/training, from the same weights
// and batches.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

#include "core/sanitizers.h"
#include "support/json.h"
#include "support/lenet5_weights.h"

namespace flowray::tf {
namespace {

using ::flowray::testing::Json;
using ::flowray::testing::lenet5_weights;
using ::flowray::testing::NamedWeights;
using ::flowray::testing::parse_json;

constexpr int64_t kSteps = 100;
constexpr int64_t kBatch = 100;
const std::filesystem::path kFashionMnist = "/usr/share/datasets/fashion-mnist";

Json golden(const std::string& job, DType dtype) {
  std::ifstream file(FLOWRAY_SOURCE_DIR "/tests/golden/training/" + job + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_json(text.str()).at(std::string(dtype_name(dtype)));
}

double as_double(const Array& scalar) { return scalar.astype(float64).item<double>(); }

// A training ready to run in the default graph: what its steps are fed, its variables.
struct Training {
  Tensor loss;
  Operation step;
  std::map<std::string, Variable> variables;
  std::function<FeedDict(int step)> feeds = [](int) { return FeedDict(); };
};

// Sanitizers look at memory and threads, which are the same in every step.
constexpr int64_t kMostSteps = kSanitized ? 3 : kSteps;

// How many steps are compared. In float64 all of them. In float32 a value beside a relu's kink falls on
// either side by rounding alone, and the losses part for good: for how long two orders of adding agree within
// TensorFlow is recorded (`stable_steps`). Where that is less than all, half of it: ours is a third order.
int64_t compared_steps(const Json& recorded, DType dtype) {
  const int64_t stable = dtype == float64 ? kSteps : recorded.at("stable_steps").integer();
  return std::min(kMostSteps, stable == kSteps ? stable : stable / 2);
}

// The losses are compared step by step, the variables where that lasts to the end.
void expect_as_recorded(const Training& training, const std::string& job, DType dtype) {
  const Json recorded = golden(job, dtype);
  const bool is_double = dtype == float64;
  const int64_t steps = compared_steps(recorded, dtype);
  const double tolerance = is_double ? 1e-6 : 1e-4;
  Session session;
  session.run(global_variables_initializer());
  for (int step = 0; step < steps; ++step) {
    const auto [loss, none] = session.run({training.loss, training.step}, training.feeds(step));
    const double expected = recorded.at("losses").items.at(static_cast<size_t>(step)).number();
    ASSERT_NEAR(as_double(loss), expected, tolerance)
        << job << ", " << dtype_name(dtype) << ", step " << step;
  }
  if (steps < kSteps) return;
  for (const auto& [name, end] : recorded.at("variables").members) {
    const Array value = session.run(training.variables.at(name)).astype(float64);
    const auto& first = end.at("first").items;
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(value.data<double>()[i], first[i].number(), tolerance)
          << job << ", " << name << ", element " << i;
    }
    double sum = 0;
    for (const double element : value.span<double>()) sum += element;
    EXPECT_NEAR(sum, end.at("sum").number(), tolerance * static_cast<double>(value.size()))
        << job << ", " << name;
  }
}

class TrainingLosses : public ::testing::TestWithParam<DType> {
 protected:
  DType dtype() const { return GetParam(); }

  const Graph graph_;
  const GraphScope scope_ = graph_.as_default();
};

INSTANTIATE_TEST_SUITE_P(InBothPrecisions, TrainingLosses, ::testing::Values(float32, float64),
                         [](const auto& about) { return std::string(dtype_name(about.param)); });

// ---- linear regression

TEST_P(TrainingLosses, OfLinearRegressionAreTensorFlows) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i / 100.0);
    y.push_back(0.1 * (i / 100.0) + 0.3);
  }
  const Variable w(Array(std::vector<double>{-0.5}).astype(dtype()), {.name = "w"});
  const Variable b(Array(std::vector<double>{0.0}).astype(dtype()), {.name = "b"});
  const Tensor loss = reduce_mean(square(w * constant(Array(x), dtype()) + b - constant(Array(y), dtype())));
  expect_as_recorded({loss, train::GradientDescentOptimizer(0.5).minimize(loss), {{"w", w}, {"b", b}}},
                     "linear_regression", dtype());
}

// ---- LeNet-5

class LeNet5Losses : public TrainingLosses {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFashionMnist)) {
      GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed: " << kFashionMnist;
    }
  }

  // Placeholders, variables, and the last layer's output without relu.
  Tensor make_network(int64_t first_seed = 0) {
    for (const NamedWeights& weights : lenet5_weights(first_seed)) {
      variables_[weights.name] = Variable(weights.value.astype(dtype()), {.name = weights.name});
    }
    x_ = placeholder(dtype(), {None, 784});
    labels_ = placeholder(dtype(), {None, 10});
    Tensor y = reshape(x_, {-1, 28, 28, 1});
    y = layer(y, "w_conv1", "SAME");
    y = layer(y, "w_conv2", "VALID");
    y = nn::relu(matmul(reshape(y, {-1, 400}), variables_["w_fc1"]) + variables_["b1"]);
    return matmul(y, variables_["w_fc2"]) + variables_["b2"];
  }

  Tensor fused_loss(const Tensor& logits) const {
    return reduce_mean(nn::softmax_cross_entropy_with_logits_v2({.labels = labels_, .logits = logits}));
  }

  void expect_losses(const std::string& job, const Tensor& loss, const Operation& step) {
    auto data = std::make_shared<examples::DataSet>(
        examples::read_data_sets(kFashionMnist, {.one_hot = true, .validation_size = 0}).train);
    const auto feeds = [this, data](int) {
      auto [images, labels] = data->next_batch(kBatch, {.shuffle = false});
      return FeedDict{{x_, images}, {labels_, labels}};
    };
    expect_as_recorded({loss, step, variables_, feeds}, job, dtype());
  }

  Tensor labels_;

 private:
  Tensor layer(const Tensor& images, const std::string& kernel, const std::string& padding) {
    const Tensor y =
        nn::relu(nn::conv2d(images, variables_[kernel], {.strides = {1, 1, 1, 1}, .padding = padding}));
    return nn::avg_pool(y, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
  }

  Tensor x_;
  std::map<std::string, Variable> variables_;
};

INSTANTIATE_TEST_SUITE_P(InBothPrecisions, LeNet5Losses, ::testing::Values(float32, float64),
                         [](const auto& about) { return std::string(dtype_name(about.param)); });

TEST_P(LeNet5Losses, WithMomentumAreTensorFlows) {
  const Tensor loss = fused_loss(make_network());
  expect_losses("lenet5_momentum", loss, train::MomentumOptimizer(0.02, 0.9).minimize(loss));
}

TEST_P(LeNet5Losses, WithSlowMomentumAreTensorFlowsForAllSteps) {
  const Tensor loss = fused_loss(make_network(6));
  expect_losses("lenet5_momentum_slow", loss, train::MomentumOptimizer(0.002, 0.9).minimize(loss));
}

TEST_P(LeNet5Losses, WithAdamAreTensorFlows) {
  const Tensor loss = fused_loss(make_network());
  expect_losses("lenet5_adam", loss, train::AdamOptimizer(1e-3).minimize(loss));
}

TEST_P(LeNet5Losses, OfTheDocumentsOwnNetworkAreTensorFlows) {
  const Tensor y = nn::softmax(nn::relu(make_network()));
  const Tensor loss = reduce_mean(-reduce_sum(labels_ * log(y), {.reduction_indices = {1}}));
  expect_losses("lenet5_document", loss, train::GradientDescentOptimizer(0.5).minimize(loss));
}

}  // namespace
}  // namespace flowray::tf
