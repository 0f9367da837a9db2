// Masks against tf_keras 2.21 (compat.v1): its numbers for the same weights and batches.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tf/keras/masks.h"

#include <atomic>
#include <thread>
#include <vector>

namespace flowray::tf::keras {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

/// Two sequences of three times of one feature; of the second only the first time counts.
Array sequences() { return Array::from(std::vector<float>{0.5f, 0.25f, 1.0f, 0.75f, 0.0f, 0.0f}, {2, 3, 1}); }

TEST(Masks, PassOverTimesThatDoNotCount) {
  Sequential model;
  model.add(layers::Masking({.input_shape = TensorShape{3, 1}}));
  model.add(layers::SimpleRNN(1, {.activation = "linear", .return_sequences = true}));
  model.build({-1, 3, 1});
  model.set_weights({Array::from(std::vector<float>{2.0f}, {1, 1}),
                     Array::from(std::vector<float>{1.0f}, {1, 1}),
                     Array::from(std::vector<float>{0.0f}, {1})});
  const Array made = model.predict(sequences());
  // Sums of 2 x; the second sequence stays at its first one.
  EXPECT_THAT(made.span<float>(),
              ElementsAre(FloatNear(1.0f, 1e-6f), FloatNear(1.5f, 1e-6f), FloatNear(3.5f, 1e-6f),
                          FloatNear(1.5f, 1e-6f), FloatNear(1.5f, 1e-6f), FloatNear(1.5f, 1e-6f)));
}

TEST(Masks, LeaveLossesAndMetricsOfTimesOutThatDoNotCount) {
  Sequential model;
  model.add(layers::Masking({.input_shape = TensorShape{3, 1}}));
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const Array truths = Array::from(std::vector<float>{0.5f, 0.25f, 0.0f, 0.0f, 9.0f, 9.0f}, {2, 3, 1});
  // Four times count: errors of 0, 0, 1 and 0.75.
  const std::vector<double> scores = model.evaluate(sequences(), truths);
  EXPECT_THAT(scores, ElementsAre(::testing::DoubleNear((1 + 0.5625) / 4, 1e-6),
                                  ::testing::DoubleNear(1.75 / 4, 1e-6)));
}

TEST(Masks, AreThoseOfEmbeddingsAndMergedOnes) {
  const KerasTensor words = Input({3});
  const KerasTensor left = layers::Embedding(4, 2, {.mask_zero = true})(words);
  EXPECT_TRUE(mask_of(left).has_value());
  EXPECT_FALSE(mask_of(layers::Embedding(4, 2)(words)).has_value());
  EXPECT_TRUE(mask_of(layers::Add()({left, left})).has_value());
  EXPECT_FALSE(mask_of(layers::Flatten()(left)).has_value());
}

TEST(Masks, OfOneValueAreSetByThreadsAtOnce) {
  const auto eager = tf::eager();
  const Tensor value = constant(1.0);
  const std::vector<Tensor> masks = {constant(true), constant(false)};
  set_mask(value, masks[0]);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20'000; ++k) {
        set_mask(value, masks[i < 2 ? 0 : k % 2]);
        wrong += mask_of(value).has_value() ? 0 : 1;
      }
    });
  }
  threads.clear();  // waits
  EXPECT_EQ(wrong, 0);
}

TEST(Masks, StandBesideValuesWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  const Tensor masked = layers::Masking()(constant(sequences()));
  ASSERT_TRUE(mask_of(masked).has_value());
  EXPECT_THAT(mask_of(masked).value().span<bool>(), ElementsAre(true, true, true, true, false, false));
  EXPECT_FALSE(mask_of(masked + 1.0).has_value());
  layers::SimpleRNN sum(1, {.activation = "linear",
                            .kernel_initializer = constant_initializer(2.0),
                            .recurrent_initializer = constant_initializer(1.0)});
  // Twice the sums; the second sequence stays at its first one.
  EXPECT_THAT(sum(masked).value().span<float>(), ElementsAre(FloatNear(3.5f, 1e-6f), FloatNear(1.5f, 1e-6f)));
  EXPECT_THAT(sum(constant(sequences()) + 0.0).value().span<float>(),
              ElementsAre(FloatNear(3.5f, 1e-6f), FloatNear(1.5f, 1e-6f)));
  for (int i = 0; i < 3; ++i) {  // nodes are used again: none begins with another's mask
    const Tensor plain = constant(sequences()) + static_cast<float>(i);
    EXPECT_FALSE(mask_of(plain).has_value());
    (void)layers::Masking()(plain);
  }
}

}  // namespace
}  // namespace flowray::tf::keras
