#pragma once
/// Activations of tf.keras.layers that have numbers of their own, and layers that normalise or add noise.

#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct PlainOptions {
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};

/// x where it is above 0, else alpha * x.
class LeakyReLU : public Layer {
 public:
  /// `alpha`: the slope below 0.
  explicit LeakyReLU(double alpha = 0.3, const PlainOptions& options = {});
  std::string class_name() const override { return "LeakyReLU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<LeakyReLU>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double alpha_;
};

struct ReLUOptions {
  /// What is greater becomes this; left out: no limit.
  std::optional<double> max_value = {};
  /// What x - threshold is multiplied by below the threshold.
  double negative_slope = 0;
  /// Below it the result is 0, or negative_slope times the difference; at least 0.
  double threshold = 0;
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// x where it is above the threshold, else 0.
class ReLU : public Layer {
 public:
  /// Throws ValueError for numbers below 0.
  explicit ReLU(const ReLUOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "ReLU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ReLU>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  ReLUOptions options_;
};

/// x where it is above 0, else alpha * (exp(x) - 1).
class ELU : public Layer {
 public:
  /// `alpha`: minus the value that it comes near to far below 0.
  explicit ELU(double alpha = 1.0, const PlainOptions& options = {});
  std::string class_name() const override { return "ELU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ELU>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double alpha_;
};

/// x where it is above theta, else 0.
class ThresholdedReLU : public Layer {
 public:
  /// Throws ValueError for theta below 0.
  explicit ThresholdedReLU(double theta = 1.0, const PlainOptions& options = {},
                           Where where = Where::current());
  std::string class_name() const override { return "ThresholdedReLU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ThresholdedReLU>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double theta_;
};

struct PReLUOptions {
  /// The first value of alpha; 0: the layer begins as a ReLU.
  Initializer alpha_initializer = zeros_initializer();
  /// What is added to the loss for the alpha: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer alpha_regularizer = {};
  /// What the alpha becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint alpha_constraint = {};
  /// Dimensions along which alpha is the same, counted from 1, the first behind the batch: {1, 2} has one
  /// alpha for each channel of images. Empty: none.
  std::vector<int64_t> shared_axes = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// x where it is above 0, else alpha * x, where alpha is learned. Source: He et al., 2015.
class PReLU : public Layer {
 public:
  /// Makes alpha when it is built, one for each element but along shared_axes.
  explicit PReLU(const PReLUOptions& options = {});
  std::string class_name() const override { return "PReLU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<PReLU>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  PReLUOptions options_;
  Variable alpha_;
};

/// exp(x), divided by its sum along an axis.
class Softmax : public Layer {
 public:
  /// `axis`: the dimension whose sums are 1, counted from the end where it is below 0.
  explicit Softmax(int64_t axis = -1, const PlainOptions& options = {});
  std::string class_name() const override { return "Softmax"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Softmax>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t axis_;
};

struct LayerNormalizationOptions {
  /// Added to the variance before the root, against a division by 0.
  double epsilon = 1e-3;
  /// Whether beta is added to the result; false before a linear layer that adds a bias.
  bool center = true;
  /// Whether the result is multiplied by gamma. To be turned off before a linear layer, which scales, too.
  bool scale = true;
  /// The first value of beta.
  Initializer beta_initializer = zeros_initializer();
  /// The first value of gamma.
  Initializer gamma_initializer = ones_initializer();
  /// What is added to the loss for the beta: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer beta_regularizer = {};
  /// The same for the gamma.
  regularizers::Regularizer gamma_regularizer = {};
  /// What the beta becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint beta_constraint = {};
  /// The same for the gamma.
  constraints::Constraint gamma_constraint = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
  /// The dimensions along which mean and variance are taken, -1 the last one.
  std::vector<int64_t> axis = {-1};
};
/// Values with mean 0 and variance 1 along the last dimension, or those of `axis`. Source: Ba et al., 2016.
class LayerNormalization : public Layer {
 public:
  /// Makes gamma and beta when it is built, with one element for each of the dimensions that are normalised.
  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  std::string class_name() const override { return "LayerNormalization"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<LayerNormalization>(*this); }
  /// The dimensions along which it normalises, from 0 on; empty before it is built.
  const std::vector<int64_t>& axes() const { return axis_; }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  LayerNormalizationOptions options_;
  std::vector<int64_t> axis_;  // from 0 on, when it is built
  Variable gamma_, beta_;
};

struct NoiseOptions {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// In training a normal number of mean 0 is added to each element.
class GaussianNoise : public Layer {
 public:
  /// Throws ValueError for a standard deviation below 0.
  explicit GaussianNoise(double stddev, const NoiseOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "GaussianNoise"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GaussianNoise>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double stddev_;
  NoiseOptions options_;
};
/// Dropout of whole channels of sequences.
class SpatialDropout1D : public Layer {
 public:
  /// Throws ValueError for a rate outside of 0 to 1.
  explicit SpatialDropout1D(double rate, const NoiseOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "SpatialDropout1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SpatialDropout1D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double rate_;
  NoiseOptions options_;
};
/// Dropout of whole channels of images.
class SpatialDropout2D : public Layer {
 public:
  /// Throws ValueError for a rate outside of 0 to 1.
  explicit SpatialDropout2D(double rate, const NoiseOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "SpatialDropout2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SpatialDropout2D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double rate_;
  NoiseOptions options_;
};
/// Dropout of whole channels of volumes.
class SpatialDropout3D : public Layer {
 public:
  /// Throws ValueError for a rate outside of 0 to 1.
  explicit SpatialDropout3D(double rate, const NoiseOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "SpatialDropout3D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SpatialDropout3D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double rate_;
  NoiseOptions options_;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
