// Rates that change between epochs, against tf_keras 2.21 (compat.v1): its numbers and words.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using callbacks::LearningRateScheduler;
using callbacks::ReduceLROnPlateau;
using callbacks::ReduceLROnPlateauOptions;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LearningRateCallbacksTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  static Sequential model_of(const OptimizerArgument& optimizer) {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
    model.compile({.optimizer = optimizer, .loss = "mse"});
    return model;
  }
  static OptimizerArgument sgd(double rate) { return optimizers::SGD({.learning_rate = rate}); }
  static History train(Model& model, std::shared_ptr<Callback> callback, int64_t epochs) {
    return model.fit(ramp({4, 2}), ramp({4, 1}),
                     {.batch_size = 3,
                      .epochs = epochs,
                      .verbose = 0,
                      .callbacks = {std::move(callback)},
                      .shuffle = false});
  }
  /// What is said meanwhile on standard output.
  template <class F>
  static std::string said(const F& f) {
    ::testing::internal::CaptureStdout();
    f();
    return ::testing::internal::GetCapturedStdout();
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], 1e-6 + 3e-6 * std::abs(expected[i])) << i;
  }
  /// The losses of three epochs at rates of 0.05, 0.025 and 0.0166...
  static std::vector<double> losses_of(const OptimizerArgument& optimizer) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model = model_of(optimizer);
    History history = train(model, falling(), 3);
    expect_near(history.history["lr"], {0.05, 0.025, 0.05 / 3});
    return history.history["loss"];
  }
  static std::shared_ptr<Callback> falling() {
    return std::make_shared<LearningRateScheduler>(
        [](int64_t epoch, double) { return 0.05 / static_cast<double>(epoch + 1); });
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(LearningRateCallbacksTest, AScheduleGetsTheRateOfNowAndGivesTheNextOne) {
  Sequential model = model_of(sgd(0.1));
  History history;
  const auto half = std::make_shared<LearningRateScheduler>(
      [](int64_t epoch, double rate) { return epoch > 0 ? rate * 0.5 : rate; },
      callbacks::LearningRateSchedulerOptions{.verbose = 1});
  EXPECT_EQ(said([&] { history = train(model, half, 3); }),
            "\nEpoch 1: LearningRateScheduler setting learning rate to 0.10000000149011612.\n"
            "\nEpoch 2: LearningRateScheduler setting learning rate to 0.05000000074505806.\n"
            "\nEpoch 3: LearningRateScheduler setting learning rate to 0.02500000037252903.\n");
  expect_near(history.history["loss"], {0.22562985, 0.06162823, 0.03473097});
  EXPECT_THAT(history.history["lr"], ElementsAre(0.1f, 0.05f, 0.025f));
  EXPECT_EQ(model.learning_rate(), 0.025f);
  const auto one = std::make_shared<LearningRateScheduler>(
      [](int64_t, double) { return 1; }, callbacks::LearningRateSchedulerOptions{.verbose = 1});
  EXPECT_EQ(said([&] { train(model, one, 1); }),
            "\nEpoch 1: LearningRateScheduler setting learning rate to 1.0.\n");
}

TEST_F(LearningRateCallbacksTest, EachOptimizerMovesByTheRateOfNow) {
  expect_near(losses_of(sgd(0.1)), {0.24207329, 0.13553168, 0.10204132});
  expect_near(losses_of("adam"), {0.23471602, 0.10227763, 0.05859181});
  expect_near(losses_of("rmsprop"), {0.19208000, 0.00956173, 0.00835583});
  expect_near(losses_of("adagrad"), {0.23761721, 0.13371377, 0.10922900});
  expect_near(losses_of(optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9})),
              {0.24207329, 0.07761002, 0.00112734});
}

/// Nor are those of layers.
TEST_F(LearningRateCallbacksTest, ARateIsNoneOfTheVariablesOfTheProgramsScope) {
  Sequential first = model_of(sgd(0.1));
  Sequential second = model_of(sgd(0.5));
  for (const Reuse reuse : {AUTO_REUSE, AUTO_REUSE, Reuse(true)}) {
    const auto scope = variable_scope(
        "of_the_program", {.regularizer = [](const Variable& v) { return reduce_sum(v); }, .reuse = reuse});
    EXPECT_EQ(first.learning_rate(), 0.1f);
    EXPECT_EQ(second.learning_rate(), 0.5f);
  }
  EXPECT_EQ(get_collection(GraphKeys::REGULARIZATION_LOSSES).size(), 0u);
}

TEST_F(LearningRateCallbacksTest, AnOptimizerHasARateInEachGraph) {
  const OptimizerArgument optimizer = sgd(0.05);
  Sequential here = model_of(optimizer);
  expect_near(train(here, falling(), 1).history["lr"], {0.05});
  {
    const Graph other;
    const auto scope = other.as_default();
    Sequential there = model_of(optimizer);
    expect_near(train(there, falling(), 1).history["lr"], {0.05});
    there.set_learning_rate(7);
  }
  EXPECT_EQ(here.learning_rate(), 0.05f);
  here.set_learning_rate(0);
  const std::vector<Array> before = here.get_weights();
  here.train_on_batch(ramp({4, 2}), ramp({4, 1}));
  EXPECT_EQ(here.get_weights(), before);  // a rate of 0 moves nothing
}

TEST_F(LearningRateCallbacksTest, ARateIsSetBetweenSteps) {
  Sequential model = model_of(sgd(0.0));
  EXPECT_EQ(model.learning_rate(), 0.0);
  const Array x = ramp({4, 2});
  const Array y = ramp({4, 1});
  model.train_on_batch(x, y);
  EXPECT_EQ(model.get_weights()[0], Array({{1.f}, {1.f}}));
  model.set_learning_rate(2);
  model.train_on_batch(x, y);
  EXPECT_NE(model.get_weights()[0], Array({{1.f}, {1.f}}));
  EXPECT_EQ(model.learning_rate(), 2.0);
}

TEST_F(LearningRateCallbacksTest, ARateIsAVariableNamedAsInTensorFlow) {
  Sequential model = model_of("adam");
  model.train_on_batch(ramp({4, 2}), ramp({4, 1}));
  std::vector<std::string> names;
  for (const Variable& variable : global_variables()) names.push_back(variable.name());
  EXPECT_THAT(names, ::testing::Contains("training/Adam/learning_rate:0"));
  EXPECT_EQ(trainable_variables().size(), 2u);
}

TEST_F(LearningRateCallbacksTest, AnOptimizerServesOneGraphAfterTheOther) {
  const OptimizerArgument optimizer = sgd(0.5);
  for (int i = 0; i < 2; ++i) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model = model_of(optimizer);
    model.train_on_batch(ramp({4, 2}), ramp({4, 1}));
    EXPECT_EQ(model.learning_rate(), 0.5);
  }
}

TEST_F(LearningRateCallbacksTest, TheProgressShowsTheRate) {
  Sequential model = model_of(sgd(0.1));
  std::string text;
  model.fit(
      ramp({4, 2}), ramp({4, 1}),
      {.verbose = 2, .callbacks = {falling()}, .write = [&](const std::string& part) { text += part; }});
  EXPECT_THAT(text, HasSubstr(" - lr: 0.0500 - "));
}

TEST_F(LearningRateCallbacksTest, RatesOfOtherOptimizersAreNotSet) {
  const std::string words = "Optimizer must have a \"lr\" attribute.\n";
  Sequential ruled = model_of(train::GradientDescentOptimizer(0.1));
  EXPECT_THAT(error_of([&] { train(ruled, falling(), 1); }), StartsWith(words));
  EXPECT_THAT(error_of([&] { train(ruled, std::make_shared<ReduceLROnPlateau>(), 1); }), StartsWith(words));
  Sequential by_tensor = model_of(optimizers::SGD({.learning_rate = constant(0.1f)}));
  by_tensor.train_on_batch(ramp({4, 2}), ramp({4, 1}));
  EXPECT_THAT(error_of([&] { by_tensor.set_learning_rate(0.1); }), StartsWith(words));
  EXPECT_THAT(error_of([] { Sequential().learning_rate(); }), StartsWith("You must compile your model"));
  EXPECT_THAT(error_of([] { LearningRateScheduler(nullptr); }), HasSubstr("'schedule'"));
}

TEST_F(LearningRateCallbacksTest, ReducesTheRateWhereNothingGetsBetter) {
  const auto run = [&](double rate, int64_t epochs, const ReduceLROnPlateauOptions& options,
                       std::string* words) {
    Sequential model = model_of(sgd(rate));
    History history;
    *words = said([&] { history = train(model, std::make_shared<ReduceLROnPlateau>(options), epochs); });
    return history.history["lr"];
  };
  std::string words;
  expect_near(
      run(2, 5, {.monitor = "loss", .factor = 0.25, .patience = 1, .verbose = 1, .min_lr = 0.3}, &words),
      {2, 2, 0.5, 0.3, 0.3});
  EXPECT_EQ(words,
            "\nEpoch 2: ReduceLROnPlateau reducing learning rate to 0.5.\n"
            "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.3.\n");
  expect_near(run(2, 8, {.monitor = "loss", .patience = 2, .verbose = 1, .cooldown = 2}, &words),
              {2, 2, 2, 0.2, 0.2, 0.2, 0.02, 0.02});
  EXPECT_EQ(words,
            "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.20000000298023224.\n"
            "\nEpoch 6: ReduceLROnPlateau reducing learning rate to 0.020000001415610313.\n");
  expect_near(run(0.001, 4, {.monitor = "loss", .patience = 1, .min_delta = 100}, &words),
              {1e-3, 1e-3, 1e-4, 1e-5});
  EXPECT_EQ(words, "");
  expect_near(run(2, 4, {.monitor = "loss", .patience = 1, .mode = "max"}, &words), {2, 2, 2, 2});
  expect_near(run(0, 3, {.monitor = "loss", .patience = 1, .verbose = 1}, &words), {0, 0, 0});
  EXPECT_EQ(words, "");
}

TEST_F(LearningRateCallbacksTest, ReduceLROnPlateauSaysWhatItCannotDo) {
  EXPECT_THAT(error_of([] { ReduceLROnPlateau({.factor = 1}); }),
              StartsWith("ReduceLROnPlateau does not support a factor >= 1.0. Got 1.0"));
  ::testing::internal::CaptureStderr();
  Sequential model = model_of(sgd(0.1));
  train(model, std::make_shared<ReduceLROnPlateau>(ReduceLROnPlateauOptions{.monitor = "acc", .mode = "foo"}),
        1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("Learning rate reduction mode foo is unknown, fallback to auto mode.\n"));
  EXPECT_THAT(said,
              HasSubstr("Learning rate reduction is conditioned on metric `acc` which is not available. "
                        "Available metrics are: loss,lr\n"));
}

TEST_F(LearningRateCallbacksTest, ARateIsSetWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  Sequential model = model_of("sgd");
  History history = train(model, falling(), 3);
  expect_near(history.history["loss"], {0.24207329, 0.13553168, 0.10204132});
}

}  // namespace
}  // namespace flowray::tf::keras
