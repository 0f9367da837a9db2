#pragma once
/// Pooling of sequences, and of all that there is, in tf.keras.layers. That of images is in layers.h.

#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct Pooling1DOptions {
  /// The size of the windows, in times.
  int64_t pool_size = 2;
  /// How far the window moves, in times; 0: pool_size, so that windows touch.
  int64_t strides = 0;
  /// "valid": windows lie inside; "same": zeros around, so that strides of 1 keep the size.
  std::string padding = "valid";
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// The greatest element of each window of sequences [batch, time, channels], or the mean.
class Pooling1D : public Layer {
 public:
  std::string class_name() const override { return is_max_ ? "MaxPooling1D" : "AveragePooling1D"; }

 protected:
  Pooling1D(bool is_max, const Pooling1DOptions& options, Where where);
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  bool is_max_;
  Pooling1DOptions options_;
};
/// The greatest element of each window.
class MaxPooling1D : public Pooling1D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit MaxPooling1D(const Pooling1DOptions& options = {}, Where where = Where::current())
      : Pooling1D(/*is_max=*/true, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<MaxPooling1D>(*this); }
};
/// The mean of each window.
class AveragePooling1D : public Pooling1D {
 public:
  /// Throws ValueError for sizes below 1.
  explicit AveragePooling1D(const Pooling1DOptions& options = {}, Where where = Where::current())
      : Pooling1D(/*is_max=*/false, options, where) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<AveragePooling1D>(*this); }
};

struct GlobalPoolingOptions {
  /// Whether the dimensions stay, with 1 element; true where a convolution or a product with the input
  /// follows.
  bool keepdims = false;
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// One number for each channel, of all times or all of an image or volume.
class GlobalPooling : public Layer {
 public:
  std::string class_name() const override;

 protected:
  /// Of sequences (`dims` 1), images (2) or volumes (3).
  GlobalPooling(bool is_max, int dims, const GlobalPoolingOptions& options);
  Tensor call(const Tensor& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  bool is_max_;
  int dims_;
  bool keepdims_;
};
/// The greatest element of all times.
class GlobalMaxPooling1D : public GlobalPooling {
 public:
  /// Has no weights; [batch, time, channels] gives [batch, channels].
  explicit GlobalMaxPooling1D(const GlobalPoolingOptions& options = {}) : GlobalPooling(true, 1, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalMaxPooling1D>(*this); }
};
/// The mean of all times.
class GlobalAveragePooling1D : public GlobalPooling {
 public:
  /// Has no weights; [batch, time, channels] gives [batch, channels].
  explicit GlobalAveragePooling1D(const GlobalPoolingOptions& options = {})
      : GlobalPooling(false, 1, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalAveragePooling1D>(*this); }
};
/// The greatest element of an image.
class GlobalMaxPooling2D : public GlobalPooling {
 public:
  /// Has no weights; [batch, height, width, channels] gives [batch, channels].
  explicit GlobalMaxPooling2D(const GlobalPoolingOptions& options = {}) : GlobalPooling(true, 2, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalMaxPooling2D>(*this); }
};
/// The mean of an image.
class GlobalAveragePooling2D : public GlobalPooling {
 public:
  /// Has no weights; [batch, height, width, channels] gives [batch, channels].
  explicit GlobalAveragePooling2D(const GlobalPoolingOptions& options = {})
      : GlobalPooling(false, 2, options) {}
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GlobalAveragePooling2D>(*this); }
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
