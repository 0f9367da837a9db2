// tf.layers' convolutions and pools.
#include <flowray/tf/array.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/layers/layer_parts.h"
#include "tf/nn/window_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace flowray::tf::layers {
namespace {

/// The arguments of a convolution of images of some dimensions, checked in the order in which TensorFlow
/// looks at them.
struct Convolution {
  template <class Options>
  Convolution(size_t dimensions, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Options& options) {
    if (filters <= 0) {
      throw ValueError(fmt::format(
          "Invalid value for argument `filters`. Expected a strictly positive value. Received filters={}.",
          filters));
    }
    size = sizes_of(kernel_size, dimensions, "kernel_size", 1);
    strides = sizes_of(options.strides, dimensions, "strides", 0);
    padding = padding_word(options.padding);
    channels_first = is_channels_first(options.data_format);
    rates = sizes_of(options.dilation_rate, dimensions, "dilation_rate", 1);
    if (std::ranges::min(strides) == 0) {
      throw ValueError(
          fmt::format("The argument `strides` cannot contains 0(s). Received: {}", text_of(strides)));
    }
    if (std::ranges::max(strides) > 1 && is_dilated()) {
      throw ValueError(
          fmt::format("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                      "strides={} and dilation_rate={}",
                      text_of(strides), text_of(rates)));
    }
    if (is_dilated() && channels_first) {
      throw errors::UnimplementedError(
          "tf::layers has no dilation of images whose channels come first today: transpose them.");
    }
  }
  bool is_dilated() const { return std::ranges::max(rates) > 1; }

  std::vector<int64_t> size;
  std::vector<int64_t> strides;
  std::string padding;
  bool channels_first = false;
  std::vector<int64_t> rates;
};

}  // namespace

namespace {

/// How TensorFlow calls the data formats of one, two and three dimensions.
std::string format_word(size_t dimensions, bool channels_first) {
  const std::string spatial = std::string("DHW").substr(3 - dimensions);
  return channels_first ? "NC" + spatial : "N" + spatial + "C";
}

const char* bias_format(bool channels_first) { return channels_first ? "NCHW" : "NHWC"; }

int64_t channels_of(const Tensor& x, bool channels_first) {
  const int axis = channels_first ? 1 : -1;
  const TensorShape& images = x.shape();
  if (images.has_rank() && images.dim(axis) >= 0) return images.dim(axis);
  throw ValueError(
      fmt::format("The channel dimension of the inputs should be defined. The input_shape received is {}, "
                  "where axis {} (0-based) is the channel dimension.",
                  images.to_tuple_string(), axis));
}

template <class Options>
Tensor convolution_layer(size_t dimensions, const char* default_name, const char* op_name,
                         const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                         const Options& options) {
  const CallScope in_call({{"inputs", inputs}});
  const Convolution call(dimensions, filters, kernel_size, options);
  const Tensor x = as_tensor(inputs);
  const int rank = static_cast<int>(dimensions) + 2;
  check_rank(x, name_in_errors(x, options.name, default_name), Rank::kAtLeast, rank);
  if (x.shape().has_rank() && x.shape().rank() > rank) {
    throw errors::UnimplementedError(
        fmt::format("tf::layers::{} takes one dimension of images today, but got shape {}.\nReshape them "
                    "to {} dimensions.",
                    default_name, x.shape().to_tuple_string(), rank));
  }
  std::vector<int64_t> shape = call.size;
  shape.push_back(channels_of(x, call.channels_first));
  shape.push_back(filters);
  const nn::ConvolutionOptions how = {.padding = call.padding,
                                      .strides = call.strides,
                                      .dilation_rate = call.rates,
                                      .name = op_name,
                                      .data_format = format_word(dimensions, call.channels_first)};
  return layer(default_name, x, TensorShape(std::span<const int64_t>(shape)),
               bias_format(call.channels_first), options,
               [&](const Variable& kernel) { return nn::convolution(x, kernel, how); });
}

}  // namespace

Tensor conv1d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options) {
  return convolution_layer(1, "conv1d", "Conv1D", inputs, filters, kernel_size, options);
}

Tensor conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Conv2dOptions& options) {
  return convolution_layer(2, "conv2d", "Conv2D", inputs, filters, kernel_size, options);
}

Tensor conv3d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options) {
  return convolution_layer(3, "conv3d", "Conv3D", inputs, filters, kernel_size, options);
}

Tensor separable_conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const Convolution call(2, filters, kernel_size, options);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "separable_conv2d"), Rank::kExactly, 4);
  const int64_t channels = channels_of(x, call.channels_first);
  const int64_t made = channels * options.depth_multiplier;
  const std::vector<Kernel> kernels = {{"depthwise_kernel",
                                        {call.size[0], call.size[1], channels, options.depth_multiplier},
                                        options.depthwise_initializer,
                                        options.depthwise_regularizer},
                                       {"pointwise_kernel",
                                        {1, 1, made, filters},
                                        options.pointwise_initializer,
                                        options.pointwise_regularizer}};
  const std::string format = format_word(2, call.channels_first);
  const nn::DepthwiseOptions how = {.strides = window_sizes(call.strides, 2, format, "strides"),
                                    .padding = call.padding,
                                    .rate = call.rates,
                                    .data_format = format};
  return layer_of_kernels("separable_conv2d", x, kernels, filters, bias_format(call.channels_first), options,
                          [&](const std::vector<Variable>& variables) {
                            return nn::separable_conv2d(x, variables[0], variables[1], how);
                          });
}

namespace {

/// The size of a transposed convolution's result; -1: not known.
int64_t transposed_size(int64_t size, int64_t kernel, int64_t stride, bool same) {
  if (size < 0) return -1;
  return same ? size * stride : size * stride + std::max<int64_t>(kernel - stride, 0);
}

/// The same where a tensor has the size.
Tensor transposed_size(const Tensor& size, int64_t kernel, int64_t stride, bool same) {
  Tensor result = size * static_cast<int32_t>(stride);
  if (!same) result = result + static_cast<int32_t>(std::max<int64_t>(kernel - stride, 0));
  return result;
}

}  // namespace

Tensor conv2d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const Conv2dTransposeOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const Convolution call(
      2, filters, kernel_size,
      Conv2dOptions{
          .strides = options.strides, .padding = options.padding, .data_format = options.data_format});
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "conv2d_transpose"), Rank::kExactly, 4);
  const int axis = call.channels_first ? 1 : 3;
  if (!x.shape().has_rank() || x.shape().dim(axis) < 0) {
    throw ValueError(
        fmt::format("The channel dimension of the inputs to `Conv2DTranspose` should be defined. The "
                    "input_shape received is {}, "
                    "where axis {} (0-based) is the channel dimension.",
                    x.shape().to_tuple_string(), axis));
  }
  const char* const format = bias_format(call.channels_first);
  const int height = call.channels_first ? 2 : 1;
  const bool same = call.padding == "SAME";
  const TensorShape kernel_shape = {call.size[0], call.size[1], filters, x.shape().dim(axis)};
  return layer_of("conv2d_transpose", x, kernel_shape, filters, format, options, [&](const Variable& kernel) {
    const Tensor sizes = tf::shape(x);
    const Tensor batch = sizes[0];
    std::vector<Input> images;
    std::vector<int64_t> known;
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t size = transposed_size(x.shape().dim(height + i), call.size[at], call.strides[at], same);
      known.push_back(size);
      if (size >= 0) {
        images.emplace_back(static_cast<int32_t>(size));
      } else {
        images.emplace_back(transposed_size(sizes[height + i], call.size[at], call.strides[at], same));
      }
    }
    const Input channels = static_cast<int32_t>(filters);
    const std::vector<Input> wanted = call.channels_first
                                          ? std::vector<Input>{batch, channels, images[0], images[1]}
                                          : std::vector<Input>{batch, images[0], images[1], channels};
    const Tensor output_shape = stack(wanted);
    (void)output_shape[0];  // TensorFlow looks whether the batch is known, which makes a node
    Tensor result = nn::conv2d_transpose(x, kernel, output_shape,
                                         {.strides = window_sizes(call.strides, 2, format, "strides"),
                                          .padding = call.padding,
                                          .data_format = format});
    const int64_t n = x.shape().dim(0);
    result.set_shape(call.channels_first ? TensorShape{n, filters, known[0], known[1]}
                                         : TensorShape{n, known[0], known[1], filters});
    return result;
  });
}

namespace {

using Pool = Tensor (*)(const Input&, const nn::PoolOptions&);

/// A pool of images of as many dimensions; those of lines are pools of images of one column.
Tensor pooled(size_t dimensions, Pool pool, const char* default_name, const Input& inputs,
              const std::vector<int64_t>& pool_size, const std::vector<int64_t>& strides,
              const Pooling2dOptions& options) {
  const CallScope call({{"inputs", inputs}});
  std::vector<int64_t> size = sizes_of(pool_size, dimensions, "pool_size", 1);
  std::vector<int64_t> steps = sizes_of(strides, dimensions, "strides", 0);
  const std::string padding = padding_word(options.padding);
  const bool channels_first = is_channels_first(options.data_format);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, default_name), Rank::kExactly,
             static_cast<int>(dimensions) + 2);
  const LayerScope scope(options.name, default_name);
  const int column = channels_first ? 3 : 2;
  if (dimensions == 1) {
    size.push_back(1);
    steps.push_back(1);
  }
  const std::string format = format_word(size.size(), channels_first);
  const Tensor result = pool(dimensions == 1 ? expand_dims(x, column) : x,
                             {.ksize = window_sizes(size, size.size(), format, "pool_size"),
                              .strides = window_sizes(steps, size.size(), format, "strides"),
                              .padding = padding,
                              .data_format = format});
  return dimensions == 1 ? squeeze(result, column) : result;
}

}  // namespace

Tensor max_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(1, &nn::max_pool, "max_pooling1d", inputs, pool_size, strides, options);
}

Tensor average_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(1, &nn::avg_pool, "average_pooling1d", inputs, pool_size, strides, options);
}

Tensor max_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(2, &nn::max_pool, "max_pooling2d", inputs, pool_size, strides, options);
}

Tensor average_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(2, &nn::avg_pool, "average_pooling2d", inputs, pool_size, strides, options);
}

Tensor max_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(3, &nn::max_pool3d, "max_pooling3d", inputs, pool_size, strides, options);
}

Tensor average_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(3, &nn::avg_pool3d, "average_pooling3d", inputs, pool_size, strides, options);
}

}  // namespace flowray::tf::layers
