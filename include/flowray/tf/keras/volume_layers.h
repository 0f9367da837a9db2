#pragma once
/// Layers of tf.keras.layers for volumes [batch, depth, height, width, channels].

#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/layer.h>
#include <flowray/tf/keras/pooling_layers.h>
#include <flowray/tf/keras/shape_layers.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct Conv3DOptions {
  /// How far the window moves, in elements: one number, or three. 2 halves the size.
  std::vector<int64_t> strides = {1, 1, 1};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// One number, or three; above 1: gaps between the kernel's elements, which sees further with as many
  /// weights.
  std::vector<int64_t> dilation_rate = {1, 1, 1};
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel: [depth, height, width, channels, filters].
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
/// A convolution over volumes.
class Conv3D : public Layer {
 public:
  /// `kernel_size`: one number, or three. Throws ValueError for sizes below 1.
  Conv3D(int64_t filters, const std::vector<int64_t>& kernel_size, const Conv3DOptions& options = {},
         Where where = Where::current());
  std::string class_name() const override { return "Conv3D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Conv3D>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  Conv3DOptions options_;
  Variable kernel_, bias_;
};

struct Conv3DTransposeOptions {
  /// How far the window moves, in elements of the result: one number, or three. 2 doubles the size.
  std::vector<int64_t> strides = {1, 1, 1};
  /// "valid" or "same", as of the convolution whose gradient it is.
  std::string padding = "valid";
  /// What the result goes through, a name or a function; left out: nothing.
  keras::Activation activation = {};
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel: [depth, height, width, filters, channels].
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
/// What the gradient of a convolution does: volumes grow by their strides.
class Conv3DTranspose : public Layer {
 public:
  /// `kernel_size`: one number, or three. Throws ValueError for sizes below 1.
  Conv3DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                  const Conv3DTransposeOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "Conv3DTranspose"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Conv3DTranspose>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  Conv3DTransposeOptions options_;
  Variable kernel_, bias_;
};

struct Pooling3DOptions {
  /// The size of the windows: one number, or three.
  std::vector<int64_t> pool_size = {2, 2, 2};
  /// How far the window moves: one number, or three; empty: pool_size, so that windows touch.
  std::vector<int64_t> strides = {};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// The greatest element of each window of volumes, or the mean.
class Pooling3D : public Layer {
 public:
  std::string class_name() const override { return is_max_ ? "MaxPooling3D" : "AveragePooling3D"; }

 protected:
  Pooling3D(bool is_max, const Pooling3DOptions& options, Where where);
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  bool is_max_;
  Pooling3DOptions options_;
};
/// The greatest element of each window.
class MaxPooling3D : public Pooling3D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit MaxPooling3D(const Pooling3DOptions& options = {}, Where where = Where::current())
      : Pooling3D(/*is_max=*/true, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<MaxPooling3D>(*this); }
};
/// The mean of each window.
class AveragePooling3D : public Pooling3D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit AveragePooling3D(const Pooling3DOptions& options = {}, Where where = Where::current())
      : Pooling3D(/*is_max=*/false, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<AveragePooling3D>(*this); }
};
/// The greatest element of a volume.
class GlobalMaxPooling3D : public GlobalPooling {
 public:
  /// Has no weights; volumes give [batch, channels].
  explicit GlobalMaxPooling3D(const GlobalPoolingOptions& options = {}) : GlobalPooling(true, 3, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalMaxPooling3D>(*this); }
};
/// The mean of a volume.
class GlobalAveragePooling3D : public GlobalPooling {
 public:
  /// Has no weights; volumes give [batch, channels].
  explicit GlobalAveragePooling3D(const GlobalPoolingOptions& options = {})
      : GlobalPooling(false, 3, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalAveragePooling3D>(*this); }
};

/// Zeros around volumes.
class ZeroPadding3D : public Layer {
 public:
  /// How many planes in front and behind, rows above and below, and columns left and right. Throws ValueError
  /// for numbers below 0.
  explicit ZeroPadding3D(Ends planes = {1, 1}, Ends rows = {1, 1}, Ends columns = {1, 1},
                         const MovedOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "ZeroPadding3D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ZeroPadding3D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends planes_, rows_, columns_;
};
/// Volumes without their borders. Called, it throws ValueError where nothing is left.
class Cropping3D : public Layer {
 public:
  /// How many planes in front and behind, rows above and below, and columns left and right are left out.
  /// Throws ValueError for numbers below 0.
  explicit Cropping3D(Ends planes = {1, 1}, Ends rows = {1, 1}, Ends columns = {1, 1},
                      const MovedOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "Cropping3D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Cropping3D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends planes_, rows_, columns_;
};
/// Volumes of so many times their depth, height and width: each element is copied.
class UpSampling3D : public Layer {
 public:
  /// `size`: one number, or three. Throws ValueError for sizes below 1.
  explicit UpSampling3D(const std::vector<int64_t>& size = {2, 2, 2}, const MovedOptions& options = {},
                        Where where = Where::current());
  std::string class_name() const override { return "UpSampling3D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<UpSampling3D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  std::vector<int64_t> size_;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
