#include <flowray/tf/array_ops.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "ops/python_nodes.h"
#include "tf/collections.h"
#include "tf/composite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace flowray::tf::losses {
namespace {

using graph::Endpoint;

constexpr std::string_view kDoNotFit = "weights can not be broadcast to values.";

/// Throws where shapes that are known say that the weights do not fit; false where they say too little.
bool shapes_fit(const TensorShape& weights, const TensorShape& values) {
  if (!weights.has_rank() || !values.has_rank()) return false;
  const std::string shapes =
      fmt::format(" values.shape={}, weights.shape={}", values.to_tuple_string(), weights.to_tuple_string());
  if (weights.rank() != values.rank()) {
    throw ValueError(fmt::format("{} values.rank={}. weights.rank={}.{}", kDoNotFit, values.rank(),
                                 weights.rank(), shapes));
  }
  if (!weights.is_fully_defined() || !values.is_fully_defined()) return false;
  for (int i = 0; i < values.rank(); ++i) {
    if (weights.dim(i) == 1 || weights.dim(i) == values.dim(i)) continue;
    throw ValueError(fmt::format("{} Mismatch at dim {}.{}", kDoNotFit, i, shapes));
  }
  return true;
}

void add_rank(graph::Builder& builder, Endpoint of, const char* name) {
  if (of.shape().has_rank()) {
    builder.constant(Array(static_cast<int32_t>(of.shape().rank())), name);
  } else {
    builder.op("Rank", {of}, {}, name);
  }
}

/// The nodes that say that the weights fit the losses; what follows waits for the last one. Both may be no
/// tensors yet.
graph::Node* check_weights(graph::Graph& graph, const Input& weights, const Input& losses) {
  graph::Builder builder(graph);
  const graph::NameScope scope(graph, "assert_broadcastable");
  const Endpoint weight = convert_to_endpoint(graph, weights, DType::kInvalid, "weights");
  ops::python_shape(builder, weight, "weights/shape");
  add_rank(builder, weight, "weights/rank");
  const Endpoint values = convert_to_endpoint(graph, losses, DType::kInvalid, "values");
  ops::python_shape(builder, values, "values/shape");
  add_rank(builder, values, "values/rank");
  const TensorShape& shape = weight.shape();
  if (shape.has_rank() && shape.rank() == 0 && values.shape().has_rank())
    return builder.node("NoOp", {}, {}, "static_scalar_check_success");
  if (shapes_fit(shape, values.shape())) return builder.node("NoOp", {}, {}, "static_dims_check_success");
  throw errors::UnimplementedError(
      fmt::format("Whether weights of shape {} fit losses of shape {} is not known before the step runs, and "
                  "is not looked "
                  "at there today.\nGive both their shapes (tf::Tensor::set_shape), or multiply the losses "
                  "by the weights "
                  "and pass what that gives to tf::reduce_mean.",
                  shape.to_tuple_string(), values.shape().to_tuple_string()));
}

/// How many of the losses have a weight that is not zero.
Tensor count_weighted(graph::Graph& graph, const Tensor& losses, const Tensor& weights) {
  const graph::NameScope scope(graph, "num_present");
  const Tensor is_zero = equal(weights, 0.0);
  const Tensor zeros = zeros_like(weights);
  const Tensor ones = ones_like(weights);
  const Tensor counted = apply_op({.op = "Select", .args = {is_zero, zeros, ones}});
  Tensor all = counted;
  {
    const graph::NameScope inner(graph, "broadcast_weights");
    const TensorShape& shape = losses.shape();
    if (!shape.is_fully_defined() || !(counted.shape() == shape)) {
      const ControlDependenciesGuard fits(&graph, {check_weights(graph, counted, losses)},
                                          /*clears=*/false);
      all = multiply(counted, ones_like(losses), {.name = inner.path()});
    }
  }
  return reduce_sum(all, {.name = scope.path()});
}

Tensor count_elements(graph::Graph& graph, const Tensor& losses) {
  const graph::NameScope scope(graph, "num_elements");
  return cast(size(losses, {.name = scope.path()}), base_dtype(losses.dtype()));
}

/// What the sum of the weighted losses is divided by; none for a sum that is the result.
Tensor divisor(graph::Graph& graph, const Tensor& losses, const Tensor& weights,
               const std::string& reduction) {
  if (reduction == Reduction::MEAN) return reduce_sum(ones_like(losses) * weights);
  if (reduction == Reduction::SUM_OVER_BATCH_SIZE) return count_elements(graph, losses);
  if (reduction == Reduction::SUM_BY_NONZERO_WEIGHTS) return count_weighted(graph, losses, weights);
  return {};
}

void check_reduction(const std::string& reduction) {
  const auto all = {Reduction::NONE, Reduction::SUM, Reduction::MEAN, Reduction::SUM_OVER_BATCH_SIZE,
                    Reduction::SUM_OVER_NONZERO_WEIGHTS};
  if (std::ranges::find(all, reduction) != all.end()) return;
  throw ValueError(
      fmt::format("Invalid Reduction Key {}. Key should be one of {}.", reduction, fmt::join(all, ", ")));
}

/// One loss in its scope, from the losses of the elements.
Tensor weighted(graph::Graph& graph, const Input& losses, const Input& weights, const LossOptions& options) {
  const ControlDependenciesGuard fits(&graph, {check_weights(graph, weights, losses)},
                                      /*clears=*/false);
  const Tensor given = tensor_of(convert_to_endpoint(graph, losses, DType::kInvalid, "Const"));
  const Tensor values = cast(given, DType::kFloat32);
  const Tensor weight = cast(weights, DType::kFloat32);
  Tensor loss = multiply(values, weight);
  if (options.reduction != Reduction::NONE) {
    loss = reduce_sum(loss);
    if (const Tensor number = divisor(graph, values, weight, options.reduction))
      loss = div_no_nan(reduce_sum(loss), number, {.name = "value"});
  }
  loss = cast(loss, base_dtype(given.dtype()));
  add_loss(loss, options.loss_collection);
  return loss;
}

/// The scope of one loss, and its arguments as tensors. TensorFlow's losses open the scope of the weighted
/// loss by the name of their own, so it is the same one.
class Loss {
 public:
  Loss(const Input& labels, const Input& predictions, LossOptions options, const char* default_name)
      : scope_({&predictions, &labels}, options.scope, default_name, labels.where()),
        in_graph_(&scope_.graph()),
        options_(std::move(options)) {}

  Tensor tensor(const Input& value, DType dtype = DType::kInvalid) {
    const Tensor converted = tensor_of(scope_.convert(value, "Const"));
    return dtype == DType::kInvalid ? converted : cast(converted, dtype);
  }
  /// Some dimension too many, of size 1.
  static Tensor without_last(const Tensor& value) { return squeeze(value, {.axis = -1}); }

  Tensor of(const Input& losses) { return of(losses, options_.weights); }
  Tensor of(const Input& losses, const Input& weights) {
    check_reduction(options_.reduction);
    return weighted(scope_.graph(), losses, weights, options_);
  }
  graph::Graph& graph() const { return scope_.graph(); }

 private:
  Composite scope_;
  GraphScope in_graph_;
  const LossOptions options_;
};

LossOptions plain(const SmoothedLossOptions& options) {
  return {.weights = options.weights,
          .scope = options.scope,
          .loss_collection = options.loss_collection,
          .reduction = options.reduction};
}

void check_same_shapes(const Tensor& predictions, const Tensor& labels) {
  if (predictions.shape().is_compatible_with(labels.shape())) return;
  throw ValueError(fmt::format("Shapes {} and {} are incompatible", predictions.shape().to_tuple_string(),
                               labels.shape().to_tuple_string()));
}

}  // namespace

Tensor compute_weighted_loss(const Input& losses, const LossOptions& options) {
  Loss loss(losses, losses, options, "weighted_loss");
  return loss.of(losses);
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

Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits,
                             const SmoothedLossOptions& options) {
  Loss loss(onehot_labels, logits, plain(options), "softmax_cross_entropy_loss");
  const Tensor guessed = loss.tensor(logits);
  const DType dtype = base_dtype(guessed.dtype());
  Tensor wanted = loss.tensor(onehot_labels, dtype);
  check_same_shapes(guessed, wanted);
  if (options.label_smoothing > 0.0) {
    const Tensor classes = cast(shape(wanted)[-1], dtype);
    const Tensor others = options.label_smoothing / classes;
    wanted = wanted * (1.0 - options.label_smoothing);
    wanted = wanted + others;
  }
  const Tensor fixed = stop_gradient(wanted, {.name = "labels_stop_gradient"});
  return loss.of(
      nn::softmax_cross_entropy_with_logits_v2({.labels = fixed, .logits = guessed, .name = "xentropy"}));
}

namespace {

/// Labels and logits as rows of each other: a last dimension of size 1 too many is taken away.
std::pair<Tensor, Tensor> rows_of(Loss& loss, const Input& labels, const Input& logits) {
  const graph::NameScope scope(loss.graph(), "remove_squeezable_dimensions");
  const Tensor guessed = loss.tensor(logits);
  const Tensor wanted = loss.tensor(labels);
  if (!guessed.shape().has_rank() || !wanted.shape().has_rank()) return {wanted, guessed};
  const auto may_go = [](const Tensor& value) {
    return value.shape().rank() > 0 && (value.shape().dim(-1) == 1 || value.shape().dim(-1) < 0);
  };
  const int more = guessed.shape().rank() - wanted.shape().rank();
  if (more == 2 && may_go(guessed)) return {wanted, Loss::without_last(guessed)};
  if (more == 0 && may_go(wanted)) return {Loss::without_last(wanted), guessed};
  return {wanted, guessed};
}

}  // namespace

Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits, const LossOptions& options) {
  Loss loss(labels, logits, options, "sparse_softmax_cross_entropy_loss");
  const auto [wanted, guessed] = rows_of(loss, labels, logits);
  Tensor weights = loss.tensor(options.weights);
  if (weights.shape().has_rank() && wanted.shape().has_rank() &&
      weights.shape().rank() == wanted.shape().rank() + 1)
    weights = Loss::without_last(weights);
  return loss.of(
      nn::sparse_softmax_cross_entropy_with_logits({.labels = wanted, .logits = guessed, .name = "xentropy"}),
      weights);
}

Tensor sigmoid_cross_entropy(const Input& multi_class_labels, const Input& logits,
                             const SmoothedLossOptions& options) {
  Loss loss(multi_class_labels, logits, plain(options), "sigmoid_cross_entropy_loss");
  const Tensor guessed = loss.tensor(logits);
  Tensor wanted = loss.tensor(multi_class_labels, base_dtype(guessed.dtype()));
  check_same_shapes(guessed, wanted);
  if (options.label_smoothing > 0.0) {
    wanted = wanted * (1.0 - options.label_smoothing);
    wanted = wanted + 0.5 * options.label_smoothing;
  }
  return loss.of(
      nn::sigmoid_cross_entropy_with_logits({.labels = wanted, .logits = guessed, .name = "xentropy"}));
}

void add_loss(const Tensor& loss, const std::string& loss_collection) {
  if (loss_collection.empty()) return;
  internal::collections_of(loss.node()->graph()).add(loss_collection, loss.node());
}

std::vector<Tensor> get_losses(const std::string& scope, const std::string& loss_collection) {
  const RE2 pattern(scope, RE2::Quiet);
  if (!pattern.ok())
    throw ValueError(fmt::format("'{}' is no regular expression: {}", scope, pattern.error()));
  std::vector<Tensor> found;
  for (graph::Node* node : internal::collections_of(default_graph()).operations(loss_collection)) {
    Tensor loss(node, 0);
    const std::string name = loss.name();
    if (pattern.Match(name, 0, name.size(), RE2::ANCHOR_START, nullptr, 0)) found.push_back(std::move(loss));
  }
  return found;
}

std::vector<Tensor> get_regularization_losses(const std::string& scope) {
  return get_losses(scope, internal::kRegularizationLosses);
}

Tensor get_regularization_loss(const RegularizationLossOptions& options) {
  const std::vector<Tensor> all = get_regularization_losses(options.scope);
  if (all.empty()) return constant(0.0);
  return add_n({all.begin(), all.end()}, {.name = options.name});
}

Tensor get_total_loss(const TotalLossOptions& options) {
  std::vector<Tensor> all = get_losses(options.scope);
  if (options.add_regularization_losses) {
    const std::vector<Tensor> more = get_regularization_losses(options.scope);
    all.insert(all.end(), more.begin(), more.end());
  }
  return add_n({all.begin(), all.end()}, {.name = options.name});
}

}  // namespace flowray::tf::losses
