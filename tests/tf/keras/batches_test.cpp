// Models trained, judged and asked by datasets, against tf_keras 2.21 (compat.v1): its numbers and words.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using data::Dataset;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Hears of each step.
struct StepRecorder : Callback {
  std::vector<Logs> logs;
  std::vector<int64_t> sizes;
  void on_batch_end(int64_t /*batch*/, const Logs& of_batch) override {
    logs.push_back(of_batch);
    sizes.push_back(batch_size());
  }
};

class BatchesTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  /// count numbers from first to last.
  static Array between(float first, float last, int64_t count) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(first + (last - first) * static_cast<float>(i) / static_cast<float>(count - 1));
    return Array(values);
  }
  /// Batches of 4, 4 and 2 of 10 elements, or of fewer.
  static Dataset batches(int64_t size = 10) {
    return Dataset::from_tensor_slices({tf::Input(x_.rows(0, size)), tf::Input(y_.rows(0, size))}).batch(4);
  }
  /// The same, of which nobody knows how many they are.
  static Dataset uncounted(const Dataset& dataset) {
    return dataset.filter([](const Tensor& x, const Tensor&) { return reduce_sum(x) >= -1.0f; });
  }
  static Sequential line(bool is_built = true) {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(),
                                .input_shape = is_built ? std::optional(TensorShape{2}) : std::nullopt}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
    return model;
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 2e-6) << i;
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  inline static const Array x_ = ramp({10, 2});
  inline static const Array y_ = ramp({10, 1});
  static constexpr const char* kMae = "mean_absolute_error";
};

TEST_F(BatchesTest, AnEpochGoesOnceThroughADataset) {
  for (const bool is_counted : {true, false}) {
    Sequential model = line();
    const Dataset dataset = is_counted ? batches() : uncounted(batches());
    History history = model.fit(dataset, {.epochs = 3, .verbose = 0});
    expect_near(history.history["loss"], {0.31807663, 0.16393017, 0.13970416});
    expect_near(history.history[kMae], {0.48224536, 0.32958621, 0.27999118});
  }
}

TEST_F(BatchesTest, StepsGoOnThroughTheEpochs) {
  Sequential model = line();
  History history = model.fit(batches().repeat(), {.epochs = 2, .verbose = 0, .steps_per_epoch = 2});
  expect_near(history.history["loss"], {0.25853395, 0.23546749});
  expect_near(history.history[kMae], {0.47160968, 0.28409299});
}

TEST_F(BatchesTest, TheFirstBatchBuildsAModel) {
  Sequential model = line(/*is_built=*/false);
  History history = model.fit(uncounted(batches()), {.epochs = 2, .verbose = 0});
  expect_near(history.history["loss"], {0.31807663, 0.16393017});
  EXPECT_TRUE(model.built());
}

TEST_F(BatchesTest, CallbacksHearTheLossOfEachStepAndTheMeansOfMetrics) {
  Sequential model = line();
  const auto recorder = std::make_shared<StepRecorder>();
  model.fit(batches(), {.verbose = 0, .callbacks = {recorder}});
  std::vector<double> losses;
  std::vector<double> metrics;
  for (const Logs& logs : recorder->logs) {
    losses.push_back(logs[0].second);
    metrics.push_back(logs[1].second);
  }
  expect_near(losses, {0.26033056, 0.25673735, 0.43716198});
  expect_near(metrics, {0.5, 0.47160968, 0.48224536});
  EXPECT_THAT(recorder->sizes, ElementsAre(1, 1, 1));
}

TEST_F(BatchesTest, WeightsAreTheComponentsBehindTheTrueValues) {
  Sequential model = line();
  const Dataset dataset =
      Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_), tf::Input(between(0, 1, 10))}).batch(4);
  History history = model.fit(dataset, {.epochs = 2, .verbose = 0});
  expect_near(history.history["loss"], {0.27491258, 0.15846983});
  expect_near(history.history[kMae], {0.48895970, 0.36760417});
}

TEST_F(BatchesTest, OtherDTypesAndVectorsOfTrueValuesAreTaken) {
  std::vector<int64_t> tens;
  for (const float value : y_.span<float>()) tens.push_back(static_cast<int64_t>(value * 10));
  Sequential model = line();
  History history = model.fit(
      Dataset::from_tensor_slices({tf::Input(x_.astype(DType::kFloat64)), tf::Input(Array(tens))}).batch(4),
      {.verbose = 0});
  EXPECT_NEAR(history.history["loss"][0], 16.233515, 1e-5);
  EXPECT_NEAR(history.history[kMae][0], 3.0326290, 1e-6);
}

TEST_F(BatchesTest, ComponentsAreThoseOfSeveralInputsAndOutputs) {
  const auto two = [] {
    const KerasTensor left = keras::Input({2}, {.name = "left"});
    const KerasTensor right = keras::Input({3}, {.name = "right"});
    const KerasTensor both = layers::Concatenate()({left, right});
    Model model({left, right},
                {layers::Dense(1, {.kernel_initializer = ones_initializer(), .name = "first"})(both),
                 layers::Dense(2, {.kernel_initializer = ones_initializer(), .name = "second"})(both)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}});
    return model;
  };
  const std::vector<tf::Input> components = {x_, ramp({10, 3}), y_, ramp({10, 2})};
  const Dataset dataset = Dataset::from_tensor_slices(components).batch(4);
  Model model = two();
  History history = model.fit(dataset, {.epochs = 2, .verbose = 0});
  const auto expect = [&](const char* name, const std::vector<double>& values) {
    SCOPED_TRACE(name);
    const std::vector<double>& actual = history.history[name];
    ASSERT_EQ(actual.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(actual[i], values[i], 1e-5);
  };
  expect("loss", {6.7950164, 5.6647579});
  expect("first_loss", {3.4300289, 2.6906462});
  expect("second_loss", {3.3649876, 2.9741116});
  expect("first_mean_absolute_error", {1.7361664, 1.5221986});
  const std::vector<double> scores = model.evaluate(dataset);
  const std::vector<double> expected = {5.0114288, 2.278827, 2.7326014, 1.3762196, 1.558392};
  ASSERT_EQ(scores.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-5) << i;
  EXPECT_EQ(model.predict_outputs(dataset)[1].shape(), (Shape{10, 2}));

  std::vector<tf::Input> weighted = components;
  weighted.emplace_back(between(0, 1, 10));
  weighted.emplace_back(between(1, 0, 10));
  Model other = two();
  history = other.fit(Dataset::from_tensor_slices(weighted).batch(4), {.epochs = 2, .verbose = 0});
  expect("loss", {3.5743975, 3.1960971});
  expect("second_loss", {1.2972773, 1.2351657});
}

TEST_F(BatchesTest, ADatasetThatEndsEarlyEndsTheTrainingWithAWarning) {
  Sequential model = line();
  ::testing::internal::CaptureStderr();
  History history = model.fit(batches(), {.epochs = 3, .verbose = 0, .steps_per_epoch = 2});
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      HasSubstr("Your dataset ran out of data; interrupting training. Make sure that your dataset can "
                "generate at least `steps_per_epoch * epochs` batches (in this case, 6 batches). You "
                "may need to use the repeat() function when building your dataset.\n"));
  expect_near(history.history["loss"], {0.25853395, 0.43716198});
  EXPECT_THAT(history.epoch, ElementsAre(0, 1));

  // tf_keras tells of an epoch more here, with numbers of the one before.
  Sequential second = line();
  ::testing::internal::CaptureStderr();
  history = second.fit(uncounted(batches(8)), {.epochs = 3, .verbose = 0, .steps_per_epoch = 2});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("(in this case, 6 batches)"));
  EXPECT_THAT(history.epoch, ElementsAre(0));
}

TEST_F(BatchesTest, ADatasetWithoutElementsIsRefused) {
  Sequential model = line();
  for (const Dataset& none : {batches().take(0), uncounted(batches()).take(0)}) {
    EXPECT_THAT(error_of([&] { model.fit(none, {.verbose = 0}); }),
                StartsWith("Empty training data.\nfit: "));
    EXPECT_THAT(error_of([&] { model.evaluate(none); }), StartsWith("Empty training data.\nevaluate: "));
    EXPECT_THAT(error_of([&] { model.predict(none); }), StartsWith("predict: the dataset has no element"));
    EXPECT_THAT(error_of([&] { model.fit(batches(), {.verbose = 0, .validation_data = none}); }),
                StartsWith("Empty training data.\nvalidation_data: "));
  }
  EXPECT_THAT(error_of([&] { model.evaluate(ramp({0, 2}), ramp({0, 1})); }),
              StartsWith("Empty training data."));
}

TEST_F(BatchesTest, ADatasetWithoutEndNeedsANumberOfSteps) {
  Sequential model = line();
  const std::string words = "When passing an infinitely repeating dataset, you must specify the `";
  const Dataset endless = batches().repeat();
  EXPECT_THAT(error_of([&] { model.fit(endless); }), StartsWith(words + "steps_per_epoch` argument."));
  expect_near(model.fit(batches(), {.verbose = 0}).history["loss"], {0.31807663});
  EXPECT_THAT(error_of([&] { model.evaluate(endless); }), StartsWith(words + "steps` argument."));
  EXPECT_THAT(error_of([&] { model.predict(endless); }), StartsWith(words + "steps` argument."));
  EXPECT_THAT(error_of([&] { model.fit(batches(), {.validation_data = endless}); }),
              StartsWith(words + "validation_steps` argument."));
}

TEST_F(BatchesTest, ValidatesWithADataset) {
  Sequential model = line();
  History history = model.fit(batches(), {.epochs = 2, .verbose = 0, .validation_data = batches(6)});
  expect_near(history.history["val_loss"], {0.10584974, 0.09792492});
  expect_near(history.history[std::string("val_") + kMae], {0.24847440, 0.17690839});

  Sequential with_steps = line();
  history = with_steps.fit(
      uncounted(batches()),
      {.epochs = 3, .verbose = 0, .validation_data = uncounted(batches(9)), .validation_steps = 2});
  expect_near(history.history["val_loss"], {0.10795142, 0.09169152, 0.09044131});

  Sequential of_arrays = line();
  history = of_arrays.fit(
      x_, y_, {.batch_size = 4, .epochs = 2, .verbose = 0, .validation_data = batches(9), .shuffle = false});
  expect_near(history.history["loss"], {0.29425956, 0.14084811});
  expect_near(history.history["val_loss"], {0.09298678, 0.10387667});

  Sequential by_arrays = line();
  history = by_arrays.fit(batches(), {.verbose = 0, .validation_data = {x_, y_}});
  expect_near(history.history["val_loss"], {by_arrays.evaluate(x_, y_)[0]});
}

TEST_F(BatchesTest, ValidatesEachSoManyEpochs) {
  Sequential model = line();
  History history =
      model.fit(batches(), {.epochs = 4, .verbose = 0, .validation_data = batches(), .validation_freq = 2});
  expect_near(history.history["loss"], {0.31807663, 0.16393017, 0.13970416, 0.13080728});
  expect_near(history.history["val_loss"], {0.14009029, 0.12320031});
}

/// As in tf.keras, which looks behind each step whether it is to stop.
TEST_F(BatchesTest, OneStepIsMadeThatIsStoppedBefore) {
  class Stopping : public Callback {
    void on_epoch_begin(int64_t) override { model().stop_training = true; }
  };
  Sequential model = line();
  const History history =
      model.fit(batches(), {.epochs = 3, .verbose = 0, .callbacks = {std::make_shared<Stopping>()}});
  EXPECT_EQ(history.epoch, std::vector<int64_t>{0});
  EXPECT_EQ(history.history.at("loss").size(), 1u);
}

TEST_F(BatchesTest, MoreStepsThanCanBeCountedEndWithTheWarning) {
  Sequential model = line();
  const History history = model.fit(
      batches(), {.epochs = 2, .verbose = 0, .steps_per_epoch = std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(history.epoch, std::vector<int64_t>{0});
}

TEST_F(BatchesTest, AnOrderIsOfAllExamples) {
  Sequential model = line();
  const auto error_with = [&](std::function<void(std::vector<int64_t>&)> order) {
    return error_of([&] { model.fit(x_, y_, {.verbose = 0, .order = std::move(order)}); });
  };
  EXPECT_THAT(error_with([](std::vector<int64_t>& numbers) { numbers.resize(7); }),
              StartsWith("fit: the function `order` left 7 numbers of 10."));
  EXPECT_THAT(error_with([](std::vector<int64_t>& numbers) { numbers[3] = 10; }),
              StartsWith("fit: the function `order` gave the number 10, and there are 10 examples."));
  EXPECT_THAT(error_with([](std::vector<int64_t>& numbers) { numbers[3] = -1; }),
              StartsWith("fit: the function `order` gave the number -1"));
}

TEST_F(BatchesTest, DoesNotValidateWhatACallbackHasStopped) {
  struct Stop : Callback {
    void on_batch_end(int64_t batch, const Logs& /*logs*/) override { model().stop_training = batch == 1; }
  };
  Sequential model = line();
  History history = model.fit(x_, y_,
                              {.batch_size = 4,
                               .epochs = 3,
                               .verbose = 0,
                               .callbacks = {std::make_shared<Stop>()},
                               .validation_data = {x_, y_},
                               .shuffle = false});
  expect_near(history.history["loss"], {0.25853395});
  EXPECT_FALSE(history.history.contains("val_loss"));
}

TEST_F(BatchesTest, AValidationThatEndsEarlyEndsTheTrainingWithAWarning) {
  Sequential model = line();
  ::testing::internal::CaptureStderr();
  History history =
      model.fit(batches(),
                {.epochs = 2, .verbose = 0, .validation_data = uncounted(batches(9)), .validation_steps = 5});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("Your dataset iterator ran out of data; interrupting training. Make sure that your "
                        "iterator can generate at least `validation_steps * epochs` batches (in this case, 5 "
                        "batches). You may need to use the repeat() function when building your dataset.\n"));
  EXPECT_THAT(history.epoch, ElementsAre(0));
  // The mean of the three that there are, as without a number; tf_keras divides by the five.
  expect_near(history.history["val_loss"], {0.09298678});
}

TEST_F(BatchesTest, EvaluatesAndPredicts) {
  Sequential model = line();
  expect_near(model.evaluate(batches()), {0.43663915, 0.50909091});
  expect_near(model.evaluate(uncounted(batches())), {0.43663915, 0.50909091});
  expect_near(model.evaluate(batches(), {.steps = 2}), {0.30371901, 0.47727275});
  // Ones, and a bias of 0: the sums of rows.
  std::vector<float> sums;
  for (int64_t i = 0; i < 10; ++i) sums.push_back(x_.data<float>()[2 * i] + x_.data<float>()[2 * i + 1]);
  EXPECT_EQ(model.predict(batches()), Array::from(sums, {10, 1}));
  EXPECT_EQ(model.predict(Dataset::from_tensor_slices(x_).batch(4)), Array::from(sums, {10, 1}));
  EXPECT_EQ(model.predict(batches(), {.steps = 2}).shape(), (Shape{8, 1}));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(model.predict(uncounted(batches()), {.steps = 5}).shape(), (Shape{10, 1}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("at least `steps * epochs` batches (in this case, 5 batches)"));
}

TEST_F(BatchesTest, ShowsStepsInTheProgress) {
  Sequential model = line();
  std::string text;
  const FitOptions options{.epochs = 2, .write = [&](const std::string& part) { text += part; }};
  model.fit(uncounted(batches()), options);
  EXPECT_THAT(text, StartsWith("Train on None steps\nEpoch 1/2\n\r      1/Unknown - "));
  EXPECT_THAT(text, HasSubstr("/step - loss: 0.2603 - mean_absolute_error: 0.5000"));
  EXPECT_THAT(text, HasSubstr("\r3/3 [==============================] - "));
  EXPECT_THAT(text, HasSubstr("Epoch 2/2\n\r1/3 [=========>....................] - ETA: "));
  text.clear();
  FitOptions others = options;
  others.verbose = 2;
  others.validation_data = batches(6);
  model.fit(batches(), others);
  EXPECT_THAT(text, StartsWith("Train on 3 steps, validate on 2 steps\nEpoch 1/2\n3/3 - "));
  EXPECT_THAT(text, ::testing::ContainsRegex("/epoch - [0-9]+[mu]?s/step\n"));
  EXPECT_THAT(text, Not(HasSubstr("Unknown")));
}

TEST_F(BatchesTest, SaysWhichElementsItTakes) {
  Sequential model = line();
  EXPECT_THAT(
      error_of([&] { model.fit(Dataset::from_tensor_slices(x_).batch(4)); }),
      StartsWith("The elements of the dataset `x` have 1 component, which does not fit a model that has "
                 "1 input and 1 output with a loss.\n"));
  EXPECT_THAT(error_of([&] {
                model.evaluate(
                    Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_), tf::Input(y_), tf::Input(y_)})
                        .batch(4));
              }),
              HasSubstr("have 4 components"));
  EXPECT_THAT(error_of([&] {
                model.predict(
                    Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_), tf::Input(y_), tf::Input(y_)})
                        .batch(4));
              }),
              HasSubstr("have 4 components, which does not fit a model that has 1 input."));
  EXPECT_THAT(
      error_of([&] { model.fit(batches(), {.validation_data = Dataset::from_tensor_slices(x_).batch(4)}); }),
      StartsWith("The elements of the dataset `validation_data` have 1 component"));
  // The words of tf_keras.
  EXPECT_THAT(
      error_of([&] {
        model.fit(Dataset::from_tensor_slices({tf::Input(ramp({10, 3})), tf::Input(y_)}).batch(4),
                  {.verbose = 0});
      }),
      StartsWith("Error when checking input: expected dense_input to have shape (2,) but got array with "
                 "shape (3,)\nThe arrays are a batch of the dataset."));
  EXPECT_THAT(
      error_of(
          [&] { model.fit(Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_)}), {.verbose = 0}); }),
      StartsWith("Error when checking input: expected dense_input to have shape (2,) but got array with "
                 "shape (1,)"));
}

TEST_F(BatchesTest, SaysWhichOptionsDoNotGoWithIt) {
  Sequential model = line();
  const auto refused = [&](const FitOptions& options) {
    return error_of([&] { model.fit(batches(), options); });
  };
  EXPECT_THAT(refused({.batch_size = 32}),
              StartsWith("`batch_size` argument is not supported when input `x` is "
                         "a dataset or a dataset iterator.\n"));
  EXPECT_THAT(refused({.validation_split = 0.1}),
              StartsWith("`validation_split` argument is not supported when input `x` is a dataset"));
  EXPECT_THAT(refused({.sample_weight = Array({1.f})}),
              StartsWith("`sample_weight` argument is not supported"));
  EXPECT_THAT(refused({.seed = 1}), StartsWith("`seed` argument is not supported"));
  EXPECT_THAT(refused({.order = [](std::vector<int64_t>&) {}}),
              StartsWith("`order` argument is not supported"));
  EXPECT_THAT(refused({.steps_per_epoch = 0}), StartsWith("steps_per_epoch must be at least 1, but is 0."));
  EXPECT_THAT(refused({.validation_steps = 2}),
              StartsWith("`validation_steps` should not be specified if `validation_data` is None."));
  EXPECT_THAT(refused({.validation_freq = 0}), StartsWith("`validation_freq` can not be less than 1."));
  EXPECT_THAT(refused({.validation_data = {x_, y_}, .validation_steps = 2}),
              StartsWith("`validation_steps` is for a dataset, but `validation_data` is arrays."));
  EXPECT_THAT(
      error_of([&] { model.fit(x_, y_, {.steps_per_epoch = 2}); }),
      StartsWith("When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument. "
                 "Please use `batch_size` instead.\n"));
  EXPECT_THAT(error_of([&] { model.evaluate(x_, y_, {.steps = 2}); }),
              StartsWith("When passing input data as arrays, do not specify"));
  EXPECT_THAT(error_of([&] { model.evaluate(batches(), {.batch_size = 2}); }),
              StartsWith("`batch_size` argument is not supported"));
  EXPECT_THAT(error_of([&] { model.fit(Dataset()); }), HasSubstr("'x'"));
  EXPECT_THAT(error_of([&] { model.predict(Dataset()); }), HasSubstr("'x'"));
  EXPECT_THAT(error_of([&] { model.fit(batches(), {.validation_data = Dataset()}); }),
              HasSubstr("'validation_data'"));
  EXPECT_THAT(error_of([&] { Sequential().fit(batches()); }), StartsWith("You must compile your model"));
  const Dataset here = batches();
  const Graph other;
  const auto in_other = other.as_default();
  Sequential there = line();
  EXPECT_THAT(error_of([&] { there.fit(here); }),
              StartsWith("The dataset belongs to another graph than the model."));
}

TEST_F(BatchesTest, TheGraphGetsTheIteratorsOfADatasetOnce) {
  Sequential model = line();
  const Dataset dataset = batches();
  const FitOptions options{.epochs = 2, .verbose = 0, .validation_data = dataset};  // two walks at once
  model.fit(dataset, options);
  model.evaluate(dataset);
  model.predict(dataset);
  const size_t before = graph_.get_operations().size();
  model.fit(dataset, options);
  model.evaluate(dataset);
  model.predict(dataset);
  EXPECT_EQ(graph_.get_operations().size(), before);
}

TEST_F(BatchesTest, RunsInTheProgramsOwnSession) {
  Sequential model = line();
  const Dataset dataset = batches();
  for (int i = 0; i < 2; ++i) {  // each with an iterator and weights of its own
    Session session;
    const SessionScope as_default = session.as_default();
    if (i > 0) session.run(global_variables_initializer());
    History history = model.fit(dataset, {.verbose = 0});
    expect_near(history.history["loss"], {0.31807663});
  }
}

TEST_F(BatchesTest, TrainsWithValuesWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  Sequential model = line();
  History history = model.fit(batches(), {.epochs = 2, .verbose = 0, .validation_data = batches(6)});
  expect_near(history.history["loss"], {0.31807663, 0.16393017});
  expect_near(history.history["val_loss"], {0.10584974, 0.09792492});
  EXPECT_EQ(model.predict(batches()).shape(), (Shape{10, 1}));
  const std::string words = "When providing an infinite dataset, you must specify the number of steps to run";
  EXPECT_THAT(error_of([&] { model.fit(batches().repeat()); }), StartsWith(words));
}

}  // namespace
}  // namespace flowray::tf::keras
