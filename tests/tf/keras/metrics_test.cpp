// Metrics as objects: the numbers are those of tf_keras 2.21 in graphs.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using metrics::Metric;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const Array kTruths({{0.f, 1.f, 1.f}, {1.f, 0.f, 0.f}, {0.f, 0.f, 1.f}, {1.f, 1.f, 0.f}});
const Array kChances({{.1f, .8f, .4f}, {.6f, .3f, .7f}, {.2f, .55f, .9f}, {.45f, .35f, .05f}});
const Array kWeights({1.f, .5f, 2.f, .25f});
const Array kClasses({0.f, 1.f, 2.f, 1.f});
const Array kFoundClasses({0.f, 2.f, 2.f, 1.f});

std::vector<float> floats(const Array& array) {
  return {array.data<float>(), array.data<float>() + array.size()};
}

/// The value behind two batches of two elements each, which are run in a session of its own.
std::vector<float> value_of(const Metric& metric, const std::vector<Array>& arrays, bool weighted) {
  Session session;
  const auto as_default = session.as_default();
  std::vector<Operation> updates;
  for (const Array& rows : {Array({0, 1}), Array({2, 3})}) {
    const auto part = [&](const Array& array) { return gather(array, rows); };
    metrics::UpdateOptions options;
    if (weighted) options.sample_weight = part(kWeights);
    updates.push_back(arrays.size() == 1 ? metric.update_state(part(arrays[0]), options)
                                         : metric.update_state(part(arrays[0]), part(arrays[1]), options));
  }
  metric.reset_states();
  for (const Operation& update : updates) session.run(update);
  return floats(session.run(metric.result()));
}

void expect_values(const std::function<Metric()>& make, const std::vector<Array>& arrays,
                   std::vector<float> plain, std::vector<float> weighted) {
  const Graph graph;
  const auto scope = graph.as_default();
  const Metric metric = make();
  SCOPED_TRACE(metric.name());
  EXPECT_THAT(value_of(metric, arrays, false), Pointwise(FloatNear(3e-6f), std::move(plain)));
  EXPECT_THAT(value_of(metric, arrays, true), Pointwise(FloatNear(3e-6f), std::move(weighted)));
}

void expect_value(const std::function<Metric()>& make, float plain, float weighted) {
  expect_values(make, {kTruths, kChances}, {plain}, {weighted});
}

TEST(KerasMetrics, CountValues) {
  const Array column({.1f, .6f, .2f, .45f});
  expect_values([] { return metrics::Mean(); }, {column}, {.3375f}, {.243333f});
  expect_values([] { return metrics::Sum(); }, {column}, {1.35f}, {.9125f});
  expect_values([] { return metrics::MeanTensor(); }, {kChances}, {.15f, .675f, .65f, .525f, .325f, .375f},
                {.166667f, .633333f, .733333f, .55f, .316667f, .483333f});
}

TEST(KerasMetrics, AreMeansOfFunctions) {
  expect_values([] { return metrics::Accuracy(); }, {kClasses, kFoundClasses}, {.75f}, {.866667f});
  expect_value([] { return metrics::BinaryAccuracy(); }, .583333f, .644444f);
  expect_value([] { return metrics::CategoricalAccuracy(); }, .75f, .866667f);
  expect_value([] { return metrics::TopKCategoricalAccuracy(2); }, 1, 1);
  expect_value([] { return metrics::MeanSquaredError(); }, .185833f, .148167f);
  expect_value([] { return metrics::MeanAbsoluteError(); }, .366667f, .321111f);
  expect_value([] { return metrics::MeanSquaredLogarithmicError(); }, .086318f, .077195f);
  expect_value([] { return metrics::Hinge(); }, .866667f, .876667f);
  expect_value([] { return metrics::SquaredHinge(); }, 1.0025f, 1.079278f);
  expect_value([] { return metrics::CategoricalHinge(); }, .5f, .51f);
  expect_value([] { return metrics::LogCoshError(); }, .088076f, .070551f);
  expect_value([] { return metrics::Poisson(); }, .750329f, .68268f);
  expect_value([] { return metrics::KLDivergence(); }, .900985f, .551371f);
  expect_value([] { return metrics::CosineSimilarity(); }, .847122f, .846945f);
  expect_value([] { return metrics::BinaryCrossentropy(); }, .528575f, .445285f);
  expect_value([] { return metrics::CategoricalCrossentropy(); }, 1.193605f, .999379f);
  expect_value([] { return metrics::RootMeanSquaredError(); }, .431084f, .384924f);
  expect_value([] { return metrics::MeanRelativeError({1, 2, 4}); }, .205208f, .171944f);
  expect_value([] { return metrics::MeanMetricWrapper("mse"); }, .185833f, .148167f);
  const Array sparse({{1.f}, {0.f}, {2.f}, {1.f}});
  expect_values([] { return metrics::SparseCategoricalAccuracy(); }, {sparse, kChances}, {.5f}, {.8f});
  expect_values([] { return metrics::SparseTopKCategoricalAccuracy(2); }, {sparse, kChances}, {1}, {1});
  expect_values([] { return metrics::SparseCategoricalCrossentropy(); }, {sparse, kChances}, {.739944f},
                {.642672f});
}

TEST(KerasMetrics, CountRightAndWrongPredictions) {
  const metrics::CountOptions two = {.thresholds = {.3, .7}};
  expect_value([] { return metrics::TruePositives(); }, 3, 3.5f);
  expect_value([] { return metrics::FalsePositives(); }, 2, 2.5f);
  expect_value([] { return metrics::TrueNegatives(); }, 4, 3.75f);
  expect_value([] { return metrics::FalseNegatives(); }, 3, 1.5f);
  expect_values([&] { return metrics::TruePositives(two); }, {kTruths, kChances}, {6, 2}, {5, 3});
  expect_values([&] { return metrics::FalseNegatives(two); }, {kTruths, kChances}, {0, 4}, {0, 2});
  expect_value([] { return metrics::Precision(); }, .6f, .583333f);
  expect_value([] { return metrics::Recall(); }, .5f, .7f);
  expect_values([] { return metrics::Precision({.thresholds = {.3, .7}}); }, {kTruths, kChances}, {.75f, 1},
                {.666667f, 1});
  expect_value([] { return metrics::Precision({.top_k = 2}); }, .75f, .666667f);
  expect_value([] { return metrics::Precision({.class_id = 1}); }, .5f, .333333f);
  expect_value([] { return metrics::Recall({.top_k = 1, .class_id = 2}); }, .5f, .666667f);
}

TEST(KerasMetrics, MeasureAreasUnderCurves) {
  expect_value([] { return metrics::AUC(); }, .805556f, .872f);
  expect_value([] { return metrics::AUC({.num_thresholds = 20}); }, .805556f, .872f);
  expect_value([] { return metrics::AUC({.curve = "PR"}); }, .795385f, .875075f);
  expect_value(
      [] { return metrics::AUC({.num_thresholds = 5, .curve = "PR", .summation_method = "minoring"}); }, .4f,
      .233333f);
  expect_value([] { return metrics::AUC({.num_thresholds = 5, .summation_method = "majoring"}); }, .833333f,
               .88f);
  expect_value([] { return metrics::AUC({.thresholds = {.3, .5, .7}}); }, .805556f, .86f);
  expect_value([] { return metrics::AUC({.num_thresholds = 7, .from_logits = true}); }, .583333f, .76f);
  expect_value([] { return metrics::AUC({.label_weights = {1, 2, .5}}); }, .811224f, .863315f);
  expect_value([] { return metrics::AUC({.multi_label = true}); }, .833333f, .872593f);
  expect_value([] { return metrics::AUC({.curve = "PR", .multi_label = true}); }, .864845f, .938618f);
  expect_value(
      [] { return metrics::AUC({.num_thresholds = 5, .summation_method = "majoring", .multi_label = true}); },
      .833333f, .872593f);
  expect_value([] { return metrics::AUC({.multi_label = true, .label_weights = {1, 2, .5}}); }, .821429f,
               .876825f);
  expect_value([] { return metrics::AUC({.curve = "PR", .multi_label = true, .label_weights = {1, 2, .5}}); },
               .855191f, .918807f);
  expect_value([] { return metrics::AUC({.num_thresholds = 7, .multi_label = true, .from_logits = true}); },
               .583333f, .633333f);
  expect_value([] { return metrics::SensitivityAtSpecificity(.6, {.num_thresholds = 10}); }, 1, 1);
  expect_value([] { return metrics::SpecificityAtSensitivity(.6, {.num_thresholds = 10}); }, .666667f, 1);
  expect_value([] { return metrics::PrecisionAtRecall(.5, {.num_thresholds = 10}); }, .75f, 1);
  expect_value([] { return metrics::RecallAtPrecision(.6, {.num_thresholds = 10}); }, 1, 1);
  expect_values([] { return metrics::MeanIoU(3); }, {kClasses, kFoundClasses}, {.666667f}, {.711111f});
}

TEST(KerasMetrics, SayWhatTheyCannotTake) {
  const Graph graph;
  const auto scope = graph.as_default();
  EXPECT_THAT(error_of([] { metrics::Precision({.thresholds = {1.5}}); }),
              HasSubstr("Threshold values must be in [0, 1]. Received: [1.5]"));
  EXPECT_THAT(
      error_of([] { metrics::AUC({.curve = "x"}); }),
      HasSubstr("Invalid AUC curve value: \"x\". Expected values are [\"PR\", \"ROC\", \"PR_GAIN\"]"));
  EXPECT_THAT(error_of([] { metrics::AUC({.label_weights = {1, -1}}); }),
              HasSubstr("All values of `label_weights` must be non-negative."));
  EXPECT_THAT(
      error_of(
          [] { metrics::AUC({.multi_label = true}).update_state(Array({1.f, 0.f}), Array({1.f, 0.f})); }),
      HasSubstr("`y_pred` must have rank 2 when `multi_label=True`. Found rank 1. Full shape received "
                "for `y_pred`: (2,)"));
  EXPECT_THAT(error_of([] {
                metrics::AUC({.multi_label = true, .label_weights = {1, 1}}).update_state(kTruths, kChances);
              }),
              HasSubstr("Number of labels is not consistent."));
  EXPECT_THAT(error_of([] { metrics::AUC({.summation_method = "x"}); }),
              HasSubstr("Invalid AUC summation method value: \"x\"."));
  EXPECT_THAT(error_of([] { metrics::AUC({.num_thresholds = 1}); }),
              HasSubstr("Argument `num_thresholds` must be an integer > 1. Received: num_thresholds=1"));
  EXPECT_THAT(error_of([] { metrics::SensitivityAtSpecificity(2); }),
              HasSubstr("Argument `specificity` must be in the range [0, 1]. Received: specificity=2.0"));
  EXPECT_THAT(error_of([] { metrics::RecallAtPrecision(.5, {.num_thresholds = 0}); }),
              HasSubstr("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds=0"));
  EXPECT_THAT(error_of([] { metrics::Mean().update_state(kTruths, kChances); }),
              HasSubstr("Mean takes values."));
  EXPECT_THAT(error_of([] { metrics::MeanTensor().update_state(kTruths, kChances); }),
              HasSubstr("MeanTensor takes values."));
  EXPECT_THAT(error_of([] { metrics::Precision().update_state(kTruths); }),
              HasSubstr("Precision takes true values and predictions."));
  EXPECT_THAT(error_of([] { metrics::MeanTensor().result(); }),
              HasSubstr("MeanTensor does not have any value yet."));
  EXPECT_THAT(error_of([] { Metric(nullptr); }), HasSubstr("'rule'"));
  Session session;
  const auto as_default = session.as_default();
  const Metric precision = metrics::Precision();
  precision.reset_states();
  EXPECT_THAT(error_of([&] { session.run(precision.update_state(kTruths, Array({2.f, 3.f, 0.f}))); }),
              HasSubstr("predictions must be <= 1"));
}

TEST(KerasMetrics, CountOneOutputOfAModelInOneNumber) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor input = Input(TensorShape{3});
  const Metric area = metrics::AUC();
  const std::vector<KerasTensor> outputs = {layers::Dense(1)(input), layers::Dense(2)(input)};
  Model two({input}, outputs);
  EXPECT_THAT(error_of([&] { two.compile({.loss = "mse", .metrics = {area}}); }),
              HasSubstr("The metric 'auc' is given several times, and would count them together."));
  EXPECT_THAT(error_of([&] { two.compile({.loss = "mse", .metrics_of_outputs = {{area}, {area}}}); }),
              HasSubstr("is given several times, and would count them together."));
  two.compile({.loss = "mse", .metrics_of_outputs = {{area}, {metrics::AUC()}}});
  Sequential model;
  model.add(layers::Dense(3, {.activation = "sigmoid", .input_shape = TensorShape{3}}));
  EXPECT_THAT(error_of([&] {
                model.compile({.loss = "mse", .metrics = {metrics::Precision({.thresholds = {.3, .6}})}});
                model.evaluate(kTruths, kTruths);
              }),
              HasSubstr("The metric 'precision' gives (2,) numbers; in a model each one gives one."));
}

TEST(KerasMetrics, HaveNamesAndVariables) {
  const Graph graph;
  const auto scope = graph.as_default();
  const Metric first = metrics::Precision();
  const Metric second = metrics::Precision();
  EXPECT_EQ(first.name(), "precision");
  EXPECT_EQ(second.name(), "precision_1");
  EXPECT_EQ(metrics::MeanIoU(2).name(), "mean_io_u");
  std::vector<std::string> names;
  for (const Variable& variable : first.variables()) names.push_back(variable.name());
  EXPECT_THAT(names, ::testing::ElementsAre("true_positives:0", "false_positives:0"));
  EXPECT_TRUE(global_variables().empty());
}

TEST(KerasMetrics, CountWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  const Metric mean = metrics::Mean();
  mean.update_state(Array({1.f, 2.f}));
  mean.update_state(Array({6.f}), {.sample_weight = Array({2.f})});
  EXPECT_FLOAT_EQ(mean.result().value().item<float>(), 15.f / 4);
  mean.reset_states();
  mean.update_state(Array({5.f}));
  EXPECT_FLOAT_EQ(mean.result().value().item<float>(), 5);
  const Metric precision = metrics::Precision();
  precision.update_state(kTruths, kChances);
  EXPECT_FLOAT_EQ(precision.result().value().item<float>(), .6f);
}

// ---- in models

const Array& x() {
  static const Array kX = [] {
    std::vector<float> values(32);
    for (size_t i = 0; i < 32; ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, {8, 4});
  }();
  return kX;
}

Array y() {
  std::vector<float> values;
  for (size_t i = 0; i < 8; ++i) values.push_back(x().span<float>()[4 * i] > .5f ? 1.f : 0.f);
  return Array::from(values, {8, 1});
}

Array rows(const Array& array, int64_t end) {
  const std::vector<float> all = floats(array);
  const int64_t width = array.dim(1);
  return Array::from(std::vector<float>(all.begin(), all.begin() + end * width), {end, width});
}

Sequential judged_model() {
  Sequential model;
  model.add(layers::Dense(1, {.activation = "sigmoid",
                              .kernel_initializer = constant_initializer(.3),
                              .input_shape = TensorShape{4}}));
  model.compile({.optimizer = "sgd",
                 .loss = "binary_crossentropy",
                 .metrics = {"acc", metrics::AUC({.num_thresholds = 20, .name = "auc"}),
                             metrics::Precision({.name = "precision"}),
                             metrics::Recall({.thresholds = {.6}, .name = "recall"}),
                             metrics::Precision({.thresholds = {.65}, .name = "precision_1"}),
                             metrics::RootMeanSquaredError()}});
  return model;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  EXPECT_THAT(found, Pointwise(::testing::DoubleNear(3e-6), expected));
}

void expect_judged(const auto& model_on) {
  Sequential model = judged_model();
  History history = model.fit(x(), y(),
                              {.batch_size = 3,
                               .epochs = 2,
                               .verbose = 0,
                               .validation_data = {rows(x(), 5), rows(y(), 5)},
                               .shuffle = false});
  expect_near(history.history["loss"], {.760363, .756872});
  expect_near(history.history["acc"], {.375, .375});
  expect_near(history.history["auc"], {.8, .633333});
  expect_near(history.history["precision"], {.375, .375});
  expect_near(history.history["recall"], {1, 1});
  expect_near(history.history["precision_1"], {1, 1});
  expect_near(history.history["root_mean_squared_error"], {.532231, .53066});
  expect_near(history.history["val_auc"], {.583333, .583333});
  expect_near(history.history["val_precision"], {.4, .4});
  expect_near(history.history["val_root_mean_squared_error"], {.525145, .523707});
  expect_near(model.evaluate(x(), y(), {.batch_size = 3}), {.75435, .375, .633333, .375, 1, 1, .529524});
  expect_near(model.train_on_batch(x(), y()), {.75435, .375, .633333, .375, 1, 1, .529523});
  expect_near(model.test_on_batch(x(), y()), {.753176, .375, .633333, .375, 1, 1, .52899});
  model_on(model);
}

TEST(KerasMetrics, CountOverTheBatchesOfAnEpoch) {
  const Graph graph;
  const auto scope = graph.as_default();
  expect_judged([](Sequential& model) {
    History history = model.fit(x(), y(),
                                {.batch_size = 3,
                                 .verbose = 0,
                                 .shuffle = false,
                                 .sample_weight = Array({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f})});
    expect_near(history.history["loss"], {3.297064});
    expect_near(history.history["auc"], {.733333});
    expect_near(history.history["root_mean_squared_error"], {.528272});
  });
}

TEST(KerasMetrics, CountInEagerModels) {
  const auto eager = tf::eager();
  expect_judged([](Sequential&) {});
}

TEST(KerasMetrics, LeaveOutWhatMasksLeaveOut) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Masking({.input_shape = TensorShape{3, 1}}));
  model.add(layers::TimeDistributed(
      layers::Dense(1, {.activation = "sigmoid", .kernel_initializer = ones_initializer()})));
  model.compile(
      {.optimizer = "sgd",
       .loss = "mse",
       .metrics = {metrics::Precision({.thresholds = {.55}}), metrics::TruePositives({.thresholds = {.55}}),
                   metrics::RootMeanSquaredError()}});
  const Array sequences = Array::from(std::vector<float>{.5f, 1, 0, .1f, 0, 0}, {2, 3, 1});
  const Array truths = Array::from(std::vector<float>{1, 0, 1, 1, 1, 1}, {2, 3, 1});
  expect_near(model.evaluate(sequences, truths), {.300876, .5, 1, .548522});
}

TEST(KerasMetrics, GoIntoFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_metrics" + std::to_string(::getpid()) + ".h5");
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model = judged_model();
  model.fit(x(), y(), {.verbose = 0, .shuffle = false});
  try {
    model.save(path.string());
  } catch (const errors::UnimplementedError& error) {
    GTEST_SKIP() << error.message();  // the HDF5 library is not installed
  }
  Model same = load_model(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(same.metrics_names(), model.metrics_names());
  expect_near(same.evaluate(x(), y()), model.evaluate(x(), y()));
}

class Positives : public metrics::MetricRule {
 public:
  std::string class_name() const override { return "Positives"; }

 protected:
  void build(const TensorShape&) override { count_ = add_weight("count"); }
  std::vector<Tensor> update(const Tensor&, const Tensor& y_pred, const Tensor&) override {
    return {count_.assign_add(reduce_sum(cast(y_pred > 0.5, float32)))};
  }
  Tensor result() const override { return count_.read_value(); }

 private:
  Variable count_;
};

TEST(KerasMetrics, MayBeOfTheProgram) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{1}}));
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {Metric(std::make_shared<Positives>())}});
  const Array numbers({{0.f}, {1.f}, {2.f}, {0.25f}, {3.f}});
  expect_near(model.evaluate(numbers, numbers, {.batch_size = 2}), {0, 3});
  EXPECT_THAT(model.metrics_names(), ::testing::ElementsAre("loss", "positives"));
  Sequential other;
  other.add(layers::Dense(1, {.input_shape = TensorShape{1}}));
  EXPECT_THROW(other.compile({.optimizer = "sgd", .loss = metrics::AUC()}), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras
