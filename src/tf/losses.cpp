#include <flowray/tf/array_ops.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>

#include "ops/python_nodes.h"
#include "tf/collections.h"
#include "tf/composite.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::losses {
namespace {

using graph::Endpoint;

/// The nodes that say that weights of rank 0 fit any losses; what follows waits for the last one. `weights`
/// may be no tensor yet.
graph::Node* check_weights(graph::Graph& graph, const Input& weights, Endpoint values) {
  graph::Builder builder(graph);
  const graph::NameScope scope(graph, "assert_broadcastable");
  const Endpoint weight = convert_to_endpoint(graph, weights, DType::kInvalid, "weights");
  if (!weight.shape().has_rank() || weight.shape().rank() != 0) {
    throw errors::UnimplementedError(
        fmt::format("Weights of losses are one number today, but have shape {}.\nMultiply the losses by "
                    "them, and pass what "
                    "that gives to tf::reduce_mean.",
                    weight.shape().to_tuple_string()));
  }
  ops::python_shape(builder, weight, "weights/shape");
  builder.constant(Array(int32_t{0}), "weights/rank");
  ops::python_shape(builder, values, "values/shape");
  if (values.shape().has_rank()) {
    builder.constant(Array(static_cast<int32_t>(values.shape().rank())), "values/rank");
  } else {
    builder.op("Rank", {values}, {}, "values/rank");
  }
  return builder.node("NoOp", {}, {}, "static_scalar_check_success");
}

/// How many of the losses have a weight that is not zero.
Tensor count_weighted(graph::Graph& graph, const Tensor& losses, const Tensor& weights) {
  const graph::NameScope scope(graph, "num_present");
  const Tensor is_zero = equal(weights, 0.0);
  const Tensor zeros = zeros_like(weights);
  const Tensor ones = ones_like(weights);
  const Tensor counted = apply_op({.op = "Select", .args = {is_zero, zeros, ones}});
  Tensor all;
  {
    const graph::NameScope inner(graph, "broadcast_weights");
    const ControlDependenciesGuard fits(&graph, {check_weights(graph, counted, endpoint_of(losses))},
                                        /*clears=*/false);
    all = multiply(counted, ones_like(losses), {.name = inner.path()});
  }
  return reduce_sum(all, {.name = scope.path()});
}

/// One loss in its scope, from the losses of the elements.
Tensor weighted(graph::Graph& graph, const Tensor& losses, const Input& weights, const LossOptions& options) {
  const ControlDependenciesGuard fits(&graph, {check_weights(graph, weights, endpoint_of(losses))},
                                      /*clears=*/false);
  const DType dtype = losses.dtype();
  const Tensor values = cast(losses, DType::kFloat32);
  const Tensor weight = cast(weights, DType::kFloat32);
  const Tensor sum = reduce_sum(multiply(values, weight));
  const Tensor count = count_weighted(graph, values, weight);
  const Tensor loss = cast(div_no_nan(reduce_sum(sum), count, {.name = "value"}), base_dtype(dtype));
  if (!options.loss_collection.empty()) {
    internal::collections_of(graph).operations[options.loss_collection].push_back(loss.node());
  }
  return loss;
}

/// The scope of one loss, and its arguments as tensors.
class Loss {
 public:
  Loss(const Input& labels, const Input& predictions, const LossOptions& options, const char* default_name)
      : scope_({&predictions, &labels}, options.scope, default_name, labels.where()),
        in_graph_(&scope_.graph()),
        options_(options) {}

  Tensor tensor(const Input& value, DType dtype = DType::kInvalid) {
    const Tensor converted = tensor_of(scope_.convert(value, "Const"));
    return dtype == DType::kInvalid ? converted : cast(converted, dtype);
  }
  Tensor of(const Tensor& losses) { return weighted(scope_.graph(), losses, options_.weights, options_); }
  Tensor of(const Tensor& losses, const Tensor& weights) {
    return weighted(scope_.graph(), losses, weights, options_);
  }

 private:
  Composite scope_;
  GraphScope in_graph_;
  const LossOptions& options_;
};

void check_same_shapes(const Tensor& predictions, const Tensor& labels) {
  if (predictions.shape().is_compatible_with(labels.shape())) return;
  throw ValueError(fmt::format("Shapes {} and {} are incompatible", predictions.shape().to_tuple_string(),
                               labels.shape().to_tuple_string()));
}

}  // namespace

Tensor compute_weighted_loss(const Input& losses, const LossOptions& options) {
  Loss loss(losses, losses, options, "weighted_loss");
  return loss.of(loss.tensor(losses));
}

Tensor absolute_difference(const Input& labels, const Input& predictions, const LossOptions& options) {
  Loss loss(labels, predictions, options, "absolute_difference");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  return loss.of(abs(subtract(predicted, wanted)));
}

Tensor mean_squared_error(const Input& labels, const Input& predictions, const LossOptions& options) {
  Loss loss(labels, predictions, options, "mean_squared_error");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  return loss.of(squared_difference(predicted, wanted));
}

Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits, const LossOptions& options) {
  Loss loss(onehot_labels, logits, options, "softmax_cross_entropy_loss");
  const Tensor guessed = loss.tensor(logits);
  const Tensor wanted = loss.tensor(onehot_labels, base_dtype(guessed.dtype()));
  check_same_shapes(guessed, wanted);
  const Tensor fixed = stop_gradient(wanted, {.name = "labels_stop_gradient"});
  return loss.of(
      nn::softmax_cross_entropy_with_logits_v2({.labels = fixed, .logits = guessed, .name = "xentropy"}));
}

Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits, const LossOptions& options) {
  Loss loss(labels, logits, options, "sparse_softmax_cross_entropy_loss");
  const Tensor wanted = loss.tensor(labels);
  const Tensor guessed = loss.tensor(logits);
  const Tensor weights = loss.tensor(options.weights);
  return loss.of(
      nn::sparse_softmax_cross_entropy_with_logits({.labels = wanted, .logits = guessed, .name = "xentropy"}),
      weights);
}

Tensor sigmoid_cross_entropy(const Input& multi_class_labels, const Input& logits,
                             const LossOptions& options) {
  Loss loss(multi_class_labels, logits, options, "sigmoid_cross_entropy_loss");
  const Tensor guessed = loss.tensor(logits);
  const Tensor wanted = loss.tensor(multi_class_labels, base_dtype(guessed.dtype()));
  check_same_shapes(guessed, wanted);
  return loss.of(
      nn::sigmoid_cross_entropy_with_logits({.labels = wanted, .logits = guessed, .name = "xentropy"}));
}

std::vector<Tensor> get_losses(const std::string& scope, const std::string& loss_collection) {
  std::vector<Tensor> found;
  for (graph::Node* node : internal::collections_of(default_graph()).operations[loss_collection]) {
    if (node->name().starts_with(scope)) found.emplace_back(node, 0);
  }
  return found;
}

Tensor get_total_loss(const NameOption& options) {
  std::vector<Tensor> all = get_losses();
  const std::vector<Tensor> more = get_losses({}, "regularization_losses");
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<Input> inputs(all.begin(), all.end());
  return add_n(inputs, options);
}

}  // namespace flowray::tf::losses
