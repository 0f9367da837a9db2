#pragma once
/// tf.keras.layers: layers as objects, which have weights of their own once they are built. Names of layers
/// and weights are tf.keras' ("dense_1/kernel"). A program's own layers derive from Layer (layer.h).

#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

namespace layers {

struct DenseOptions {
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
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
  /// The shape of an element, for the first layer of a model: the model is then built at once.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// activation(inputs * kernel + bias): inputs [..., n] give [..., units].
class Dense : public Layer {
 public:
  /// Throws ValueError for units below 1.
  explicit Dense(int64_t units, const DenseOptions& options = {},
                 Input::Where where = Input::Where::current());
  /// Its name in summaries.
  std::string class_name() const override { return "Dense"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Dense>(*this); }

 protected:
  /// Makes the weights.
  void build(const TensorShape& input_shape) override;
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t units_;
  DenseOptions options_;
  Variable kernel_, bias_;
};

struct Conv2DOptions {
  /// One number, or {vertical, horizontal}.
  std::vector<int64_t> strides = {1, 1};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// One number, or {vertical, horizontal}; greater than 1: gaps between the kernel's rows and columns.
  std::vector<int64_t> dilation_rate = {1, 1};
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
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
  /// The shape of an element, for the first layer of a model: the model is then built at once.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// A convolution over images [batch, height, width, channels].
class Conv2D : public Layer {
 public:
  /// `kernel_size`: one number, or height and width. Throws ValueError for sizes below 1.
  Conv2D(int64_t filters, const std::vector<int64_t>& kernel_size, const Conv2DOptions& options = {},
         Input::Where where = Input::Where::current());
  /// Its name in summaries.
  std::string class_name() const override { return "Conv2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Conv2D>(*this); }

 protected:
  /// Makes the weights.
  void build(const TensorShape& input_shape) override;
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  Conv2DOptions options_;
  Variable kernel_, bias_;
};

struct Pooling2DOptions {
  /// The size of the windows: one number, or {height, width}.
  std::vector<int64_t> pool_size = {2, 2};
  /// How far the window moves: one number, or {vertical, horizontal}; empty: pool_size.
  std::vector<int64_t> strides = {};
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// What the two have in common.
class Pooling2D : public Layer {
 public:
  /// Its name in summaries.
  std::string class_name() const override;

 protected:
  enum class Kind { kMax, kAverage };
  Pooling2D(Kind kind, const Pooling2DOptions& options, Input::Where where);
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Kind kind_;
  Pooling2DOptions options_;
};
/// The greatest element of each window of images.
class MaxPooling2D : public Pooling2D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit MaxPooling2D(const Pooling2DOptions& options = {}, Input::Where where = Input::Where::current())
      : Pooling2D(Kind::kMax, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<MaxPooling2D>(*this); }
};
/// The mean of each window.
class AveragePooling2D : public Pooling2D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit AveragePooling2D(const Pooling2DOptions& options = {},
                            Input::Where where = Input::Where::current())
      : Pooling2D(Kind::kAverage, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<AveragePooling2D>(*this); }
};

struct ShapedOptions {
  /// The shape of an element, for the first layer of a model: the model is then built at once.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// [batch, ...] as [batch, n].
class Flatten : public Layer {
 public:
  /// A layer without weights.
  explicit Flatten(const ShapedOptions& options = {});
  /// Its name in summaries.
  std::string class_name() const override { return "Flatten"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Flatten>(*this); }

 protected:
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;
};
/// [batch, ...] as [batch] + target_shape, one of whose dimensions may be -1. Called, it throws ValueError
/// for inputs that have another number of elements.
class Reshape : public Layer {
 public:
  /// Throws ValueError for two dimensions of -1.
  explicit Reshape(const std::vector<int64_t>& target_shape, const ShapedOptions& options = {},
                   Input::Where where = Input::Where::current());
  /// Its name in summaries.
  std::string class_name() const override { return "Reshape"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Reshape>(*this); }

 protected:
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  std::vector<int64_t> target_shape_;
};
/// A function of each element.
class Activation : public Layer {
 public:
  /// `activation` is a name or a function.
  explicit Activation(const keras::Activation& activation, const ShapedOptions& options = {});
  /// Its name in summaries.
  std::string class_name() const override { return "Activation"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Activation>(*this); }

 protected:
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  keras::Activation activation_;
};

struct DropoutOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// In training each element is 0 by the chance of `rate`, else divided by 1 - rate.
class Dropout : public Layer {
 public:
  /// Throws ValueError for a rate outside of 0 to 1.
  explicit Dropout(double rate, const DropoutOptions& options = {},
                   Input::Where where = Input::Where::current());
  /// Its name in summaries.
  std::string class_name() const override { return "Dropout"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Dropout>(*this); }

 protected:
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double rate_;
  DropoutOptions options_;
};

struct BatchNormalizationOptions {
  /// How much of the averages stays in each step of training.
  double momentum = 0.99;
  /// Added to the variance before the root, against a division by 0.
  double epsilon = 1e-3;
  /// Whether beta is added; false before a linear layer that adds a bias.
  bool center = true;
  /// Whether it is multiplied by gamma; false before a linear layer (or relu and one), which scales, too.
  bool scale = true;
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
  /// The dimensions that are normalised apart from each other, -1 the last one. 1 where channels come first.
  std::vector<int64_t> axis = {-1};
  /// The first value of beta.
  Initializer beta_initializer = zeros_initializer();
  /// The first value of gamma.
  Initializer gamma_initializer = ones_initializer();
  /// The mean before training.
  Initializer moving_mean_initializer = zeros_initializer();
  /// The variance before training.
  Initializer moving_variance_initializer = ones_initializer();
  /// What is added to the loss for the beta: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer beta_regularizer = {};
  /// The same for the gamma.
  regularizers::Regularizer gamma_regularizer = {};
  /// What the beta becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint beta_constraint = {};
  /// The same for the gamma.
  constraints::Constraint gamma_constraint = {};
};
/// Values of each channel, the last dimension unless `axis` says others, with mean 0 and variance 1: those of
/// the batch in training, else those that training has averaged. Source: Ioffe and Szegedy, 2015.
class BatchNormalization : public Layer {
 public:
  /// Makes gamma, beta and the moving averages when it is built.
  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  /// Its name in summaries.
  std::string class_name() const override { return "BatchNormalization"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<BatchNormalization>(*this); }
  /// The dimensions that are normalised apart from each other, from 0 on; empty before it is built.
  const std::vector<int64_t>& axes() const { return axis_; }

 protected:
  /// Makes the weights.
  void build(const TensorShape& input_shape) override;
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Tensor normalized(const Tensor& inputs, Tensor& mean, Tensor& variance, bool training) const;
  Tensor fused(const Tensor& inputs, Tensor& mean, Tensor& variance, bool training) const;

  BatchNormalizationOptions options_;
  std::vector<int64_t> axis_;  // from 0 on, when it is built
  bool is_fused_ = false;
  Variable gamma_, beta_, moving_mean_, moving_variance_;
};

struct EmbeddingOptions {
  /// The first value of the rows.
  Initializer embeddings_initializer = initializers::get("random_uniform");
  /// What is added to the loss for the rows: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer embeddings_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the rows become behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint embeddings_constraint = {};
  /// Of an element: so many numbers.
  std::optional<int64_t> input_length = {};
  /// Whether times of 0 do not count: layers over time pass over them, losses leave them out; true where 0
  /// fills sequences up; no word may have that number then.
  bool mask_zero = false;
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// A row of [input_dim, output_dim] for each number below input_dim.
class Embedding : public Layer {
 public:
  /// Throws ValueError for dimensions below 1.
  Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions& options = {},
            Input::Where where = Input::Where::current());
  /// Its name in summaries.
  std::string class_name() const override { return "Embedding"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Embedding>(*this); }

 protected:
  /// Makes the weights.
  void build(const TensorShape& input_shape) override;
  /// What it makes of its inputs.
  Tensor call(const Tensor& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  int64_t input_dim_, output_dim_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

struct MaskingOptions {
  /// What all features of a time are where it does not count.
  double mask_value = 0;
  /// Of an element, for the first layer of a model.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Times of [batch, time, features] whose features are all `mask_value` do not count.
class Masking : public Layer {
 public:
  /// Has no weights; what it gives has zeros at times that do not count.
  explicit Masking(const MaskingOptions& options = {});
  /// Its name in summaries.
  std::string class_name() const override { return "Masking"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Masking>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  double mask_value_;
};

}  // namespace layers
}  // namespace flowray::tf::keras

#pragma GCC visibility pop
