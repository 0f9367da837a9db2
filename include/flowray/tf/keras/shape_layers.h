#pragma once
/// Layers of tf.keras.layers that move, repeat or leave out elements.

#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct MovedOptions {
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Dimensions of each element in another order: Permute({2, 1}) swaps the first two behind the batch.
class Permute : public Layer {
 public:
  /// Throws ValueError unless `dims` are 1 to n.
  explicit Permute(const std::vector<int64_t>& dims, const MovedOptions& options = {},
                   Where where = Where::current());
  std::string class_name() const override { return "Permute"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Permute>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  std::vector<int64_t> dims_;
};

/// [batch, features] as [batch, n, features].
class RepeatVector : public Layer {
 public:
  /// Throws ValueError for n below 1.
  explicit RepeatVector(int64_t n, const MovedOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "RepeatVector"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<RepeatVector>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t n_;
};

/// How many at the beginning and at the end of a dimension.
using Ends = std::pair<int64_t, int64_t>;

/// Zeros around sequences [batch, time, features].
class ZeroPadding1D : public Layer {
 public:
  /// Throws ValueError for numbers below 0.
  explicit ZeroPadding1D(Ends padding = {1, 1}, const MovedOptions& options = {},
                         Where where = Where::current());
  std::string class_name() const override { return "ZeroPadding1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ZeroPadding1D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends padding_;
};
/// Zeros around images [batch, height, width, channels].
class ZeroPadding2D : public Layer {
 public:
  /// How many rows above and below, and columns left and right. Throws ValueError for numbers below 0.
  explicit ZeroPadding2D(Ends rows = {1, 1}, Ends columns = {1, 1}, const MovedOptions& options = {},
                         Where where = Where::current());
  std::string class_name() const override { return "ZeroPadding2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<ZeroPadding2D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends rows_, columns_;
};
/// Sequences without what stands at their ends. Called, it throws ValueError where nothing is left.
class Cropping1D : public Layer {
 public:
  /// Throws ValueError for numbers below 0.
  explicit Cropping1D(Ends cropping = {1, 1}, const MovedOptions& options = {},
                      Where where = Where::current());
  std::string class_name() const override { return "Cropping1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Cropping1D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends cropping_;
};
/// Images without their borders. Called, it throws ValueError where nothing is left.
class Cropping2D : public Layer {
 public:
  /// How many rows above and below, and columns left and right, are left out. Throws ValueError for numbers
  /// below 0.
  explicit Cropping2D(Ends rows = {0, 0}, Ends columns = {0, 0}, const MovedOptions& options = {},
                      Where where = Where::current());
  std::string class_name() const override { return "Cropping2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Cropping2D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Ends rows_, columns_;
};

/// Each time of sequences so many times.
class UpSampling1D : public Layer {
 public:
  /// Throws ValueError for a size below 1.
  explicit UpSampling1D(int64_t size = 2, const MovedOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "UpSampling1D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<UpSampling1D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  int64_t size_;
};
struct UpSampling2DOptions {
  /// How new pixels get their values: "nearest" copies, "bilinear" is smooth.
  std::string interpolation = "nearest";
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Images of so many times their height and width.
class UpSampling2D : public Layer {
 public:
  /// `size`: one number, or two. Throws ValueError for sizes below 1 and another interpolation.
  explicit UpSampling2D(const std::vector<int64_t>& size = {2, 2}, const UpSampling2DOptions& options = {},
                        Where where = Where::current());
  std::string class_name() const override { return "UpSampling2D"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<UpSampling2D>(*this); }

 protected:
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  std::vector<int64_t> size_;
  bool is_bilinear_;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
