// Separable convolutions of sequences against tf_keras 2.21 (compat.v1): its numbers for the same weights.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using layers::SeparableConv1D;
using layers::SpatialDropout3D;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The losses of three steps towards zeros at a rate of 0.1, then the first outputs and the sum of all.
struct Trained {
  Shape shape;
  std::vector<double> losses;
  std::vector<double> first;
  double sum;
};

class ConvolutionLayersTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  /// Weights are (7 i mod 5 - 2) / 10, biases 0.
  static void expect(const SeparableConv1D& layer, const Trained& expected) {
    Sequential model;
    model.add(layer);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
    model.build({-1, 6, 2});
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      if (weight.rank() < 2) continue;
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    model.set_weights(weights);
    const Array x = ramp({2, 6, 2});
    const Array before = model.predict(x);
    ASSERT_EQ(before.shape(), expected.shape);
    const Array zeros = Array::from(std::vector<float>(static_cast<size_t>(before.size())), before.shape());
    for (const double loss : expected.losses) EXPECT_NEAR(model.train_on_batch(x, zeros)[0], loss, 1e-7);
    const Array after = model.predict(x);
    const std::span<const float> values = after.span<float>();
    for (size_t i = 0; i < expected.first.size(); ++i) EXPECT_NEAR(values[i], expected.first[i], 1e-6) << i;
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), expected.sum, 1e-5);
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(ConvolutionLayersTest, ConvolvesEachChannelOfSequences) {
  expect(SeparableConv1D(2, 3), {.shape = {2, 4, 2},
                                 .losses = {0.00124034, 0.00103622, 0.00087385},
                                 .first = {-0.06022310, 0.01312423, -0.01871882},
                                 .sum = -0.15728388});
}

TEST_F(ConvolutionLayersTest, MakesSeveralChannelsOfEach) {
  expect(
      SeparableConv1D(3, 2, {.strides = 2, .padding = "same", .depth_multiplier = 2, .activation = "tanh"}),
      {.shape = {2, 3, 3},
       .losses = {0.00057946, 0.00055318, 0.00053034},
       .first = {-0.00593685, 0.00230464, 0.03762677},
       .sum = 0.10497322});
}

TEST_F(ConvolutionLayersTest, LetsNothingComeFromLaterTimes) {
  expect(SeparableConv1D(2, 3, {.padding = "causal", .dilation_rate = 2, .use_bias = false}),
         {.shape = {2, 6, 2},
          .losses = {0.00107820, 0.00106681, 0.00105560},
          .first = {-0.01431783, 0.00718104, -0.01788557},
          .sum = -0.32275957});
}

TEST_F(ConvolutionLayersTest, NamesItsWeightsAsTfKerasDoes) {
  Sequential model;
  model.add(SeparableConv1D(2, 3, {.depth_multiplier = 2, .input_shape = TensorShape{6, 2}}));
  std::vector<std::string> names;
  for (const Variable& weight : model.weights())
    names.push_back(weight.name() + weight.shape().to_tuple_string());
  EXPECT_THAT(names, ::testing::ElementsAre("separable_conv1d/depthwise_kernel:0(3, 2, 2)",
                                            "separable_conv1d/pointwise_kernel:0(1, 4, 2)",
                                            "separable_conv1d/bias:0(2,)"));
  EXPECT_EQ(model.outputs()[0].shape(), TensorShape({-1, 4, 2}));
}

/// Each channel of a volume is 0 as a whole, or divided by what is kept of them.
TEST_F(ConvolutionLayersTest, DropsWholeChannelsOfVolumes) {
  const Tensor volumes = ones({4, 2, 3, 2, 8});
  SpatialDropout3D drop(0.5, {.seed = 3});
  Session session;
  const auto values = session.run({drop(volumes, /*training=*/true), drop(volumes)});
  const std::span<const float> dropped = values[0].span<float>();
  int zeros = 0;
  for (size_t batch = 0; batch < 4; ++batch) {
    for (size_t channel = 0; channel < 8; ++channel) {
      const float first = dropped[batch * 96 + channel];
      EXPECT_TRUE(first == 0.0f || first == 2.0f);
      zeros += first == 0.0f ? 1 : 0;
      for (size_t i = 0; i < 12; ++i) EXPECT_EQ(dropped[batch * 96 + i * 8 + channel], first);
    }
  }
  EXPECT_GT(zeros, 4);
  EXPECT_LT(zeros, 28);
  EXPECT_EQ(values[1], Array::from(std::vector<float>(4 * 96, 1.0f), {4, 2, 3, 2, 8}));
}

TEST_F(ConvolutionLayersTest, TakesChannelsInFrontWhereItIsToldSo) {
  const Array x = Array::from(std::vector<float>{1, 2, 3, 4}, {1, 2, 1, 2});  // two channels of one row
  auto conv = std::make_shared<layers::Conv2D>(
      1, std::vector<int64_t>{1, 1}, layers::Conv2DOptions{.kernel_initializer = ones_initializer()});
  conv->set_data_format("channels_first");
  EXPECT_EQ(conv->get_config().at("data_format").text(), "channels_first");
  Sequential model;
  model.add(conv);
  const Array made = model.predict(x);
  EXPECT_EQ(made, Array::from(std::vector<float>{4, 6}, {1, 1, 1, 2}));
  EXPECT_EQ(conv->input_spec()[0].axes, (std::map<int64_t, int64_t>{{-3, 2}}));
  EXPECT_THAT(error_of([&] { conv->set_data_format("channels_last"); }), HasSubstr("before it is built"));
  EXPECT_THAT(error_of([&] { SeparableConv1D(2, 3).set_data_format("channels"); }),
              StartsWith("The `data_format` argument must be one of \"channels_first\", \"channels_last\". "
                         "Received: channels"));
  const Model again = model_from_json(model.to_json());
  EXPECT_EQ(again.layers()[0]->get_config().at("data_format").text(), "channels_first");
}

TEST_F(ConvolutionLayersTest, HasWeightsOfDoubleLengthForSuchInputs) {
  const KerasTensor inputs = Input({1}, {.dtype = float64});
  const auto first = std::make_shared<layers::Dense>(2, layers::DenseOptions{});
  const auto second = std::make_shared<layers::Dense>(1, layers::DenseOptions{});
  second->set_dtype(float32);
  Model model({inputs}, {(*second)((*first)(inputs))});
  EXPECT_EQ(first->dtype(), float64);
  EXPECT_EQ(first->get_config().at("dtype").text(), "float64");
  EXPECT_EQ(model.get_weights()[0].dtype(), DType::kFloat64);
  EXPECT_EQ(model.get_weights()[2].dtype(), DType::kFloat32);
  model.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_EQ(model.fit(ramp({4, 1}), ramp({4, 1}), {.epochs = 2, .verbose = 0}).epoch.size(), 2u);
  EXPECT_THAT(error_of([&] { second->set_dtype(float64); }), HasSubstr("before it is built"));
  EXPECT_THAT(error_of([] { backend::set_floatx(int32); }), HasSubstr("float32 or float64"));
}

TEST_F(ConvolutionLayersTest, SaysWhatDoesNotFit) {
  EXPECT_THAT(error_of([] { SeparableConv1D(0, 3); }),
              StartsWith("Invalid value for argument `filters`. Expected a strictly positive value. Received "
                         "filters=0."));
  EXPECT_THAT(error_of([] { SeparableConv1D(2, 3, {.depth_multiplier = 0}); }),
              HasSubstr("`depth_multiplier`"));
  EXPECT_THAT(error_of([] { SeparableConv1D(2, 3, {.padding = "other"}); }), HasSubstr("`padding`"));
  EXPECT_THAT(error_of([] { SeparableConv1D(2, 3)(zeros({2, 3})); }),
              HasSubstr("expected ndim=3, found ndim=2"));
  EXPECT_THAT(error_of([] { SpatialDropout3D(1.5); }), StartsWith("Invalid value 1.5 received for `rate`"));
  EXPECT_THAT(error_of([] { SpatialDropout3D(0.5)(zeros({2, 3})); }),
              HasSubstr("expected ndim=5, found ndim=2"));
}

}  // namespace
}  // namespace flowray::tf::keras
