#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>

#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/apply_op.h"
#include "tf/build/composite.h"
#include "tf/build/random_seed.h"
#include "tf/build/tensor_text.h"
#include "tf/nn/labels_and_logits.h"
#include "tf/nn/window_sizes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::nn {
namespace {

using graph::Endpoint;

/// The op "MaxPool" or "AvgPool".
Tensor pool(const char* op, const Input& value, const PoolOptions& options) {
  const ErrorLine errors(value.where());
  (void)graph_of({{"value", value}});
  return apply_op({.op = op,
                   .name = options.name,
                   .args = {value},
                   .attrs = {{"ksize", window_sizes(options.ksize, 2, options.data_format, "ksize")},
                             {"strides", window_sizes(options.strides, 2, options.data_format, "strides")},
                             {"padding", options.padding},
                             {"data_format", options.data_format}}});
}

/// The number behind an Input that was written as one.
std::optional<double> number(const Input& input) {
  if (input.literal() == nullptr) return std::nullopt;
  const Array value = input.literal()->to_array();
  if (value.size() != 1 || value.rank() != 0) return std::nullopt;
  return value.astype(float64).item<double>();
}

Tensor select(Composite& call, Endpoint condition, Endpoint yes, Endpoint no) {
  return call.op("Select", {condition, yes, no}, {}, "Select");
}

}  // namespace

Tensor relu(const Input& features, const NameOption& options) {
  return apply_op({.op = "Relu", .name = options.name, .args = {features}});
}
Tensor relu6(const Input& features, const NameOption& options) {
  return apply_op({.op = "Relu6", .name = options.name, .args = {features}});
}
Tensor elu(const Input& features, const NameOption& options) {
  return apply_op({.op = "Elu", .name = options.name, .args = {features}});
}
Tensor selu(const Input& features, const NameOption& options) {
  return apply_op({.op = "Selu", .name = options.name, .args = {features}});
}
Tensor leaky_relu(const Input& features, const LeakyReluOptions& options) {
  return apply_op(
      {.op = "LeakyRelu", .name = options.name, .args = {features}, .attrs = {{"alpha", options.alpha}}});
}
Tensor softsign(const Input& features, const NameOption& options) {
  return apply_op({.op = "Softsign", .name = options.name, .args = {features}});
}
Tensor softplus(const Input& features, const NameOption& options) {
  return apply_op({.op = "Softplus", .name = options.name, .args = {features}});
}

Tensor bias_add(const Input& value, const Input& bias, const BiasAddOptions& options) {
  const ErrorLine errors(value.where());
  if (!options.data_format.starts_with('N'))
    throw ValueError("`data_format` must be of the form `N...C` or `NC...`.");
  (void)graph_of({{"value", value}, {"bias", bias}});
  if (value.tensor() != nullptr && bias.tensor() != nullptr) {
    const DType dtype = base_dtype(value.tensor()->dtype());
    const DType other = base_dtype(bias.tensor()->dtype());
    if (dtype != other) {
      throw ValueError(fmt::format("bias: Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
                                   dtype_name(dtype), dtype_name(other), tensor_text(*bias.tensor())));
    }
  }
  return apply_op({.op = "BiasAdd",
                   .name = options.name,
                   .args = {value, bias},
                   .attrs = {{"data_format", options.data_format}}});
}

Tensor conv2d(const Input& input, const Input& filter, const Conv2dOptions& options) {
  const ErrorLine errors(input.where());
  const std::vector<int64_t> strides = window_sizes(options.strides, 2, options.data_format, "strides");
  return apply_op({.op = "Conv2D",
                   .name = options.name,
                   .args = {input, filter},
                   .attrs = {{"strides", strides},
                             {"padding", options.padding},
                             {"explicit_paddings", options.explicit_paddings},
                             {"use_cudnn_on_gpu", options.use_cudnn_on_gpu},
                             {"data_format", options.data_format},
                             {"dilations", options.dilations}}});
}

Tensor conv2d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const Conv2dTransposeOptions& options) {
  const ErrorLine errors(value.where());
  (void)graph_of({{"value", value}, {"filter", filter}, {"output_shape", output_shape}});
  const std::vector<int64_t> strides = window_sizes(options.strides, 2, options.data_format, "strides");
  return apply_op({.op = "Conv2DBackpropInput",
                   .name = options.name.empty() ? "conv2d_transpose" : options.name,
                   .args = {output_shape, filter, value},
                   .attrs = {{"strides", strides},
                             {"padding", options.padding},
                             {"data_format", options.data_format},
                             {"dilations", options.dilations}}});
}

Tensor xw_plus_b(const Input& x, const Input& weights, const Input& biases, const NameOption& options) {
  Composite call({{"x", x}, {"weights", weights}, {"biases", biases}}, options.name, "xw_plus_b", x.where());
  const Tensor product = matmul(x, weights);
  return bias_add(product, biases, {.name = call.result_name()});
}

Tensor relu_layer(const Input& x, const Input& weights, const Input& biases, const NameOption& options) {
  Composite call({{"x", x}, {"weights", weights}, {"biases", biases}}, options.name, "relu_layer", x.where());
  const Tensor sums = bias_add(matmul(x, weights), biases);
  return relu(sums, {call.result_name()});
}

Tensor avg_pool(const Input& value, const PoolOptions& options) { return pool("AvgPool", value, options); }
Tensor max_pool(const Input& value, const PoolOptions& options) {
  const ErrorLine errors(value.where());
  if (std::ranges::find(options.ksize, 0) != options.ksize.end())
    throw ValueError(
        fmt::format("`ksize` cannot be zero. Received: ksize=[{}]", fmt::join(options.ksize, ", ")));
  return pool("MaxPool", value, options);
}

Tensor l2_loss(const Input& t, const NameOption& options) {
  return apply_op({.op = "L2Loss", .name = options.name, .args = {t}});
}

// ---- dropout

namespace {

/// x scaled by what makes up for the dropped elements, and the rate as a tensor where it is one.
struct ScaledDropout {
  Endpoint scaled;
  Endpoint rate;  // null where the rate is a number
};

ScaledDropout scale_for_dropout(Composite& call, Endpoint x, std::optional<double> rate,
                                const Input& rate_input) {
  const DType dtype = base_dtype(x.dtype());
  if (rate.has_value()) {
    const Endpoint scale = call.builder().constant(Array(1.0 / (1.0 - *rate)).astype(dtype));
    return {call.op("Mul", {x, scale}), {}};
  }
  const Endpoint rate_tensor = call.convert_like(rate_input, x, "rate");
  const Endpoint one = call.builder().constant(Array(1.0).astype(dtype));
  return {call.op("RealDiv", {x, call.op("Sub", {one, rate_tensor})}), rate_tensor};
}

Endpoint dropout_noise(Composite& call, Endpoint x, const DropoutOptions& options) {
  graph::Graph& graph = call.graph();
  Endpoint shape;
  if (!options.noise_shape.has_value()) shape = ops::python_shape(call.builder(), x);
  const graph::NameScope scope(graph, "random_uniform");
  if (options.noise_shape.has_value()) shape = call.convert(*options.noise_shape, "shape", int32);
  const Seeds seeds = seeds_of(graph, options.seed);
  return call.op("RandomUniform", {shape},
                 {{"dtype", base_dtype(x.dtype())}, {"seed", seeds.seed}, {"seed2", seeds.seed2}});
}

}  // namespace

Tensor dropout(const Input& x, const DropoutOptions& options) {
  const ErrorLine errors(x.where());
  if (options.rate.has_value() && options.keep_prob.has_value())
    throw ValueError("Cannot specify both 'keep_prob' and 'rate'. One is 1 less the other: give `rate`.");
  if (!options.rate.has_value() && !options.keep_prob.has_value())
    throw ValueError("`rate` must be provided. It is the part that is dropped.");
  graph::Graph& graph = graph_of({{"x", x},
                                  {"rate", options.rate},
                                  {"keep_prob", options.keep_prob},
                                  {"noise_shape", options.noise_shape}});
  Input rate_input = options.rate.has_value() ? *options.rate : *options.keep_prob;
  std::optional<double> rate = number(rate_input);
  if (options.keep_prob.has_value()) {
    if (rate.has_value()) {
      rate = 1.0 - *rate;
    } else {
      rate_input = apply_op({.op = "Sub", .name = "sub", .args = {Input(1.0, x.where()), rate_input}});
    }
  }
  if (rate.has_value() && (*rate < 0 || *rate >= 1)) {
    throw ValueError(fmt::format(
        "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={}", *rate));
  }
  Composite call(graph, options.name, "dropout", x.where());
  const Endpoint input = call.convert(x, "x");
  if (const DType dtype = base_dtype(input.dtype()); !is_floating(dtype)) {
    throw ValueError(fmt::format(
        "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=<dtype: '{}'>",
        dtype_name(dtype)));
  }
  if (!rate.has_value() && rate_input.tensor() != nullptr &&
      base_dtype(rate_input.tensor()->dtype()) != base_dtype(input.dtype())) {
    throw ValueError(fmt::format(
        "`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype=<dtype: '{}'> and "
        "rate.dtype=<dtype: '{}'>",
        dtype_name(base_dtype(input.dtype())), dtype_name(base_dtype(rate_input.tensor()->dtype()))));
  }
  if (rate.has_value() && *rate == 0) return tensor_of(input);
  const ScaledDropout scaled = scale_for_dropout(call, input, rate, rate_input);
  const Endpoint noise = dropout_noise(call, input, options);
  Endpoint keep;
  if (scaled.rate) {
    keep = call.op("GreaterEqual", {noise, scaled.rate});
  } else {
    const graph::NameScope scope(call.graph(), "GreaterEqual");
    const Endpoint limit = call.builder().constant(Array(*rate).astype(base_dtype(input.dtype())), "y");
    keep = call.op("GreaterEqual", {noise, limit}, {}, scope.path());
  }
  const Endpoint zero = call.builder().constant(Array(0.0).astype(base_dtype(input.dtype())));
  const Endpoint result = call.op("SelectV2", {keep, scaled.scaled, zero});
  result.node->merge_output_shape(0, input.shape());
  return tensor_of(result);
}

Tensor embedding_lookup(const Input& params, const Input& ids, const NameOption& options) {
  Composite call({{"params", params}, {"ids", ids}}, options.name, "embedding_lookup", params.where());
  const Tensor rows = call.convert(ids, "ids");
  const bool by_handle = params.reference().has_value() && params.reference().dtype() == DType::kResource;
  const Input table = by_handle ? params : Input(call.convert(params, "params"));
  const graph::Node& place = *(by_handle ? table.reference() : *table.tensor()).node();
  Tensor found;
  {
    const ColocationGuard with(&call.graph(), colocation_groups(place));
    found = gather(table, rows, {.name = call.result_name()});
  }
  return identity(found);
}

// ---- cross-entropies

Tensor sigmoid_cross_entropy_with_logits(const CrossEntropyOptions& options) {
  check_labels_and_logits("sigmoid_cross_entropy_with_logits", options.labels, options.logits);
  Composite call({{"labels", options.labels}, {"logits", options.logits}}, options.name, "logistic_loss",
                 options.logits.where());
  const Endpoint logits = call.convert(options.logits, "logits");
  const Endpoint labels = call.convert_like(options.labels, logits, "labels");
  if (!logits.shape().is_compatible_with(labels.shape())) {
    throw ValueError(fmt::format("`logits` and `labels` must have the same shape, received ({} vs {}).",
                                 logits.shape().to_tuple_string(), labels.shape().to_tuple_string()));
  }
  const Endpoint zeros = ops::python_zeros_like(call.builder(), logits);
  const Endpoint positive = call.op("GreaterEqual", {logits, zeros});
  const Endpoint relu_logits = endpoint_of(select(call, positive, logits, zeros));
  const Endpoint negated = call.op("Neg", {logits});
  const Endpoint negative_abs = endpoint_of(select(call, positive, negated, logits));
  const Endpoint product = call.op("Mul", {logits, labels}, {}, "mul");
  const Endpoint difference = call.op("Sub", {relu_logits, product}, {}, "sub");
  const Endpoint log_term = call.op("Log1p", {call.op("Exp", {negative_abs})});
  return call.result("AddV2", {difference, log_term});
}

}  // namespace flowray::tf::nn
