#pragma once
/// tf.nn: activations, convolutions, pools, normalisation and losses. What runs over time is
/// in flowray/tf/rnn.h.
///
/// Images are [batch, spatial.., channels], of two dimensions NHWC: [batch, height, width, channels]. A data
/// format that begins with "NC" has the channels before the spatial dimensions, and no kernel of this engine
/// runs it.
///
/// Of all of these: activations have the shape and dtype of their input, a float unless it says otherwise.
/// Throws TypeError for dtypes that do not fit and ValueError for shapes that do not, where the function is
/// called; what only a step knows is an errors::InvalidArgumentError there.

#include <flowray/tf/input.h>
#include <flowray/tf/math.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::nn {

using ::flowray::tf::sigmoid;
using ::flowray::tf::tanh;

// ---- activations

/// max(features, 0)
Tensor relu(const Input& features, const NameOption& options = {});
/// min(max(features, 0), 6)
Tensor relu6(const Input& features, const NameOption& options = {});
/// features where positive, else exp(features) - 1
Tensor elu(const Input& features, const NameOption& options = {});
/// scale * (features where positive, else alpha * (exp(features) - 1)), with the constants of Klambauer et
/// al., 2017.
Tensor selu(const Input& features, const NameOption& options = {});
struct LeakyReluOptions {
  /// The slope below 0.
  float alpha = 0.2f;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// features where positive, else alpha * features
Tensor leaky_relu(const Input& features, const LeakyReluOptions& options = {});
/// features / (abs(features) + 1)
Tensor softsign(const Input& features, const NameOption& options = {});
/// log(exp(features) + 1)
Tensor softplus(const Input& features, const NameOption& options = {});

struct CreluOptions {
  /// The dimension that becomes twice as long, counted from the end where negative.
  int axis = -1;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// relu of the features and of their negatives, one behind the other along `axis`. Source: Shang et
/// al., 2016.
Tensor crelu(const Input& features, const CreluOptions& options = {});
/// features * sigmoid(beta * features); also swish. Source: Ramachandran et al., 2017.
Tensor silu(const Input& features, const Input& beta);
/// The same for a beta of 1.
Tensor silu(const Input& features);
/// Which part of the elements is zero, float32 [].
Tensor zero_fraction(const Input& value, const NameOption& options = {});

struct SoftmaxOptions {
  /// Any but the last one needs logits of known rank. Counted from the end where negative.
  int axis = -1;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// exp(logits) / sum(exp(logits)) along the axis; rank at least 1. Throws InvalidArgumentError for an axis
/// that logits have not, ValueError where their rank would have to be known.
Tensor softmax(const Input& logits, const SoftmaxOptions& options = {});
/// logits - log(sum(exp(logits))) along the axis, so that nothing overflows. Throws as softmax does.
Tensor log_softmax(const Input& logits, const SoftmaxOptions& options = {});

struct BiasAddOptions {
  /// "NHWC" and the like: along the last dimension; "NC...": along dimension 1. ValueError for anything else.
  std::string data_format = "NHWC";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// value + bias, bias [C] along value's last dimension.
Tensor bias_add(const Input& value, const Input& bias, const BiasAddOptions& options = {});

// ---- convolutions

struct Conv2dOptions {
  /// One a dimension of the input: {1, vertical, horizontal, 1}; or {vertical, horizontal}, or one for both.
  std::vector<int64_t> strides;
  /// "SAME", "VALID" or "EXPLICIT".
  std::string padding;
  /// For "EXPLICIT": zeros before and after each dimension of the input, {0, 0, top,
  /// bottom, left, right, 0, 0}.
  std::vector<int64_t> explicit_paddings = {};
  /// Written into the node; nothing changes by it here; false only in a graph that TensorFlow is to run on a
  /// GPU without cuDNN.
  bool use_cudnn_on_gpu = true;
  /// "NHWC", or "NCHW", which no kernel of this engine runs.
  std::string data_format = "NHWC";
  /// One a dimension of the input: {1, vertical, horizontal, 1}; greater than 1: gaps between the filter's
  /// rows and columns.
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// input [N,H,W,C], filter [KH,KW,C,OUT] -> [N,H',W',OUT].
Tensor conv2d(const Input& input, const Input& filter, const Conv2dOptions& options);

struct Conv1dOptions {
  /// One number, or one for each dimension of the input.
  std::vector<int64_t> strides = {1};
  /// "SAME" or "VALID", here and below.
  std::string padding;
  /// "NWC", or "NCW", which no kernel of this engine runs; ValueError for anything else.
  std::string data_format = "NWC";
  /// One number, or one for each dimension of the input; greater than 1: gaps between the filter's elements.
  std::vector<int64_t> dilations = {1};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// input [N,W,C], filter [K,C,OUT] -> [N,W',OUT], by conv2d of images of one row.
Tensor conv1d(const Input& input, const Input& filter, const Conv1dOptions& options);

struct Conv3dOptions {
  /// One for each dimension of the input.
  std::vector<int64_t> strides;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// "NDHWC", or "NCDHW", which no kernel of this engine runs.
  std::string data_format = "NDHWC";
  /// One for each dimension of the input; those of batch and channels are 1.
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// input [N,D,H,W,C], filter [KD,KH,KW,C,OUT] -> [N,D',H',W',OUT].
Tensor conv3d(const Input& input, const Input& filter, const Conv3dOptions& options);

struct ConvolutionOptions {
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// One for each spatial dimension; empty: 1.
  std::vector<int64_t> strides = {};
  /// One for each spatial dimension; greater than 1: gaps between the filter's elements, and then strides
  /// must be 1. Empty: 1.
  std::vector<int64_t> dilation_rate = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The order of the dimensions, such as "NWC" or "NCHW"; empty: channels last.
  std::string data_format = {};
};
/// tf.nn.convolution: of as many spatial dimensions as the filter [spatial..,C,OUT] says, one to three. With
/// gaps the input is dealt out to several small ones. Throws ValueError for a filter of another rank, and for
/// strides with gaps.
Tensor convolution(const Input& input, const Input& filter, const ConvolutionOptions& options);

struct AtrousOptions {
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// conv2d with `rate` - 1 gaps between the filter's rows and columns.
Tensor atrous_conv2d(const Input& value, const Input& filters, int64_t rate, const AtrousOptions& options);
/// The reverse of atrous_conv2d: value [N,h,w,in], filters [KH,KW,out,in],
/// output_shape {N,H,W,out}, which is known.
Tensor atrous_conv2d_transpose(const Input& value, const Input& filters,
                               const std::vector<int64_t>& output_shape, int64_t rate,
                               const AtrousOptions& options);

struct DepthwiseOptions {
  /// One for each dimension of the input.
  std::vector<int64_t> strides;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// Gaps of rows and columns; empty: none.
  std::vector<int64_t> rate = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// "NHWC", or "NCHW", which no kernel of this engine runs.
  std::string data_format = "NHWC";
};
/// Each channel by filters of its own: input [N,H,W,C], filter [KH,KW,C,M] -> [N,H',W',C*M].
Tensor depthwise_conv2d(const Input& input, const Input& filter, const DepthwiseOptions& options);

struct DepthwiseNativeOptions {
  /// One for each dimension of the input: {1, vertical, horizontal, 1}.
  std::vector<int64_t> strides;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// "NHWC", or "NCHW", which no kernel of this engine runs.
  std::string data_format = "NHWC";
  /// One for each dimension of the input: {1, vertical, horizontal, 1}.
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// depthwise_conv2d with gaps by the op itself: one DepthwiseConv2dNative node.
Tensor depthwise_conv2d_native(const Input& input, const Input& filter,
                               const DepthwiseNativeOptions& options);
/// depthwise_conv2d, then a mixture of its channels: pointwise_filter [1,1,C*M,OUT] -> [N,H',W',OUT].
Tensor separable_conv2d(const Input& input, const Input& depthwise_filter, const Input& pointwise_filter,
                        const DepthwiseOptions& options);

// ---- transposed convolutions

struct Conv2dTransposeOptions {
  /// The strides of the convolution of which this is the gradient, as conv2d takes them.
  std::vector<int64_t> strides = {};
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding = "SAME";
  /// "NHWC", or "NCHW", which no kernel of this engine runs.
  std::string data_format = "NHWC";
  /// As of conv2d.
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.nn.conv2d_transpose: value [N,h,w,in], filter [kh,kw,out,in], output_shape {N,H,W,out}.
Tensor conv2d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const Conv2dTransposeOptions& options = {});

struct ConvTransposeOptions {
  /// As of the convolution whose gradient it is: one number, one for each spatial dimension, or for
  /// each dimension.
  std::vector<int64_t> strides;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding = "SAME";
  /// The order of the dimensions, such as "NWC" or "NCHW"; empty: channels last.
  std::string data_format = {};
  /// As the strides; empty: 1.
  std::vector<int64_t> dilations = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
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

struct PoolOptions {
  /// One a dimension of the input: {1, height, width, 1}; or {height, width}, or one for both.
  std::vector<int64_t> ksize;
  /// As ksize: how far apart the windows are.
  std::vector<int64_t> strides;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// "NHWC", or "NCHW", which no kernel of this engine runs; of one spatial dimension "NWC",
  /// of three "NDHWC".
  std::string data_format = "NHWC";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Mean of each window, over the elements inside of the image.
Tensor avg_pool(const Input& value, const PoolOptions& options);
/// Greatest element of each window.
Tensor max_pool(const Input& value, const PoolOptions& options);

/// The mean of each window: value [N,W,C], with ksize and strides of one number, or one for
/// each dimension.
Tensor avg_pool1d(const Input& value, const PoolOptions& options);
/// The greatest element of each window: value [N,W,C], sizes as of avg_pool1d.
Tensor max_pool1d(const Input& value, const PoolOptions& options);
/// max_pool by another default name.
Tensor max_pool2d(const Input& value, const PoolOptions& options);
/// The mean of each window: value [N,D,H,W,C].
Tensor avg_pool3d(const Input& value, const PoolOptions& options);
/// The greatest element of each window: value [N,D,H,W,C].
Tensor max_pool3d(const Input& value, const PoolOptions& options);
/// The mean of each window of one, two or three dimensions, as the value has them. An empty data format is
/// channels last.
Tensor avg_pool_v2(const Input& value, const PoolOptions& options);
/// The greatest element of each window, of as many dimensions as avg_pool_v2 takes.
Tensor max_pool_v2(const Input& value, const PoolOptions& options);

struct AnyPoolOptions {
  /// What is taken of each window: "AVG" or "MAX".
  std::string pooling_type;
  /// "SAME": zeros around, so that strides of 1 keep the size; "VALID": windows lie inside.
  std::string padding;
  /// One for each spatial dimension; empty: 1.
  std::vector<int64_t> dilation_rate = {};
  /// One for each spatial dimension; empty: 1.
  std::vector<int64_t> strides = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The order of the dimensions, such as "NWC" or "NCHW"; empty: channels last.
  std::string data_format = {};
};
/// tf.nn.pool: windows of as many sizes as there are spatial dimensions, one to three. Throws ValueError for
/// strides with gaps.
Tensor pool(const Input& input, const std::vector<int64_t>& window_shape, const AnyPoolOptions& options);

// ---- elements dropped, rows looked up

struct DropoutOptions {
  /// Probability to keep an element (1.x) or to drop it; give one of them.
  OptionalInput keep_prob = {};
  /// Shape of the random decisions, broadcast to x; empty: x's.
  OptionalInput noise_shape = {};
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The probability to drop an element, from 0 to less than 1. ValueError for both of keep_prob and rate,
  /// and for none.
  OptionalInput rate = {};
};
/// Elements dropped at random become zero, the others are divided by what is kept on the average.
Tensor dropout(const Input& x, const DropoutOptions& options);

/// The rows of `params` by number, as tf::gather gives them; placed with the params. Its gradient is of those
/// rows alone.
Tensor embedding_lookup(const Input& params, const Input& ids, const NameOption& options = {});

// ---- normalisation

struct MomentsOptions {
  /// Whether the dimensions that are averaged over stay, of size 1; true where they meet the input again:
  /// they broadcast then.
  bool keep_dims = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct Moments {
  /// The mean over the axes.
  Tensor mean;
  /// The mean of the squared distances from the mean.
  Tensor variance;
};
/// tf.nn.moments: mean and variance over `axes`.
Moments moments(const Input& x, const std::vector<int64_t>& axes, const MomentsOptions& options = {});

/// tf.nn.weighted_moments: those of elements that count as often as `frequency_weights`, broadcast with
/// x, say.
Moments weighted_moments(const Input& x, const std::vector<int64_t>& axes, const Input& frequency_weights,
                         const MomentsOptions& options = {});

struct SufficientStatisticsOptions {
  /// About what mean and variance lie around; None: 0.
  OptionalInput shift = {};
  /// Keeps reduced dimensions, with size 1; true where the result meets the input again: it broadcasts then.
  bool keep_dims = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct SufficientStatistics {
  /// How many elements are summed up, a scalar.
  Tensor count;
  /// The sum of x - shift over the axes.
  Tensor mean_ss;
  /// The sum of (x - shift)^2 over the axes.
  Tensor variance_ss;
  Tensor shift;  // None where none was given
};
/// tf.nn.sufficient_statistics: number, sum and sum of squares over `axes`, of x - shift.
SufficientStatistics sufficient_statistics(const Input& x, const std::vector<int64_t>& axes,
                                           const SufficientStatisticsOptions& options = {});
/// Mean and variance from those; a shift of None is 0.
Moments normalize_moments(const Input& counts, const Input& mean_ss, const Input& variance_ss,
                          const OptionalInput& shift = {}, const NameOption& options = {});

struct BatchNormalizationOptions {
  /// What is added and multiplied after normalising; None: nothing.
  OptionalInput offset = {};
  /// What is multiplied after normalising; None: nothing.
  OptionalInput scale = {};
  /// Added to the variance, so that nothing is divided by 0; above 0.
  double variance_epsilon = 1e-3;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.nn.batch_normalization: (x - mean) / sqrt(variance + epsilon) * scale + offset.
Tensor batch_normalization(const Input& x, const Input& mean, const Input& variance,
                           const BatchNormalizationOptions& options);

struct L2NormalizeOptions {
  /// The least that the sum of squares counts as: shorter vectors are divided by its root.
  double epsilon = 1e-12;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// x divided by its norm along `axes`: one number, or a list.
Tensor l2_normalize(const Input& x, const Input& axis, const L2NormalizeOptions& options = {});

struct FusedBatchNormOptions {
  /// What training has found so far; needed unless this is training.
  OptionalInput mean = {};
  /// The same of the variance.
  OptionalInput variance = {};
  /// Added to the variance, so that nothing is divided by 0.
  double epsilon = 0.001;
  /// "NHWC" (channels last) or "NCHW" (channels first).
  std::string data_format = "NHWC";
  /// Whether the batch's own mean and variance are taken; else those given; false for predictions.
  bool is_training = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// How much of this batch goes into the moving averages.
  double exponential_avg_factor = 1;
};
struct FusedBatchNorm {
  /// The result, in the shape of x.
  Tensor y;
  /// The mean of each channel: the batch's while training, else the one given.
  Tensor mean;
  /// The variance of each channel, as the mean.
  Tensor variance;
};
/// x with mean 0 and variance 1 for each channel, times scale plus offset, and the mean and variance of the
/// batch. Throws ValueError where mean or variance is needed and left out.
FusedBatchNorm fused_batch_norm(const Input& x, const Input& scale, const Input& offset,
                                const FusedBatchNormOptions& options = {});

// ---- layers without variables

/// x * weights + biases, of [N,in], [in,out] and [out].
Tensor xw_plus_b(const Input& x, const Input& weights, const Input& biases, const NameOption& options = {});
/// relu(x * weights + biases)
Tensor relu_layer(const Input& x, const Input& weights, const Input& biases, const NameOption& options = {});

// ---- losses

/// sum(t * t) / 2
Tensor l2_loss(const Input& t, const NameOption& options = {});

struct CrossEntropyOptions {
  /// What is right; see the function that takes it.
  Input labels;
  /// What the network gives, before softmax or sigmoid.
  Input logits;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct SoftmaxCrossEntropyOptions {
  /// The labels, of the logits' shape; cast to their dtype.
  Input labels;
  /// What the network gives, before softmax: [.., classes].
  Input logits;
  /// The dimension of the classes; -1: the last one.
  int axis = -1;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// -sum(labels * log_softmax(logits)) over the axis, [.., classes] -> [..]; gradients flow into labels too.
/// float16 and bfloat16 are computed as float32.
Tensor softmax_cross_entropy_with_logits_v2(const SoftmaxCrossEntropyOptions& options);
/// softmax_cross_entropy_with_logits_v2 without gradients into labels, as 1.x had it.
Tensor softmax_cross_entropy_with_logits(const SoftmaxCrossEntropyOptions& options);
/// labels are class numbers, int32 or int64 [..]; logits [.., classes]. Where the shapes are not known, a
/// step whose labels and logits do not fit ends with InvalidArgumentError.
Tensor sparse_softmax_cross_entropy_with_logits(const CrossEntropyOptions& options);
/// Element by element: max(x, 0) - x * z + log(1 + exp(-|x|)) for logits x, labels z.
Tensor sigmoid_cross_entropy_with_logits(const CrossEntropyOptions& options);

struct WeightedCrossEntropyOptions {
  /// What is right, from 0 to 1, in the logits' shape.
  Input labels;
  /// What the network gives, before sigmoid.
  Input logits;
  /// What a positive label counts more than a negative one.
  Input pos_weight;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// sigmoid_cross_entropy_with_logits with -log(sigmoid(x)) multiplied by pos_weight. Throws ValueError where
/// the shapes do not fit.
Tensor weighted_cross_entropy_with_logits(const WeightedCrossEntropyOptions& options);

struct LogPoissonOptions {
  /// With Stirling's approximation of log(z!), which does not depend on the prediction; true where losses of
  /// different data are compared; training is the same without.
  bool compute_full_loss = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// exp(c) - z * c for targets z and the logarithm c of what is predicted.
Tensor log_poisson_loss(const Input& targets, const Input& log_input, const LogPoissonOptions& options = {});

// ---- losses of sampled classes

struct SampledLossOptions {
  /// How many true classes each example has.
  int64_t num_true = 1;
  /// Whether a class that is sampled and true is dropped; unset: in sampled_softmax_loss, not in nce_loss;
  /// true where classes are so few that this happens often.
  std::optional<bool> remove_accidental_hits = std::nullopt;
  /// Candidates, how often the true classes are expected among them, and how often the candidates; empty: of
  /// a log-uniform sampler.
  std::vector<Tensor> sampled_values = {};
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf.nn.nce_loss: of weights [classes,dim], biases [classes], labels [N,num_true] and inputs [N,dim].
Tensor nce_loss(const Input& weights, const Input& biases, const Input& labels, const Input& inputs,
                int64_t num_sampled, int64_t num_classes, const SampledLossOptions& options = {});
/// tf.nn.sampled_softmax_loss: the softmax cross entropy of the true classes and `num_sampled` others, of
/// what nce_loss takes; [N]. For training alone, as the sum over all classes is only estimated. Source: Jean
/// et al., 2014.
Tensor sampled_softmax_loss(const Input& weights, const Input& biases, const Input& labels,
                            const Input& inputs, int64_t num_sampled, int64_t num_classes,
                            const SampledLossOptions& options = {});

}  // namespace flowray::tf::nn

#pragma GCC visibility pop
