/// Convolutions of tf.keras.layers, but for Conv2D.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::Conv1DOptions, strides, padding, dilation_rate, activation, use_bias,
               kernel_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::SeparableConv2DOptions, strides, padding, dilation_rate, depth_multiplier, activation,
               use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::DepthwiseConv2DOptions, strides, padding, dilation_rate, depth_multiplier, activation,
               use_bias, depthwise_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::Conv2DTransposeOptions, strides, padding, activation, use_bias, kernel_initializer,
               bias_initializer, input_shape, name)

void bind_convolution_layers(nb::module_& m) {
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

}  // namespace flowray::python
