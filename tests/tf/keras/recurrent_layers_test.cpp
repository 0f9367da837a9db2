// What layers over time keep between batches, and layers without a loop. By hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;

Array sequence(std::vector<float> times) {
  const auto count = static_cast<int64_t>(times.size());
  return Array::from(std::move(times), {1, count, 1});
}

/// Gives twice the sum of its inputs.
Model summing(const layers::SimpleRNNOptions& options, int64_t times) {
  const KerasTensor inputs = Input({times, 1}, {.batch_size = 1});
  Model model(inputs, layers::SimpleRNN(1, options)(inputs));
  model.set_weights({Array::from(std::vector<float>{2.0f}, {1, 1}),
                     Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{0.0f}, {1})});
  return model;
}

TEST(RecurrentLayers, BeginWithTheStatesOfTheBatchBefore) {
  const KerasTensor inputs = Input({2, 1}, {.batch_size = 1});
  layers::SimpleRNN sum(1, {.activation = "linear", .stateful = true});
  EXPECT_TRUE(sum.states().empty());
  Model model(inputs, sum(inputs));
  ASSERT_EQ(sum.states().size(), 1u);
  EXPECT_EQ(model.weights().size(), 3u);
  model.set_weights({Array::from(std::vector<float>{2.0f}, {1, 1}),
                     Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{0.0f}, {1})});
  EXPECT_THAT(model.predict(sequence({1.0f, 0.5f})).span<float>(), ElementsAre(FloatEq(3.0f)));
  EXPECT_THAT(model.predict(sequence({0.25f, 0.25f})).span<float>(), ElementsAre(FloatEq(4.0f)));
  sum.states()[0].load(Array::from(std::vector<float>{10.0f}, {1, 1}), backend::get_session().get());
  EXPECT_THAT(model.predict(sequence({0.0f, 1.0f})).span<float>(), ElementsAre(FloatEq(12.0f)));
}

TEST(RecurrentLayers, KeepStatesInTraining) {
  Model model = summing({.activation = "linear", .stateful = true}, 1);
  model.compile({.optimizer = train::GradientDescentOptimizer(0.0), .loss = "mse"});
  const Array target = Array::from(std::vector<float>{1.0f}, {1, 1});
  EXPECT_THAT(model.train_on_batch(sequence({1.0f}), target), ElementsAre(DoubleNear(1, 1e-6)));
  EXPECT_THAT(model.test_on_batch(sequence({1.0f}), target), ElementsAre(DoubleNear(9, 1e-6)));
  EXPECT_THAT(model.train_on_batch(sequence({0.5f}), target), ElementsAre(DoubleNear(16, 1e-6)));
}

/// 2 * 1 + the state.
TEST(RecurrentLayers, AreGivenTheStatesToBeginWith) {
  const KerasTensor inputs = Input({1, 1}, {.batch_size = 1});
  layers::SimpleRNN sum(1, {.activation = "linear", .stateful = true, .name = "sum"});
  EXPECT_THAT(error_of([&] { sum.reset_states(); }), HasSubstr("has no states yet"));
  Model model(inputs, sum(inputs));
  model.set_weights({Array::from(std::vector<float>{2.0f}, {1, 1}),
                     Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{0.0f}, {1})});
  const auto next = [&] { return model.predict(sequence({1.0f})).span<float>()[0]; };
  EXPECT_EQ(next(), 2);
  EXPECT_EQ(next(), 4);
  sum.reset_states();
  EXPECT_EQ(next(), 2);
  sum.reset_states({Array::from(std::vector<float>{5.0f}, {1, 1})});
  EXPECT_EQ(next(), 7);
  EXPECT_EQ(model.states().size(), 1u);
  model.reset_states();
  EXPECT_EQ(next(), 2);
  EXPECT_THAT(error_of([&] { sum.reset_states({Array({1.f, 2.f})}); }),
              HasSubstr("State 0 is incompatible with layer sum"));
  EXPECT_THAT(error_of([&] { sum.reset_states({Array({{1.f}}), Array({{1.f}})}); }),
              HasSubstr("Layer sum expects 1 states, but it received 2 state values."));
  EXPECT_THROW(layers::LSTM(1).reset_states(), TypeError);
}

TEST(RecurrentLayers, HaveNodesForEachTimeWhereTheyAreUnrolled) {
  Model model = summing({.activation = "linear", .return_sequences = true, .unroll = true}, 3);
  EXPECT_THAT(model.predict(sequence({1.0f, 0.5f, -1.0f})).span<float>(),
              ElementsAre(FloatEq(2.0f), FloatEq(3.0f), FloatEq(1.0f)));
  for (const Operation& op : model.outputs()[0].graph().get_operations()) EXPECT_NE(op.type(), "While");
}

TEST(RecurrentLayers, RefuseSizesThatAreNotKnown) {
  const KerasTensor inputs = Input({2, 1});
  EXPECT_THAT(error_of([&] { layers::LSTM(1, {.stateful = true})(inputs); }),
              HasSubstr("If a RNN is stateful, it needs to know its batch size."));
  const KerasTensor times = Input({-1, 1});
  EXPECT_THAT(error_of([&] { layers::GRU(1, {.unroll = true})(times); }),
              HasSubstr("Cannot unroll a RNN if the time dimension is undefined."));
}

TEST(RecurrentLayers, TakeAMaskInTheCallOfAModel) {
  const KerasTensor inputs = Input({3, 1});
  const KerasTensor counts = Input({3}, {.dtype = DType::kBool});
  layers::SimpleRNN sum(1, {.activation = "linear"});
  Model model({inputs, counts}, sum.apply_masked({inputs}, counts));
  model.set_weights({Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{0.0f}, {1})});
  const Array mask = Array(std::vector<bool>{true, false, true}).reshape({1, 3});
  EXPECT_EQ(model.predict({sequence({1.0f, 10.0f, 4.0f}), mask}), Array({{5.f}}));
}

TEST(RecurrentLayers, AreReadFromTheirEndsByALayerOfItsOwn) {
  const KerasTensor inputs = Input({2, 1});
  const layers::SimpleRNN forward(1, {.activation = "linear"});
  const auto backward = [](const layers::SimpleRNNOptions& options) {
    return std::make_shared<layers::SimpleRNN>(2, options);
  };
  layers::Bidirectional both(forward,
                             {.backward_layer = backward({.activation = "linear", .go_backwards = true})});
  EXPECT_EQ(both(inputs).shape(), TensorShape({-1, 3}));
  EXPECT_THAT(error_of([&] { layers::Bidirectional(forward, {.backward_layer = backward({})}); }),
              HasSubstr("should have different `go_backwards` value"));
  EXPECT_THAT(error_of([&] {
                layers::Bidirectional(
                    forward, {.backward_layer = backward({.return_sequences = true, .go_backwards = true})});
              }),
              HasSubstr("same value for attribute \"return_sequences\", got \"False\""));
}

}  // namespace
}  // namespace flowray::tf::keras
