/// Other layers of tf.keras.layers: merging, convolutions, pooling, shapes, activations.

#include "native/keras/keras_arguments.h"

#include <nanobind/stl/string.h>

#include <utility>

namespace flowray::python {

namespace layers = tf::keras::layers;
using tf::keras::Layer;

FLOWRAY_FIELDS(layers::MergeOptions, name)
FLOWRAY_FIELDS(layers::ConcatenateOptions, axis, name)
FLOWRAY_FIELDS(layers::DotOptions, normalize, name)
FLOWRAY_FIELDS(layers::Conv1DOptions, strides, padding, dilation_rate, activation, use_bias,
               kernel_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::SeparableConv2DOptions, strides, padding, dilation_rate, depth_multiplier, activation,
               use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::DepthwiseConv2DOptions, strides, padding, dilation_rate, depth_multiplier, activation,
               use_bias, depthwise_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::Conv2DTransposeOptions, strides, padding, activation, use_bias, kernel_initializer,
               bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::Pooling1DOptions, pool_size, strides, padding, name)
FLOWRAY_FIELDS(layers::GlobalPoolingOptions, keepdims, name)
FLOWRAY_FIELDS(layers::MovedOptions, input_shape, name)
FLOWRAY_FIELDS(layers::UpSampling2DOptions, interpolation, input_shape, name)
FLOWRAY_FIELDS(layers::PlainOptions, input_shape, name)
FLOWRAY_FIELDS(layers::ReLUOptions, max_value, negative_slope, threshold, input_shape, name)
FLOWRAY_FIELDS(layers::PReLUOptions, alpha_initializer, shared_axes, input_shape, name)
FLOWRAY_FIELDS(layers::LayerNormalizationOptions, epsilon, center, scale, beta_initializer, gamma_initializer,
               input_shape, name)
FLOWRAY_FIELDS(layers::NoiseOptions, seed, input_shape, name)

template <>
inline constexpr auto kFrom<layers::Ends> = +[](nb::handle object) {
  return layers::Ends(as_int(nb::object(object[0])), as_int(nb::object(object[1])));
};

namespace {

template <class Merging>
void bind_merging(nb::module_& m, const char* name) {
  nb::class_<Merging, Layer> merging(m, name);
  bind_constructor_of<Merging, layers::MergeOptions>(merging, {"name"});
}

void bind_merging_layers(nb::module_& m) {
  bind_merging<layers::Add>(m, "Add");
  bind_merging<layers::Subtract>(m, "Subtract");
  bind_merging<layers::Multiply>(m, "Multiply");
  bind_merging<layers::Average>(m, "Average");
  bind_merging<layers::Maximum>(m, "Maximum");
  bind_merging<layers::Minimum>(m, "Minimum");
  nb::class_<layers::Concatenate, Layer> concatenate(m, "Concatenate");
  bind_constructor_of<layers::Concatenate, layers::ConcatenateOptions>(concatenate, {"axis", "name"});
  nb::class_<layers::Dot, Layer> dot(m, "Dot");
  bind_constructor_of<layers::Dot, std::vector<int64_t>, layers::DotOptions>(dot,
                                                                             {"axes", "normalize", "name"});
}

/// A layer whose constructor takes these.
template <class Class, class... Types, size_t N>
void bind_layer(nb::module_& m, const char* name, const Argument (&arguments)[N]) {
  nb::class_<Class, Layer> layer(m, name);
  bind_constructor_of<Class, Types...>(layer, arguments);
}

void bind_convolutions(nb::module_& m) {
  const auto weights = &initializer_argument;
  bind_layer<layers::Conv1D, int64_t, int64_t, layers::Conv1DOptions>(
      m, "Conv1D",
      {"filters", "kernel_size", "strides", "padding", "dilation_rate", "activation", "use_bias",
       weights("kernel_initializer"), weights("bias_initializer"), "input_shape", "name"});
  bind_layer<layers::SeparableConv2D, int64_t, std::vector<int64_t>, layers::SeparableConv2DOptions>(
      m, "SeparableConv2D",
      {"filters", "kernel_size", "strides", "padding", "dilation_rate", "depth_multiplier", "activation",
       "use_bias", weights("depthwise_initializer"), weights("pointwise_initializer"),
       weights("bias_initializer"), "input_shape", "name"});
  bind_layer<layers::DepthwiseConv2D, std::vector<int64_t>, layers::DepthwiseConv2DOptions>(
      m, "DepthwiseConv2D",
      {"kernel_size", "strides", "padding", "dilation_rate", "depth_multiplier", "activation", "use_bias",
       weights("depthwise_initializer"), weights("bias_initializer"), "input_shape", "name"});
  bind_layer<layers::Conv2DTranspose, int64_t, std::vector<int64_t>, layers::Conv2DTransposeOptions>(
      m, "Conv2DTranspose",
      {"filters", "kernel_size", "strides", "padding", "activation", "use_bias",
       weights("kernel_initializer"), weights("bias_initializer"), "input_shape", "name"});
}

void bind_poolings_and_shapes(nb::module_& m) {
  using layers::GlobalPoolingOptions;
  bind_layer<layers::MaxPooling1D, layers::Pooling1DOptions>(m, "MaxPooling1D",
                                                             {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::AveragePooling1D, layers::Pooling1DOptions>(m, "AveragePooling1D",
                                                                 {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::GlobalMaxPooling1D, GlobalPoolingOptions>(m, "GlobalMaxPooling1D", {"keepdims", "name"});
  bind_layer<layers::GlobalAveragePooling1D, GlobalPoolingOptions>(m, "GlobalAveragePooling1D",
                                                                   {"keepdims", "name"});
  bind_layer<layers::GlobalMaxPooling2D, GlobalPoolingOptions>(m, "GlobalMaxPooling2D", {"keepdims", "name"});
  bind_layer<layers::GlobalAveragePooling2D, GlobalPoolingOptions>(m, "GlobalAveragePooling2D",
                                                                   {"keepdims", "name"});
  using layers::Ends;
  using layers::MovedOptions;
  bind_layer<layers::Permute, std::vector<int64_t>, MovedOptions>(m, "Permute",
                                                                  {"dims", "input_shape", "name"});
  bind_layer<layers::RepeatVector, int64_t, MovedOptions>(m, "RepeatVector", {"n", "input_shape", "name"});
  bind_layer<layers::ZeroPadding1D, Ends, MovedOptions>(m, "ZeroPadding1D",
                                                        {"padding", "input_shape", "name"});
  bind_layer<layers::ZeroPadding2D, Ends, Ends, MovedOptions>(m, "ZeroPadding2D",
                                                              {"rows", "columns", "input_shape", "name"});
  bind_layer<layers::Cropping1D, Ends, MovedOptions>(m, "Cropping1D", {"cropping", "input_shape", "name"});
  bind_layer<layers::Cropping2D, Ends, Ends, MovedOptions>(m, "Cropping2D",
                                                           {"rows", "columns", "input_shape", "name"});
  bind_layer<layers::UpSampling1D, int64_t, MovedOptions>(m, "UpSampling1D", {"size", "input_shape", "name"});
  bind_layer<layers::UpSampling2D, std::vector<int64_t>, layers::UpSampling2DOptions>(
      m, "UpSampling2D", {"size", "interpolation", "input_shape", "name"});
}

void bind_activations(nb::module_& m) {
  using layers::NoiseOptions;
  using layers::PlainOptions;
  bind_layer<layers::LeakyReLU, double, PlainOptions>(m, "LeakyReLU", {"alpha", "input_shape", "name"});
  bind_layer<layers::ReLU, layers::ReLUOptions>(
      m, "ReLU", {"max_value", "negative_slope", "threshold", "input_shape", "name"});
  bind_layer<layers::ELU, double, PlainOptions>(m, "ELU", {"alpha", "input_shape", "name"});
  bind_layer<layers::ThresholdedReLU, double, PlainOptions>(m, "ThresholdedReLU",
                                                            {"theta", "input_shape", "name"});
  bind_layer<layers::PReLU, layers::PReLUOptions>(
      m, "PReLU", {initializer_argument("alpha_initializer"), "shared_axes", "input_shape", "name"});
  bind_layer<layers::Softmax, int64_t, PlainOptions>(m, "Softmax", {"axis", "input_shape", "name"});
  bind_layer<layers::LayerNormalization, layers::LayerNormalizationOptions>(
      m, "LayerNormalization",
      {"epsilon", "center", "scale", initializer_argument("beta_initializer"),
       initializer_argument("gamma_initializer"), "input_shape", "name"});
  bind_layer<layers::GaussianNoise, double, NoiseOptions>(m, "GaussianNoise",
                                                          {"stddev", "seed", "input_shape", "name"});
  bind_layer<layers::SpatialDropout1D, double, NoiseOptions>(m, "SpatialDropout1D",
                                                             {"rate", "seed", "input_shape", "name"});
  bind_layer<layers::SpatialDropout2D, double, NoiseOptions>(m, "SpatialDropout2D",
                                                             {"rate", "seed", "input_shape", "name"});
}

}  // namespace

void bind_more_layers(nb::module_& m) {
  bind_merging_layers(m);
  bind_convolutions(m);
  bind_poolings_and_shapes(m);
  bind_activations(m);
}

}  // namespace flowray::python
