// Layers that give values mean 0 and variance 1: along a batch, and along an element.
#include <flowray/tf/array.h>
#include <flowray/tf/keras/activation_layers.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace flowray::tf::keras::layers {
namespace {

/// The sizes of these dimensions, one after the other. Throws ValueError where one is not known.
std::vector<int64_t> sizes_along(const std::vector<int64_t>& axes, const TensorShape& shape) {
  std::vector<int64_t> sizes;
  for (const int64_t axis : axes) sizes.push_back(shape.dim(static_cast<int>(axis)));
  if (std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; })) return sizes;
  const ErrorLine line{Input::Where()};
  throw ValueError(
      fmt::format("Input has undefined `axis` dimension. Received input with shape {} and axis=({}{})",
                  shape.to_tuple_string(), fmt::join(axes, ", "), axes.size() == 1 ? "," : ""));
}

/// 1 for each dimension but these.
std::vector<int64_t> ones_beside(const std::vector<int64_t>& axes, const TensorShape& shape) {
  std::vector<int64_t> sizes(static_cast<size_t>(shape.rank()), 1);
  for (const int64_t axis : axes) sizes[static_cast<size_t>(axis)] = shape.dim(static_cast<int>(axis));
  return sizes;
}

std::vector<int64_t> others_than(const std::vector<int64_t>& axes, int64_t rank) {
  std::vector<int64_t> others;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::ranges::find(axes, axis) == axes.end()) others.push_back(axis);
  return others;
}

/// What lies along `axes`, so that it broadcasts with inputs of this shape.
Tensor along(const Tensor& values, const std::vector<int64_t>& axes, const TensorShape& shape) {
  if (!shape.has_rank()) {
    throw ValueError(
        "Cannot take the length of shape with unknown rank.\nGive the layer's input a shape "
        "(tf::Tensor::set_shape).");
  }
  const bool is_last = axes == std::vector<int64_t>{shape.rank() - 1};
  if (is_last || values.shape().rank() == shape.rank()) return values;
  return reshape(values, ones_beside(axes, shape));
}

template <class Io, class Options>
void list_normalization_rules(Io& io, Options& options) {
  io("beta_regularizer", options.beta_regularizer);
  io("gamma_regularizer", options.gamma_regularizer);
  io("beta_constraint", options.beta_constraint);
  io("gamma_constraint", options.gamma_constraint);
}

struct BatchNormalizationArguments {
  BatchNormalizationOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.axis("axis", options.axis);
    io("momentum", options.momentum);
    io("epsilon", options.epsilon);
    io("center", options.center);
    io("scale", options.scale);
    io("beta_initializer", options.beta_initializer);
    io("gamma_initializer", options.gamma_initializer);
    io("moving_mean_initializer", options.moving_mean_initializer);
    io("moving_variance_initializer", options.moving_variance_initializer);
    list_normalization_rules(io, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<BatchNormalization>(options); }
};

struct LayerNormalizationArguments {
  LayerNormalizationOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.axis("axis", options.axis);
    io("epsilon", options.epsilon);
    io("center", options.center);
    io("scale", options.scale);
    io("beta_initializer", options.beta_initializer);
    io("gamma_initializer", options.gamma_initializer);
    list_normalization_rules(io, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<LayerNormalization>(options); }
};

}  // namespace

// ---- BatchNormalization

BatchNormalization::BatchNormalization(const BatchNormalizationOptions& options)
    : Layer("BatchNormalization", {.name = options.name}), options_(options) {
  support_masking();
  LayerConfig::keep(*this, BatchNormalizationArguments{options});
}

void BatchNormalization::build(const TensorShape& input_shape) {
  axis_ = axes_of(options_.axis, input_shape);
  LayerConfig::change(*this, "axis", axis_);
  const std::vector<int64_t> sizes = sizes_along(axis_, input_shape);
  const int64_t rank = input_shape.rank();
  // As tf.keras chooses: the fused op takes pictures and volumes, and averages a variance of n - 1.
  is_fused_ = dtype() == float32 && (rank == 4 || rank == 5) && axis_.size() == 1 &&
              (axis_[0] == 1 || axis_[0] == rank - 1);
  const TensorShape shape(axis_.size() == 1 ? sizes : ones_beside(axis_, input_shape));
  if (options_.scale) gamma_ = add_weight("gamma", shape, {.initializer = options_.gamma_initializer});
  if (options_.center) beta_ = add_weight("beta", shape, {.initializer = options_.beta_initializer});
  moving_mean_ =
      add_weight("moving_mean", shape, {.initializer = options_.moving_mean_initializer, .trainable = false});
  moving_variance_ = add_weight("moving_variance", shape,
                                {.initializer = options_.moving_variance_initializer, .trainable = false});
}

Tensor BatchNormalization::fused(const Tensor& inputs, Tensor& mean, Tensor& variance, bool training) const {
  const bool is_volume = inputs.shape().rank() == 5;
  const bool is_first = axis_[0] == 1;
  nn::FusedBatchNormOptions options{.epsilon = options_.epsilon, .is_training = training};
  options.data_format = is_volume ? (is_first ? "NCDHW" : "NDHWC") : (is_first ? "NCHW" : "NHWC");
  if (!training) options.mean = mean, options.variance = variance;
  const Tensor gamma = gamma_.has_value() ? gamma_.value() : ones(moving_mean_.shape());
  const Tensor beta = beta_.has_value() ? beta_.value() : zeros(moving_mean_.shape());
  const nn::FusedBatchNorm made = nn::fused_batch_norm(inputs, gamma, beta, options);
  mean = made.mean;
  variance = made.variance;
  return made.y;
}

Tensor BatchNormalization::normalized(const Tensor& inputs, Tensor& mean, Tensor& variance,
                                      bool training) const {
  const TensorShape& shape = inputs.shape();
  if (training) {
    const std::vector<int64_t> axes = others_than(axis_, shape.rank());
    const nn::MomentsOptions options{.keep_dims = axis_.size() > 1};
    const Tensor mask = input_masks()[0];
    const nn::Moments moments =
        mask.has_value() ? nn::weighted_moments(
                               inputs, axes, expand_dims(cast(mask, base_dtype(inputs.dtype())), -1), options)
                         : nn::moments(inputs, axes, options);
    mean = moments.mean;
    variance = moments.variance;
  }
  nn::BatchNormalizationOptions options{.variance_epsilon = options_.epsilon};
  if (beta_.has_value()) options.offset = along(beta_.value(), axis_, shape);
  if (gamma_.has_value()) options.scale = along(gamma_.value(), axis_, shape);
  return nn::batch_normalization(inputs, along(mean, axis_, shape), along(variance, axis_, shape), options);
}

Tensor BatchNormalization::call(const Tensor& inputs, bool training) {
  Tensor mean = moving_mean_.value();
  Tensor variance = moving_variance_.value();
  const Tensor result =
      is_fused_ ? fused(inputs, mean, variance, training) : normalized(inputs, mean, variance, training);
  if (training) {
    const auto average = [&](const Variable& moving, const Tensor& value) {
      add_update(moving.assign_sub((moving - value) * (1 - options_.momentum)).op());
    };
    average(moving_mean_, mean);
    average(moving_variance_, variance);
  }
  return result;
}

// ---- LayerNormalization

LayerNormalization::LayerNormalization(const LayerNormalizationOptions& options)
    : Layer("LayerNormalization", {.name = options.name, .input_shape = options.input_shape}),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, LayerNormalizationArguments{options});
}

void LayerNormalization::build(const TensorShape& input_shape) {
  axis_ = axes_of(options_.axis, input_shape);
  LayerConfig::change(*this, "axis", axis_);
  const TensorShape shape(sizes_along(axis_, input_shape));
  if (options_.scale) gamma_ = add_weight("gamma", shape, {.initializer = options_.gamma_initializer});
  if (options_.center) beta_ = add_weight("beta", shape, {.initializer = options_.beta_initializer});
}

Tensor LayerNormalization::call(const Tensor& inputs, bool) {
  const Tensor mean = reduce_mean(inputs, axis_, {.keepdims = true});
  const Tensor apart = inputs - mean;
  Tensor result = apart * rsqrt(reduce_mean(square(apart), axis_, {.keepdims = true}) + options_.epsilon);
  if (gamma_.has_value()) result = result * along(gamma_.value(), axis_, inputs.shape());
  return beta_.has_value() ? result + along(beta_.value(), axis_, inputs.shape()) : result;
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_normalization_layers(LayerTable& table) {
  table.add<layers::BatchNormalizationArguments>("BatchNormalization");
  table.add<layers::LayerNormalizationArguments>("LayerNormalization");
}
