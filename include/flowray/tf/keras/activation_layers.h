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
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};

/// x where it is above 0, else alpha * x.
class LeakyReLU : public Layer {
 public:
  explicit LeakyReLU(double alpha = 0.3, const PlainOptions& options = {});
  std::string class_name() const override { return "LeakyReLU"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<LeakyReLU>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  double alpha_;
};

struct ReLUOptions {
  /// What is greater becomes this.
  std::optional<double> max_value = {};
  /// What x - threshold is multiplied by below the threshold.
  double negative_slope = 0;
  double threshold = 0;
  std::optional<TensorShape> input_shape = {};
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
  Initializer alpha_initializer = zeros_initializer();
  /// Dimensions along which alpha is the same.
  std::vector<int64_t> shared_axes = {};
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// x where it is above 0, else alpha * x, where alpha is learned. Source: He et al., 2015.
class PReLU : public Layer {
 public:
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
  explicit Softmax(int64_t axis = -1, const PlainOptions& options = {});
  std::string class_name() const override { return "Softmax"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Softmax>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t axis_;
};

struct LayerNormalizationOptions {
  /// Added to the variance.
  double epsilon = 1e-3;
  /// Whether beta is added, and whether it is multiplied by gamma.
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = zeros_initializer();
  Initializer gamma_initializer = ones_initializer();
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// Values with mean 0 and variance 1 along the last dimension. Source: Ba et al., 2016.
class LayerNormalization : public Layer {
 public:
  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  std::string class_name() const override { return "LayerNormalization"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<LayerNormalization>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  LayerNormalizationOptions options_;
  Variable gamma_, beta_;
};

struct NoiseOptions {
  std::optional<int64_t> seed = {};
  std::optional<TensorShape> input_shape = {};
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

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
