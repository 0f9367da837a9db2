#pragma once
/// tf.nn: convolutions and pools of one, two and three dimensions. Images are [batch, spatial.., channels]; a
/// data format that begins with "NC" has the channels before the spatial dimensions, and no kernel of this
/// engine runs it.

#include <flowray/tf/input.h>
#include <flowray/tf/nn.h>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::nn {

// ---- convolutions

struct Conv1dOptions {
  /// One number, or one for each dimension of the input.
  std::vector<int64_t> strides = {1};
  /// "SAME" or "VALID", here and below.
  std::string padding;
  std::string data_format = "NWC";
  std::vector<int64_t> dilations = {1};
  std::string name = {};
};
/// input [N,W,C], filter [K,C,OUT] -> [N,W',OUT], by conv2d of images of one row.
Tensor conv1d(const Input& input, const Input& filter, const Conv1dOptions& options);

struct Conv3dOptions {
  /// One for each dimension of the input.
  std::vector<int64_t> strides;
  std::string padding;
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string name = {};
};
/// input [N,D,H,W,C], filter [KD,KH,KW,C,OUT] -> [N,D',H',W',OUT].
Tensor conv3d(const Input& input, const Input& filter, const Conv3dOptions& options);

struct ConvolutionOptions {
  std::string padding;
  /// One for each spatial dimension; empty: 1.
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilation_rate = {};
  std::string name = {};
  /// Empty: channels last.
  std::string data_format = {};
};
/// tf.nn.convolution: of as many spatial dimensions as the filter [spatial..,C,OUT] says, one to three. With
/// gaps the input is dealt out to several small ones. Throws ValueError for a filter of another rank, and for
/// strides with gaps.
Tensor convolution(const Input& input, const Input& filter, const ConvolutionOptions& options);

struct AtrousOptions {
  std::string padding;
  std::string name = {};
};
/// conv2d with `rate` - 1 gaps between the filter's rows and columns.
Tensor atrous_conv2d(const Input& value, const Input& filters, int64_t rate, const AtrousOptions& options);
/// Its reverse: value [N,h,w,in], filters [KH,KW,out,in], output_shape {N,H,W,out}, which is known.
Tensor atrous_conv2d_transpose(const Input& value, const Input& filters,
                               const std::vector<int64_t>& output_shape, int64_t rate,
                               const AtrousOptions& options);

struct DepthwiseOptions {
  /// One for each dimension of the input.
  std::vector<int64_t> strides;
  std::string padding;
  /// Gaps of rows and columns; empty: none.
  std::vector<int64_t> rate = {};
  std::string name = {};
  std::string data_format = "NHWC";
};
/// Each channel by filters of its own: input [N,H,W,C], filter [KH,KW,C,M] -> [N,H',W',C*M].
Tensor depthwise_conv2d(const Input& input, const Input& filter, const DepthwiseOptions& options);

struct DepthwiseNativeOptions {
  std::vector<int64_t> strides;
  std::string padding;
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = {};
};
/// The op alone.
Tensor depthwise_conv2d_native(const Input& input, const Input& filter,
                               const DepthwiseNativeOptions& options);
/// depthwise_conv2d, then a mixture of its channels: pointwise_filter [1,1,C*M,OUT] -> [N,H',W',OUT].
Tensor separable_conv2d(const Input& input, const Input& depthwise_filter, const Input& pointwise_filter,
                        const DepthwiseOptions& options);

// ---- transposed

struct ConvTransposeOptions {
  /// As of the convolution whose gradient it is: one number, one for each spatial dimension, or for each
  /// dimension.
  std::vector<int64_t> strides;
  std::string padding = "SAME";
  /// Empty: channels last.
  std::string data_format = {};
  std::vector<int64_t> dilations = {};
  std::string name = {};
};
/// value [N,w,in], filter [K,out,in], output_shape {N,W,out}.
Tensor conv1d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const ConvTransposeOptions& options);
/// value [N,d,h,w,in], filter [KD,KH,KW,out,in], output_shape {N,D,H,W,out}.
Tensor conv3d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const ConvTransposeOptions& options);
/// The one of the three that the length of `output_shape` says. Throws ValueError for another length.
Tensor conv_transpose(const Input& value, const Input& filter, const Input& output_shape,
                      const ConvTransposeOptions& options);

// ---- pools

/// The mean, or the greatest, of each window: value [N,W,C], with ksize and strides of one number, or one for
/// each dimension.
Tensor avg_pool1d(const Input& value, const PoolOptions& options);
Tensor max_pool1d(const Input& value, const PoolOptions& options);
/// max_pool by another default name.
Tensor max_pool2d(const Input& value, const PoolOptions& options);
/// value [N,D,H,W,C].
Tensor avg_pool3d(const Input& value, const PoolOptions& options);
Tensor max_pool3d(const Input& value, const PoolOptions& options);
/// Of one, two or three dimensions, as the value has them. An empty data format is channels last.
Tensor avg_pool_v2(const Input& value, const PoolOptions& options);
Tensor max_pool_v2(const Input& value, const PoolOptions& options);

struct AnyPoolOptions {
  /// "AVG" or "MAX".
  std::string pooling_type;
  std::string padding;
  /// One for each spatial dimension; empty: 1.
  std::vector<int64_t> dilation_rate = {};
  std::vector<int64_t> strides = {};
  std::string name = {};
  std::string data_format = {};
};
/// tf.nn.pool: windows of as many sizes as there are spatial dimensions, one to three. Throws ValueError for
/// strides with gaps.
Tensor pool(const Input& input, const std::vector<int64_t>& window_shape, const AnyPoolOptions& options);

}  // namespace flowray::tf::nn

#pragma GCC visibility pop
