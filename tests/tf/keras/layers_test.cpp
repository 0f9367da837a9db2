// Every layer against tf_keras 2.21 (compat.v1): its numbers for the same weights and batches.
#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace flowray::tf::keras {
namespace {

/// What a model gives: the shape of its outputs, the losses of three steps towards zeros at a rate of 0.1,
/// and then the first outputs and the sum of all.
struct Numbers {
  Shape shape;
  std::vector<double> losses;
  std::vector<double> first;
  double sum;
};

const Shape rows_ = {2, 6};
const Shape sequences_ = {2, 6, 3};
const Shape images_ = {2, 4, 5, 2};
const Shape volumes_ = {2, 4, 4, 4, 2};

/// (37 i mod 11) / 11
Array ramp(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
  return Array::from(values, shape);
}

/// Kernels are (7 i mod 5 - 2) / 10, all else is as it begins.
void set_kernels(Model& model) {
  std::vector<Array> weights = model.get_weights();
  for (Array& weight : weights) {
    if (weight.rank() < 2) continue;
    float* values = weight.mutable_data<float>();
    for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
  }
  model.set_weights(weights);
}

void expect_numbers(Model model, const Shape& shape, const Numbers& expected) {
  SCOPED_TRACE(model.layers().back()->name());
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  set_kernels(model);
  const Array x = ramp(shape);
  const Array before = model.predict(x);
  ASSERT_EQ(before.shape(), expected.shape);
  EXPECT_TRUE(model.outputs()[0].shape().is_compatible_with(TensorShape(expected.shape)));
  const Array zeros = Array::from(std::vector<float>(static_cast<size_t>(before.size())), before.shape());
  for (const double loss : expected.losses) EXPECT_NEAR(model.train_on_batch(x, zeros)[0], loss, 2e-6);
  const Array after = model.predict(x);
  const std::span<const float> values = after.span<float>();
  for (size_t i = 0; i < expected.first.size(); ++i) EXPECT_NEAR(values[i], expected.first[i], 1e-5) << i;
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), expected.sum, 2e-4);
}

/// Of a layer behind a Dense, through which its gradient flows.
template <class L>
void expect_layer(const L& layer, const Shape& shape, const Numbers& expected) {
  const Graph graph;
  const auto scope = graph.as_default();
  const std::vector<int64_t> element(shape.dims().begin() + 1, shape.dims().end());
  Sequential model;
  model.add(layers::Dense(element.back(), {.input_shape = TensorShape(element)}));
  model.add(layer);
  expect_numbers(model, shape, expected);
}

/// Of a layer in front of a Dense, where no gradient comes through it.
template <class L>
void expect_in_front(const L& layer, const Shape& shape, const Numbers& expected) {
  const Graph graph;
  const auto scope = graph.as_default();
  const std::vector<int64_t> element(shape.dims().begin() + 1, shape.dims().end());
  Sequential model;
  model.add(layers::Reshape(element, {.input_shape = TensorShape(element)}));
  model.add(layer);
  model.add(layers::Dense(2));
  expect_numbers(model, shape, expected);
}

/// Of a layer that takes what two others have made.
template <class L>
void expect_merged(L layer, const Numbers& expected) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor x = Input({6, 3});
  const KerasTensor straight = layers::Dense(3)(x);
  const KerasTensor bent = layers::Dense(3, {.activation = "tanh"})(x);
  expect_numbers(Model(x, layer({straight, bent})), sequences_, expected);
}

TEST(EveryLayer, PassOnWhatTheyAreMeantTo) {
  expect_layer(layers::LeakyReLU(0.2), rows_,
               {{2, 6}, {0.008461, 0.007647, 0.006951}, {-0.000413, -0.01621, 0.158521}, 0.39355});
  expect_layer(layers::ReLU({.max_value = 0.3, .negative_slope = 0.1, .threshold = 0.05}), rows_,
               {{2, 6}, {0.008341, 0.007641, 0.007001}, {-0.005067, -0.013151, 0.159686}, 0.3925});
  expect_layer(layers::ELU(0.7), rows_,
               {{2, 6}, {0.009617, 0.008737, 0.007978}, {-0.001444, -0.049735, 0.158521}, 0.22734});
  expect_layer(layers::ThresholdedReLU(0.1), rows_,
               {{2, 6}, {0.008264, 0.007562, 0.00692}, {0.0, 0.0, 0.159646}, 0.47742});
  expect_layer(layers::PReLU({.alpha_initializer = constant_initializer(0.25)}), rows_,
               {{2, 6}, {0.008524, 0.00771, 0.007013}, {-0.000516, -0.020141, 0.158521}, 0.37402});
  expect_layer(layers::PReLU({.alpha_initializer = constant_initializer(0.25), .shared_axes = {1}}),
               sequences_,
               {{2, 6, 3}, {0.008534, 0.007113, 0.005973}, {0.006947, 0.141974, -0.030206}, 1.56922});
  expect_layer(layers::Softmax(), rows_,
               {{2, 6}, {0.028092, 0.028091, 0.02809}, {0.168402, 0.152551, 0.198309}, 2.0});
  expect_layer(layers::Softmax(1), sequences_,
               {{2, 6, 3}, {0.027874, 0.027874, 0.027874}, {0.178227, 0.171708, 0.162074}, 6.0});
  expect_layer(layers::Activation("softplus"), rows_,
               {{2, 6}, {0.496898, 0.476919, 0.458277}, {0.658584, 0.61935, 0.740152}, 7.94679});
  expect_layer(layers::GaussianNoise(0.0), rows_,
               {{2, 6}, {0.011185, 0.010016, 0.009019}, {-0.002066, -0.064004, 0.158521}, 0.1557});
  expect_layer(layers::Dropout(0.0), rows_,
               {{2, 6}, {0.011185, 0.010016, 0.009019}, {-0.002066, -0.064004, 0.158521}, 0.1557});
  expect_layer(layers::SpatialDropout1D(0.0), sequences_,
               {{2, 6, 3}, {0.018134, 0.015361, 0.013139}, {-0.002791, 0.141974, -0.128675}, -0.35629});
  expect_layer(layers::SpatialDropout2D(0.0), images_,
               {{2, 4, 5, 2}, {0.006097, 0.005702, 0.005383}, {0.070879, -0.022101, -0.122046}, -1.16411});
  expect_layer(layers::SpatialDropout3D(0.0), volumes_,
               {{2, 4, 4, 4, 2}, {0.006081, 0.00568, 0.005357}, {0.070434, -0.021897, -0.122637}, -3.64764});
}

TEST(EveryLayer, Move) {
  expect_layer(layers::Flatten(), images_,
               {{2, 40}, {0.006097, 0.005702, 0.005383}, {0.070879, -0.022101, -0.122046}, -1.16411});
  expect_layer(layers::Reshape({3, 6}), sequences_,
               {{2, 3, 6}, {0.018134, 0.015361, 0.013139}, {-0.002791, 0.141974, -0.128675}, -0.35629});
  expect_layer(layers::Permute({2, 1}), sequences_,
               {{2, 3, 6}, {0.018134, 0.015361, 0.013139}, {-0.002791, -0.027099, -0.051408}, -0.35629});
  expect_layer(layers::RepeatVector(3), rows_,
               {{2, 3, 6}, {0.011185, 0.010016, 0.009019}, {-0.002066, -0.064004, 0.158521}, 0.46709});
  expect_layer(layers::ZeroPadding1D({1, 2}), sequences_,
               {{2, 9, 3}, {0.012089, 0.010834, 0.009748}, {0.0, 0.0, 0.0}, -0.4006});
  expect_layer(layers::ZeroPadding2D({1, 0}, {0, 2}), images_,
               {{2, 5, 7, 2}, {0.003484, 0.003352, 0.003235}, {0.0, 0.0, 0.0}, -1.44137});
  expect_layer(layers::Cropping1D({1, 2}), sequences_,
               {{2, 3, 3}, {0.017264, 0.014838, 0.01288}, {-0.029322, 0.166925, -0.143594}, -0.05716});
  expect_layer(layers::Cropping2D({1, 0}, {0, 2}), images_,
               {{2, 3, 3, 2}, {0.006336, 0.00593, 0.005601}, {-0.117183, 0.013286, 0.076187}, -0.64044});
  expect_layer(layers::UpSampling1D(3), sequences_,
               {{2, 18, 3}, {0.018134, 0.015361, 0.013139}, {-0.002791, 0.141974, -0.128675}, -1.06888});
  expect_layer(layers::UpSampling2D({2, 3}), images_,
               {{2, 8, 15, 2}, {0.006097, 0.005702, 0.005383}, {0.070879, -0.022101, 0.070879}, -6.98464});
  expect_layer(layers::UpSampling2D({2}, {.interpolation = "bilinear"}), images_,
               {{2, 8, 10, 2}, {0.002821, 0.002537, 0.002324}, {0.072484, -0.022593, 0.023124}, -4.71847});
  expect_layer(layers::UpSampling3D({2, 1, 2}), volumes_,
               {{2, 8, 4, 8, 2}, {0.006081, 0.00568, 0.005357}, {0.070434, -0.021897, 0.070434}, -14.59057});
}

TEST(EveryLayer, Convolve) {
  expect_layer(layers::Conv1D(2, 3, {.padding = "causal", .activation = "tanh"}), sequences_,
               {{2, 6, 2}, {0.001594, 0.001387, 0.001226}, {0.006352, -0.049602, 0.014347}, -0.20221});
  expect_layer(layers::Conv1D(2, 2, {.strides = 2, .padding = "same"}), sequences_,
               {{2, 3, 2}, {0.001729, 0.001426, 0.001192}, {0.023512, 0.023848, 0.041462}, 0.14825});
  expect_layer(layers::SeparableConv1D(2, 3, {.depth_multiplier = 2}), sequences_,
               {{2, 4, 2}, {6.3e-05, 5.4e-05, 4.6e-05}, {0.004258, -0.011954, -0.001832}, -0.05436});
  expect_layer(layers::Conv2D(3, {2, 3}, {.strides = {1, 2}, .padding = "same"}), images_,
               {{2, 4, 3, 3}, {0.00127, 0.001258, 0.001246}, {-0.046211, 0.051055, 0.00656}, 0.1202});
  expect_layer(layers::Conv2D(2, {2}, {.dilation_rate = {2}}), images_,
               {{2, 2, 3, 2}, {0.000998, 0.000987, 0.000977}, {-0.033553, -0.006021, 0.038193}, -0.02955});
  expect_layer(layers::SeparableConv2D(2, {2, 3}), images_,
               {{2, 3, 3, 2}, {5.3e-05, 5.3e-05, 5.3e-05}, {0.012947, -0.00097, -0.013017}, -0.0041});
  expect_layer(layers::DepthwiseConv2D({3, 2}, {.padding = "same", .depth_multiplier = 2}), images_,
               {{2, 4, 5, 4}, {0.000503, 0.0005, 0.000497}, {-0.046972, -0.005137, -0.007645}, -0.0514});
  expect_layer(layers::Conv2DTranspose(2, {3, 2}, {.strides = {2, 1}, .padding = "same"}), images_,
               {{2, 8, 5, 2}, {0.000762, 0.000758, 0.000754}, {-0.014276, 0.017547, 0.039862}, 0.06224});
  expect_layer(layers::Conv3D(2, {2}, {.padding = "same"}), volumes_,
               {{2, 4, 4, 4, 2}, {0.001559, 0.001541, 0.001524}, {-0.056611, -0.015349, 0.041599}, -0.49928});
  expect_layer(layers::Conv3DTranspose(2, {2}), volumes_,
               {{2, 5, 5, 5, 2}, {0.001213, 0.001203, 0.001192}, {-0.015019, 0.01857, 0.038857}, 0.01647});
}

TEST(EveryLayer, Pool) {
  // Where windows have equal maxima, TensorFlow's kernels give gradients in ways of their own.
  expect_in_front(layers::GlobalMaxPooling2D(), images_,
                  {{2, 2}, {0.004132, 0.002231, 0.001204}, {0.0, -0.036054, 0.0}, -0.07211});
  expect_in_front(layers::GlobalMaxPooling3D(), volumes_,
                  {{2, 2}, {0.004132, 0.002231, 0.001204}, {0.0, -0.036054, 0.0}, -0.07211});
  expect_in_front(layers::MaxPooling1D({.pool_size = 3, .strides = 2}), sequences_,
                  {{2, 2, 2}, {0.030238, 0.020212, 0.014086}, {0.116863, -0.131284, 0.113135}, -0.23017});
  expect_in_front(layers::MaxPooling2D({.pool_size = {2, 3}}), images_,
                  {{2, 2, 1, 2}, {0.003771, 0.002236, 0.001363}, {0.020618, -0.036443, -0.033761}, -0.15186});
  expect_in_front(
      layers::MaxPooling3D(), volumes_,
      {{2, 2, 2, 2, 2}, {0.003926, 0.002238, 0.001292}, {-0.001348, -0.038687, -0.001266}, -0.5715});
  expect_layer(layers::AveragePooling1D({.padding = "same"}), sequences_,
               {{2, 3, 3}, {0.015844, 0.013196, 0.011079}, {-0.014876, 0.15514, -0.133717}, -0.17918});
  expect_layer(layers::AveragePooling2D({.pool_size = {3}, .strides = {1, 2}, .padding = "same"}), images_,
               {{2, 4, 3, 2}, {0.001192, 0.000927, 0.000732}, {-0.027176, -0.014055, 0.006106}, -0.68807});
  expect_layer(layers::AveragePooling3D(), volumes_,
               {{2, 2, 2, 2, 2}, {0.001348, 0.001078, 0.000879}, {-0.027037, -0.021013, 0.022856}, -0.46544});
  expect_layer(layers::GlobalMaxPooling1D(), sequences_,
               {{2, 3}, {0.017521, 0.013883, 0.011092}, {-0.025571, 0.161814, -0.072436}, 0.2406});
  expect_layer(layers::GlobalAveragePooling1D({.keepdims = true}), sequences_,
               {{2, 1, 3}, {0.014574, 0.011944, 0.009842}, {-0.068509, 0.110309, -0.102535}, -0.05968});
  expect_layer(layers::GlobalAveragePooling2D(), images_,
               {{2, 2}, {0.00101, 0.000749, 0.000557}, {-0.006458, -0.026091, 0.003551}, -0.05942});
  expect_layer(layers::GlobalAveragePooling3D(), volumes_,
               {{2, 2}, {0.001022, 0.000754, 0.000557}, {-0.002014, -0.027941, 0.001112}, -0.05814});
}

TEST(EveryLayer, Normalize) {
  expect_layer(layers::BatchNormalization(), sequences_,
               {{2, 6, 3}, {0.801859, 0.599922, 0.375249}, {-0.004839, 0.044652, -0.102684}, -0.48897});
  expect_layer(layers::LayerNormalization(), sequences_,
               {{2, 6, 3}, {0.935697, 0.674675, 0.66135}, {-0.541726, 1.044888, -0.56829}, -0.75854});
  expect_layer(layers::LayerNormalization({.scale = false, .axis = {1, 2}}), sequences_,
               {{2, 6, 3}, {0.953076, 0.870107, 0.784299}, {0.401418, 1.195946, -0.838266}, 0.0});
}

TEST(EveryLayer, ReadSequences) {
  expect_layer(layers::SimpleRNN(3, {.unroll = true}), sequences_,
               {{2, 3}, {0.00058, 0.000526, 0.000479}, {0.020515, -0.009706, -0.03449}, -0.07594});
  expect_layer(layers::LSTM(2, {.return_sequences = true, .unroll = true}), sequences_,
               {{2, 6, 2}, {0.000237, 0.000228, 0.000219}, {0.014604, -0.002912, 0.026042}, 0.21168});
  expect_layer(layers::GRU(2, {.go_backwards = true, .unroll = true}), sequences_,
               {{2, 2}, {0.001372, 0.0011, 0.000897}, {-0.028922, -0.017929, -0.03139}, -0.04933});
  expect_layer(layers::Bidirectional(layers::LSTM(2, {.unroll = true})), sequences_,
               {{2, 4}, {0.000358, 0.000341, 0.000325}, {0.023207, 0.00558, 0.038213}, 0.10021});
  expect_layer(layers::TimeDistributed(layers::Dense(2)), sequences_,
               {{2, 6, 2}, {0.00143, 0.001166, 0.000961}, {0.01407, 0.012454, 0.023816}, 0.37744});
}

TEST(EveryLayer, MultipliesByKernels) {
  expect_layer(layers::Dense(3, {.activation = "tanh", .name = "kernels"}), sequences_,
               {{2, 6, 3}, {0.001069, 0.000942, 0.000834}, {-0.013474, -0.011977, -0.018634}, -0.31903});
}

TEST(EveryLayer, Merges) {
  expect_merged(layers::Add(),
                {{2, 6, 3}, {0.071859, 0.051555, 0.038627}, {0.04536, 0.221983, -0.230208}, -0.48997});
  expect_merged(layers::Subtract(),
                {{2, 6, 3}, {2e-06, 2e-06, 1e-06}, {0.000482, 0.001289, -0.000786}, -0.00115});
  expect_merged(layers::Multiply(),
                {{2, 6, 3}, {0.000503, 0.000499, 0.000495}, {0.001255, 0.032249, 0.020888}, 0.63858});
  expect_merged(layers::Average(),
                {{2, 6, 3}, {0.017965, 0.016589, 0.015348}, {-0.018844, 0.160468, -0.136349}, -0.42375});
  expect_merged(layers::Maximum(),
                {{2, 6, 3}, {0.017961, 0.01642, 0.014158}, {-0.003662, 0.162485, -0.126542}, -0.08477});
  expect_merged(layers::Minimum(),
                {{2, 6, 3}, {0.017969, 0.016597, 0.014285}, {-0.021796, 0.142206, -0.136894}, -0.69});
  expect_merged(layers::Concatenate(),
                {{2, 6, 6}, {0.017965, 0.016589, 0.015347}, {-0.018581, 0.160802, -0.136648}, -0.84749});
  expect_merged(layers::Concatenate({.axis = 1}),
                {{2, 12, 3}, {0.017965, 0.016589, 0.015347}, {-0.018581, 0.160802, -0.136648}, -0.84749});
  expect_merged(layers::Dot({2}),
                {{2, 6, 6}, {0.002175, 0.002074, 0.00198}, {0.051992, 0.058638, 0.065229}, 2.89318});
  expect_merged(layers::Dot({1, 1}, {.normalize = true}),
                {{2, 3, 3}, {0.666993, 0.511656, 0.663602}, {0.998123, -0.507069, 0.69401}, 2.33371});
}

}  // namespace
}  // namespace flowray::tf::keras
