#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowray::tf::keras {
namespace {

using ::testing::ElementsAre;

std::vector<float> floats(const Array& array) {
  return {array.data<float>(), array.data<float>() + array.size()};
}

TEST(LambdaLayer, IsAFunctionOfOneInput) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Lambda([](const Tensor& x) { return x * 2.0f + 1.0f; }, {.input_shape = TensorShape{2}}));
  model.add(layers::Lambda(tf::nn::relu, {.name = "cut"}));
  EXPECT_THAT(floats(model.predict(Array({{1.f, -3.f}}))), ElementsAre(3, 0));
  EXPECT_EQ(model.layers()[0]->name(), "lambda");
  EXPECT_EQ(model.layers()[1]->name(), "cut");
  EXPECT_THROW(model.to_json(), errors::UnimplementedError);
  EXPECT_THROW(layers::Lambda(FunctionOf<Tensor>()), TypeError);
}

TEST(LambdaLayer, PassesGradientsOn) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor x = Input({1});
  const KerasTensor hidden = layers::Dense(1, {.kernel_initializer = ones_initializer()})(x);
  Model model(x, layers::Lambda([](const Tensor& h) { return 3.0f * h; })(hidden));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.5}), .loss = "mae"});
  model.train_on_batch(Array({{2.f}}), Array({{0.f}}));  // d|6| / d kernel = 3 * 2
  EXPECT_THAT(floats(model.get_weights()[0]), ElementsAre(-2));
}

TEST(LambdaLayer, TakesSeveralInputs) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor a = Input({2});
  const KerasTensor b = Input({2});
  const layers::Lambda::OfInputs difference = [](const std::vector<Tensor>& all) { return all[0] - all[1]; };
  Model model({a, b}, {layers::Lambda(difference)({a, b})});
  EXPECT_THAT(floats(model.predict({Array({{5.f, 1.f}}), Array({{2.f, 3.f}})})), ElementsAre(3, -2));
  layers::Lambda of_one(tf::nn::relu);
  EXPECT_THROW(of_one({a, b}), ValueError);
}

TEST(MergingLayers, AreFunctionsToo) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor a = Input({2});
  const KerasTensor b = Input({2});
  Model model({a, b}, {layers::add({a, b}), layers::subtract({a, b}), layers::multiply({a, b}),
                       layers::average({a, b}), layers::maximum({a, b}), layers::minimum({a, b}),
                       layers::concatenate({a, b}, {.name = "both"}), layers::dot({a, b}, {1})});
  const std::vector<Array> found = model.predict_outputs({Array({{5.f, 1.f}}), Array({{2.f, 3.f}})});
  const std::vector<std::vector<float>> expected = {{7, 4}, {3, -2}, {10, 3},      {3.5f, 2},
                                                    {5, 3}, {2, 1},  {5, 1, 2, 3}, {13}};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(floats(found[i]), expected[i]) << i;
  EXPECT_EQ(model.get_layer("both")->class_name(), "Concatenate");
}

}  // namespace
}  // namespace flowray::tf::keras
