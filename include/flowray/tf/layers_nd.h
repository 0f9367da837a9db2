#pragma once
/// tf.layers of one and three dimensions, and by depth; those of images are in flowray/tf/layers.h.

#include <flowray/tf/layers.h>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::layers {

/// As Conv2dOptions, with sizes of one number or one for each dimension.
struct ConvolutionOptions {
  std::vector<int64_t> strides = {1};
  std::string padding = "valid";
  std::string data_format = "channels_last";
  std::vector<int64_t> dilation_rate = {1};
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = {};
  Initializer bias_initializer = {};
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  /// Of the layer's result; what it makes is divided by the size of the batch.
  Activation activity_regularizer = {};
  bool trainable = true;
  std::string name = {};
  Reuse reuse = {};
};
/// inputs [N,W,C] -> [N,W',filters].
Tensor conv1d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options = {});
/// inputs [N,D,H,W,C] -> [N,D',H',W',filters].
Tensor conv3d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options = {});

struct SeparableConvolutionOptions {
  std::vector<int64_t> strides = {1};
  std::string padding = "valid";
  std::string data_format = "channels_last";
  std::vector<int64_t> dilation_rate = {1};
  /// How many filters each channel has.
  int64_t depth_multiplier = 1;
  Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = {};
  Initializer pointwise_initializer = {};
  Initializer bias_initializer = {};
  Regularizer depthwise_regularizer = {};
  Regularizer pointwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Activation activity_regularizer = {};
  bool trainable = true;
  std::string name = {};
  Reuse reuse = {};
};
/// Each channel by filters of its own, then a mixture: inputs [N,H,W,C] -> [N,H',W',filters].
Tensor separable_conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options = {});

/// inputs [N,W,C]; sizes and strides are one number.
Tensor max_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
Tensor average_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
/// inputs [N,D,H,W,C]; sizes and strides are one number, or one for each dimension.
Tensor max_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
Tensor average_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});

}  // namespace flowray::tf::layers

#pragma GCC visibility pop
