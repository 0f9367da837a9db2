// Losses and metrics by their functions, names and options: the numbers are those of tf_keras 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

namespace flowray::tf::keras {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

using Function = ScoreFunction::Function;

const Array kChances({{.7f, .2f, .1f}, {.3f, .3f, .4f}, {.1f, .1f, .8f}, {.25f, .65f, .1f}});
const Array kClasses({{1.f, 0.f, 0.f}, {0.f, 1.f, 0.f}, {0.f, 0.f, 1.f}, {0.f, 1.f, 0.f}});
const Array kTruths({{1.f, -2.f, .5f}, {3.f, 0.f, -1.f}});
const Array kGuesses({{.5f, -1.f, 2.f}, {2.5f, .25f, 1.f}});
const Array kLogits({{.5f, -1.f, 2.f}, {.5f, -1.f, 2.f}, {2.5f, .25f, 1.f}, {2.5f, .25f, 1.f}});

std::vector<float> values_of(const Function& function, const Array& y_true, const Array& y_pred) {
  const Graph graph;
  const auto scope = graph.as_default();
  const Array values = Session().run(function(constant(y_true), constant(y_pred)));
  return {values.data<float>(), values.data<float>() + values.size()};
}

auto are_near(std::vector<float> expected) { return Pointwise(FloatNear(2e-6f), std::move(expected)); }

void expect_loss(const Function& loss, std::vector<float> of_classes, std::vector<float> of_numbers) {
  EXPECT_THAT(values_of(loss, kClasses, kChances), are_near(std::move(of_classes)));
  EXPECT_THAT(values_of(loss, kTruths, kGuesses), are_near(std::move(of_numbers)));
}

TEST(Losses, AreThoseOfTfKeras) {
  expect_loss(losses::hinge, {.866667f, 1.133333f, .8f, .9f}, {.166667f, 1});
  expect_loss(losses::squared_hinge, {.913333f, 1.38f, .82f, .965f}, {.083333f, 1.666667f});
  expect_loss(losses::categorical_hinge, {.5f, 1.1f, .3f, .6f}, {0, 0});
  expect_loss(losses::mean_squared_logarithmic_error, {.022913f, .122541f, .009756f, .031961f},
              {.187738f, .182692f});
  expect_loss(losses::log_cosh, {.023067f, .116521f, .00995f, .031987f}, {.469778f, .492016f});
  expect_loss(losses::huber, {.023333f, .123333f, .01f, .0325f}, {.541667f, .552083f});
  expect_loss(losses::kl_divergence, {.356672f, 1.20397f, .223141f, .43078f}, {.346574f, -3e-6f});
  expect_loss(losses::cosine_similarity, {-.952579f, -.514496f, -.984732f, -.92387f}, {-.666667f, -.760117f});
  EXPECT_THAT(values_of(losses::poisson, kClasses, kChances),
              are_near({.452225f, .734658f, .407714f, .476928f}));
  const std::vector<float> per_cent = values_of(losses::mean_absolute_percentage_error, kTruths, kGuesses);
  EXPECT_NEAR(per_cent[0], 133.333344f, 1e-4);
  EXPECT_NEAR(per_cent[1], 83333408.0f, 16);  // one truth is 0 and counts as 1e-7
}

TEST(Losses, HaveOptions) {
  const Array numbers({{0.f}, {1.f}, {2.f}, {1.f}});
  EXPECT_THAT(
      values_of(losses::CategoricalCrossentropy({.from_logits = true, .label_smoothing = 0.1}).function(),
                kClasses, kLogits),
      are_near({1.741311f, 3.091311f, 1.759073f, 2.434072f}));
  EXPECT_THAT(
      values_of(losses::CategoricalCrossentropy({.label_smoothing = 0.2}).function(), kClasses, kChances),
      are_near({.56992f, 1.184794f, .500402f, .619271f}));
  EXPECT_THAT(values_of(losses::BinaryCrossentropy({.from_logits = true, .label_smoothing = 0.1}).function(),
                        kClasses, kLogits),
              are_near({.963089f, 1.413089f, 1.210197f, 1.435197f}));
  EXPECT_THAT(values_of(losses::SparseCategoricalCrossentropy(true).function(), numbers, kLogits),
              are_near({1.741311f, 3.241311f, 1.784073f, 2.534073f}));
  EXPECT_THAT(values_of(losses::Huber(0.25).function(), kTruths, kGuesses), are_near({.21875f, .197917f}));
  EXPECT_THROW(losses::CategoricalCrossentropy({.label_smoothing = 2}), ValueError);
  EXPECT_THROW(losses::BinaryCrossentropy({.label_smoothing = -1}), ValueError);
  EXPECT_THROW(losses::Huber(-1), ValueError);
}

TEST(Losses, TakeTheLogitsBehindAnActivation) {
  const Graph graph;
  const auto scope = graph.as_default();
  const Tensor logits = constant(kLogits);
  const Tensor numbers = constant(Array({{0.f}, {1.f}, {2.f}, {1.f}}));
  Session session;
  const auto same = [&](const ScoreFunction& loss, const Tensor& truths, const Tensor& chances) {
    const auto [behind, direct] =
        session.run({loss.function()(truths, chances), loss.function()(truths, logits)});
    EXPECT_EQ(behind, direct) << loss.name();
  };
  same(losses::CategoricalCrossentropy({.from_logits = true}), constant(kClasses), nn::softmax(logits));
  same(losses::BinaryCrossentropy({.from_logits = true}), constant(kClasses), sigmoid(logits));
  same(losses::SparseCategoricalCrossentropy(true), numbers, nn::softmax(logits));
}

TEST(Metrics, AreThoseOfTfKeras) {
  const Array scores({{.1f, .2f, .3f, .4f, .5f, .6f}, {.6f, .5f, .4f, .3f, .2f, .1f}});
  const Array first({{1.f, 0.f, 0.f, 0.f, 0.f, 0.f}, {1.f, 0.f, 0.f, 0.f, 0.f, 0.f}});
  EXPECT_THAT(values_of(metrics::top_k_categorical_accuracy, first, scores), ElementsAre(0, 1));
  EXPECT_THAT(values_of(metrics::sparse_top_k_categorical_accuracy, Array({{1.f}, {5.f}}), scores),
              ElementsAre(1, 0));
  EXPECT_THAT(values_of(metrics::TopKCategoricalAccuracy(1).function(), first, scores), ElementsAre(0, 1));
  EXPECT_THAT(values_of(metrics::SparseTopKCategoricalAccuracy(2).function(), Array({{4.f}, {2.f}}), scores),
              ElementsAre(1, 0));
  EXPECT_THAT(values_of(metrics::cosine_similarity, kClasses, kChances),
              are_near({.952579f, .514496f, .984732f, .92387f}));
  EXPECT_THAT(values_of(metrics::BinaryAccuracy(0.25).function(), kClasses, kChances),
              are_near({1, .333333f, 1, 1}));
  EXPECT_THROW(metrics::TopKCategoricalAccuracy(0), ValueError);
  EXPECT_THROW(metrics::SparseTopKCategoricalAccuracy(-1), ValueError);
}

Sequential small_model() {
  Sequential model;
  model.add(layers::Dense(2, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
  return model;
}

TEST(Metrics, HaveTheNamesOfTfKerasInHistories) {
  Sequential model = small_model();
  model.compile(
      {.optimizer = "sgd",
       .loss = losses::CategoricalCrossentropy({.from_logits = true}),
       .metrics = {"mape", "cosine_similarity", metrics::TopKCategoricalAccuracy(1), "kld", "logcosh"}});
  const History history =
      model.fit(Array({{1.f, 2.f}, {3.f, 4.f}}), Array({{1.f, 0.f}, {0.f, 1.f}}), {.verbose = 0});
  std::vector<std::string> names;
  for (const auto& [name, values] : history.history) names.push_back(name);
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("loss", "mean_absolute_percentage_error", "cosine_similarity",
                                              "top_k_categorical_accuracy", "kl_divergence", "log_cosh"));
}

TEST(Losses, KeepTheirOptionsInFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_losses" + std::to_string(::getpid()) + ".h5");
  const Array x({{1.f, 2.f}, {3.f, -4.f}});
  const Array y({{1.f, 0.f}, {0.f, 1.f}});
  const ScoreFunction all[] = {
      losses::CategoricalCrossentropy({.from_logits = true, .label_smoothing = 0.25}),
      losses::BinaryCrossentropy({.from_logits = true, .label_smoothing = 0.5}), losses::Huber(0.5),
      "log_cosh"};
  for (const ScoreFunction& loss : all) {
    Sequential model = small_model();
    model.compile({.optimizer = "sgd", .loss = loss, .metrics = {metrics::BinaryAccuracy(4)}});
    const std::vector<double> before = model.evaluate(x, y);
    model.save(path.string());
    const Graph other;
    const auto scope = other.as_default();
    EXPECT_EQ(load_model(path.string()).evaluate(x, y), before) << loss.name();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace flowray::tf::keras
