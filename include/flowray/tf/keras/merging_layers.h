#pragma once
/// Layers of tf.keras.layers that make one tensor of several: Add()({a, b}).

#include <flowray/tf/keras/layer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct MergeOptions {
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// What those that go element by element have in common. Where tensors have different ranks, dimensions of 1
/// are put behind the batch; sizes must be equal or 1. Called, they throw ValueError for a single tensor and
/// for sizes that do not fit.
class Merge : public Layer {
 protected:
  Merge(const std::string& class_name, const MergeOptions& options);
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;
  /// Of inputs of the same rank.
  virtual Tensor merged(const std::vector<Tensor>& inputs) = 0;
};

/// The sum.
class Add : public Merge {
 public:
  /// Has no weights; any number of inputs from two on.
  explicit Add(const MergeOptions& options = {}) : Merge("Add", options) {}
  std::string class_name() const override { return "Add"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Add>(*this); }

 protected:
  Tensor merged(const std::vector<Tensor>& inputs) override;
};
/// The first less the second, of exactly two.
class Subtract : public Merge {
 public:
  /// Has no weights; called with another number of inputs than two it throws ValueError.
  explicit Subtract(const MergeOptions& options = {}) : Merge("Subtract", options) {}
  std::string class_name() const override { return "Subtract"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Subtract>(*this); }

 protected:
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  Tensor merged(const std::vector<Tensor>& inputs) override;
};
/// The product.
class Multiply : public Merge {
 public:
  /// Has no weights; any number of inputs from two on.
  explicit Multiply(const MergeOptions& options = {}) : Merge("Multiply", options) {}
  std::string class_name() const override { return "Multiply"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Multiply>(*this); }

 protected:
  Tensor merged(const std::vector<Tensor>& inputs) override;
};
/// The mean.
class Average : public Merge {
 public:
  /// Has no weights; any number of inputs from two on.
  explicit Average(const MergeOptions& options = {}) : Merge("Average", options) {}
  std::string class_name() const override { return "Average"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Average>(*this); }

 protected:
  Tensor merged(const std::vector<Tensor>& inputs) override;
};
/// The greatest.
class Maximum : public Merge {
 public:
  /// Has no weights; any number of inputs from two on.
  explicit Maximum(const MergeOptions& options = {}) : Merge("Maximum", options) {}
  std::string class_name() const override { return "Maximum"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Maximum>(*this); }

 protected:
  Tensor merged(const std::vector<Tensor>& inputs) override;
};
/// The least.
class Minimum : public Merge {
 public:
  /// Has no weights; any number of inputs from two on.
  explicit Minimum(const MergeOptions& options = {}) : Merge("Minimum", options) {}
  std::string class_name() const override { return "Minimum"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Minimum>(*this); }

 protected:
  Tensor merged(const std::vector<Tensor>& inputs) override;
};

struct ConcatenateOptions {
  /// Counted from the end where it is below 0; the batch is 0.
  int64_t axis = -1;
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// One tensor behind the other along an axis. Called, it throws ValueError for shapes that differ elsewhere.
class Concatenate : public Layer {
 public:
  /// Has no weights.
  explicit Concatenate(const ConcatenateOptions& options = {});
  std::string class_name() const override { return "Concatenate"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Concatenate>(*this); }

 protected:
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  int64_t axis_;
};

struct DotOptions {
  /// Whether both are divided by their length along the axis first: gives the cosine of their angle; true to
  /// compare directions, false where lengths count.
  bool normalize = false;
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Products of two tensors, summed along an axis of each: of [batch, n] and [batch, n] it is [batch, 1].
class Dot : public Layer {
 public:
  /// `axes`: one for both, or one for each. Throws ValueError for another number of them.
  explicit Dot(const std::vector<int64_t>& axes, const DotOptions& options = {},
               Where where = Where::current());
  std::string class_name() const override { return "Dot"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Dot>(*this); }

 protected:
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  /// Those of tensors of these ranks, from the front.
  std::vector<int64_t> axes_for(const TensorShape& first, const TensorShape& second) const;

  std::vector<int64_t> axes_;
  bool normalize_;
};

// ---- the same as functions, for functional models: layers::add({a, b})

/// Add(options)(inputs).
inline KerasTensor add(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                       Layer::Where where = Layer::Where::current()) {
  return Add(options)(inputs, {}, where);
}
/// Subtract(options)(inputs).
inline KerasTensor subtract(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                            Layer::Where where = Layer::Where::current()) {
  return Subtract(options)(inputs, {}, where);
}
/// Multiply(options)(inputs).
inline KerasTensor multiply(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                            Layer::Where where = Layer::Where::current()) {
  return Multiply(options)(inputs, {}, where);
}
/// Average(options)(inputs).
inline KerasTensor average(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                           Layer::Where where = Layer::Where::current()) {
  return Average(options)(inputs, {}, where);
}
/// Maximum(options)(inputs).
inline KerasTensor maximum(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                           Layer::Where where = Layer::Where::current()) {
  return Maximum(options)(inputs, {}, where);
}
/// Minimum(options)(inputs).
inline KerasTensor minimum(const std::vector<KerasTensor>& inputs, const MergeOptions& options = {},
                           Layer::Where where = Layer::Where::current()) {
  return Minimum(options)(inputs, {}, where);
}
/// Concatenate(options)(inputs).
inline KerasTensor concatenate(const std::vector<KerasTensor>& inputs, const ConcatenateOptions& options = {},
                               Layer::Where where = Layer::Where::current()) {
  return Concatenate(options)(inputs, {}, where);
}
/// Dot(axes, options)(inputs).
inline KerasTensor dot(const std::vector<KerasTensor>& inputs, const std::vector<int64_t>& axes,
                       const DotOptions& options = {}, Layer::Where where = Layer::Where::current()) {
  return Dot(axes, options, where)(inputs, {}, where);
}

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
