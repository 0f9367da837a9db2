// Layers of volumes against tf_keras 2.21 (compat.v1): its numbers for the same weights and batches.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a model gives: the shape of its outputs, the losses of three steps towards zeros at a rate of 0.1,
/// and then the first outputs and the sum of all.
struct Trained {
  Shape shape;
  std::vector<double> losses;
  std::vector<double> first;
  double sum;
};

class VolumeLayersTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  /// Weights are (7 i mod 5 - 2) / 10, biases 0.
  static void expect(const std::vector<std::shared_ptr<Layer>>& layers, const Shape& volumes,
                     const Trained& expected) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model;
    for (const std::shared_ptr<Layer>& layer : layers) model.add(layer);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
    model.build(TensorShape(volumes));
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      if (weight.rank() < 2) continue;
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    model.set_weights(weights);
    const Array x = ramp(volumes);
    const Array before = model.predict(x);
    ASSERT_EQ(before.shape(), expected.shape);
    EXPECT_TRUE(model.outputs()[0].shape().is_compatible_with(expected.shape));
    const Array zeros = Array::from(std::vector<float>(static_cast<size_t>(before.size())), before.shape());
    for (const double loss : expected.losses) EXPECT_NEAR(model.train_on_batch(x, zeros)[0], loss, 1e-6);
    const Array after = model.predict(x);
    const std::span<const float> values = after.span<float>();
    for (size_t i = 0; i < expected.first.size(); ++i) EXPECT_NEAR(values[i], expected.first[i], 2e-6) << i;
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), expected.sum, 5e-5);
  }
  template <class L, class... Arguments>
  static std::shared_ptr<Layer> made(const Arguments&... arguments) {
    return std::make_shared<L>(arguments...);
  }
  static std::shared_ptr<Layer> conv() {
    return std::make_shared<layers::Conv3D>(2, std::vector<int64_t>{1});
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  inline static const Shape large_ = {2, 4, 4, 4, 2};
  inline static const Shape small_ = {2, 2, 2, 2, 2};
};

TEST_F(VolumeLayersTest, Convolutions) {
  using layers::Conv3D;
  using layers::Conv3DOptions;
  const auto of = [](int64_t filters, const std::vector<int64_t>& size, const Conv3DOptions& options) {
    return std::vector<std::shared_ptr<Layer>>{std::make_shared<Conv3D>(filters, size, options)};
  };
  expect(of(3, {2}, {.activation = "tanh"}), large_,
         {{2, 3, 3, 3, 3}, {0.033267, 0.029694, 0.027166}, {0.031013, -0.0252, -0.135891}, -0.04622});
  expect(of(3, {3, 2, 1}, {.strides = {2, 1, 2}, .padding = "same"}), large_,
         {{2, 2, 4, 2, 3}, {0.031282, 0.028781, 0.02688}, {0.174932, 0.234485, -0.300546}, -0.7008});
  expect(of(2, {2}, {.dilation_rate = {2}, .use_bias = false}), large_,
         {{2, 2, 2, 2, 2}, {0.034943, 0.031103, 0.028428}, {-0.215391, 0.187214, -0.271951}, -0.50235});
}

TEST_F(VolumeLayersTest, TransposedConvolutions) {
  using layers::Conv3DTranspose;
  using layers::Conv3DTransposeOptions;
  const auto of = [](int64_t filters, const std::vector<int64_t>& size,
                     const Conv3DTransposeOptions& options) {
    return std::vector<std::shared_ptr<Layer>>{std::make_shared<Conv3DTranspose>(filters, size, options)};
  };
  expect(of(3, {2}, {}), small_,
         {{2, 3, 3, 3, 3}, {0.017196, 0.016937, 0.016687}, {-0.001997, -0.036994, -0.069411}, 0.01116});
  expect(of(2, {3, 2, 2}, {.strides = {2, 2, 1}, .padding = "same", .activation = "relu"}), small_,
         {{2, 4, 4, 2, 2}, {0.004895, 0.004496, 0.004149}, {0, 0, 0}, 4.06644});
  expect(of(2, {3}, {.strides = {2}}), small_,
         {{2, 5, 5, 5, 2}, {0.011608, 0.011551, 0.011498}, {0.002527, -0.038596, -0.070212}, 0.01105});
}

TEST_F(VolumeLayersTest, Pools) {
  using layers::AveragePooling3D;
  using layers::MaxPooling3D;
  using layers::Pooling3DOptions;
  // In front: windows have equal maxima, which TensorFlow's kernels give gradients in ways of their own.
  expect({made<MaxPooling3D>(), conv()}, large_,
         {{2, 2, 2, 2, 2}, {0.003926, 0.002238, 0.001292}, {-0.001348, -0.038687, -0.001266}, -0.5715});
  expect(
      {made<MaxPooling3D>(Pooling3DOptions{.pool_size = {3, 2, 1}, .strides = {1, 2, 3}, .padding = "same"}),
       conv()},
      large_, {{2, 4, 2, 2, 2}, {0.003973, 0.002564, 0.001738}, {-0.000619, -0.042604, -0.054858}, -1.1568});
  expect({conv(), made<AveragePooling3D>(Pooling3DOptions{.pool_size = {2}})}, large_,
         {{2, 2, 2, 2, 2}, {0.001348, 0.001078, 0.000879}, {-0.027037, -0.021013, 0.022856}, -0.46544});
  expect(
      {conv(), made<AveragePooling3D>(Pooling3DOptions{.pool_size = {3}, .strides = {2}, .padding = "same"})},
      large_, {{2, 2, 2, 2, 2}, {0.001148, 0.000875, 0.000674}, {-0.001892, -0.0284, 0.005517}, -0.44782});
}

TEST_F(VolumeLayersTest, PoolsOfAllThatThereIs) {
  using layers::GlobalAveragePooling3D;
  expect({conv(), made<layers::GlobalMaxPooling3D>()}, large_,
         {{2, 2}, {0.002645, 0.002064, 0.001623}, {0.050526, 0.0, 0.050526}, 0.10105});
  const std::vector<double> losses = {0.001022, 0.000754, 0.000557};
  const std::vector<double> first = {-0.002014, -0.027941, 0.001112};
  expect({conv(), made<GlobalAveragePooling3D>()}, large_, {{2, 2}, losses, first, -0.05814});
  expect({conv(), made<GlobalAveragePooling3D>(layers::GlobalPoolingOptions{.keepdims = true})}, large_,
         {{2, 1, 1, 1, 2}, losses, first, -0.05814});
}

TEST_F(VolumeLayersTest, MoreAndFewerElements) {
  using layers::Ends;
  expect({conv(), made<layers::ZeroPadding3D>(Ends{1, 0}, Ends{0, 2}, Ends{1, 1})}, large_,
         {{2, 5, 6, 6, 2}, {0.002162, 0.00211, 0.002061}, {0, 0, 0}, -5.00281});
  expect({conv(), made<layers::Cropping3D>(Ends{1, 0}, Ends{0, 2}, Ends{1, 1})}, large_,
         {{2, 3, 2, 2, 2}, {0.006147, 0.005736, 0.005407}, {0.071058, -0.053699, 0.07092}, -0.70748});
  expect({conv(), made<layers::UpSampling3D>(std::vector<int64_t>{1, 2, 3})}, small_,
         {{2, 2, 4, 6, 2}, {0.006054, 0.005664, 0.00535}, {0.070998, -0.022235, 0.070998}, -2.75675});
}

TEST_F(VolumeLayersTest, AreNamedAsInTensorFlow) {
  Sequential model;
  model.add(layers::Conv3D(1, {1}, {.input_shape = TensorShape{2, 2, 2, 1}}));
  model.add(layers::UpSampling3D());
  model.add(layers::MaxPooling3D());
  model.add(layers::Conv3DTranspose(1, {1}));
  model.add(layers::GlobalAveragePooling3D());
  std::vector<std::string> names;
  for (const auto& layer : model.layers()) names.push_back(layer->name());
  EXPECT_THAT(names, ::testing::ElementsAre("conv3d", "up_sampling3d", "max_pooling3d", "conv3d_transpose",
                                            "global_average_pooling3d"));
  EXPECT_EQ(model.weights()[0].name(), "conv3d/kernel:0");
  EXPECT_EQ(model.weights()[3].name(), "conv3d_transpose/bias:0");
}

TEST_F(VolumeLayersTest, TransposesVolumesOfUnknownSize) {
  const Tensor x = placeholder(float32, {-1, -1, 2, -1, 1});
  const Tensor y = layers::Conv3DTranspose(2, {3}, {.strides = {2}})(x);
  EXPECT_EQ(y.shape(), TensorShape({-1, -1, 5, -1, 2}));
  Session session;
  session.run(global_variables_initializer());
  EXPECT_EQ(session.run(y, {{x, ramp({1, 2, 2, 3, 1})}}).shape(), (Shape{1, 5, 5, 7, 2}));
}

TEST_F(VolumeLayersTest, SaysWhatDoesNotFit) {
  const std::string words = "` argument must be a tuple of 3 integers. Received: 2 integers";
  EXPECT_THAT(error_of([] { layers::Conv3D(2, {1, 2}); }), StartsWith("The `kernel_size" + words));
  EXPECT_THAT(error_of([] { layers::Conv3D(2, {1}, {.strides = {1, 2}}); }),
              StartsWith("The `strides" + words));
  EXPECT_THAT(error_of([] { layers::MaxPooling3D({.pool_size = {1, 2}}); }),
              StartsWith("The `pool_size" + words));
  EXPECT_THAT(error_of([] { layers::UpSampling3D({1, 2}); }), StartsWith("The `size" + words));
  EXPECT_THAT(error_of([] { layers::Conv3D(0, {1}); }),
              StartsWith("Invalid value for argument `filters`. Expected a strictly positive value."));
  EXPECT_THAT(error_of([] { layers::Conv3DTranspose(1, {0}); }), HasSubstr("kernel_size"));
  EXPECT_THAT(error_of([] { layers::Cropping3D({-1, 0}); }), HasSubstr("`cropping`"));
  EXPECT_THAT(error_of([] { layers::Cropping3D({2, 2})(placeholder(float32, {-1, 4, 4, 4, 1})); }),
              HasSubstr("cropping"));
  EXPECT_THAT(error_of([] { layers::Conv3D(2, {2})(placeholder(float32, {2, 3, 3, 1})); }),
              HasSubstr("is incompatible with the layer"));
}

TEST_F(VolumeLayersTest, RefuseSizesThatWouldWrap) {
  constexpr int64_t kWraps = int64_t{1} << 32;
  using layers::Ends;
  const auto error_with = [](const std::shared_ptr<Layer>& layer) {
    Sequential model;
    model.add(made<layers::ZeroPadding3D>(Ends{0, 0}, Ends{0, 0}, Ends{0, 0}));
    model.add(layer);
    return error_of([&] { model.build(TensorShape({None, 1, 1, 1, 1})); });
  };
  for (const int64_t size : {kWraps, kWraps + 1})
    EXPECT_THAT(error_with(made<layers::UpSampling3D>(std::vector<int64_t>{size, 1, 1})),
                HasSubstr(std::to_string(size)));
  EXPECT_THAT(error_with(made<layers::ZeroPadding3D>(Ends{kWraps, 0}, Ends{0, 0}, Ends{0, 0})),
              HasSubstr("4294967296"));
}

}  // namespace
}  // namespace flowray::tf::keras
