// Optimizers of tf.keras: the weights behind three epochs of two batches are those of tf_keras 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

namespace flowray::tf::keras {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

const Array kX({{1.f, 2.f}, {3.f, -4.f}, {.5f, .25f}, {-1.f, 1.f}});
const Array kY({{1.f}, {2.f}, {-3.f}, {.5f}});

Sequential line() {
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
  return model;
}

void train(Model model, int64_t epochs) {
  model.fit(kX, kY, {.batch_size = 2, .epochs = epochs, .verbose = 0, .shuffle = false});
}

std::vector<float> weights_of(Model model) {
  std::vector<float> values;
  for (const Array& weight : model.get_weights())
    values.insert(values.end(), weight.data<float>(), weight.data<float>() + weight.size());
  return values;
}

void expect_weights(const OptimizerArgument& optimizer, std::vector<float> expected) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model = line();
  model.compile({.optimizer = optimizer, .loss = "mse"});
  train(model, 3);
  EXPECT_THAT(weights_of(model), Pointwise(FloatNear(2e-6f), std::move(expected)));
}

TEST(Optimizers, ClipGradients) {
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .clipnorm = 0.5}), {.956361f, .918462f, 0});
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .clipvalue = 0.25}),
                 {1.027744f, .777129f, .027744f});
  expect_weights(optimizers::Adam({.learning_rate = 0.05, .clipnorm = 0.1, .clipvalue = 0.05}),
                 {1.069112f, .700012f, .069112f});
  EXPECT_THROW(optimizers::SGD({.clipnorm = 0}), ValueError);
  EXPECT_THROW(optimizers::Adagrad({.clipvalue = -0.5}), ValueError);
}

/// Rows of a table that a batch has not do not move in it, whatever momentum there is.
TEST(Optimizers, ClipRowsAsRows) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Embedding(3, 2, {.embeddings_initializer = ones_initializer(), .input_length = 1}));
  model.add(layers::Flatten());
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .clipnorm = 1}), .loss = "mse"});
  model.train_on_batch(Array({{0.f}, {1.f}}), Array({{0.f}, {0.f}}));
  const Array first = model.get_weights()[0];
  model.train_on_batch(Array({{1.f}, {1.f}}), Array({{0.f}, {0.f}}));
  const Array second = model.get_weights()[0];
  EXPECT_NE(first.data<float>()[0], 1);
  EXPECT_EQ(second.data<float>()[0], first.data<float>()[0]);
  EXPECT_NE(second.data<float>()[2], first.data<float>()[2]);
  EXPECT_EQ(second.data<float>()[4], 1);
}

TEST(Optimizers, DivideByRootsOfSquares) {
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05}), {1.140043f, .661095f, -.171697f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .centered = true}),
                 {1.14433f, .635207f, -.18664f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .rho = 0.8, .momentum = 0.5}),
                 {1.17454f, .555063f, -.208071f});
  expect_weights(
      optimizers::RMSprop({.learning_rate = 0.05, .epsilon = 1e-3, .momentum = 0.5, .centered = true}),
      {1.149272f, .422033f, -.339312f});
  expect_weights(optimizers::Adagrad({.learning_rate = 0.5}), {.997688f, .306093f, -.518187f});
}

TEST(Optimizers, MakeMovesOfTheSizeOfThoseBefore) {
  expect_weights(optimizers::Adadelta({.learning_rate = 1.0, .rho = 0.9}), {1.001779f, .996825f, -.002054f});
  expect_weights("adadelta", {1.000003f, .999996f, -3e-6f});
}

TEST(Optimizers, FollowTheRegularizedLeader) {
  expect_weights(optimizers::Ftrl({.learning_rate = 0.5,
                                   .l1_regularization_strength = 0.01,
                                   .l2_regularization_strength = 0.02,
                                   .beta = 0.1}),
                 {.969721f, .286027f, -.511125f});
  expect_weights(optimizers::Ftrl({.learning_rate = 0.5,
                                   .learning_rate_power = -0.25,
                                   .initial_accumulator_value = 0.2,
                                   .l2_shrinkage_regularization_strength = 0.03}),
                 {1.497467f, -1.39392f, .170314f});
  expect_weights("ftrl", {.956416f, .97789f, -.00067f});
}

TEST(Optimizers, GoOnFromFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_optimizers" + std::to_string(::getpid()) + ".h5");
  const OptimizerArgument all[] = {
      optimizers::RMSprop({.learning_rate = 0.05, .momentum = 0.5, .centered = true, .clipnorm = 2}),
      optimizers::RMSprop({.learning_rate = 0.05, .centered = true}),
      optimizers::Adadelta({.learning_rate = 1.0}), optimizers::Ftrl({.learning_rate = 0.5, .beta = 0.1}),
      optimizers::Adam({.clipvalue = 0.5})};
  for (const OptimizerArgument& optimizer : all) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model = line();
    model.compile({.optimizer = optimizer, .loss = "mse"});
    train(model, 2);
    model.save(path.string());
    train(model, 2);
    const std::vector<float> expected = weights_of(model);
    const Graph other;
    const auto other_scope = other.as_default();
    const auto loaded = load_model(path.string());
    train(loaded, 2);
    EXPECT_EQ(weights_of(loaded), expected);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace flowray::tf::keras
