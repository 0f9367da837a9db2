// Functional models against tf_keras 2.21 (compat.v1): its numbers for the same weights and batches.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// (37 i mod 11) / 11
Array series(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
  return Array::from(values, shape);
}
Array class_rows(int64_t count, int64_t classes) {
  std::vector<float> values(static_cast<size_t>(count * classes));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i * classes + i % classes)] = 1;
  return Array::from(values, {count, classes});
}

class ModelTest : public ::testing::Test {
 protected:
  /// Matrices of (7 i mod 5 - 2) / 10; vectors keep what they have.
  static void set_weights(Model& model) {
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      if (weight.rank() < 2) continue;
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    model.set_weights(weights);
  }
  /// Two inputs of 6, a layer that both go through, two outputs.
  static Model pair() {
    const KerasTensor left = Input({6}, {.name = "left"});
    const KerasTensor right = Input({6}, {.name = "right"});
    layers::Dense shared(4, {.activation = "tanh", .name = "shared"});
    const KerasTensor both = layers::Concatenate()({shared(left), shared(right)});
    const KerasTensor first = layers::Dense(3, {.activation = "softmax", .name = "first"})(both);
    const KerasTensor hidden = layers::Dense(5, {.activation = "relu"})(both);
    return Model({left, right}, {first, layers::Dense(1, {.name = "second"})(hidden)}, "pair");
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

/// tf.keras' words; what a loss would stretch is not trained with.
TEST_F(ModelTest, RefusesTrueValuesOfAnotherShapeThanItsOutputs) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = TensorShape{3}}));
  model.compile({.loss = "mse"});
  EXPECT_THAT(
      error_of([&] { model.fit(series({2, 3}), series({2, 5}), {.verbose = 0}); }),
      HasSubstr("A target array with shape (2, 5) was passed for an output of shape (None, 1) while using "
                "as loss `mean_squared_error`. This loss expects targets to have the same shape as the "
                "output."));
  Sequential classes;
  classes.add(layers::Dense(4, {.activation = "softmax", .input_shape = TensorShape{3}}));
  classes.compile({.loss = losses::categorical_crossentropy});
  EXPECT_THAT(error_of([&] { classes.train_on_batch(series({2, 3}), series({2})); }),
              HasSubstr("You are passing a target array of shape (2, 1) while using as loss "
                        "`categorical_crossentropy`."));
}

/// A function's one number for a batch of 3 and one for a batch of 1 count the same, as tf.keras has it.
TEST_F(ModelTest, NumbersForWholeBatchesCountOnceEach) {
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{1}}));
  const ScoreFunction greatest("greatest",
                               [](const Tensor&, const Tensor& y_pred) { return reduce_max(y_pred); });
  model.compile({.loss = "mse", .metrics = {greatest}});
  const Array x({{1.f}, {2.f}, {3.f}, {7.f}});
  const std::vector<double> scores = model.evaluate(x, x, {.batch_size = 3});
  EXPECT_NEAR(scores[1], 5.0, 1e-6);
}

TEST_F(ModelTest, IsMadeOfTemporaryLayersToo) {
  const KerasTensor x = Input({6});
  const KerasTensor hidden = layers::Dense(8, {.activation = "relu"})(x);
  Model model(x, layers::Dense(3, {.activation = "softmax"})(hidden));
  set_weights(model);
  EXPECT_EQ(model.name(), "model");
  std::vector<std::string> names;
  for (const auto& layer : model.layers()) names.push_back(layer->name());
  EXPECT_THAT(names, ElementsAre("input_1", "dense", "dense_1"));
  EXPECT_EQ(model.count_params(), 83);
  // By hand: the sum of the chances is 1.
  const Array chances = model.predict(series({4, 6}));
  ASSERT_EQ(chances.shape(), (Shape{4, 3}));
  EXPECT_NEAR(chances.data<float>()[0] + chances.data<float>()[1] + chances.data<float>()[2], 1, 1e-6);
}

TEST_F(ModelTest, TrainsForSeveralOutputs) {
  Model model = pair();
  const Array x = series({24, 6});
  std::vector<float> truths;
  for (int64_t i = 0; i < 24; ++i) truths.push_back(static_cast<float>(i * 37 % 11) / 11.0f * 3 - 1);
  const Array y = Array::from(truths, {24, 1});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .losses = {"categorical_crossentropy", "mae"},
                 .metrics_of_outputs = {{}, {"mse"}},
                 .loss_weights = {1.0, 0.2}});
  EXPECT_THAT(model.metrics_names(),
              ElementsAre("loss", "first_loss", "second_loss", "second_mean_squared_error"));
  set_weights(model);
  // What tf_keras gives.
  expect_near(model.train_on_batch({x, x}, {class_rows(24, 3), y}), {1.254082, 1.100214, 0.769341, 0.839433});
  expect_near(
      model.train_on_batch({{"right", x}, {"left", x}}, {{"second", y}, {"first", class_rows(24, 3)}}),
      {1.253585, 1.100018, 0.767837, 0.835915});
  const std::vector<Array> outputs = model.predict_outputs({x, x}, 7);
  EXPECT_EQ(outputs[0].shape(), (Shape{24, 3}));
  EXPECT_EQ(outputs[1].shape(), (Shape{24, 1}));
}

TEST_F(ModelTest, TrainsForOneOfItsOutputs) {
  Model model = pair();
  model.compile({.losses = {"mse", {}}, .metrics_of_outputs = {{"mae"}, {}}});
  EXPECT_THAT(model.metrics_names(), ElementsAre("loss", "first_loss", "first_mean_absolute_error"));
  const Array x = series({4, 6});
  const std::vector<double> scores = model.evaluate({x, x}, {class_rows(4, 3)});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0], scores[1]);
}

TEST_F(ModelTest, OneModelIsALayerOfAnother) {
  const KerasTensor digit = Input({6});
  Model base(digit, layers::Dense(4)(digit), "base");
  const KerasTensor one = Input({6});
  const KerasTensor two = Input({6});
  Model apart({one, two}, {layers::Subtract()({base(one), base(two)})});
  EXPECT_EQ(apart.layers().size(), 4u);
  EXPECT_EQ(apart.weights().size(), 2u);
  const Array x = series({3, 6});
  const Array zero = apart.predict({x, x});
  for (const float value : zero.span<float>()) EXPECT_EQ(value, 0.0f);
  base.set_trainable(false);
  EXPECT_TRUE(apart.trainable_weights().empty());
}

TEST_F(ModelTest, BatchNormalizationIsAveragedForEachOfItsCalls) {
  const KerasTensor left = Input({2});
  const KerasTensor right = Input({2});
  layers::BatchNormalization normal({.momentum = 0.5});
  Model model({left, right}, {layers::Add()({normal(left), normal(right)})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array low = Array({{0.f, 0.f}, {0.f, 0.f}});
  const Array high = Array({{8.f, 8.f}, {8.f, 8.f}});
  model.train_on_batch({low, high}, {low});
  const Array mean = model.get_weights()[2];
  // Both steps happen, in either order: 0 -> 0 -> 4 or 0 -> 4 -> 2.
  EXPECT_TRUE(mean.data<float>()[0] == 4.0f || mean.data<float>()[0] == 2.0f) << mean.to_string();
}

TEST_F(ModelTest, RegularizersCountAndConstraintsHold) {
  const KerasTensor x = Input({2});
  layers::Dense dense(1, {.use_bias = false, .kernel_initializer = ones_initializer()});
  dense.set_regularizer("kernel", [](const Variable& w) { return reduce_sum(square(w.value())) * 0.5; });
  dense.set_constraint("kernel", [](const Tensor& w) { return minimum(w, 0.25); });
  Model model(x, dense(x));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array zeros_in = Array({{0.f, 0.f}});
  EXPECT_EQ(model.train_on_batch(zeros_in, Array({{0.f}})), std::vector<double>{1.0});  // 0.5 * (1 + 1)
  EXPECT_EQ(model.get_weights()[0], Array({{0.25f}, {0.25f}}));
}

TEST_F(ModelTest, SaysWhatDoesNotFit) {
  const KerasTensor left = Input({6}, {.name = "left"});
  const KerasTensor right = Input({6}, {.name = "right"});
  const KerasTensor sum = layers::Add()({left, right});
  EXPECT_THAT(error_of([&] { Model(left, sum); }),
              HasSubstr("Graph disconnected: cannot obtain value for tensor Tensor(\"right:0\""));
  EXPECT_THAT(error_of([&] { Model({left, left, right}, {sum}); }),
              HasSubstr("contains the same input multiple times"));
  EXPECT_THAT(error_of([&] { Model(sum, sum); }),
              HasSubstr("Input tensors to a Functional model must come from `tf.keras.Input`."));
  const KerasTensor named = layers::Dense(6, {.name = "d"})(left);
  EXPECT_THAT(error_of([&] { Model(left, layers::Dense(6, {.name = "d"})(named)); }),
              HasSubstr("The name \"d\" is used 2 times in the model."));
  Model model({left, right}, {sum});
  EXPECT_THAT(error_of([&] { model.get_layer("foo"); }), HasSubstr("No such layer: foo."));
  EXPECT_THAT(
      error_of([&] { model.predict(series({3, 6})); }),
      HasSubstr("Expected to see 2 array(s), for inputs ['left', 'right'] but instead got a list of 1"));
  EXPECT_THAT(error_of([&] { model.predict({{"left", series({3, 6})}}); }),
              HasSubstr("No data provided for \"right\"."));
  EXPECT_THAT(error_of([&] { model.predict({series({3, 6}), series({4, 6})}); }),
              HasSubstr("same number of samples"));
  EXPECT_THAT(error_of([&] { model.compile({.losses = {"mse", "mse"}}); }),
              HasSubstr("it should have one entry per model output"));
  EXPECT_THAT(error_of([&] {
                Model without_loss({left, right}, {sum});
                without_loss.compile({});
                without_loss.train_on_batch({series({3, 6}), series({3, 6})}, std::vector<Array>());
              }),
              HasSubstr("The model cannot be compiled because it has no loss to optimize."));
  // Metrics of an output take its true values, which only outputs with a loss have.
  EXPECT_THAT(error_of([&] { pair().compile({.metrics = {"mae"}, .losses = {"mse", {}}}); }),
              HasSubstr("compile(metrics=) of the output second, which has no loss, is not there yet"));
  EXPECT_THAT(error_of([&] { Model(left, named).compile({.metrics = {"mae"}}); }),
              HasSubstr("compile(metrics=) of the output d, which has no loss, is not there yet"));
  EXPECT_THAT(error_of([&] { pair().predict({series({3, 6}), series({3, 6})}); }),
              HasSubstr("has 2 outputs"));
  class Own : public Layer {
   public:
    Own() : Layer("Own", {}) {}
    std::string class_name() const override { return "Own"; }
  };
  EXPECT_THAT(error_of([&] { Model(left, Own()(left)); }), HasSubstr("is not there any more.\nHold it by"));
  const auto held = std::make_shared<Own>();
  EXPECT_EQ(Model(left, (*held)(left)).layers().size(), 2u);
}

}  // namespace
}  // namespace flowray::tf::keras
