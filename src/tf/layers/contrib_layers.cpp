#include <flowray/tf/array.h>
#include <flowray/tf/contrib/layers.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/several.h>

#include "tf/build/call_scope.h"
#include "tf/build/collections.h"
#include "tf/build/unset.h"
#include "tf/layers/layer_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf::contrib::layers {
namespace {

/// A layer with weights and biases, in a scope that is open while this lives.
class Layer {
 public:
  Layer(const Input& inputs, const LayerOptions& options, const char* default_name)
      : options_(options),
        call_({{"inputs", inputs}}),
        scope_(options.scope, nullptr, {.default_name = default_name, .reuse = options.reuse}),
        x_(to_tensor(call_.graph(), inputs, "Const")) {}

  const Tensor& x() const { return x_; }
  /// The size of the dimension of x that `weights` are multiplied by. Throws ValueError where it is
  /// not known.
  int64_t channels(int axis, int least_rank) const {
    const TensorShape& shape = x_.shape();
    if (shape.has_rank() && shape.rank() < least_rank) {
      throw ValueError(
          fmt::format("Input 0 of layer {} is incompatible with the layer: : expected min_ndim={}, found "
                      "ndim={}. Full shape received: {}",
                      get_variable_scope().name(), least_rank, shape.rank(), shape.to_string()));
    }
    if (!shape.has_rank() || shape.dim(axis) < 0)
      throw ValueError("The last dimension of the inputs should be defined. Found `None`.");
    return shape.dim(axis);
  }
  void make_variables(const TensorShape& shape) {
    weights_ =
        variable("weights", "kernel", shape, options_.weights_initializer, options_.weights_regularizer);
    if (!has_biases()) return;
    const Initializer& given = options_.biases_initializer;
    biases_ = variable("biases", "bias", {shape.dim(-1)}, given.has_value() ? given : zeros_initializer(),
                       options_.biases_regularizer);
  }
  const Variable& weights() const { return weights_; }
  Tensor finish(Tensor product, const char* format) const {
    if (has_biases()) product = nn::bias_add(product, biases_, {.data_format = format});
    if (options_.normalizer_fn.has_value())
      product = returned(options_.normalizer_fn(product), "normalizer_fn");
    if (!options_.activation_fn.has_value()) return product;
    return returned(options_.activation_fn(product), "activation_fn");
  }

 private:
  bool has_biases() const { return options_.has_biases && !options_.normalizer_fn.has_value(); }
  /// `kind` is what the regularizer's scope is called after.
  Variable variable(const char* name, const char* kind, const TensorShape& shape,
                    const Initializer& initializer, const Regularizer& regularizer) const {
    GetVariableOptions made{.dtype = base_dtype(x_.dtype()),
                            .initializer = initializer,
                            .regularizer = regularizer,
                            .trainable = options_.trainable,
                            .collections = options_.variables_collections};
    made.collections.insert(made.collections.end(), {internal::kGlobalVariables, internal::kModelVariables});
    return layer_variable(name, shape, made, kind);
  }

  const LayerOptions& options_;
  CallScope call_;
  VariableScopeGuard scope_;
  Tensor x_;
  Variable weights_;
  Variable biases_;
};

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Two numbers, of one or two.
std::vector<int64_t> pair_of(const std::vector<int64_t>& sizes) {
  if (sizes.empty() || sizes.size() > 2)
    throw ValueError(fmt::format("Expected one number or two, but got {}.", sizes.size()));
  return {sizes.front(), sizes.back()};
}

bool is_channels_first(const std::string& data_format) {
  if (data_format == "NHWC") return false;
  if (data_format == "NCHW") return true;
  throw ValueError("data_format has to be either NCHW or NHWC.");
}

const char* layers_word(const std::string& data_format) {
  return is_channels_first(data_format) ? "channels_first" : "channels_last";
}

}  // namespace

Tensor fully_connected(const Input& inputs, int64_t num_outputs, const LayerOptions& options) {
  Layer layer(inputs, options, "fully_connected");
  const Tensor& x = layer.x();
  layer.make_variables({layer.channels(-1, 2), num_outputs});
  const int rank = x.shape().rank();
  if (rank == 2) return layer.finish(matmul(x, layer.weights()), "NHWC");
  const auto last = std::vector<int64_t>{rank - 1};
  return layer.finish(tensordot(x, layer.weights(), last, std::vector<int64_t>{0}), "NHWC");
}

Tensor conv2d(const Input& inputs, int64_t num_outputs, const std::vector<int64_t>& kernel_size,
              const WindowOptions& window, const LayerOptions& options) {
  const ErrorLine errors(inputs.where());
  const std::vector<int64_t> size = pair_of(kernel_size);
  const std::vector<int64_t> strides = pair_of(window.stride);
  const std::vector<int64_t> rates = pair_of(window.rate);
  const bool first = is_channels_first(window.data_format);
  Layer layer(inputs, options, "Conv");
  const Tensor& x = layer.x();
  layer.make_variables({size[0], size[1], layer.channels(first ? 1 : -1, 4), num_outputs});
  const std::string padding = in_capitals(window.padding);
  if (std::ranges::max(rates) > 1) {
    if (std::ranges::max(strides) > 1)
      throw ValueError("strides > 1 not supported in conjunction with dilation_rate > 1");
    const Tensor product =
        nn::convolution(x, layer.weights(), {.padding = padding, .dilation_rate = rates, .name = "Conv2D"});
    return layer.finish(product, "NHWC");
  }
  const std::vector<int64_t> of_batch = first ? std::vector<int64_t>{1, 1, strides[0], strides[1]}
                                              : std::vector<int64_t>{1, strides[0], strides[1], 1};
  const Tensor product = nn::conv2d(
      x, layer.weights(), {.strides = of_batch, .padding = padding, .data_format = window.data_format});
  return layer.finish(product, window.data_format.c_str());
}

Tensor max_pool2d(const Input& inputs, const std::vector<int64_t>& kernel_size, const WindowOptions& window,
                  const std::string& scope) {
  return tf::layers::max_pooling2d(inputs, kernel_size, window.stride,
                                   {.padding = window.padding,
                                    .data_format = layers_word(window.data_format),
                                    .name = scope.empty() ? "MaxPool2D" : scope});
}

Tensor avg_pool2d(const Input& inputs, const std::vector<int64_t>& kernel_size, const WindowOptions& window,
                  const std::string& scope) {
  return tf::layers::average_pooling2d(inputs, kernel_size, window.stride,
                                       {.padding = window.padding,
                                        .data_format = layers_word(window.data_format),
                                        .name = scope.empty() ? "AvgPool2D" : scope});
}

Tensor flatten(const Input& inputs, const std::string& scope) {
  const CallScope call({{"inputs", inputs}});
  const NameScopeGuard names = name_scope(scope.empty() ? "Flatten" : scope);
  return tf::layers::flatten(inputs);
}

Tensor dropout(const Input& inputs, const DropoutOptions& options) {
  const CallScope call(
      {{"inputs", inputs}, {"keep_prob", options.keep_prob}, {"is_training", options.is_training}});
  const VariableScopeGuard scope = variable_scope(options.scope, {.default_name = "Dropout"});
  const Input rate =
      options.keep_prob.tensor() != nullptr
          ? Input(1.0 - options.keep_prob)
          : Input(1.0 - options.keep_prob.literal()->to_array().astype(float64).item<double>());
  const Tensor x = to_tensor(call.graph(), inputs, "Const");
  return dropout_in_scope(x, {.rate = rate,
                              .noise_shape = options.noise_shape,
                              .seed = options.seed,
                              .training = options.is_training});
}

// ---- regularizers

Tensor Penalty::operator()(const Tensor& weights, Input::Where where) const {
  const ErrorLine errors(where);
  internal::check_callable(function_, "regularizer", where);
  graph::Graph& graph = node_of(weights, "weights").graph();
  const UserLine line(graph, where);
  const LinesOfTheirOwn lines(graph);
  return function_(weights);
}

Tensor Penalty::operator()(const Variable& weights, Input::Where where) const {
  const ErrorLine errors(where);
  (void)node_of(weights, "weights");
  return (*this)(weights.value(), where);
}

namespace {

/// scale * measure(weights) in a scope of its own.
Penalty scaled(double scale, const std::string& scope, const char* default_scope,
               const Penalty::Function& measure) {
  if (scale < 0.0)
    throw ValueError(fmt::format("Setting a scale less than 0 on a regularizer: {:g}.", scale));
  if (scale == 0.0) return Penalty([](const Tensor&) { return Tensor(); });
  return Penalty([=](const Tensor& weights) {
    const NameScopeGuard guard = name_scope(scope.empty() ? default_scope : scope);
    const Tensor factor = constant(scale, {.dtype = base_dtype(weights.dtype()), .name = "scale"});
    return multiply(factor, measure(weights), {.name = guard.path()});
  });
}

}  // namespace

Penalty l1_regularizer(double scale, const std::string& scope) {
  return scaled(scale, scope, "l1_regularizer", [](const Tensor& x) { return reduce_sum(abs(x)); });
}

Penalty l2_regularizer(double scale, const std::string& scope) {
  return scaled(scale, scope, "l2_regularizer", [](const Tensor& x) { return nn::l2_loss(x); });
}

Penalty l1_l2_regularizer(double scale_l1, double scale_l2, const std::string& scope) {
  const std::string name = scope.empty() ? "l1_l2_regularizer" : scope;
  if (scale_l1 == 0.0) return l2_regularizer(scale_l2, name);
  if (scale_l2 == 0.0) return l1_regularizer(scale_l1, name);
  return sum_regularizer({l1_regularizer(scale_l1), l2_regularizer(scale_l2)}, name);
}

Penalty sum_regularizer(const std::vector<Penalty>& regularizers, const std::string& scope) {
  return Penalty([=](const Tensor& weights) {
    const NameScopeGuard guard = name_scope(scope.empty() ? "sum_regularizer" : scope);
    std::vector<Input> parts;
    for (const Penalty& regularizer : regularizers) {
      if (const Tensor part = regularizer(weights); part.has_value()) parts.emplace_back(part);
    }
    return parts.empty() ? Tensor() : add_n(parts, {.name = guard.path()});
  });
}

Tensor apply_regularization(const Penalty& regularizer, const List<Tensor>& weights) {
  const ErrorLine errors(weights.where());
  if (weights.empty()) throw ValueError("No weights to regularize.");
  check_all_set(weights.items(), "weights");
  const CallScope call(weights[0].node()->graph(), weights.where());
  const NameScopeGuard scope = name_scope("get_regularization_penalty");
  std::vector<Input> penalties;
  for (const Tensor& each : weights) {
    const Tensor penalty = regularizer(each);
    penalties.emplace_back(penalty.has_value() ? penalty : constant(0.0));
  }
  const Tensor sum = add_n(penalties, {.name = scope.path()});
  losses::add_loss(sum, internal::kRegularizationLosses);
  return sum;
}

}  // namespace flowray::tf::contrib::layers
