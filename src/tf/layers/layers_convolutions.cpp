// tf.layers' convolutions and pools.
#include <flowray/tf/array.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
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
    padding = padding_word(options.padding, dimensions == 1);
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
  bool is_causal() const { return padding == "CAUSAL"; }
  /// The inputs with zeros before their first step where the padding is causal.
  Tensor padded(const Tensor& x) const {
    if (!is_causal()) return x;
    const int64_t before = checked(rates[0]) * (checked(size[0]) - 1);
    std::vector<int32_t> pads(6, 0);
    pads[channels_first ? 4 : 2] = checked_int32("Padding", before);
    return pad(x, Array(pads).reshape({3, 2}));
  }
  /// What the op is told, of inputs that are padded.
  const std::string& padding_of_op() const {
    static const std::string kValid = "VALID";
    return is_causal() ? kValid : padding;
  }

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
  const nn::ConvolutionOptions how = {.padding = call.padding_of_op(),
                                      .strides = call.strides,
                                      .dilation_rate = call.rates,
                                      .name = op_name,
                                      .data_format = format_word(dimensions, call.channels_first)};
  return layer(default_name, x, TensorShape(std::span<const int64_t>(shape)),
               bias_format(call.channels_first), options,
               [&](const Variable& kernel) { return nn::convolution(call.padded(x), kernel, how); });
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

namespace {

/// The kernels of a separable convolution: each channel's own filters, and the mixture.
std::vector<Kernel> separable_kernels(const Convolution& call, int64_t channels, int64_t filters,
                                      const SeparableConvolutionOptions& options) {
  std::vector<int64_t> depthwise = call.size;
  depthwise.push_back(channels);
  depthwise.push_back(options.depth_multiplier);
  std::vector<int64_t> pointwise(call.size.size(), 1);
  pointwise.push_back(checked(channels) * options.depth_multiplier);
  pointwise.push_back(filters);
  return {{"depthwise_kernel", TensorShape(std::span<const int64_t>(depthwise)),
           options.depthwise_initializer, options.depthwise_regularizer, options.depthwise_constraint},
          {"pointwise_kernel", TensorShape(std::span<const int64_t>(pointwise)),
           options.pointwise_initializer, options.pointwise_regularizer, options.pointwise_constraint}};
}

}  // namespace

Tensor separable_conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const Convolution call(2, filters, kernel_size, options);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "separable_conv2d"), Rank::kExactly, 4);
  const std::vector<Kernel> kernels =
      separable_kernels(call, channels_of(x, call.channels_first), filters, options);
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

Tensor separable_conv1d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const Convolution call(1, filters, kernel_size, options);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "separable_conv1d"), Rank::kExactly, 3);
  const std::vector<Kernel> kernels =
      separable_kernels(call, channels_of(x, call.channels_first), filters, options);
  // Lines are images of one row.
  const std::string format = format_word(2, call.channels_first);
  const int row = call.channels_first ? 2 : 1;
  const nn::DepthwiseOptions how = {
      .strides = window_sizes({call.strides[0], call.strides[0]}, 2, format, "strides"),
      .padding = call.padding_of_op(),
      .rate = {1, call.rates[0]},
      .data_format = format};
  SeparableConvolutionOptions of_images = options;
  of_images.activation = [row, activation = options.activation](const Tensor& result) {
    const Tensor lines = squeeze(result, row);
    return activation.has_value() ? returned(activation(lines), "activation") : lines;
  };
  return layer_of_kernels("separable_conv1d", x, kernels, filters, bias_format(call.channels_first),
                          of_images, [&](const std::vector<Variable>& variables) {
                            const Tensor images = expand_dims(call.padded(x), row);
                            const Tensor depthwise = expand_dims(variables[0], 0);
                            const Tensor pointwise = expand_dims(variables[1], 0);
                            return nn::separable_conv2d(images, depthwise, pointwise, how);
                          });
}

namespace {

/// The size of a transposed convolution's result; -1: not known.
int64_t transposed_size(int64_t size, int64_t kernel, int64_t stride, bool same) {
  if (size < 0) return -1;
  const CheckedSize steps = checked(size) * stride;
  return same ? steps : steps + std::max<int64_t>(kernel - stride, 0);
}

/// The same where a tensor has the size.
Tensor transposed_size(const Tensor& size, int64_t kernel, int64_t stride, bool same) {
  Tensor result = size * checked_int32("Stride", stride);
  if (!same) result = result + checked_int32("Kernel size", std::max<int64_t>(kernel - stride, 0));
  return result;
}

}  // namespace

namespace {

/// The arguments of a transposed convolution, and its inputs, of so many spatial dimensions.
struct TransposedConvolution {
  TransposedConvolution(size_t dimensions, const char* name, const char* class_name, const Input& inputs,
                        int64_t filters, const std::vector<int64_t>& kernel_size,
                        const ConvolutionTransposeOptions& options)
      : call(dimensions, filters, kernel_size,
             ConvolutionOptions{
                 .strides = options.strides, .padding = options.padding, .data_format = options.data_format}),
        x(as_tensor(inputs)),
        same(call.padding == "SAME") {
    const int rank = static_cast<int>(dimensions) + 2;
    check_rank(x, name_in_errors(x, options.name, name), Rank::kExactly, rank);
    const int axis = call.channels_first ? 1 : rank - 1;
    if (!x.shape().has_rank() || x.shape().dim(axis) < 0) {
      throw ValueError(
          fmt::format("The channel dimension of the inputs to `{}` should be defined. The "
                      "input_shape received is {}, where axis {} (0-based) is the channel dimension.",
                      class_name, x.shape().to_tuple_string(), axis));
    }
    std::vector<int64_t> kernel = call.size;
    kernel.push_back(filters);
    kernel.push_back(x.shape().dim(axis));
    kernel_shape = TensorShape(std::span<const int64_t>(kernel));
    for (size_t i = 0; i < dimensions; ++i) {
      known.push_back(transposed_size(x.shape().dim(first_axis() + static_cast<int>(i)), call.size[i],
                                      call.strides[i], same));
    }
  }

  /// The first spatial dimension.
  int first_axis() const { return call.channels_first ? 2 : 1; }

  /// What stands for the batch, the channels and the spatial dimensions, in the order of the images.
  template <class T>
  std::vector<T> in_order(const T& batch, const std::vector<T>& spatial, const T& channels) const {
    std::vector<T> ordered = {batch};
    if (call.channels_first) ordered.push_back(channels);
    ordered.insert(ordered.end(), spatial.begin(), spatial.end());
    if (!call.channels_first) ordered.push_back(channels);
    return ordered;
  }

  void set_shape_of(Tensor& result, int64_t filters) const {
    const std::vector<int64_t> shape = in_order(x.shape().dim(0), known, filters);
    result.set_shape(TensorShape(std::span<const int64_t>(shape)));
  }

  Convolution call;
  Tensor x;
  bool same;
  TensorShape kernel_shape;
  std::vector<int64_t> known;  // the result's spatial dimensions; -1: not known
};

}  // namespace

Tensor conv2d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const Conv2dTransposeOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const TransposedConvolution made(2, "conv2d_transpose", "Conv2DTranspose", inputs, filters, kernel_size,
                                   options);
  const Convolution& call = made.call;
  const char* const format = bias_format(call.channels_first);
  const auto multiply = [&](const Variable& kernel) {
    const Tensor sizes = tf::shape(made.x);
    const Tensor batch = sizes[0];
    std::vector<Input> images;
    for (size_t i = 0; i < 2; ++i) {
      if (made.known[i] >= 0) {
        images.emplace_back(checked_int32("Dimension", made.known[i]));
      } else {
        images.emplace_back(transposed_size(sizes[made.first_axis() + static_cast<int>(i)], call.size[i],
                                            call.strides[i], made.same));
      }
    }
    const Tensor output_shape =
        stack(made.in_order<Input>(batch, images, checked_int32("Dimension", filters)));
    (void)output_shape[0];  // TensorFlow looks whether the batch is known, which makes a node
    Tensor result = nn::conv2d_transpose(made.x, kernel, output_shape,
                                         {.strides = window_sizes(call.strides, 2, format, "strides"),
                                          .padding = call.padding,
                                          .data_format = format});
    made.set_shape_of(result, filters);
    return result;
  };
  return layer_of("conv2d_transpose", made.x, made.kernel_shape, filters, format, options, multiply);
}

Tensor conv3d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const ConvolutionTransposeOptions& options) {
  const CallScope in_call({{"inputs", inputs}});
  const TransposedConvolution made(3, "conv3d_transpose", "Conv3DTranspose", inputs, filters, kernel_size,
                                   options);
  const Convolution& call = made.call;
  const std::string format = format_word(3, call.channels_first);
  const auto multiply = [&](const Variable& kernel) {
    const Tensor sizes = tf::shape(made.x);
    const Tensor batch = sizes[0];
    std::vector<Tensor> spatial;
    for (int i = 0; i < 3; ++i) spatial.push_back(sizes[made.first_axis() + i]);
    std::vector<Input> rooms;
    for (size_t i = 0; i < 3; ++i)
      rooms.emplace_back(transposed_size(spatial[i], call.size[i], call.strides[i], made.same));
    const Tensor output_shape =
        stack(made.in_order<Input>(batch, rooms, checked_int32("Dimension", filters)));
    Tensor result = nn::conv3d_transpose(made.x, kernel, output_shape,
                                         {.strides = window_sizes(call.strides, 3, format, "strides"),
                                          .padding = call.padding,
                                          .data_format = format});
    if (made.x.shape().has_rank()) made.set_shape_of(result, filters);
    return result;
  };
  return layer_of("conv3d_transpose", made.x, made.kernel_shape, filters, bias_format(call.channels_first),
                  options, multiply);
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
