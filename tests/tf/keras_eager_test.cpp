// Models while operations run at once: their steps, their calls on values and tapes over those.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flowray::tf::keras {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

/// y = 3 x - 1 at 0, 0.25, 0.5, 0.75.
Array inputs() { return Array::from(std::vector<float>{0.0f, 0.25f, 0.5f, 0.75f}, {4, 1}); }
Array targets() { return Array::from(std::vector<float>{-1.0f, -0.25f, 0.5f, 1.25f}, {4, 1}); }

Sequential line() {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = TensorShape{1}}));
  return model;
}

float number(const Tensor& tensor) { return tensor.value().item<float>(); }

TEST(KerasEager, LearnByTheirStepsAndAreCalledOnValues) {
  const auto eager = tf::eager();
  Sequential model = line();
  model.set_weights(
      {Array::from(std::vector<float>{0.0f}, {1, 1}), Array::from(std::vector<float>{0.0f}, {1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  // The mean of squares of the targets, by hand: (1 + 0.0625 + 0.25 + 1.5625) / 4.
  EXPECT_FLOAT_EQ(static_cast<float>(model.train_on_batch(inputs(), targets())[0]), 0.71875f);
  // d/dw = -2 mean(x y) = -2 (-0.0625 + 0.25 + 0.9375) / 4, d/db = -2 mean(y) = -0.25; the rate is 0.01.
  EXPECT_FLOAT_EQ(model.get_weights()[0].item<float>(), 0.005625f);
  EXPECT_FLOAT_EQ(model.get_weights()[1].item<float>(), 0.0025f);
  const Array called = model(constant(inputs())).value();
  const Array predicted = model.predict(inputs());
  for (int64_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(called.data<float>()[i], predicted.data<float>()[i]);
}

TEST(KerasEager, HaveGradientsOnTapes) {
  const auto eager = tf::eager();
  Sequential model = line();
  model.set_weights(
      {Array::from(std::vector<float>{0.0f}, {1, 1}), Array::from(std::vector<float>{0.0f}, {1})});
  train::GradientDescentOptimizer optimizer(0.5);
  const std::vector<Variable> weights = model.trainable_weights();
  std::vector<float> first;
  for (int i = 0; i < 400; ++i) {
    GradientTape tape;
    const Tensor loss = reduce_mean(square(model(constant(inputs())) - constant(targets())));
    const std::vector<Tensor> gradients = tape.gradient(loss, {weights[0], weights[1]});
    if (i == 0) first = {number(loss), number(gradients[0])};
    optimizer.apply_gradients({{gradients[0], weights[0]}, {gradients[1], weights[1]}});
  }
  EXPECT_THAT(first, ElementsAre(FloatEq(0.71875f), FloatEq(-0.5625f)));
  EXPECT_NEAR(model.get_weights()[0].item<float>(), 3, 1e-3);
  EXPECT_NEAR(model.predict(inputs()).data<float>()[0], -1, 1e-3);
}

TEST(KerasEager, ThatAreFunctionalShareLayers) {
  const auto eager = tf::eager();
  const KerasTensor left = Input({1});
  const KerasTensor right = Input({1});
  layers::Dense shared(1, {.use_bias = false});
  Model model({left, right}, {layers::Subtract()({shared(left), shared(right)})});
  model.set_weights({Array::from(std::vector<float>{2.0f}, {1, 1})});
  const Tensor one = constant(Array::from(std::vector<float>{1.0f}, {1, 1}));
  const Tensor four = constant(Array::from(std::vector<float>{4.0f}, {1, 1}));
  GradientTape tape;
  const Tensor difference = model({four, one});
  EXPECT_FLOAT_EQ(difference.value().data<float>()[0], 6);
  EXPECT_FLOAT_EQ(tape.gradient(difference, model.trainable_weights()[0]).value().data<float>()[0], 3);
}

TEST(KerasEager, NameTheirWeightsAsInGraphs) {
  const auto eager = tf::eager();
  Sequential model;
  model.add(layers::Dense(2, {.input_shape = TensorShape{3}, .name = "first"}));
  model.add(layers::Dense(1, {.name = "last"}));
  std::vector<std::string> names;
  for (const Variable& weight : model.weights()) names.push_back(weight.name());
  EXPECT_THAT(names, ElementsAre("first/kernel:0", "first/bias:0", "last/kernel:0", "last/bias:0"));
}

}  // namespace
}  // namespace flowray::tf::keras
