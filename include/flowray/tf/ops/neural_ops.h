#pragma once
/// Functions of single ops: layers. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct AvgPoolOptions {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "AvgPool".
  std::string name = {};
};
/// value:T -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor AvgPool(const Input& value, const std::vector<int64_t>& ksize,
                      const std::vector<int64_t>& strides, const std::string& padding,
                      const AvgPoolOptions& options = {}) {
  const Operation op = internal::make(
      "AvgPool", options.name, {value},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct AvgPool3DOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  /// Of the node; empty: "AvgPool3D".
  std::string name = {};
};
/// input:T -> output:T
/// `ksize`: at least 5 items.
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor AvgPool3D(const Input& input, const std::vector<int64_t>& ksize,
                        const std::vector<int64_t>& strides, const std::string& padding,
                        const AvgPool3DOptions& options = {}) {
  const Operation op = internal::make(
      "AvgPool3D", options.name, {input},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct AvgPool3DGradOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  /// Of the node; empty: "AvgPool3DGrad".
  std::string name = {};
};
/// orig_input_shape:int32, grad:T -> output:T
/// `ksize`: at least 5 items.
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor AvgPool3DGrad(const Input& orig_input_shape, const Input& grad,
                            const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                            const std::string& padding, const AvgPool3DGradOptions& options = {}) {
  const Operation op = internal::make(
      "AvgPool3DGrad", options.name, {orig_input_shape, grad},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct AvgPoolGradOptions {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "AvgPoolGrad".
  std::string name = {};
};
/// orig_input_shape:int32, grad:T -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor AvgPoolGrad(const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize,
                          const std::vector<int64_t>& strides, const std::string& padding,
                          const AvgPoolGradOptions& options = {}) {
  const Operation op = internal::make(
      "AvgPoolGrad", options.name, {orig_input_shape, grad},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct BiasAddOptions {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "BiasAdd".
  std::string name = {};
};
/// value:T, bias:T -> output:T
inline Tensor BiasAdd(const Input& value, const Input& bias, const BiasAddOptions& options = {}) {
  const Operation op =
      internal::make("BiasAdd", options.name, {value, bias}, {{"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

struct BiasAddGradOptions {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "BiasAddGrad".
  std::string name = {};
};
/// out_backprop:T -> output:T
inline Tensor BiasAddGrad(const Input& out_backprop, const BiasAddGradOptions& options = {}) {
  const Operation op =
      internal::make("BiasAddGrad", options.name, {out_backprop}, {{"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

/// value:T, bias:T -> output:T
inline Tensor BiasAddV1(const Input& value, const Input& bias, const NameOption& options = {}) {
  const Operation op = internal::make("BiasAddV1", options.name, {value, bias}, {}, {});
  return internal::output(op, 0);
}

struct Conv2DOptions {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "Conv2D".
  std::string name = {};
};
/// input:T, filter:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor Conv2D(const Input& input, const Input& filter, const std::vector<int64_t>& strides,
                     const std::string& padding, const Conv2DOptions& options = {}) {
  const Operation op = internal::make("Conv2D", options.name, {input, filter},
                                      {{"strides", strides},
                                       {"padding", padding},
                                       {"use_cudnn_on_gpu", options.use_cudnn_on_gpu},
                                       {"explicit_paddings", options.explicit_paddings},
                                       {"data_format", options.data_format},
                                       {"dilations", options.dilations}},
                                      {});
  return internal::output(op, 0);
}

struct Conv2DBackpropFilterOptions {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "Conv2DBackpropFilter".
  std::string name = {};
};
/// input:T, filter_sizes:int32, out_backprop:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor Conv2DBackpropFilter(const Input& input, const Input& filter_sizes, const Input& out_backprop,
                                   const std::vector<int64_t>& strides, const std::string& padding,
                                   const Conv2DBackpropFilterOptions& options = {}) {
  const Operation op =
      internal::make("Conv2DBackpropFilter", options.name, {input, filter_sizes, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"use_cudnn_on_gpu", options.use_cudnn_on_gpu},
                      {"explicit_paddings", options.explicit_paddings},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

struct Conv2DBackpropInputOptions {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "Conv2DBackpropInput".
  std::string name = {};
};
/// input_sizes:int32, filter:T, out_backprop:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor Conv2DBackpropInput(const Input& input_sizes, const Input& filter, const Input& out_backprop,
                                  const std::vector<int64_t>& strides, const std::string& padding,
                                  const Conv2DBackpropInputOptions& options = {}) {
  const Operation op =
      internal::make("Conv2DBackpropInput", options.name, {input_sizes, filter, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"use_cudnn_on_gpu", options.use_cudnn_on_gpu},
                      {"explicit_paddings", options.explicit_paddings},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

struct Conv3DOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  /// Of the node; empty: "Conv3D".
  std::string name = {};
};
/// input:T, filter:T -> output:T
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Conv3D(const Input& input, const Input& filter, const std::vector<int64_t>& strides,
                     const std::string& padding, const Conv3DOptions& options = {}) {
  const Operation op = internal::make("Conv3D", options.name, {input, filter},
                                      {{"strides", strides},
                                       {"padding", padding},
                                       {"data_format", options.data_format},
                                       {"dilations", options.dilations}},
                                      {});
  return internal::output(op, 0);
}

struct Conv3DBackpropFilterV2Options {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  /// Of the node; empty: "Conv3DBackpropFilterV2".
  std::string name = {};
};
/// input:T, filter_sizes:int32, out_backprop:T -> output:T
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Conv3DBackpropFilterV2(const Input& input, const Input& filter_sizes, const Input& out_backprop,
                                     const std::vector<int64_t>& strides, const std::string& padding,
                                     const Conv3DBackpropFilterV2Options& options = {}) {
  const Operation op =
      internal::make("Conv3DBackpropFilterV2", options.name, {input, filter_sizes, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

struct Conv3DBackpropInputV2Options {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  /// Of the node; empty: "Conv3DBackpropInputV2".
  std::string name = {};
};
/// input_sizes:Tshape, filter:T, out_backprop:T -> output:T
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Conv3DBackpropInputV2(const Input& input_sizes, const Input& filter, const Input& out_backprop,
                                    const std::vector<int64_t>& strides, const std::string& padding,
                                    const Conv3DBackpropInputV2Options& options = {}) {
  const Operation op =
      internal::make("Conv3DBackpropInputV2", options.name, {input_sizes, filter, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

struct DepthwiseConv2dNativeOptions {
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "DepthwiseConv2dNative".
  std::string name = {};
};
/// input:T, filter:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor DepthwiseConv2dNative(const Input& input, const Input& filter,
                                    const std::vector<int64_t>& strides, const std::string& padding,
                                    const DepthwiseConv2dNativeOptions& options = {}) {
  const Operation op = internal::make("DepthwiseConv2dNative", options.name, {input, filter},
                                      {{"strides", strides},
                                       {"padding", padding},
                                       {"explicit_paddings", options.explicit_paddings},
                                       {"data_format", options.data_format},
                                       {"dilations", options.dilations}},
                                      {});
  return internal::output(op, 0);
}

struct DepthwiseConv2dNativeBackpropFilterOptions {
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "DepthwiseConv2dNativeBackpropFilter".
  std::string name = {};
};
/// input:T, filter_sizes:int32, out_backprop:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor DepthwiseConv2dNativeBackpropFilter(
    const Input& input, const Input& filter_sizes, const Input& out_backprop,
    const std::vector<int64_t>& strides, const std::string& padding,
    const DepthwiseConv2dNativeBackpropFilterOptions& options = {}) {
  const Operation op =
      internal::make("DepthwiseConv2dNativeBackpropFilter", options.name, {input, filter_sizes, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"explicit_paddings", options.explicit_paddings},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

struct DepthwiseConv2dNativeBackpropInputOptions {
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// Of the node; empty: "DepthwiseConv2dNativeBackpropInput".
  std::string name = {};
};
/// input_sizes:int32, filter:T, out_backprop:T -> output:T
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor DepthwiseConv2dNativeBackpropInput(
    const Input& input_sizes, const Input& filter, const Input& out_backprop,
    const std::vector<int64_t>& strides, const std::string& padding,
    const DepthwiseConv2dNativeBackpropInputOptions& options = {}) {
  const Operation op =
      internal::make("DepthwiseConv2dNativeBackpropInput", options.name, {input_sizes, filter, out_backprop},
                     {{"strides", strides},
                      {"padding", padding},
                      {"explicit_paddings", options.explicit_paddings},
                      {"data_format", options.data_format},
                      {"dilations", options.dilations}},
                     {});
  return internal::output(op, 0);
}

/// input:T, filter:T -> output:T
/// `strides`: at least 4 items.
/// `rates`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Dilation2D(const Input& input, const Input& filter, const std::vector<int64_t>& strides,
                         const std::vector<int64_t>& rates, const std::string& padding,
                         const NameOption& options = {}) {
  const Operation op = internal::make("Dilation2D", options.name, {input, filter},
                                      {{"strides", strides}, {"rates", rates}, {"padding", padding}}, {});
  return internal::output(op, 0);
}

/// input:T, filter:T, out_backprop:T -> filter_backprop:T
/// `strides`: at least 4 items.
/// `rates`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Dilation2DBackpropFilter(const Input& input, const Input& filter, const Input& out_backprop,
                                       const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                                       const std::string& padding, const NameOption& options = {}) {
  const Operation op = internal::make("Dilation2DBackpropFilter", options.name, {input, filter, out_backprop},
                                      {{"strides", strides}, {"rates", rates}, {"padding", padding}}, {});
  return internal::output(op, 0);
}

/// input:T, filter:T, out_backprop:T -> in_backprop:T
/// `strides`: at least 4 items.
/// `rates`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor Dilation2DBackpropInput(const Input& input, const Input& filter, const Input& out_backprop,
                                      const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                                      const std::string& padding, const NameOption& options = {}) {
  const Operation op = internal::make("Dilation2DBackpropInput", options.name, {input, filter, out_backprop},
                                      {{"strides", strides}, {"rates", rates}, {"padding", padding}}, {});
  return internal::output(op, 0);
}

/// features:T -> activations:T
inline Tensor Elu(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Elu", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// gradients:T, outputs:T -> backprops:T
inline Tensor EluGrad(const Input& gradients, const Input& outputs, const NameOption& options = {}) {
  const Operation op = internal::make("EluGrad", options.name, {gradients, outputs}, {}, {});
  return internal::output(op, 0);
}

/// images:T -> patches:T
/// `ksizes`: at least 4 items.
/// `strides`: at least 4 items.
/// `rates`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor ExtractImagePatches(const Input& images, const std::vector<int64_t>& ksizes,
                                  const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                                  const std::string& padding, const NameOption& options = {}) {
  const Operation op =
      internal::make("ExtractImagePatches", options.name, {images},
                     {{"ksizes", ksizes}, {"strides", strides}, {"rates", rates}, {"padding", padding}}, {});
  return internal::output(op, 0);
}

struct FakeQuantWithMinMaxArgsOptions {
  float min = -6.0f;
  float max = 6.0f;
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxArgs".
  std::string name = {};
};
/// inputs:float32 -> outputs:float32
inline Tensor FakeQuantWithMinMaxArgs(const Input& inputs,
                                      const FakeQuantWithMinMaxArgsOptions& options = {}) {
  const Operation op = internal::make("FakeQuantWithMinMaxArgs", options.name, {inputs},
                                      {{"min", options.min},
                                       {"max", options.max},
                                       {"num_bits", options.num_bits},
                                       {"narrow_range", options.narrow_range}},
                                      {});
  return internal::output(op, 0);
}

struct FakeQuantWithMinMaxArgsGradientOptions {
  float min = -6.0f;
  float max = 6.0f;
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxArgsGradient".
  std::string name = {};
};
/// gradients:float32, inputs:float32 -> backprops:float32
inline Tensor FakeQuantWithMinMaxArgsGradient(const Input& gradients, const Input& inputs,
                                              const FakeQuantWithMinMaxArgsGradientOptions& options = {}) {
  const Operation op = internal::make("FakeQuantWithMinMaxArgsGradient", options.name, {gradients, inputs},
                                      {{"min", options.min},
                                       {"max", options.max},
                                       {"num_bits", options.num_bits},
                                       {"narrow_range", options.narrow_range}},
                                      {});
  return internal::output(op, 0);
}

struct FakeQuantWithMinMaxVarsOptions {
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxVars".
  std::string name = {};
};
/// inputs:float32, min:float32, max:float32 -> outputs:float32
inline Tensor FakeQuantWithMinMaxVars(const Input& inputs, const Input& min, const Input& max,
                                      const FakeQuantWithMinMaxVarsOptions& options = {}) {
  const Operation op =
      internal::make("FakeQuantWithMinMaxVars", options.name, {inputs, min, max},
                     {{"num_bits", options.num_bits}, {"narrow_range", options.narrow_range}}, {});
  return internal::output(op, 0);
}

/// What FakeQuantWithMinMaxVarsGradient gives.
struct FakeQuantWithMinMaxVarsGradientResult {
  Tensor backprops_wrt_input;
  Tensor backprop_wrt_min;
  Tensor backprop_wrt_max;
};
struct FakeQuantWithMinMaxVarsGradientOptions {
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxVarsGradient".
  std::string name = {};
};
/// gradients:float32, inputs:float32, min:float32, max:float32 -> backprops_wrt_input:float32,
/// backprop_wrt_min:float32, backprop_wrt_max:float32
inline FakeQuantWithMinMaxVarsGradientResult FakeQuantWithMinMaxVarsGradient(
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsGradientOptions& options = {}) {
  const Operation op =
      internal::make("FakeQuantWithMinMaxVarsGradient", options.name, {gradients, inputs, min, max},
                     {{"num_bits", options.num_bits}, {"narrow_range", options.narrow_range}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct FakeQuantWithMinMaxVarsPerChannelOptions {
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxVarsPerChannel".
  std::string name = {};
};
/// inputs:float32, min:float32, max:float32 -> outputs:float32
inline Tensor FakeQuantWithMinMaxVarsPerChannel(
    const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsPerChannelOptions& options = {}) {
  const Operation op =
      internal::make("FakeQuantWithMinMaxVarsPerChannel", options.name, {inputs, min, max},
                     {{"num_bits", options.num_bits}, {"narrow_range", options.narrow_range}}, {});
  return internal::output(op, 0);
}

/// What FakeQuantWithMinMaxVarsPerChannelGradient gives.
struct FakeQuantWithMinMaxVarsPerChannelGradientResult {
  Tensor backprops_wrt_input;
  Tensor backprop_wrt_min;
  Tensor backprop_wrt_max;
};
struct FakeQuantWithMinMaxVarsPerChannelGradientOptions {
  int64_t num_bits = 8;
  bool narrow_range = false;
  /// Of the node; empty: "FakeQuantWithMinMaxVarsPerChannelGradient".
  std::string name = {};
};
/// gradients:float32, inputs:float32, min:float32, max:float32 -> backprops_wrt_input:float32,
/// backprop_wrt_min:float32, backprop_wrt_max:float32
inline FakeQuantWithMinMaxVarsPerChannelGradientResult FakeQuantWithMinMaxVarsPerChannelGradient(
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsPerChannelGradientOptions& options = {}) {
  const Operation op =
      internal::make("FakeQuantWithMinMaxVarsPerChannelGradient", options.name, {gradients, inputs, min, max},
                     {{"num_bits", options.num_bits}, {"narrow_range", options.narrow_range}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What FusedBatchNorm gives.
struct FusedBatchNormResult {
  Tensor y;
  Tensor batch_mean;
  Tensor batch_variance;
  Tensor reserve_space_1;
  Tensor reserve_space_2;
};
struct FusedBatchNormOptions {
  float epsilon = 9.999999747378752e-05f;
  float exponential_avg_factor = 1.0f;
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNorm".
  std::string name = {};
};
/// x:T, scale:T, offset:T, mean:T, variance:T -> y:T, batch_mean:T, batch_variance:T,
/// reserve_space_1:T, reserve_space_2:T
inline FusedBatchNormResult FusedBatchNorm(const Input& x, const Input& scale, const Input& offset,
                                           const Input& mean, const Input& variance,
                                           const FusedBatchNormOptions& options = {}) {
  const Operation op = internal::make("FusedBatchNorm", options.name, {x, scale, offset, mean, variance},
                                      {{"epsilon", options.epsilon},
                                       {"exponential_avg_factor", options.exponential_avg_factor},
                                       {"data_format", options.data_format},
                                       {"is_training", options.is_training}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3),
          internal::output(op, 4)};
}

/// What FusedBatchNormGrad gives.
struct FusedBatchNormGradResult {
  Tensor x_backprop;
  Tensor scale_backprop;
  Tensor offset_backprop;
  Tensor reserve_space_3;
  Tensor reserve_space_4;
};
struct FusedBatchNormGradOptions {
  float epsilon = 9.999999747378752e-05f;
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNormGrad".
  std::string name = {};
};
/// y_backprop:T, x:T, scale:T, reserve_space_1:T, reserve_space_2:T -> x_backprop:T, scale_backprop:T,
/// offset_backprop:T, reserve_space_3:T, reserve_space_4:T
inline FusedBatchNormGradResult FusedBatchNormGrad(const Input& y_backprop, const Input& x,
                                                   const Input& scale, const Input& reserve_space_1,
                                                   const Input& reserve_space_2,
                                                   const FusedBatchNormGradOptions& options = {}) {
  const Operation op = internal::make("FusedBatchNormGrad", options.name,
                                      {y_backprop, x, scale, reserve_space_1, reserve_space_2},
                                      {{"epsilon", options.epsilon},
                                       {"data_format", options.data_format},
                                       {"is_training", options.is_training}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3),
          internal::output(op, 4)};
}

/// What FusedBatchNormGradV2 gives.
struct FusedBatchNormGradV2Result {
  Tensor x_backprop;
  Tensor scale_backprop;
  Tensor offset_backprop;
  Tensor reserve_space_3;
  Tensor reserve_space_4;
};
struct FusedBatchNormGradV2Options {
  float epsilon = 9.999999747378752e-05f;
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNormGradV2".
  std::string name = {};
};
/// y_backprop:T, x:T, scale:float32, reserve_space_1:U, reserve_space_2:U -> x_backprop:T,
/// scale_backprop:U, offset_backprop:U, reserve_space_3:U, reserve_space_4:U
inline FusedBatchNormGradV2Result FusedBatchNormGradV2(const Input& y_backprop, const Input& x,
                                                       const Input& scale, const Input& reserve_space_1,
                                                       const Input& reserve_space_2,
                                                       const FusedBatchNormGradV2Options& options = {}) {
  const Operation op = internal::make("FusedBatchNormGradV2", options.name,
                                      {y_backprop, x, scale, reserve_space_1, reserve_space_2},
                                      {{"epsilon", options.epsilon},
                                       {"data_format", options.data_format},
                                       {"is_training", options.is_training}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3),
          internal::output(op, 4)};
}

/// What FusedBatchNormGradV3 gives.
struct FusedBatchNormGradV3Result {
  Tensor x_backprop;
  Tensor scale_backprop;
  Tensor offset_backprop;
  Tensor reserve_space_4;
  Tensor reserve_space_5;
};
struct FusedBatchNormGradV3Options {
  float epsilon = 9.999999747378752e-05f;
  /// One of "NHWC", "NCHW", "NDHWC", "NCDHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNormGradV3".
  std::string name = {};
};
/// y_backprop:T, x:T, scale:float32, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U ->
/// x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U
inline FusedBatchNormGradV3Result FusedBatchNormGradV3(const Input& y_backprop, const Input& x,
                                                       const Input& scale, const Input& reserve_space_1,
                                                       const Input& reserve_space_2,
                                                       const Input& reserve_space_3,
                                                       const FusedBatchNormGradV3Options& options = {}) {
  const Operation op =
      internal::make("FusedBatchNormGradV3", options.name,
                     {y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3},
                     {{"epsilon", options.epsilon},
                      {"data_format", options.data_format},
                      {"is_training", options.is_training}},
                     {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3),
          internal::output(op, 4)};
}

/// What FusedBatchNormV2 gives.
struct FusedBatchNormV2Result {
  Tensor y;
  Tensor batch_mean;
  Tensor batch_variance;
  Tensor reserve_space_1;
  Tensor reserve_space_2;
};
struct FusedBatchNormV2Options {
  float epsilon = 9.999999747378752e-05f;
  float exponential_avg_factor = 1.0f;
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNormV2".
  std::string name = {};
};
/// x:T, scale:U, offset:U, mean:U, variance:U -> y:T, batch_mean:U, batch_variance:U,
/// reserve_space_1:U, reserve_space_2:U
inline FusedBatchNormV2Result FusedBatchNormV2(const Input& x, const Input& scale, const Input& offset,
                                               const Input& mean, const Input& variance,
                                               const FusedBatchNormV2Options& options = {}) {
  const Operation op = internal::make("FusedBatchNormV2", options.name, {x, scale, offset, mean, variance},
                                      {{"epsilon", options.epsilon},
                                       {"exponential_avg_factor", options.exponential_avg_factor},
                                       {"data_format", options.data_format},
                                       {"is_training", options.is_training}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3),
          internal::output(op, 4)};
}

/// What FusedBatchNormV3 gives.
struct FusedBatchNormV3Result {
  Tensor y;
  Tensor batch_mean;
  Tensor batch_variance;
  Tensor reserve_space_1;
  Tensor reserve_space_2;
  Tensor reserve_space_3;
};
struct FusedBatchNormV3Options {
  float epsilon = 9.999999747378752e-05f;
  float exponential_avg_factor = 1.0f;
  /// One of "NHWC", "NCHW", "NDHWC", "NCDHW".
  std::string data_format = "NHWC";
  bool is_training = true;
  /// Of the node; empty: "FusedBatchNormV3".
  std::string name = {};
};
/// x:T, scale:U, offset:U, mean:U, variance:U -> y:T, batch_mean:U, batch_variance:U, reserve_space_1:U,
/// reserve_space_2:U, reserve_space_3:U
inline FusedBatchNormV3Result FusedBatchNormV3(const Input& x, const Input& scale, const Input& offset,
                                               const Input& mean, const Input& variance,
                                               const FusedBatchNormV3Options& options = {}) {
  const Operation op = internal::make("FusedBatchNormV3", options.name, {x, scale, offset, mean, variance},
                                      {{"epsilon", options.epsilon},
                                       {"exponential_avg_factor", options.exponential_avg_factor},
                                       {"data_format", options.data_format},
                                       {"is_training", options.is_training}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2),
          internal::output(op, 3), internal::output(op, 4), internal::output(op, 5)};
}

/// predictions:float32, targets:T -> precision:bool
inline Tensor InTopK(const Input& predictions, const Input& targets, int64_t k,
                     const NameOption& options = {}) {
  const Operation op = internal::make("InTopK", options.name, {predictions, targets}, {{"k", k}}, {});
  return internal::output(op, 0);
}

/// predictions:float32, targets:T, k:T -> precision:bool
inline Tensor InTopKV2(const Input& predictions, const Input& targets, const Input& k,
                       const NameOption& options = {}) {
  const Operation op = internal::make("InTopKV2", options.name, {predictions, targets, k}, {}, {});
  return internal::output(op, 0);
}

/// t:T -> output:T
inline Tensor L2Loss(const Input& t, const NameOption& options = {}) {
  const Operation op = internal::make("L2Loss", options.name, {t}, {}, {});
  return internal::output(op, 0);
}

struct LRNOptions {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  /// Of the node; empty: "LRN".
  std::string name = {};
};
/// input:T -> output:T
inline Tensor LRN(const Input& input, const LRNOptions& options = {}) {
  const Operation op = internal::make("LRN", options.name, {input},
                                      {{"depth_radius", options.depth_radius},
                                       {"bias", options.bias},
                                       {"alpha", options.alpha},
                                       {"beta", options.beta}},
                                      {});
  return internal::output(op, 0);
}

struct LRNGradOptions {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  /// Of the node; empty: "LRNGrad".
  std::string name = {};
};
/// input_grads:T, input_image:T, output_image:T -> output:T
inline Tensor LRNGrad(const Input& input_grads, const Input& input_image, const Input& output_image,
                      const LRNGradOptions& options = {}) {
  const Operation op = internal::make("LRNGrad", options.name, {input_grads, input_image, output_image},
                                      {{"depth_radius", options.depth_radius},
                                       {"bias", options.bias},
                                       {"alpha", options.alpha},
                                       {"beta", options.beta}},
                                      {});
  return internal::output(op, 0);
}

struct LeakyReluOptions {
  float alpha = 0.20000000298023224f;
  /// Of the node; empty: "LeakyRelu".
  std::string name = {};
};
/// features:T -> activations:T
inline Tensor LeakyRelu(const Input& features, const LeakyReluOptions& options = {}) {
  const Operation op = internal::make("LeakyRelu", options.name, {features}, {{"alpha", options.alpha}}, {});
  return internal::output(op, 0);
}

struct LeakyReluGradOptions {
  float alpha = 0.20000000298023224f;
  /// Of the node; empty: "LeakyReluGrad".
  std::string name = {};
};
/// gradients:T, features:T -> backprops:T
inline Tensor LeakyReluGrad(const Input& gradients, const Input& features,
                            const LeakyReluGradOptions& options = {}) {
  const Operation op =
      internal::make("LeakyReluGrad", options.name, {gradients, features}, {{"alpha", options.alpha}}, {});
  return internal::output(op, 0);
}

/// logits:T -> logsoftmax:T
inline Tensor LogSoftmax(const Input& logits, const NameOption& options = {}) {
  const Operation op = internal::make("LogSoftmax", options.name, {logits}, {}, {});
  return internal::output(op, 0);
}

struct MaxPoolOptions {
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW", "NCHW_VECT_C".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPool".
  std::string name = {};
};
/// input:T -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor MaxPool(const Input& input, const std::vector<int64_t>& ksize,
                      const std::vector<int64_t>& strides, const std::string& padding,
                      const MaxPoolOptions& options = {}) {
  const Operation op = internal::make("MaxPool", options.name, {input},
                                      {{"ksize", ksize},
                                       {"strides", strides},
                                       {"padding", padding},
                                       {"explicit_paddings", options.explicit_paddings},
                                       {"data_format", options.data_format}},
                                      {});
  return internal::output(op, 0);
}

struct MaxPool3DOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  /// Of the node; empty: "MaxPool3D".
  std::string name = {};
};
/// input:T -> output:T
/// `ksize`: at least 5 items.
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPool3D(const Input& input, const std::vector<int64_t>& ksize,
                        const std::vector<int64_t>& strides, const std::string& padding,
                        const MaxPool3DOptions& options = {}) {
  const Operation op = internal::make(
      "MaxPool3D", options.name, {input},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct MaxPool3DGradOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  /// Of the node; empty: "MaxPool3DGrad".
  std::string name = {};
};
/// orig_input:TInput, orig_output:TInput, grad:T -> output:T
/// `ksize`: at least 5 items.
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPool3DGrad(const Input& orig_input, const Input& orig_output, const Input& grad,
                            const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                            const std::string& padding, const MaxPool3DGradOptions& options = {}) {
  const Operation op = internal::make(
      "MaxPool3DGrad", options.name, {orig_input, orig_output, grad},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct MaxPool3DGradGradOptions {
  /// One of "NDHWC", "NCDHW".
  std::string data_format = "NDHWC";
  /// Of the node; empty: "MaxPool3DGradGrad".
  std::string name = {};
};
/// orig_input:T, orig_output:T, grad:T -> output:T
/// `ksize`: at least 5 items.
/// `strides`: at least 5 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPool3DGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad,
                                const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                                const std::string& padding, const MaxPool3DGradGradOptions& options = {}) {
  const Operation op = internal::make(
      "MaxPool3DGradGrad", options.name, {orig_input, orig_output, grad},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct MaxPoolGradOptions {
  std::vector<int64_t> explicit_paddings = {};
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPoolGrad".
  std::string name = {};
};
/// orig_input:T, orig_output:T, grad:T -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID", "EXPLICIT".
inline Tensor MaxPoolGrad(const Input& orig_input, const Input& orig_output, const Input& grad,
                          const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                          const std::string& padding, const MaxPoolGradOptions& options = {}) {
  const Operation op = internal::make("MaxPoolGrad", options.name, {orig_input, orig_output, grad},
                                      {{"ksize", ksize},
                                       {"strides", strides},
                                       {"padding", padding},
                                       {"explicit_paddings", options.explicit_paddings},
                                       {"data_format", options.data_format}},
                                      {});
  return internal::output(op, 0);
}

struct MaxPoolGradGradOptions {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPoolGradGrad".
  std::string name = {};
};
/// orig_input:T, orig_output:T, grad:T -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPoolGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad,
                              const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                              const std::string& padding, const MaxPoolGradGradOptions& options = {}) {
  const Operation op = internal::make(
      "MaxPoolGradGrad", options.name, {orig_input, orig_output, grad},
      {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", options.data_format}},
      {});
  return internal::output(op, 0);
}

struct MaxPoolGradGradV2Options {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPoolGradGradV2".
  std::string name = {};
};
/// orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32 -> output:T
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPoolGradGradV2(const Input& orig_input, const Input& orig_output, const Input& grad,
                                const Input& ksize, const Input& strides, const std::string& padding,
                                const MaxPoolGradGradV2Options& options = {}) {
  const Operation op =
      internal::make("MaxPoolGradGradV2", options.name, {orig_input, orig_output, grad, ksize, strides},
                     {{"padding", padding}, {"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

struct MaxPoolGradV2Options {
  /// One of "NHWC", "NCHW".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPoolGradV2".
  std::string name = {};
};
/// orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32 -> output:T
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPoolGradV2(const Input& orig_input, const Input& orig_output, const Input& grad,
                            const Input& ksize, const Input& strides, const std::string& padding,
                            const MaxPoolGradV2Options& options = {}) {
  const Operation op =
      internal::make("MaxPoolGradV2", options.name, {orig_input, orig_output, grad, ksize, strides},
                     {{"padding", padding}, {"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

struct MaxPoolGradWithArgmaxOptions {
  bool include_batch_in_index = false;
  /// Of the node; empty: "MaxPoolGradWithArgmax".
  std::string name = {};
};
/// input:T, grad:T, argmax:Targmax -> output:T
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPoolGradWithArgmax(const Input& input, const Input& grad, const Input& argmax,
                                    const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides,
                                    const std::string& padding,
                                    const MaxPoolGradWithArgmaxOptions& options = {}) {
  const Operation op = internal::make("MaxPoolGradWithArgmax", options.name, {input, grad, argmax},
                                      {{"ksize", ksize},
                                       {"strides", strides},
                                       {"padding", padding},
                                       {"include_batch_in_index", options.include_batch_in_index}},
                                      {});
  return internal::output(op, 0);
}

struct MaxPoolV2Options {
  /// One of "NHWC", "NCHW", "NCHW_VECT_C".
  std::string data_format = "NHWC";
  /// Of the node; empty: "MaxPoolV2".
  std::string name = {};
};
/// input:T, ksize:int32, strides:int32 -> output:T
/// `padding`: one of "SAME", "VALID".
inline Tensor MaxPoolV2(const Input& input, const Input& ksize, const Input& strides,
                        const std::string& padding, const MaxPoolV2Options& options = {}) {
  const Operation op = internal::make("MaxPoolV2", options.name, {input, ksize, strides},
                                      {{"padding", padding}, {"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

/// What MaxPoolWithArgmax gives.
struct MaxPoolWithArgmaxResult {
  Tensor output;
  Tensor argmax;
};
struct MaxPoolWithArgmaxOptions {
  /// The dtype of `argmax`. One of int32, int64.
  DType Targmax = DType::kInt64;
  bool include_batch_in_index = false;
  /// Of the node; empty: "MaxPoolWithArgmax".
  std::string name = {};
};
/// input:T -> output:T, argmax:Targmax
/// `ksize`: at least 4 items.
/// `strides`: at least 4 items.
/// `padding`: one of "SAME", "VALID".
inline MaxPoolWithArgmaxResult MaxPoolWithArgmax(const Input& input, const std::vector<int64_t>& ksize,
                                                 const std::vector<int64_t>& strides,
                                                 const std::string& padding,
                                                 const MaxPoolWithArgmaxOptions& options = {}) {
  const Operation op = internal::make("MaxPoolWithArgmax", options.name, {input},
                                      {{"ksize", ksize},
                                       {"strides", strides},
                                       {"padding", padding},
                                       {"Targmax", options.Targmax},
                                       {"include_batch_in_index", options.include_batch_in_index}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct QuantizeAndDequantizeV2Options {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  /// One of "HALF_TO_EVEN", "HALF_UP".
  std::string round_mode = "HALF_TO_EVEN";
  bool narrow_range = false;
  int64_t axis = -1;
  /// Of the node; empty: "QuantizeAndDequantizeV2".
  std::string name = {};
};
/// input:T, input_min:T, input_max:T -> output:T
inline Tensor QuantizeAndDequantizeV2(const Input& input, const Input& input_min, const Input& input_max,
                                      const QuantizeAndDequantizeV2Options& options = {}) {
  const Operation op = internal::make("QuantizeAndDequantizeV2", options.name, {input, input_min, input_max},
                                      {{"signed_input", options.signed_input},
                                       {"num_bits", options.num_bits},
                                       {"range_given", options.range_given},
                                       {"round_mode", options.round_mode},
                                       {"narrow_range", options.narrow_range},
                                       {"axis", options.axis}},
                                      {});
  return internal::output(op, 0);
}

struct QuantizeAndDequantizeV3Options {
  bool signed_input = true;
  bool range_given = true;
  bool narrow_range = false;
  int64_t axis = -1;
  /// Of the node; empty: "QuantizeAndDequantizeV3".
  std::string name = {};
};
/// input:T, input_min:T, input_max:T, num_bits:int32 -> output:T
inline Tensor QuantizeAndDequantizeV3(const Input& input, const Input& input_min, const Input& input_max,
                                      const Input& num_bits,
                                      const QuantizeAndDequantizeV3Options& options = {}) {
  const Operation op =
      internal::make("QuantizeAndDequantizeV3", options.name, {input, input_min, input_max, num_bits},
                     {{"signed_input", options.signed_input},
                      {"range_given", options.range_given},
                      {"narrow_range", options.narrow_range},
                      {"axis", options.axis}},
                     {});
  return internal::output(op, 0);
}

struct QuantizeAndDequantizeV4Options {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  /// One of "HALF_TO_EVEN", "HALF_UP".
  std::string round_mode = "HALF_TO_EVEN";
  bool narrow_range = false;
  int64_t axis = -1;
  /// Of the node; empty: "QuantizeAndDequantizeV4".
  std::string name = {};
};
/// input:T, input_min:T, input_max:T -> output:T
inline Tensor QuantizeAndDequantizeV4(const Input& input, const Input& input_min, const Input& input_max,
                                      const QuantizeAndDequantizeV4Options& options = {}) {
  const Operation op = internal::make("QuantizeAndDequantizeV4", options.name, {input, input_min, input_max},
                                      {{"signed_input", options.signed_input},
                                       {"num_bits", options.num_bits},
                                       {"range_given", options.range_given},
                                       {"round_mode", options.round_mode},
                                       {"narrow_range", options.narrow_range},
                                       {"axis", options.axis}},
                                      {});
  return internal::output(op, 0);
}

/// What QuantizeAndDequantizeV4Grad gives.
struct QuantizeAndDequantizeV4GradResult {
  Tensor input_backprop;
  Tensor input_min_backprop;
  Tensor input_max_backprop;
};
struct QuantizeAndDequantizeV4GradOptions {
  int64_t axis = -1;
  /// Of the node; empty: "QuantizeAndDequantizeV4Grad".
  std::string name = {};
};
/// gradients:T, input:T, input_min:T, input_max:T -> input_backprop:T,
/// input_min_backprop:T, input_max_backprop:T
inline QuantizeAndDequantizeV4GradResult QuantizeAndDequantizeV4Grad(
    const Input& gradients, const Input& input, const Input& input_min, const Input& input_max,
    const QuantizeAndDequantizeV4GradOptions& options = {}) {
  const Operation op = internal::make("QuantizeAndDequantizeV4Grad", options.name,
                                      {gradients, input, input_min, input_max}, {{"axis", options.axis}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// features:T -> activations:T
inline Tensor Relu(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Relu", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// features:T -> activations:T
inline Tensor Relu6(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Relu6", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// gradients:T, features:T -> backprops:T
inline Tensor Relu6Grad(const Input& gradients, const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Relu6Grad", options.name, {gradients, features}, {}, {});
  return internal::output(op, 0);
}

/// gradients:T, features:T -> backprops:T
inline Tensor ReluGrad(const Input& gradients, const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("ReluGrad", options.name, {gradients, features}, {}, {});
  return internal::output(op, 0);
}

/// features:T -> activations:T
inline Tensor Selu(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Selu", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// gradients:T, outputs:T -> backprops:T
inline Tensor SeluGrad(const Input& gradients, const Input& outputs, const NameOption& options = {}) {
  const Operation op = internal::make("SeluGrad", options.name, {gradients, outputs}, {}, {});
  return internal::output(op, 0);
}

/// logits:T -> softmax:T
inline Tensor Softmax(const Input& logits, const NameOption& options = {}) {
  const Operation op = internal::make("Softmax", options.name, {logits}, {}, {});
  return internal::output(op, 0);
}

/// What SoftmaxCrossEntropyWithLogits gives.
struct SoftmaxCrossEntropyWithLogitsResult {
  Tensor loss;
  Tensor backprop;
};
/// features:T, labels:T -> loss:T, backprop:T
inline SoftmaxCrossEntropyWithLogitsResult SoftmaxCrossEntropyWithLogits(const Input& features,
                                                                         const Input& labels,
                                                                         const NameOption& options = {}) {
  const Operation op =
      internal::make("SoftmaxCrossEntropyWithLogits", options.name, {features, labels}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// features:T -> activations:T
inline Tensor Softplus(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Softplus", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// features:T -> activations:T
inline Tensor Softsign(const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("Softsign", options.name, {features}, {}, {});
  return internal::output(op, 0);
}

/// gradients:T, features:T -> backprops:T
inline Tensor SoftsignGrad(const Input& gradients, const Input& features, const NameOption& options = {}) {
  const Operation op = internal::make("SoftsignGrad", options.name, {gradients, features}, {}, {});
  return internal::output(op, 0);
}

/// What SparseSoftmaxCrossEntropyWithLogits gives.
struct SparseSoftmaxCrossEntropyWithLogitsResult {
  Tensor loss;
  Tensor backprop;
};
/// features:T, labels:Tlabels -> loss:T, backprop:T
inline SparseSoftmaxCrossEntropyWithLogitsResult SparseSoftmaxCrossEntropyWithLogits(
    const Input& features, const Input& labels, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseSoftmaxCrossEntropyWithLogits", options.name, {features, labels}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
