#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/nn/labels_and_logits.h"

#include <fmt/format.h>

#include <limits>
#include <numbers>

namespace flowray::tf::nn {
namespace {

void check_same_shape(const Tensor& one, const Tensor& other, const char* names) {
  if (one.shape().is_compatible_with(other.shape())) return;
  throw ValueError(fmt::format("{} must have the same shape, received ({} vs {}).", names,
                               one.shape().to_tuple_string(), other.shape().to_tuple_string()));
}

/// TensorFlow counts here by other nodes than tf.count_nonzero's.
Tensor count_nonzero(const Tensor& value, DType dtype) {
  graph::Graph& graph = default_graph();
  const graph::NameScope scope(graph, "count_nonzero");
  const Tensor zero = zeros(TensorShape{}, base_dtype(value.dtype()));
  const Tensor there = cast(not_equal(value, zero), dtype);
  return reduce_sum(there, {.name = "nonzero_count"});
}

}  // namespace

Tensor crelu(const Input& features, const CreluOptions& options) {
  Composite call({{"features", features}}, options.name, "CRelu", features.where());
  const Tensor x = call.convert(features, "features");
  const Tensor negated = negative(x);
  const Tensor both = concat({x, negated}, options.axis, {.name = call.result_name()});
  return relu(both);
}

Tensor silu(const Input& features) { return silu(features, 1.0); }

Tensor silu(const Input& features, const Input& beta) {
  const CallScope call({{"features", features}, {"beta", beta}});
  graph::Graph& graph = call.graph();
  const Tensor x = to_tensor(graph, features, "features");
  const Tensor factor =
      cast(tensor_of(convert_with_hint(graph, beta, base_dtype(x.dtype()), "beta")), base_dtype(x.dtype()));
  const Tensor scaled = factor * x;
  const Tensor product = x * sigmoid(scaled);
  // Here TensorFlow hangs a gradient of its own; that of the nodes above is the same.
  const Tensor result = identity(product);
  apply_op_node({.op = "IdentityN", .args = {std::vector<Input>{product, x, factor}}});
  return result;
}

Tensor zero_fraction(const Input& value, const NameOption& options) {
  Composite call({{"value", value}}, options.name, "zero_fraction", value.where());
  const Tensor x = call.convert(value, "value");
  const Tensor all = size(x, {.out_type = DType::kInt64});
  const Tensor is_few = less_equal(all, int64_t{std::numeric_limits<int32_t>::max()});
  const Tensor nonzero = cond(
      is_few, [&] { return cast(count_nonzero(x, DType::kInt32), DType::kInt64); },
      [&] { return count_nonzero(x, DType::kInt64); });
  Tensor fraction;
  {
    const graph::NameScope scope(call.graph(), "counts_to_fraction");
    const Tensor zero_count = all - nonzero;
    const Tensor count = cast(zero_count, DType::kFloat32);
    fraction = count / cast(all, DType::kFloat32);
  }
  return identity(fraction, {.name = "fraction"});
}

Tensor weighted_cross_entropy_with_logits(const WeightedCrossEntropyOptions& options) {
  check_labels_and_logits("weighted_cross_entropy_with_logits", options.labels, options.logits);
  if (is_left_out(options.pos_weight)) {
    const ErrorLine line(options.logits.where());
    throw ValueError("None values not supported.\nThe argument 'pos_weight' was left out.");
  }
  Composite call({{"labels", options.labels}, {"logits", options.logits}, {"pos_weight", options.pos_weight}},
                 options.name, "logistic_loss", options.logits.where());
  const Tensor x = call.convert(options.logits, "logits");
  const Tensor z = call.convert_like(options.labels, endpoint_of(x), "labels");
  check_same_shape(x, z, "`logits` and `labels`");
  Tensor more;
  if (options.pos_weight.literal() != nullptr) {
    const Array weight = options.pos_weight.literal()->to_array().astype(DType::kFloat64);
    more = (weight.item<double>() - 1.0) * z;
  } else {
    more = (tensor_of(call.convert(options.pos_weight, "pos_weight")) - 1.0) * z;
  }
  const Tensor weight = 1.0 + more;
  const Tensor negative_label = 1.0 - z;
  const Tensor linear = negative_label * x;
  const Tensor log_term = log1p(exp(negative(abs(x))));
  const Tensor positive = relu(negative(x));
  const Tensor sum = log_term + positive;
  return add(linear, weight * sum, {.name = call.result_name()});
}

Tensor log_poisson_loss(const Input& targets, const Input& log_input, const LogPoissonOptions& options) {
  Composite call({{"targets", targets}, {"log_input", log_input}}, options.name, "log_poisson_loss",
                 log_input.where());
  const Tensor c = call.convert(log_input, "log_input");
  const Tensor z = call.convert(targets, "targets");
  check_same_shape(c, z, "`log_input` and `targets`");
  const Tensor expected = exp(c);
  const Tensor loss = expected - c * z;
  if (!options.compute_full_loss) return loss;
  const DType dtype = base_dtype(z.dtype());
  const Tensor half = constant(0.5, {.dtype = dtype});
  const Tensor two_pi = constant(2 * std::numbers::pi, {.dtype = dtype});
  const Tensor product = z * log(z);
  const Tensor power = product - z;
  const Tensor root = half * log(two_pi * z);
  const Tensor stirling = power + root;
  const Tensor zeros = zeros_like(z);
  const Tensor ones = ones_like(z);
  const Tensor above = greater_equal(z, zeros);
  const Tensor is_small = logical_and(above, less_equal(z, ones));
  return loss + apply_op({.op = "Select", .args = {is_small, zeros, stirling}});
}

}  // namespace flowray::tf::nn
