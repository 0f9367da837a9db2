// tf.layers.batch_normalization.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/call_scope.h"
#include "tf/build/collections.h"
#include "tf/layers/layer_parts.h"
#include "tf/layers/layer_variables.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace flowray::tf::layers {
namespace {

/// Moves the variable's value towards `value` by 1 - momentum.
Tensor follow(const Variable& variable, const Tensor& value, const std::variant<Tensor, double>& momentum) {
  const NameScopeGuard scope = name_scope("AssignMovingAvg");
  const ColocationGuard beside = colocate_with(variable.op());
  const auto* number = std::get_if<double>(&momentum);
  const DType dtype = base_dtype(variable.dtype());
  Tensor decay = number == nullptr
                     ? 1.0 - std::get<Tensor>(momentum)
                     : convert_to_tensor(1.0 - *number, {.dtype = DType::kFloat32, .name = "decay"});
  if (base_dtype(decay.dtype()) != dtype) decay = cast(decay, dtype);
  const Tensor step = (variable - value) * decay;
  return variable.assign_sub(step, {.name = scope.path()});
}

/// Puts `value` into the variable.
Tensor set_value(const Variable& variable, const Tensor& value) {
  const NameScopeGuard scope = name_scope("AssignNewValue");
  const ColocationGuard beside = colocate_with(variable.op());
  return variable.assign(value, {.use_locking = true, .name = scope.path()});
}

bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

class BatchNormalization {
 public:
  BatchNormalization(const Tensor& x, const BatchNormalizationOptions& options)
      : x_(x), options_(options), training_(known_truth(options.training)) {
    check_options();
    const int rank = x.shape().rank();
    axis_ = options.axis < 0 ? options.axis + rank : options.axis;
    if (axis_ < 0 || axis_ >= rank)
      throw ValueError(
          fmt::format("Invalid axis. Expected 0 <= axis < inputs.rank (with inputs.rank={}). Received: "
                      "layer.axis=[{}]",
                      rank, options.axis));
    if (options.virtual_batch_size) check_virtual_batches();
    channels_ = x.shape().dim(static_cast<int>(axis_));
    if (channels_ < 0)
      throw ValueError(
          fmt::format("Input has undefined `axis` dimension. Received input with shape {}. Axis value: [{}]",
                      x.shape().to_tuple_string(), axis_));
  }

  Tensor build() {
    make_variables();
    if (takes_fused_op()) return fused();
    if (!options_.virtual_batch_size) return by_parts();
    const Tensor sizes = with_batch_of({-1}, shape(x_));
    const int32_t group = checked_int32("Virtual batch size", *options_.virtual_batch_size);
    x_ = reshape(x_, with_batch_of({group, -1}, sizes));
    ++axis_;
    return reshape(by_parts(), sizes);
  }

 private:
  void check_options() const {
    const RenormClipping& clipping = options_.renorm_clipping;
    if (!options_.renorm && (clipping.rmax || clipping.rmin || clipping.dmax)) {
      throw ValueError(
          "renorm_clipping is of batch renormalization, which renorm = false turns off\nSet renorm, or leave "
          "renorm_clipping out.");
    }
  }

  void check_virtual_batches() const {
    if (*options_.virtual_batch_size <= 0) {
      throw ValueError(fmt::format(
          "`virtual_batch_size` must be a positive integer that divides the true batch size of the "
          "input tensor. Received: virtual_batch_size={}",
          *options_.virtual_batch_size));
    }
    if (axis_ == 0) {
      throw ValueError(
          "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis cannot include 0. "
          "Received axis=[0]");
    }
  }

  bool takes_fused_op() const {
    const int rank = x_.shape().rank();
    const DType dtype = base_dtype(x_.dtype());
    const bool of_images = rank == 4 && (axis_ == 3 || axis_ == 1);
    const bool of_rooms = rank == 5 && (axis_ == 4 || axis_ == 1);
    return options_.fused && !options_.renorm && !options_.virtual_batch_size && (of_images || of_rooms) &&
           (dtype == DType::kFloat32 || is_half(dtype));
  }

  /// Variables are vectors of channels; those of virtual batches have the rank of the inputs that are
  /// reshaped.
  TensorShape shape_of_variables() const {
    if (!options_.virtual_batch_size) return {channels_};
    std::vector<int64_t> shape(static_cast<size_t>(x_.shape().rank()) + 1, 1);
    shape[static_cast<size_t>(axis_) + 1] = channels_;
    return TensorShape(std::span<const int64_t>(shape));
  }

  Variable variable(const char* name, const Initializer& given, const Initializer& usual,
                    const GetVariableOptions& of_all = {}) const {
    GetVariableOptions options = of_all;
    options.dtype = dtype_of_variables();
    options.initializer = given.has_value() ? given : usual;
    return layer_variable(name, shape_of_variables(), options);
  }

  DType dtype_of_variables() const {
    const DType dtype = base_dtype(x_.dtype());
    return is_half(dtype) ? DType::kFloat32 : dtype;
  }

  void make_variables() {
    if (options_.scale) {
      gamma_ = variable("gamma", options_.gamma_initializer, ones_initializer(),
                        {.regularizer = options_.gamma_regularizer,
                         .trainable = options_.trainable,
                         .constraint = options_.gamma_constraint});
    }
    if (options_.center) {
      beta_ = variable("beta", options_.beta_initializer, zeros_initializer(),
                       {.regularizer = options_.beta_regularizer,
                        .trainable = options_.trainable,
                        .constraint = options_.beta_constraint});
    }
    const GetVariableOptions moving = {.trainable = false};
    const Initializer& mean = options_.moving_mean_initializer;
    const Initializer variance = options_.moving_variance_initializer.has_value()
                                     ? options_.moving_variance_initializer
                                     : ones_initializer();
    mean_ = variable("moving_mean", mean, zeros_initializer(), moving);
    variance_ = variable("moving_variance", variance, ones_initializer(), moving);
    if (!options_.renorm) return;
    const Initializer deviation = [variance](const TensorShape& shape, DType dtype) {
      return sqrt(variance(shape, dtype));
    };
    const auto beside = [&](const Variable& other, const char* name, const Initializer& initializer) {
      const ColocationGuard colocated = colocate_with(other.op());
      return variable(name, initializer, zeros_initializer(), moving);
    };
    deviation_ = beside(variance_, "moving_stddev", deviation);
    renorm_mean_ = beside(mean_, "renorm_mean", mean);
    renorm_deviation_ = beside(deviation_, "renorm_stddev", deviation);
  }

  void updated(const Tensor& update) {
    graph::Graph& graph = x_.node()->graph();
    if (graph.is_eager()) return;  // it has run
    internal::collections_of(graph).add(internal::kUpdateOps, update.node());
  }

  /// What `in_training` gives while training, else what `otherwise` gives.
  template <class A, class B>
  Tensor while_training(const A& in_training, const B& otherwise) const {
    return training_ ? in_training() : cond(options_.training, in_training, otherwise);
  }

  std::vector<Tensor> fused_node(bool training) {
    const auto ones = [&](double value) {
      return Input(constant(value, {.dtype = DType::kFloat32, .shape = TensorShape{channels_}}));
    };
    const Input scale = options_.scale ? Input(gamma_) : ones(1.0);
    const Input offset = options_.center ? Input(beta_) : ones(0.0);
    const bool of_rooms = x_.shape().rank() == 5;
    const std::string format = of_rooms ? (axis_ == 1 ? "NCDHW" : "NDHWC") : (axis_ == 1 ? "NCHW" : "NHWC");
    graph::Node* const node = apply_op_node({.op = "FusedBatchNormV3",
                                             .args = {x_, scale, offset, mean_, variance_},
                                             .attrs = {{"epsilon", static_cast<float>(options_.epsilon)},
                                                       {"is_training", training},
                                                       {"data_format", format}}});
    return {Tensor(node, 0), Tensor(node, 1), Tensor(node, 2)};
  }

  Tensor fused() {
    if (training_ == false) return fused_node(false)[0];
    std::vector<Tensor> outputs;
    Tensor momentum;
    const DType dtype = dtype_of_variables();
    if (training_) {
      outputs = fused_node(true);
      momentum = constant(options_.momentum, {.dtype = dtype});
    } else {
      const auto branch = [&](bool training) {
        return [&, training] {
          const std::vector<Tensor> made = fused_node(training);
          return std::vector<BranchValue>{made[0], made[1], made[2]};
        };
      };
      outputs = cond(options_.training, Branch(branch(true)), Branch(branch(false)));
      momentum = cond(
          options_.training, [&] { return constant(options_.momentum, {.dtype = dtype}); },
          [&] { return constant(1.0, {.dtype = dtype}); });
    }
    updated(follow(mean_, outputs[1], momentum));
    updated(follow(variance_, outputs[2], momentum));
    return outputs[0];
  }

  /// The sizes of inputs with others in place of the batch's.
  static Tensor with_batch_of(const std::vector<int32_t>& batch, const Tensor& sizes) {
    const Tensor first = constant(Array(batch));
    return concat({first, sizes[Slice{.start = 1}]}, 0);
  }

  /// The value in the shape in which it is broadcast to x: a vector where the channels are last.
  Input beside_x(const Input& value) const {
    if (axis_ == x_.shape().rank() - 1 || options_.virtual_batch_size) return value;
    std::vector<int64_t> shape(static_cast<size_t>(x_.shape().rank()), 1);
    shape[static_cast<size_t>(axis_)] = channels_;
    return reshape(value, Array(std::vector<int32_t>(shape.begin(), shape.end())));
  }

  /// The mean and variance of the batch, or of each virtual one.
  nn::Moments own_moments() const {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < x_.shape().rank(); ++i) {
      const bool numbers_groups = options_.virtual_batch_size && i == 1;
      if (i != axis_ && !numbers_groups) axes.push_back(i);
    }
    return nn::moments(x_, axes, {.keep_dims = options_.virtual_batch_size.has_value()});
  }

  /// The new value of one of renorm's variables, or its value where the step does not train.
  Tensor moved(const Variable& variable, const Tensor& value) const {
    const Tensor own = identity(value);
    return while_training([&] { return follow(variable, own, options_.renorm_momentum); },
                          [&] { return identity(variable); });
  }

  struct Renormalized {
    Tensor r, d, mean, variance;
  };
  /// Batch renormalization, Ioffe 2017: what corrects the batch's numbers towards the moving ones, and the
  /// batch's numbers, which are known once the moving ones have been updated.
  Renormalized renormalized(const nn::Moments& own) const {
    const RenormClipping& limits = options_.renorm_clipping;
    const Tensor own_deviation = sqrt(own.variance + options_.epsilon);
    const Tensor least = sqrt(Input(options_.epsilon));
    const Tensor moving_deviation = maximum(renorm_deviation_, least);
    Tensor r = own_deviation / moving_deviation;
    Tensor d = (own.mean - renorm_mean_) / moving_deviation;
    Tensor mean, deviation;
    {
      const ControlDependenciesGuard before_updates = control_dependencies({r, d});
      mean = identity(own.mean);
      deviation = identity(own_deviation);
    }
    if (limits.rmin) r = maximum(r, *limits.rmin);
    if (limits.rmax) r = minimum(r, *limits.rmax);
    if (limits.dmax) {
      d = maximum(d, -*limits.dmax);
      d = minimum(d, *limits.dmax);
    }
    r = while_training([&] { return r; },
                       [&] { return ones(r.shape(), base_dtype(r.dtype()), {.name = "ones_like"}); });
    d = while_training([&] { return d; }, [&] { return zeros_like(d); });
    const Tensor new_mean = moved(renorm_mean_, mean);
    const Tensor new_deviation = moved(renorm_deviation_, deviation);
    const ControlDependenciesGuard behind_updates = control_dependencies({new_mean, new_deviation});
    return {.r = r, .d = d, .mean = identity(mean), .variance = identity(own.variance)};
  }

  Tensor new_variance(const Tensor& variance) const {
    if (!options_.renorm) return follow(variance_, variance, options_.momentum);
    const Tensor deviation = follow(deviation_, sqrt(variance + options_.epsilon), options_.momentum);
    return set_value(variance_, nn::relu(deviation * deviation - options_.epsilon));
  }

  /// TensorFlow casts variables to float32, which makes no nodes, but takes their names.
  void use_up_names_of_casts() const {
    if (options_.renorm || axis_ != x_.shape().rank() - 1) return;
    int casts = (options_.center ? 1 : 0) + (options_.scale ? 1 : 0) + (training_ == false ? 2 : 0);
    while (casts-- > 0) (void)name_scope("Cast");
  }

  Tensor by_parts() {
    const DType dtype = base_dtype(x_.dtype());
    if (is_half(dtype)) x_ = cast(x_, DType::kFloat32);
    OptionalInput scale, offset;
    if (options_.scale) scale = beside_x(gamma_);
    if (options_.center) offset = beside_x(beta_);
    Tensor mean = mean_.value();
    Tensor variance = variance_.value();
    if (training_ != false) {
      const nn::Moments own = own_moments();
      mean = while_training([&] { return own.mean; }, [&] { return mean_.value(); });
      variance = while_training([&] { return own.variance; }, [&] { return variance_.value(); });
      nn::Moments news = {.mean = mean, .variance = variance};
      if (options_.virtual_batch_size) {
        news.mean = reduce_mean(mean, {.axis = 1, .keepdims = true});
        news.variance = reduce_mean(variance, {.axis = 1, .keepdims = true});
      }
      if (options_.renorm) {
        const Renormalized corrected = renormalized(news);
        news = {.mean = corrected.mean, .variance = corrected.variance};
        Tensor r = convert_to_tensor(beside_x(stop_gradient(corrected.r, {.name = "renorm_r"})));
        Tensor d = convert_to_tensor(beside_x(stop_gradient(corrected.d, {.name = "renorm_d"})));
        if (options_.scale) {
          r = r * *scale;
          d = d * *scale;
        }
        if (options_.center) d = d + *offset;
        scale = r;
        offset = d;
      }
      updated(while_training([&] { return follow(mean_, news.mean, options_.momentum); },
                             [&] { return mean_.value(); }));
      updated(while_training([&] { return new_variance(news.variance); }, [&] { return variance_.value(); }));
    }
    const TensorShape shape = x_.shape();
    const Input mean_beside_x = beside_x(mean);
    const Input variance_beside_x = beside_x(variance);
    Tensor result =
        nn::batch_normalization(x_, mean_beside_x, variance_beside_x,
                                {.offset = offset, .scale = scale, .variance_epsilon = options_.epsilon});
    if (is_half(dtype)) {
      use_up_names_of_casts();
      result = cast(result, dtype);
    }
    result.set_shape(shape);
    return result;
  }

  Tensor x_;
  const BatchNormalizationOptions& options_;
  std::optional<bool> training_;
  int64_t axis_ = 0;
  int64_t channels_ = 0;
  Variable gamma_, beta_, mean_, variance_;
  Variable deviation_, renorm_mean_, renorm_deviation_;
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
