// Normalisation along other dimensions, by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace flowray::tf::keras {
namespace {

using ::testing::HasSubstr;

class NormalizationLayersTest : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope scope_{graph_.as_default()};
};

TEST_F(NormalizationLayersTest, ABatchIsNormalisedForEachElementOfAnotherAxis) {
  const KerasTensor x = Input({2, 2});
  layers::BatchNormalization normal({.momentum = 0.5, .epsilon = 1e-12, .axis = {1}});
  Model model(x, normal(x));
  EXPECT_EQ(normal.axes(), std::vector<int64_t>{1});
  for (const Variable& weight : normal.weights()) EXPECT_EQ(weight.shape(), TensorShape({2}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  // The first row of each element has the values 0, 2, 4, 6, of mean 3 and variance 5; the second
  // one 1 all over.
  const Array batch = Array({{{0.f, 2.f}, {1.f, 1.f}}, {{4.f, 6.f}, {1.f, 1.f}}});
  model.train_on_batch(batch, batch);
  const std::vector<Array> weights = model.get_weights();
  EXPECT_NEAR(weights[2].data<float>()[0], 1.5, 1e-6);
  EXPECT_NEAR(weights[2].data<float>()[1], 0.5, 1e-6);
  EXPECT_NEAR(weights[3].data<float>()[0], 3.0, 1e-5);  // 0.5 * 1 + 0.5 * 5
  EXPECT_NEAR(weights[3].data<float>()[1], 0.5, 1e-6);
}

TEST_F(NormalizationLayersTest, SeveralAxesHaveWeightsForEachPairOfPlaces) {
  const KerasTensor x = Input({2, 3, 4});
  layers::BatchNormalization normal({.axis = {1, -1}});
  const KerasTensor y = normal(x);
  EXPECT_EQ(normal.weights()[0].shape(), TensorShape({1, 2, 1, 4}));
  layers::LayerNormalization whole({.axis = {1, 2}});
  whole(y);
  EXPECT_EQ(whole.weights()[0].shape(), TensorShape({2, 3}));
}

TEST_F(NormalizationLayersTest, SaysWhichAxesAreNotThere) {
  const KerasTensor x = Input({2, 3});
  const auto error_of = [&](std::vector<int64_t> axis) {
    try {
      layers::BatchNormalization({.axis = std::move(axis)})(x);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of({3}), HasSubstr("Received: axis=(3,)"));
  EXPECT_THAT(error_of({1, -2}), HasSubstr("Duplicate axis: (1, 1)"));
  EXPECT_THAT(error_of({std::numeric_limits<int64_t>::min()}),
              HasSubstr("Invalid value for `axis` argument."));
}

}  // namespace
}  // namespace flowray::tf::keras
