#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/metrics/broadcast_weights.h"
#include "tf/metrics/squeezable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace flowray::tf::losses {
namespace {

/// How many of the losses have a weight that is not zero.
Tensor count_weighted(graph::Graph& graph, const Tensor& losses, const Tensor& weights,
                      bool of_each_row = false) {
  const graph::NameScope scope(graph, "num_present");
  const Tensor is_zero = equal(weights, 0.0);
  const Tensor zeros = zeros_like(weights);
  const Tensor ones = ones_like(weights);
  const Tensor counted = apply_op({.op = "Select", .args = {is_zero, zeros, ones}});
  const Tensor all = broadcast_weights(graph, counted, losses);
  if (of_each_row)
    return reduce_sum(all, {.axis = range(1, rank(all)), .keepdims = true, .name = scope.path()});
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
  const ControlDependenciesGuard fits(&graph, {assert_broadcastable(graph, weights, losses)},
                                      /*clears=*/false);
  const Tensor given = to_tensor(graph, losses, "Const");
  const Tensor values = cast(given, DType::kFloat32);
  const Tensor weight = cast(weights, DType::kFloat32);
  Tensor loss = multiply(values, weight);
  if (options.reduction != Reduction::NONE) {
    loss = reduce_sum(loss);
    if (const Tensor number = divisor(graph, values, weight, options.reduction); number.has_value())
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
  Loss(const Argument& labels, const Argument& predictions, LossOptions options, const char* default_name)
      : scope_({predictions, labels, {"weights", options.weights}}, options.scope, default_name,
               labels.input().where()),
        options_(std::move(options)) {}

  Tensor tensor(const Input& value, DType dtype = DType::kInvalid) {
    const Tensor converted = scope_.convert(value, "Const");
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
  const LossOptions options_;
};

template <class Options>
LossOptions plain(const Options& options) {
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
  Loss loss({"losses", losses}, {"losses", losses}, options, "weighted_loss");
  return loss.of(losses);
}

Tensor absolute_difference(const Input& labels, const Input& predictions, const LossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions}, options, "absolute_difference");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  return loss.of(abs(subtract(predicted, wanted)));
}

Tensor mean_squared_error(const Input& labels, const Input& predictions, const LossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions}, options, "mean_squared_error");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  return loss.of(squared_difference(predicted, wanted));
}

Tensor softmax_cross_entropy(const Input& onehot_labels, const Input& logits,
                             const SmoothedLossOptions& options) {
  Loss loss({"onehot_labels", onehot_labels}, {"logits", logits}, plain(options),
            "softmax_cross_entropy_loss");
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

Tensor sparse_softmax_cross_entropy(const Input& labels, const Input& logits, const LossOptions& options) {
  Loss loss({"labels", labels}, {"logits", logits}, options, "sparse_softmax_cross_entropy_loss");
  const auto [wanted, guessed] = remove_squeezable_dimensions(loss.graph(), labels, logits, /*more=*/1);
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
  Loss loss({"multi_class_labels", multi_class_labels}, {"logits", logits}, plain(options),
            "sigmoid_cross_entropy_loss");
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

Tensor log_loss(const Input& labels, const Input& predictions, const LogLossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions}, plain(options), "log_loss");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  const Tensor right = multiply(wanted, log(predicted + options.epsilon));
  const Tensor of_right = negative(right);
  const Tensor other = 1.0 - wanted;
  const Tensor left = 1.0 - predicted;
  const Tensor of_wrong = multiply(other, log(left + options.epsilon));
  return loss.of(of_right - of_wrong);
}

Tensor huber_loss(const Input& labels, const Input& predictions, const HuberLossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions}, plain(options), "huber_loss");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  const Tensor distance = abs(subtract(predicted, wanted));
  const Tensor near = minimum(distance, options.delta);
  const Tensor far = subtract(distance, near);
  const Tensor half = constant(0.5, {.dtype = base_dtype(near.dtype())});
  const Tensor squares = multiply(near, near);
  const Tensor quadratic = multiply(half, squares);
  return loss.of(add(quadratic, multiply(options.delta, far)));
}

Tensor hinge_loss(const Input& labels, const Input& logits, const LossOptions& options) {
  Loss loss({"labels", labels}, {"logits", logits}, options, "hinge_loss");
  const Tensor guessed = loss.tensor(logits, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(guessed, wanted);
  const Tensor ones = ones_like(wanted);
  const Tensor sides = subtract(2.0 * wanted, ones);
  return loss.of(nn::relu(subtract(ones, multiply(sides, guessed))));
}

Tensor cosine_distance(const Input& labels, const Input& predictions, int64_t axis,
                       const LossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions}, options, "cosine_distance_loss");
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  const Tensor products = multiply(predicted, wanted);
  const Array axes(std::vector<int32_t>{static_cast<int32_t>(axis)});
  return loss.of(1.0 - reduce_sum(products, {.axis = axes, .keepdims = true}));
}

Tensor mean_pairwise_squared_error(const Input& labels, const Input& predictions,
                                   const PairwiseLossOptions& options) {
  Loss loss({"labels", labels}, {"predictions", predictions},
            {.weights = options.weights, .scope = options.scope}, "mean_pairwise_squared_error");
  const Tensor weights = cast(options.weights, DType::kFloat32);
  const ControlDependenciesGuard fits(&loss.graph(), {assert_broadcastable(loss.graph(), weights, labels)},
                                      /*clears=*/false);
  const Tensor predicted = loss.tensor(predictions, DType::kFloat32);
  const Tensor wanted = loss.tensor(labels, DType::kFloat32);
  check_same_shapes(predicted, wanted);
  const Tensor errors = subtract(predicted, wanted);
  const Tensor axes = range(1, rank(errors));
  const Tensor squares = reduce_sum(square(errors), {.axis = axes, .keepdims = true});
  const Tensor count = count_weighted(loss.graph(), errors, weights, /*of_each_row=*/true);
  const Tensor mean_squares = 2.0 * div_no_nan(squares, maximum(count - 1.0, 0.0), {.name = "value"});
  const Tensor square_of_sum = square(reduce_sum(errors, {.axis = axes, .keepdims = true}));
  const Tensor pairs = multiply(count, count - 1.0);
  const Tensor mean_products = 2.0 * div_no_nan(square_of_sum, maximum(pairs, 0.0), {.name = "value"});
  const Tensor sum = reduce_sum(multiply(mean_squares - mean_products, weights));
  const Tensor is_any = reduce_sum(count) > 0.0;
  const Tensor result = apply_op({.op = "Select", .name = "value", .args = {is_any, sum, zeros_like(sum)}});
  add_loss(result, options.loss_collection);
  return result;
}

void add_loss(const Tensor& loss, const std::string& loss_collection, Input::Where where) {
  const ErrorLine errors(where);
  if (loss_collection.empty()) return;
  graph::Graph& graph = node_of(loss, "loss").graph();
  if (graph.is_eager()) return;  // its caller holds it
  internal::collections_of(graph).add(loss_collection, loss.node());
}

std::vector<Tensor> get_losses(const std::string& scope, const std::string& loss_collection,
                               Input::Where where) {
  const ErrorLine errors(where);
  return get_default_graph().get_collection(loss_collection, scope, where).tensors(where);
}

std::vector<Tensor> get_regularization_losses(const std::string& scope, Input::Where where) {
  return get_losses(scope, internal::kRegularizationLosses, where);
}

Tensor get_regularization_loss(const RegularizationLossOptions& options, Input::Where where) {
  const std::vector<Tensor> all = get_regularization_losses(options.scope);
  if (all.empty()) return constant(Input(0.0, where));
  return add_n({all, where}, {.name = options.name});
}

Tensor get_total_loss(const TotalLossOptions& options, Input::Where where) {
  std::vector<Tensor> all = get_losses(options.scope);
  if (options.add_regularization_losses) {
    const std::vector<Tensor> more = get_regularization_losses(options.scope);
    all.insert(all.end(), more.begin(), more.end());
  }
  return add_n({all, where}, {.name = options.name});
}

}  // namespace flowray::tf::losses
