// How much classes and elements count, against tf_keras 2.21 (compat.v1): its numbers and words.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using data::Dataset;
using flowray::testing::error_of;
using ::testing::StartsWith;

class ClassWeightsTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  static Sequential line(int64_t units = 1) {
    Sequential model;
    model.add(
        layers::Dense(units, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
    return model;
  }
  /// Two lines, "a" and "b", of the same inputs.
  static Model two() {
    const KerasTensor inputs = Input({2});
    const auto line = [&](const char* name) {
      return layers::Dense(1, {.kernel_initializer = ones_initializer(), .name = name})(inputs);
    };
    Model model({inputs}, {line("a"), line("b")});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
    return model;
  }
  /// Batches of 4, 4 and 2, two epochs.
  static History train(Model& model, const Array& y, FitOptions options) {
    options.batch_size = 4;
    options.epochs = 2;
    options.verbose = 0;
    options.shuffle = false;
    return model.fit(x_, y, options);
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 2e-6) << i;
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  inline static const Array x_ = ramp({10, 2});
  inline static const Array classes_{0.f, 1.f, 2.f, 1.f, 0.f, 2.f, 2.f, 1.f, 0.f, 0.f};
  inline static const ClassWeights weights_ = {{0, 1.0}, {1, 2.0}, {2, 0.5}};
  static constexpr const char* kMae = "mean_absolute_error";
};

TEST_F(ClassWeightsTest, ClassesCountInTheLoss) {
  Sequential model = line();
  History history = train(model, classes_, {.class_weight = weights_});
  expect_near(history.history["loss"], {0.73360707, 0.77396026});
  expect_near(history.history[kMae], {0.79879868, 0.86745375});
}

TEST_F(ClassWeightsTest, ElementsAndTheirClassesCountTogether) {
  Sequential model = line();
  std::vector<float> of_elements;
  for (int i = 0; i < 10; ++i) of_elements.push_back(static_cast<float>(i) / 5.0f);
  History history = train(model, classes_, {.sample_weight = Array(of_elements), .class_weight = weights_});
  expect_near(history.history["loss"], {0.97628234, 0.97041781});
}

TEST_F(ClassWeightsTest, ElementsThatAreKeptForValidationCountByTheirClasses) {
  Sequential model = line();
  History history = train(model, classes_, {.validation_split = 0.3, .class_weight = weights_});
  expect_near(history.history["loss"], {0.48436055, 0.47463638});
  expect_near(history.history["val_loss"], {1.21609676, 1.23561954});
}

TEST_F(ClassWeightsTest, ARowOfChancesIsOfTheGreatestOne) {
  Sequential model = line(3);
  std::vector<float> rows(30);
  for (size_t i = 0; i < 10; ++i) rows[i * 3 + static_cast<size_t>(classes_.span<float>()[i])] = 1.0f;
  History history = train(model, Array::from(rows, {10, 3}), {.class_weight = weights_});
  expect_near(history.history["loss"], {0.61152891, 0.45036113});
  expect_near(history.history[kMae], {0.67528933, 0.58623517});
}

TEST_F(ClassWeightsTest, EachOutputHasItsOwn) {
  Model model = two();
  const std::vector<ClassWeights> of_outputs = {weights_, {{0, 2.0}, {1, 1.0}, {2, 3.0}}};
  History history = model.fit(
      x_, {classes_, classes_},
      {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false, .class_weight_of_outputs = of_outputs});
  expect_near(history.history["loss"], {3.01773133, 3.75127525});
  expect_near(history.history["a_loss"], {0.91407567, 0.86810225});
  expect_near(history.history["b_loss"], {2.81765366, 3.22857569});
}

/// By NumPy: tf_keras looks for the greatest of a row of one there, and takes all for the class 0.
TEST_F(ClassWeightsTest, ElementsOfADatasetCountByTheirClasses) {
  Sequential model = line();
  const Dataset batches =
      Dataset::from_tensor_slices({tf::Input(x_), tf::Input(classes_.reshape({10, 1}))}).batch(4);
  History history = model.fit(batches, {.epochs = 2, .verbose = 0, .class_weight = weights_});
  expect_near(history.history["loss"], {0.91407574, 0.86810219});
}

TEST_F(ClassWeightsTest, ElementsOfAValidationCountAsTheyAreSaidTo) {
  Sequential model = line();
  const Array y = ramp({10, 1});
  const ValidationData validation(x_.rows(0, 4), y.rows(0, 4), Array({1.f, 2.f, 0.f, 0.5f}));
  History history = train(model, y, {.validation_data = validation});
  expect_near(history.history["loss"], {0.29425956, 0.14084811});
  expect_near(history.history["val_loss"], {0.02230395, 0.00506351});
  expect_near(history.history["val_mean_absolute_error"], {0.16374555, 0.06425516});
}

TEST_F(ClassWeightsTest, SaysWhatDoesNotFit) {
  Sequential model = line();
  const auto error = [&](const Array& y, const FitOptions& options) {
    return error_of([&] { model.fit(x_, y, options); });
  };
  EXPECT_THAT(
      error(classes_, {.verbose = 0, .class_weight = {{0, 1.0}}}),
      StartsWith("`class_weight` must contain all classes in the data. The classes {1, 2} exist in the "
                 "data but not in `class_weight`.\n"));
  model = line();
  model.compile({.optimizer = "sgd", .loss = "mae"});
  EXPECT_THAT(error(ramp({10, 2, 3}), {.verbose = 0, .class_weight = weights_}),
              StartsWith("`class_weight` not supported for 3+ dimensional targets."));
  EXPECT_THAT(error(classes_, {.class_weight = weights_, .class_weight_of_outputs = {weights_}}),
              StartsWith("`class_weight` and `class_weight_of_outputs` are both given."));
  Model outputs = two();
  const auto error_of_two = [&](const FitOptions& options) {
    return error_of([&] { outputs.fit(x_, {classes_, classes_}, options); });
  };
  EXPECT_THAT(
      error_of_two({.verbose = 0, .class_weight = {{0, 1.0}}}),
      StartsWith("Unknown entries in class_weight dictionary: [0]. Only expected following keys: ['a', "
                 "'b']\n"));
  EXPECT_THAT(error_of_two({.verbose = 0, .class_weight_of_outputs = {weights_}}),
              StartsWith("Provided `class_weight` was a list of 1 elements, but the model has 2 outputs. You "
                         "should provide one `class_weight`array per model output."));
  for (const float number : {std::nanf(""), 1e30F, -INFINITY}) {
    const Array wrong = Array::from(std::vector<float>(10, number), {10, 1});
    EXPECT_THAT(error_of([&] { line().fit(x_, wrong, {.verbose = 0, .class_weight = weights_}); }),
                StartsWith("`class_weight` is given, but"));
  }
}

TEST_F(ClassWeightsTest, WeighsEachTimeOfAnOutputWhereCompileSaysSo) {
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2, 1}}));
  model.compile({.optimizer = "sgd", .loss = "mse", .sample_weight_modes = {"temporal"}});
  const Array x = Array::from(std::vector<float>{1, 2, 3, 4}, {2, 2, 1});
  const Array truths = Array::from(std::vector<float>(4, 0.0f), {2, 2, 1});
  const Array weights = Array::from(std::vector<float>{1, 0, 0, 0.5}, {2, 2});
  EXPECT_FLOAT_EQ(model.evaluate(x, truths, {.sample_weight = weights})[0], (1 + 0.5 * 16) / 4);
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_times" + std::to_string(::getpid()) + ".h5");
  try {
    model.save(path.string());
    Model same = load_model(path.string());
    std::filesystem::remove(path);
    EXPECT_FLOAT_EQ(same.evaluate(x, truths, {.sample_weight = weights})[0], (1 + 0.5 * 16) / 4);
  } catch (const errors::UnimplementedError&) {  // the HDF5 library is not installed
  }
  const auto error = [&](const Array& wrong) {
    return error_of([&] { model.evaluate(x, truths, {.sample_weight = wrong}); });
  };
  EXPECT_THAT(error(Array({1.f, 2.f})),
              StartsWith("Found a sample_weight array with shape (2,). In order to use timestep-wise sample "
                         "weighting, you should pass a 2D sample_weight array."));
  EXPECT_THAT(error(Array::from(std::vector<float>(6, 1.0f), {2, 3})),
              StartsWith("Found a sample_weight array with shape (2, 3) for an input with shape (2, 2, 1). "
                         "sample_weight cannot be broadcast."));
  EXPECT_THAT(error_of([&] { model.compile({.loss = "mse", .sample_weight_modes = {"weekly"}}); }),
              StartsWith("compile: a sample_weight_mode is \"temporal\" or empty, but one is \"weekly\"."));
}

/// Metrics for which elements count by their weights.
class WeightedMetricsTest : public ClassWeightsTest {
 protected:
  /// All (7 i mod 5 - 2) / 10.
  static void set_weights(Model& model) {
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    model.set_weights(weights);
  }
  static Array turned(const Array& given) {
    std::vector<float> values(given.data<float>(), given.data<float>() + given.size());
    std::ranges::reverse(values);
    return Array::from(values, given.shape());
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
  }
  static Sequential chance(const CompileOptions& options) {
    Sequential model;
    model.add(layers::Dense(1, {.activation = "sigmoid", .input_shape = TensorShape{4}}));
    model.compile(options);
    set_weights(model);
    return model;
  }

  const Array inputs_ = ramp({6, 4});
  const Array truths_ = Array({{0.f}, {0.f}, {1.f}, {0.f}, {0.f}, {1.f}});  // ramp({6, 1}) > 0.5
  const Array counts_ = Array({1.f, 0.f, 2.f, 1.f, 0.5f, 3.f});
};

TEST_F(WeightedMetricsTest, CountElementsByTheirWeights) {
  Sequential model = chance({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                             .loss = "mse",
                             .metrics = {"mse"},
                             .weighted_metrics = {"accuracy"}});
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss", "mean_squared_error", "weighted_acc"}));
  expect_near(model.test_on_batch(inputs_, truths_, counts_), {0.353042, 0.235199, 0.333333});
  expect_near(model.test_on_batch(inputs_, truths_), {0.235199, 0.235199, 0.666667});
  expect_near(model.evaluate(inputs_, truths_, {.batch_size = 4, .sample_weight = counts_}),
              {0.353042, 0.235199, 0.333333});
}

TEST_F(WeightedMetricsTest, MayCountOverBatches) {
  Sequential model = chance(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}),
       .loss = "mse",
       .metrics = {"mse"},
       .weighted_metrics = {metrics::AUC(), metrics::Precision(), metrics::MeanAbsoluteError("error")}});
  expect_near(model.test_on_batch(inputs_, truths_, counts_), {0.353042, 0.235199, 0.6, 0.0, 0.528019});
  expect_near(model.test_on_batch(inputs_, truths_), {0.235199, 0.235199, 0.75, 0.0, 0.480498});
  expect_near(model.evaluate(inputs_, truths_, {.batch_size = 4, .sample_weight = counts_}),
              {0.353042, 0.235199, 0.6, 0.0, 0.528019});
  History history = model.fit(inputs_, truths_,
                              {.batch_size = 4,
                               .epochs = 2,
                               .verbose = 0,
                               .validation_data = ValidationData(inputs_, truths_, turned(counts_)),
                               .shuffle = false,
                               .sample_weight = counts_});
  expect_near(history.history["loss"], {0.352789, 0.344057});
  expect_near(history.history["mean_squared_error"], {0.235409, 0.238869});
  expect_near(history.history["weighted_auc"], {0.6, 0.6});
  expect_near(history.history["weighted_error"], {0.527888, 0.522614});
  expect_near(history.history["val_loss"], {0.306264, 0.312814});
  expect_near(history.history["val_mean_squared_error"], {0.238639, 0.24239});
  expect_near(history.history["val_weighted_auc"], {0.454545, 0.340909});
  expect_near(history.history["val_weighted_error"], {0.49314, 0.499249});
  history = model.fit(inputs_, truths_,
                      {.batch_size = 4, .verbose = 0, .shuffle = false, .class_weight = {{0, 1}, {1, 3}}});
  expect_near(history.history["loss"], {0.435366});
  expect_near(history.history["mean_squared_error"], {0.24276});
  expect_near(history.history["weighted_auc"], {0.625});
  expect_near(history.history["weighted_error"], {0.509736});
}

TEST_F(WeightedMetricsTest, AreThoseOfEachOutput) {
  const KerasTensor x = Input({4});
  Model model({x}, {layers::Dense(1, {.name = "a"})(x), layers::Dense(1, {.name = "b"})(x)});
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .metrics_of_outputs = {{"mae"}, {}},
                 .weighted_metrics_of_outputs = {{}, {"mae", "mse"}}});
  set_weights(model);
  EXPECT_EQ(model.metrics_names(),
            (std::vector<std::string>{"loss", "a_loss", "b_loss", "a_mean_absolute_error",
                                      "b_weighted_mean_absolute_error", "b_weighted_mean_squared_error"}));
  const Array others = Array({{1.f}, {1.f}, {0.f}, {1.f}, {1.f}, {0.f}});
  expect_near(model.test_on_batch({inputs_}, {truths_, others}, Arrays({counts_, turned(counts_)})),
              {2.680179, 1.383471, 1.296708, 0.593939, 0.932121, 1.037366});
  model.compile({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae"}});
  EXPECT_EQ(model.metrics_names(),
            (std::vector<std::string>{"loss", "a_loss", "b_loss", "a_weighted_mean_absolute_error",
                                      "b_weighted_mean_absolute_error"}));
}

TEST_F(WeightedMetricsTest, CountByTheMaskToo) {
  Sequential model;
  model.add(layers::Masking({.input_shape = TensorShape{3, 2}}));
  model.add(layers::SimpleRNN(1, {.return_sequences = true}));
  model.compile(
      {.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae", metrics::RootMeanSquaredError("rms")}});
  set_weights(model);
  Array x = ramp({2, 3, 2});
  for (const int64_t i : {4, 5, 8, 9, 10, 11}) x.mutable_data<float>()[i] = 0;  // times without input
  std::vector<float> truths;
  for (int64_t i = 0; i < 6; ++i) truths.push_back(1 - ramp({6}).data<float>()[i]);
  const Array y = Array::from(truths, {2, 3, 1});
  expect_near(model.test_on_batch(x, y, Array({1.f, 3.f})), {2.070373, 1.110792, 1.114551});
  expect_near(model.test_on_batch(x, y), {1.202226, 1.090554, 1.09646});
}

TEST_F(WeightedMetricsTest, StandInFiles) {
  Sequential model =
      chance({.optimizer = "sgd",
              .loss = "mse",
              .weighted_metrics = {"mae", metrics::AUC({.num_thresholds = 20, .label_weights = {2}})}});
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_weighted" + std::to_string(::getpid()) + ".h5");
  const std::vector<double> scores = model.test_on_batch(inputs_, truths_, counts_);
  try {
    model.save(path.string());
    Model same = load_model(path.string());
    std::filesystem::remove(path);
    EXPECT_EQ(same.metrics_names().at(1), "weighted_mean_absolute_error");
    EXPECT_EQ(same.test_on_batch(inputs_, truths_, counts_), scores);
  } catch (const errors::UnimplementedError&) {  // the HDF5 library is not installed
  }
}

TEST_F(WeightedMetricsTest, AreRefusedWhereTheyDoNotFit) {
  const metrics::Metric area = metrics::AUC();
  EXPECT_THAT(error_of([&] {
                chance({.optimizer = "sgd", .loss = "mse", .metrics = {area}, .weighted_metrics = {area}});
              }),
              StartsWith("The metric 'auc' is given several times, and would count them together."));
  EXPECT_THAT(error_of([&] { chance({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"far"}}); }),
              StartsWith("Unknown metric function: 'far'."));
  EXPECT_THAT(
      error_of([&] { chance({.optimizer = "sgd", .loss = "mse", .weighted_metrics_of_outputs = {{}, {}}}); }),
      StartsWith("When passing a list as weighted_metrics argument, it should have one entry per "
                 "model output."));
}

}  // namespace
}  // namespace flowray::tf::keras
