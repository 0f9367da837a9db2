#include <flowray/tf/array.h>
#include <flowray/tf/keras/convolution_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "core/checked_size.h"
#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/layer_results.h"

namespace flowray::tf::keras::layers {
namespace {

std::vector<int64_t> around(const std::vector<int64_t>& pair) { return {1, pair[0], pair[1], 1}; }

template <class Options>
Options checked_images(Options options, Input::Where where) {
  options.strides = pair_of(options.strides, "strides", where);
  options.padding = padding_of(options.padding, where);
  if constexpr (requires { options.dilation_rate; })
    options.dilation_rate = pair_of(options.dilation_rate, "dilation_rate", where);
  if constexpr (requires { options.depth_multiplier; })
    positive(options.depth_multiplier, "depth_multiplier", where);
  return options;
}

/// Zeros in front of sequences where nothing may come from later times.
template <class Options>
Tensor with_times_before(const Tensor& inputs, int64_t kernel_size, const Options& options) {
  if (options.padding != "causal") return inputs;
  const int64_t before = CheckedSize(options.dilation_rate) * (kernel_size - 1);
  return pad(inputs, Array({{0, 0}, {checked_int32("The causal padding", before), 0}, {0, 0}}));
}

template <class Options>
std::string padding_behind_causal(const Options& options) {
  return options.padding == "causal" ? "VALID" : options.padding;
}

struct Conv1DArguments {
  int64_t filters = 0;
  int64_t kernel_size = 0;
  Conv1DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_convolution(io, kernel_size, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Conv1D>(filters, kernel_size, options); }
};

struct SeparableConv1DArguments {
  int64_t filters = 0;
  int64_t kernel_size = 0;
  SeparableConv1DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_separable_convolution(io, kernel_size, options);
  }
  std::shared_ptr<Layer> make() const {
    return std::make_shared<SeparableConv1D>(filters, kernel_size, options);
  }
};

struct SeparableConv2DArguments {
  int64_t filters = 0;
  std::vector<int64_t> kernel_size = {};
  SeparableConv2DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_separable_convolution(io, kernel_size, options);
  }
  std::shared_ptr<Layer> make() const {
    return std::make_shared<SeparableConv2D>(filters, kernel_size, options);
  }
};

struct DepthwiseConv2DArguments {
  std::vector<int64_t> kernel_size = {};
  DepthwiseConv2DOptions options = {};
  template <class Io>
  void list(Io& io) {
    list_geometry(io, kernel_size, options);
    io("activation", options.activation);
    io("use_bias", options.use_bias);
    io("bias_initializer", options.bias_initializer);
    io("bias_regularizer", options.bias_regularizer);
    io("activity_regularizer", options.activity_regularizer);
    io("bias_constraint", options.bias_constraint);
    io("depth_multiplier", options.depth_multiplier);
    io("depthwise_initializer", options.depthwise_initializer);
    io("depthwise_regularizer", options.depthwise_regularizer);
    io("depthwise_constraint", options.depthwise_constraint);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<DepthwiseConv2D>(kernel_size, options); }
};

struct Conv2DTransposeArguments {
  int64_t filters = 0;
  std::vector<int64_t> kernel_size = {};
  Conv2DTransposeOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_convolution(io, kernel_size, options);
    io.fixed("output_padding", {});
  }
  std::shared_ptr<Layer> make() const {
    return std::make_shared<Conv2DTranspose>(filters, kernel_size, options);
  }
};

}  // namespace

// ---- Conv1D

Conv1D::Conv1D(int64_t filters, int64_t kernel_size, const Conv1DOptions& options, Where where)
    : Layer("Conv1D", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(positive(kernel_size, "kernel_size", where)),
      options_(options) {
  positive(options.strides, "strides", where);
  positive(options.dilation_rate, "dilation_rate", where);
  if (options.padding != "causal") options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Conv1DArguments{filters, kernel_size, options_});
}

void Conv1D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 3, name());
  const int64_t channels = last_dimension(input_shape, "Conv1D");
  set_input_spec({{.min_ndim = 3, .axes = {{-1, channels}}}});
  kernel_ =
      add_weight("kernel", {kernel_size_, channels, filters_}, {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor Conv1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return finished(nn::conv1d(with_times_before(inputs, kernel_size_, options_), kernel_,
                             {.strides = {options_.strides},
                              .padding = padding_behind_causal(options_),
                              .dilations = {options_.dilation_rate}}),
                  options_, bias_);
}

// ---- SeparableConv1D

SeparableConv1D::SeparableConv1D(int64_t filters, int64_t kernel_size, const SeparableConv1DOptions& options,
                                 Where where)
    : Layer("SeparableConv1D", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(positive(kernel_size, "kernel_size", where)),
      options_(options) {
  positive(options.strides, "strides", where);
  positive(options.dilation_rate, "dilation_rate", where);
  positive(options.depth_multiplier, "depth_multiplier", where);
  if (options.padding != "causal") options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, SeparableConv1DArguments{filters, kernel_size, options_});
}

void SeparableConv1D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 3, name());
  const int64_t channels = last_dimension(input_shape, "SeparableConv1D");
  set_input_spec({{.ndim = 3, .axes = {{-1, channels}}}});
  const int64_t multiplier = options_.depth_multiplier;
  depthwise_kernel_ = add_weight("depthwise_kernel", {kernel_size_, channels, multiplier},
                                 {.initializer = options_.depthwise_initializer});
  pointwise_kernel_ = add_weight("pointwise_kernel", {1, CheckedSize(channels) * multiplier, filters_},
                                 {.initializer = options_.pointwise_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

/// As images of one row.
Tensor SeparableConv1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  const Tensor rows = expand_dims(with_times_before(inputs, kernel_size_, options_), 1);
  const Tensor result =
      nn::separable_conv2d(rows, expand_dims(depthwise_kernel_, 0), expand_dims(pointwise_kernel_, 0),
                           {.strides = {1, options_.strides, options_.strides, 1},
                            .padding = padding_behind_causal(options_),
                            .rate = {1, options_.dilation_rate}});
  return finished(squeeze(result, {1}), options_, bias_);
}

// ---- SeparableConv2D and DepthwiseConv2D

SeparableConv2D::SeparableConv2D(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 const SeparableConv2DOptions& options, Where where)
    : Layer("SeparableConv2D", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(pair_of(kernel_size, "kernel_size", where)),
      options_(checked_images(options, where)) {
  LayerConfig::keep(*this, SeparableConv2DArguments{filters, kernel_size_, options_});
}

void SeparableConv2D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 4, name());
  const int64_t channels = last_dimension(input_shape, "SeparableConv2D");
  set_input_spec({{.ndim = 4, .axes = {{-1, channels}}}});
  const int64_t multiplier = options_.depth_multiplier;
  depthwise_kernel_ = add_weight("depthwise_kernel", {kernel_size_[0], kernel_size_[1], channels, multiplier},
                                 {.initializer = options_.depthwise_initializer});
  pointwise_kernel_ = add_weight("pointwise_kernel", {1, 1, CheckedSize(channels) * multiplier, filters_},
                                 {.initializer = options_.pointwise_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor SeparableConv2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return finished(
      nn::separable_conv2d(
          inputs, depthwise_kernel_, pointwise_kernel_,
          {.strides = around(options_.strides), .padding = options_.padding, .rate = options_.dilation_rate}),
      options_, bias_);
}

DepthwiseConv2D::DepthwiseConv2D(const std::vector<int64_t>& kernel_size,
                                 const DepthwiseConv2DOptions& options, Where where)
    : Layer("DepthwiseConv2D", {.name = options.name, .input_shape = options.input_shape}),
      kernel_size_(pair_of(kernel_size, "kernel_size", where)),
      options_(checked_images(options, where)) {
  LayerConfig::keep(*this, DepthwiseConv2DArguments{kernel_size_, options_});
}

void DepthwiseConv2D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 4, name());
  const int64_t channels = last_dimension(input_shape, "DepthwiseConv2D");
  set_input_spec({{.min_ndim = 4, .axes = {{-1, channels}}}});
  const int64_t multiplier = options_.depth_multiplier;
  depthwise_kernel_ = add_weight("depthwise_kernel", {kernel_size_[0], kernel_size_[1], channels, multiplier},
                                 {.initializer = options_.depthwise_initializer});
  if (options_.use_bias) {
    bias_ =
        add_weight("bias", {CheckedSize(channels) * multiplier}, {.initializer = options_.bias_initializer});
  }
}

Tensor DepthwiseConv2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return finished(
      nn::depthwise_conv2d(
          inputs, depthwise_kernel_,
          {.strides = around(options_.strides), .padding = options_.padding, .rate = options_.dilation_rate}),
      options_, bias_);
}

// ---- Conv2DTranspose

Conv2DTranspose::Conv2DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 const Conv2DTransposeOptions& options, Where where)
    : Layer("Conv2DTranspose", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(pair_of(kernel_size, "kernel_size", where)),
      options_(checked_images(options, where)) {
  LayerConfig::keep(*this, Conv2DTransposeArguments{filters, kernel_size_, options_});
}

void Conv2DTranspose::build(const TensorShape& input_shape) {
  check_rank(input_shape, 4, name());
  const int64_t channels = last_dimension(input_shape, "Conv2DTranspose");
  set_input_spec({{.ndim = 4, .axes = {{-1, channels}}}});
  kernel_ = add_weight("kernel", {kernel_size_[0], kernel_size_[1], filters_, channels},
                       {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor Conv2DTranspose::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  std::vector<tf::Input> sizes = {shape(inputs)[0]};
  std::vector<int64_t> dims = {inputs.shape().dim(0)};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t given = inputs.shape().dim(static_cast<int>(i) + 1);
    const int64_t stride = options_.strides[i];
    const int64_t more = options_.padding == "SAME" ? 0 : std::max<int64_t>(kernel_size_[i] - stride, 0);
    if (given >= 0) {
      dims.push_back(CheckedSize(given) * stride + more);
      sizes.emplace_back(static_cast<int32_t>(dims.back()));
    } else {
      dims.push_back(-1);
      sizes.emplace_back(shape(inputs)[static_cast<int64_t>(i) + 1] * static_cast<int32_t>(stride) +
                         static_cast<int32_t>(more));
    }
  }
  dims.push_back(filters_);
  sizes.emplace_back(static_cast<int32_t>(filters_));
  Tensor result = nn::conv2d_transpose(inputs, kernel_, tf::Input::list(sizes),
                                       {.strides = around(options_.strides), .padding = options_.padding});
  result.set_shape(TensorShape(dims));
  return finished(result, options_, bias_);
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_convolution_layers(LayerTable& table) {
  table.add<layers::Conv1DArguments>("Conv1D");
  table.add<layers::SeparableConv1DArguments>("SeparableConv1D");
  table.add<layers::SeparableConv2DArguments>("SeparableConv2D");
  table.add<layers::DepthwiseConv2DArguments>("DepthwiseConv2D");
  table.add<layers::Conv2DTransposeArguments>("Conv2DTranspose");
}
