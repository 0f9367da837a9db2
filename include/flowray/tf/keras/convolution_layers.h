#pragma once
/// More convolutions of tf.keras.layers; Conv2D is in layers.h.

#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct Conv1DOptions {
  /// How far the window moves, in times. 2 halves the length.
  int64_t strides = 1;
  /// "valid", "same", or "causal": nothing comes from later times.
  std::string padding = "valid";
  /// Above 1: gaps between the kernel's elements, which sees further with as many weights.
  int64_t dilation_rate = 1;
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel.
  Initializer kernel_initializer = glorot_uniform_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer kernel_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint kernel_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// A convolution over sequences [batch, time, channels].
class Conv1D : public Layer {
 public:
  /// Throws ValueError for sizes below 1.
  Conv1D(int64_t filters, int64_t kernel_size, const Conv1DOptions& options = {},
         Where where = Where::current());
  std::string class_name() const override { return "Conv1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Conv1D>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_, kernel_size_;
  Conv1DOptions options_;
  Variable kernel_, bias_;
};

/// What SeparableConv1D and 2D take: sizes are an int64_t of sequences, a list of one or two of images.
template <class Sizes>
struct SeparableConvOptions {
  /// How far the window moves, in times or elements: one number, or {vertical, horizontal}. 2 halves the
  /// size.
  Sizes strides = Sizes{1};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size. Of sequences also
  /// "causal": nothing comes from later times.
  std::string padding = "valid";
  /// One number, or {vertical, horizontal}; above 1: gaps between the kernel's elements, which sees further
  /// with as many weights.
  Sizes dilation_rate = Sizes{1};
  /// How many channels the first convolution makes of each.
  int64_t depth_multiplier = 1;
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the depthwise kernel: [time, channels, depth_multiplier], or [height, width, ...].
  Initializer depthwise_initializer = glorot_uniform_initializer();
  /// The first value of the pointwise kernel: [1, channels * depth_multiplier, filters], or [1, 1, ...].
  Initializer pointwise_initializer = glorot_uniform_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the depthwise kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer depthwise_regularizer = {};
  /// The same for the pointwise kernel.
  regularizers::Regularizer pointwise_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the depthwise kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a
  /// function.
  constraints::Constraint depthwise_constraint = {};
  /// The same for the pointwise kernel.
  constraints::Constraint pointwise_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
using SeparableConv1DOptions = SeparableConvOptions<int64_t>;
using SeparableConv2DOptions = SeparableConvOptions<std::vector<int64_t>>;

/// A convolution of each channel of sequences by itself, and one of a single time over all of them.
class SeparableConv1D : public Layer {
 public:
  /// Throws ValueError for sizes below 1.
  SeparableConv1D(int64_t filters, int64_t kernel_size, const SeparableConv1DOptions& options = {},
                  Where where = Where::current());
  std::string class_name() const override { return "SeparableConv1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SeparableConv1D>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_, kernel_size_;
  SeparableConv1DOptions options_;
  Variable depthwise_kernel_, pointwise_kernel_, bias_;
};

/// A convolution of each channel by itself, and one of 1 x 1 over all of them.
class SeparableConv2D : public Layer {
 public:
  /// `kernel_size`: one number, or height and width. Throws ValueError for sizes below 1.
  SeparableConv2D(int64_t filters, const std::vector<int64_t>& kernel_size,
                  const SeparableConv2DOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "SeparableConv2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SeparableConv2D>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  SeparableConv2DOptions options_;
  Variable depthwise_kernel_, pointwise_kernel_, bias_;
};

struct DepthwiseConv2DOptions {
  /// How far the window moves, in elements: one number, or {vertical, horizontal}. 2 halves the size.
  std::vector<int64_t> strides = {1, 1};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// One number, or {vertical, horizontal}; above 1: gaps between the kernel's rows and columns, which sees
  /// further with as many weights.
  std::vector<int64_t> dilation_rate = {1, 1};
  /// How many channels are made of each.
  int64_t depth_multiplier = 1;
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the depthwise kernel: [height, width, channels, depth_multiplier].
  Initializer depthwise_initializer = glorot_uniform_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer depthwise_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint depthwise_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// A convolution of each channel by itself.
class DepthwiseConv2D : public Layer {
 public:
  /// `kernel_size`: one number, or height and width. Throws ValueError for sizes below 1.
  explicit DepthwiseConv2D(const std::vector<int64_t>& kernel_size,
                           const DepthwiseConv2DOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "DepthwiseConv2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<DepthwiseConv2D>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  std::vector<int64_t> kernel_size_;
  DepthwiseConv2DOptions options_;
  Variable depthwise_kernel_, bias_;
};

struct Conv2DTransposeOptions {
  /// How far the window moves, in elements: one number, or {vertical, horizontal}. 2 halves the size.
  std::vector<int64_t> strides = {1, 1};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel.
  Initializer kernel_initializer = glorot_uniform_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer kernel_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint kernel_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// What the gradient of a convolution does: images grow by their strides.
class Conv2DTranspose : public Layer {
 public:
  /// `kernel_size`: one number, or height and width. Throws ValueError for sizes below 1.
  Conv2DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                  const Conv2DTransposeOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "Conv2DTranspose"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Conv2DTranspose>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  Conv2DTransposeOptions options_;
  Variable kernel_, bias_;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
