// tf.layers.batch_normalization.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/call_scope.h"
#include "tf/build/collections.h"
#include "tf/layers/layer_parts.h"
#include "tf/layers/layer_variables.h"

#include <fmt/format.h>

#include <variant>

namespace flowray::tf::layers {
namespace {

/// Moves the variable's value towards `value` by 1 - momentum.
Tensor follow(const Variable& variable, const Tensor& value, const std::variant<Tensor, double>& momentum) {
  const NameScopeGuard scope = name_scope("AssignMovingAvg");
  const ColocationGuard beside = colocate_with(variable.op());
  const auto* number = std::get_if<double>(&momentum);
  const DType dtype = base_dtype(variable.dtype());
  const Tensor decay = number == nullptr
                           ? 1.0 - std::get<Tensor>(momentum)
                           : convert_to_tensor(1.0 - *number, {.dtype = dtype, .name = "decay"});
  const Tensor step = (variable - value) * decay;
  return variable.assign_sub(step, {.name = scope.path()});
}

class BatchNormalization {
 public:
  BatchNormalization(const Tensor& x, const BatchNormalizationOptions& options)
      : x_(x), options_(options), training_(known_truth(options.training)) {
    const int rank = x.shape().rank();
    axis_ = options.axis < 0 ? options.axis + rank : options.axis;
    if (axis_ < 0 || axis_ >= rank)
      throw ValueError(
          fmt::format("Invalid axis. Expected 0 <= axis < inputs.rank (with inputs.rank={}). Received: "
                      "layer.axis=[{}]",
                      rank, options.axis));
    channels_ = x.shape().dim(static_cast<int>(axis_));
    if (channels_ < 0)
      throw ValueError(
          fmt::format("Input has undefined `axis` dimension. Received input with shape {}. Axis value: [{}]",
                      x.shape().to_tuple_string(), axis_));
  }

  Tensor build() {
    const DType dtype = base_dtype(x_.dtype());
    const auto variable = [&](const char* name, const Initializer& given, const Initializer& usual,
                              bool trainable, const Regularizer& regularizer = {}) {
      return layer_variable(name, {channels_},
                            {.dtype = dtype,
                             .initializer = given.has_value() ? given : usual,
                             .regularizer = regularizer,
                             .trainable = trainable});
    };
    const bool trainable = options_.trainable;
    if (options_.scale) {
      gamma_ = variable("gamma", options_.gamma_initializer, ones_initializer(), trainable,
                        options_.gamma_regularizer);
    }
    if (options_.center) {
      beta_ = variable("beta", options_.beta_initializer, zeros_initializer(), trainable,
                       options_.beta_regularizer);
    }
    mean_ = variable("moving_mean", options_.moving_mean_initializer, zeros_initializer(), false);
    variance_ = variable("moving_variance", options_.moving_variance_initializer, ones_initializer(), false);
    const bool of_images = x_.shape().rank() == 4 && (axis_ == 3 || axis_ == 1);
    return of_images ? fused() : by_parts();
  }

 private:
  void updated(const Tensor& update) {
    graph::Graph& graph = x_.node()->graph();
    if (graph.is_eager()) return;  // it has run
    internal::collections_of(graph).add(internal::kUpdateOps, update.node());
  }

  std::vector<Tensor> fused_node(bool training) {
    const Input scale =
        options_.scale ? Input(gamma_) : Input(constant(1.0, {.shape = TensorShape{channels_}}));
    const Input offset =
        options_.center ? Input(beta_) : Input(constant(0.0, {.shape = TensorShape{channels_}}));
    graph::Node* const node =
        apply_op_node({.op = "FusedBatchNormV3",
                       .args = {x_, scale, offset, mean_, variance_},
                       .attrs = {{"epsilon", static_cast<float>(options_.epsilon)},
                                 {"is_training", training},
                                 {"data_format", std::string(axis_ == 1 ? "NCHW" : "NHWC")}}});
    return {Tensor(node, 0), Tensor(node, 1), Tensor(node, 2)};
  }

  Tensor fused() {
    if (training_ == false) return fused_node(false)[0];
    std::vector<Tensor> outputs;
    Tensor momentum;
    if (training_) {
      outputs = fused_node(true);
      momentum = constant(options_.momentum, {.dtype = base_dtype(x_.dtype())});
    } else {
      const auto branch = [&](bool training) {
        return [&, training] {
          const std::vector<Tensor> made = fused_node(training);
          return std::vector<BranchValue>{made[0], made[1], made[2]};
        };
      };
      outputs = cond(options_.training, Branch(branch(true)), Branch(branch(false)));
      momentum = cond(
          options_.training, [&] { return constant(options_.momentum, {.dtype = base_dtype(x_.dtype())}); },
          [&] { return constant(1.0, {.dtype = base_dtype(x_.dtype())}); });
    }
    updated(follow(mean_, outputs[1], momentum));
    updated(follow(variance_, outputs[2], momentum));
    return outputs[0];
  }

  /// The value in the shape in which it is broadcast to x: a vector where the channels are last.
  Input beside_x(const Input& value) const {
    if (axis_ == x_.shape().rank() - 1) return value;
    std::vector<int64_t> shape(static_cast<size_t>(x_.shape().rank()), 1);
    shape[static_cast<size_t>(axis_)] = channels_;
    return reshape(value, Array(std::vector<int32_t>(shape.begin(), shape.end())));
  }

  Tensor by_parts() {
    Tensor mean = mean_.value();
    Tensor variance = variance_.value();
    if (training_ != false) {
      std::vector<int64_t> axes;
      for (int64_t i = 0; i < x_.shape().rank(); ++i)
        if (i != axis_) axes.push_back(i);
      const nn::Moments own = nn::moments(x_, axes);
      mean = own.mean;
      variance = own.variance;
      if (!training_) {
        mean = cond(options_.training, [&] { return own.mean; }, [&] { return mean_.value(); });
        variance = cond(options_.training, [&] { return own.variance; }, [&] { return variance_.value(); });
      }
      const auto follow_in_training = [&](const Variable& average, const Tensor& value) {
        const auto moved = [&] { return follow(average, value, options_.momentum); };
        if (training_) return moved();
        return cond(options_.training, moved, [&] { return average.value(); });
      };
      updated(follow_in_training(mean_, mean));
      updated(follow_in_training(variance_, variance));
    }
    nn::BatchNormalizationOptions options{.variance_epsilon = options_.epsilon};
    if (options_.center) options.offset = beside_x(beta_);
    if (options_.scale) options.scale = beside_x(gamma_);
    return nn::batch_normalization(x_, beside_x(mean), beside_x(variance), options);
  }

  Tensor x_;
  const BatchNormalizationOptions& options_;
  std::optional<bool> training_;
  int64_t axis_ = 0;
  int64_t channels_ = 0;
  Variable gamma_, beta_, mean_, variance_;
};

}  // namespace

Tensor batch_normalization(const Input& inputs, const BatchNormalizationOptions& options) {
  const CallScope call({{"inputs", inputs}, {"training", options.training}});
  const Tensor x = to_tensor(call.graph(), inputs, "inputs");
  if (!x.shape().has_rank())
    throw ValueError(
        fmt::format("Input has undefined rank. Received: input_shape={}.", x.shape().to_tuple_string()));
  BatchNormalization layer(x, options);
  const bool reuses = options.reuse.mode() == Reuse::Mode::kYes || options.reuse.mode() == Reuse::Mode::kAuto;
  const std::string name = options.name.empty() && reuses ? "batch_normalization" : options.name;
  const LayerScope scope(name, "batch_normalization", options.reuse);
  return layer.build();
}

}  // namespace flowray::tf::layers
