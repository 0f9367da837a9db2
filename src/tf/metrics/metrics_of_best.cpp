// Metrics of the best k: precision, recall and average precision of what is predicted first.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/sparse.h>

#include "tf/build/composite.h"
#include "tf/metrics/broadcast_weights.h"
#include "tf/metrics/metric_parts.h"

#include <fmt/format.h>

#include <variant>

namespace flowray::tf::metrics {
namespace {

/// Classes, as labels or as predictions: of rows of one length, or sparse.
using Classes = std::variant<Tensor, SparseTensor>;

bool is_sparse(const Classes& classes) { return std::holds_alternative<SparseTensor>(classes); }
const Tensor& dense(const Classes& classes) { return std::get<Tensor>(classes); }
const SparseTensor& sparse_of(const Classes& classes) { return std::get<SparseTensor>(classes); }

/// "recall_at_3_class2".
std::string name_at_k(std::string_view name, std::optional<int64_t> k, std::optional<int64_t> class_id) {
  std::string result = k.has_value() ? fmt::format("{}_at_{}", name, *k) : fmt::format("{}_at_k", name);
  if (class_id.has_value()) result += fmt::format("_class{}", *class_id);
  return result;
}

/// Where the scope is the variable's name.
Variable variable_named(const graph::NameScope& scope) {
  return metric_variable(TensorShape{}, DType::kFloat64, scope.path());
}

std::vector<Tensor> best_of(const Input& predictions, int64_t k) {
  const bool is_small = k == static_cast<int32_t>(k);
  const Input number = is_small ? Input(static_cast<int32_t>(k)) : Input(k);
  const graph::Node* const best = apply_op_node({.op = "TopKV2", .args = {predictions, number}});
  return Operation(const_cast<graph::Node*>(best)).outputs();
}

/// Python's math_ops.reduced_shape for the last dimension, where the axis is a tensor.
Tensor shape_without_last(const Tensor& shape, const Tensor& last) {
  const Tensor axes = reshape(last, {1});
  const Tensor rank = size(shape);
  const Tensor counted = (axes + rank) % rank;
  const Tensor one_each = tf::shape(counted);
  const Tensor all = range(rank);
  const Tensor ones_there = ones(one_each, DType::kInt64);
  return apply_op({.op = "DynamicStitch",
                   .args = {std::vector<Input>{all, counted}, std::vector<Input>{shape, ones_there}}});
}

/// Those of one class.
SparseTensor selected(const Classes& classes, int64_t class_id) {
  if (is_sparse(classes)) {
    const SparseTensor& all = sparse_of(classes);
    return sparse::retain(all, equal(all.values(), class_id));
  }
  const Tensor& all = dense(classes);
  const Tensor shape = tf::shape(all, {.out_type = DType::kInt64});
  const Tensor last = size(shape) - 1;
  const Tensor filled_shape = shape_without_last(shape, last);
  const bool is_small = class_id == static_cast<int32_t>(class_id);
  const Tensor one = cast(is_small ? Input(static_cast<int32_t>(class_id)) : Input(class_id), DType::kInt64);
  const Tensor filled = fill(filled_shape, one);
  const SparseTensor both = sets::intersection(filled, all);
  return {both.indices(), both.values(), shape};
}

/// What is counted of predictions and labels.
struct Counted {
  const char* of;     // "true_positive"
  const char* scope;  // of the rows' counts
  enum class Set { kBoth, kPredictedOnly, kLabelledOnly } set;
};
constexpr Counted kRightlyPredicted = {"true_positive", "true_positives", Counted::Set::kBoth};
constexpr Counted kWronglyPredicted = {"false_positive", "false_positives", Counted::Set::kPredictedOnly};
constexpr Counted kMissed = {"false_negative", "false_negatives", Counted::Set::kLabelledOnly};

SparseTensor set_of(Counted::Set set, const Classes& predicted, const Classes& labels) {
  const auto of = [&](const auto& a, const auto& b) {
    if (set == Counted::Set::kBoth) return sets::intersection(a, b);
    return sets::difference(a, b, {.aminusb = set == Counted::Set::kPredictedOnly});
  };
  if (is_sparse(predicted)) return of(sparse_of(predicted), sparse_of(labels));
  return is_sparse(labels) ? of(dense(predicted), sparse_of(labels)) : of(dense(predicted), dense(labels));
}

/// How many of each row, float64.
Tensor counts_of_rows(graph::Graph& graph, const Counted& counted, Classes labels, Classes predicted,
                      std::optional<int64_t> class_id, const OptionalInput& weights,
                      const std::string& name = {}) {
  const graph::NameScope scope(graph, name.empty() ? counted.scope : name);
  if (class_id.has_value()) {
    labels = selected(labels, *class_id);
    predicted = selected(predicted, *class_id);
  }
  Tensor counts = cast(sets::size(set_of(counted.set, predicted, labels)), DType::kFloat64);
  if (!weights.has_value()) return counts;
  const ControlDependenciesGuard fits =
      control_dependencies({Operation(assert_broadcastable(graph, *weights, counts))});
  return multiply(counts, cast(*weights, DType::kFloat64));
}

/// The sum over all rows and steps.
struct Sum {
  Variable variable;
  Tensor update;
};
Sum sum_of_rows(graph::Graph& graph, const Counted& counted, const Classes& labels, const Classes& predicted,
                const AtTopKOptions& options) {
  const graph::NameScope scope(graph, name_at_k(counted.of, options.k, options.class_id));
  const Tensor rows = counts_of_rows(graph, counted, labels, predicted, options.class_id, options.weights);
  const Tensor sum = cast(reduce_sum(rows), DType::kFloat64);
  Sum result;
  result.variable = variable_named(scope);
  result.update = result.variable.assign_add(sum, {.name = "update"});
  return result;
}

/// With a last dimension of 1 where predictions have one more than labels.
Classes expanded(graph::Graph& graph, const Classes& labels, const Tensor& predictions) {
  const graph::NameScope scope(graph, "expand_labels");
  if (is_sparse(labels)) {
    const SparseTensor& all = sparse_of(labels);
    const Tensor rank_of_predictions = rank(predictions);
    const Tensor one_more = size(all.dense_shape()) + 1;
    const std::vector<Tensor> parts = cond(
        equal(rank_of_predictions, one_more),
        [&] {
          const Tensor dims = concat({all.dense_shape(), Array(std::vector<int64_t>{1})}, 0);
          const SparseTensor more = sparse::reshape(all, dims, {.name = scope.path()});
          return std::vector<Tensor>{more.indices(), more.values(), more.dense_shape()};
        },
        [&] { return std::vector<Tensor>{all.indices(), all.values(), all.dense_shape()}; });
    return SparseTensor(parts[0], parts[1], parts[2]);
  }
  const Tensor& all = dense(labels);
  if (all.shape().has_rank() && predictions.shape().has_rank()) {
    const int difference = predictions.shape().rank() - all.shape().rank();
    if (difference == 0) return labels;
    if (difference == 1) return expand_dims(all, -1, {.name = scope.path()});
    throw ValueError(
        fmt::format("Unexpected labels shape {} for predictions shape {}. Predictions rank should be the "
                    "same rank as labels rank or labels rank plus one .",
                    all.shape().to_tuple_string(), predictions.shape().to_tuple_string()));
  }
  const Tensor rank_of_predictions = rank(predictions);
  const Tensor one_more = rank(all) + 1;
  return cond(
      equal(rank_of_predictions, one_more), [&] { return expand_dims(all, -1, {.name = scope.path()}); },
      [&] { return all; });
}

/// Precision or recall of what is predicted first, in the open scope: which part of both sums the first is.
Metric part_at_top_k(graph::Graph& graph, const char* name, const Counted& other, const Classes& given,
                     const Tensor& predictions_idx, const AtTopKOptions& options) {
  const graph::NameScope scope(
      graph, options.name.empty() ? name_at_k(name, options.k, options.class_id) : options.name);
  const Classes labels = expanded(graph, given, predictions_idx);
  const Classes predicted = cast(predictions_idx, DType::kInt64);
  const Sum right = sum_of_rows(graph, kRightlyPredicted, labels, predicted, options);
  const Sum wrong = sum_of_rows(graph, other, labels, predicted, options);
  Metric metric;
  const Tensor both = add(right.variable, wrong.variable);
  metric.value = realdiv(right.variable, both, {.name = scope.path()});
  const Tensor both_now = add(right.update, wrong.update);
  metric.update = realdiv(right.update, both_now, {.name = "update"});
  return collected(metric, options);
}

Metric part_at_k(graph::Graph& graph, const char* name, const Counted& other, const Classes& labels,
                 const Input& predictions, int64_t k, const AtKOptions& options) {
  const graph::NameScope scope(graph,
                               options.name.empty() ? name_at_k(name, k, options.class_id) : options.name);
  const Tensor best = best_of(predictions, k)[1];
  return part_at_top_k(graph, name, other, labels, best,
                       {.k = k,
                        .class_id = options.class_id,
                        .weights = options.weights,
                        .metrics_collections = options.metrics_collections,
                        .updates_collections = options.updates_collections,
                        .name = scope.path()});
}

// ---- average precision

/// The labels once for each of the `k` that are predicted, [..., k, labels].
Classes tiled(graph::Graph& graph, const Classes& labels, int64_t k) {
  const graph::NameScope scope(graph, "labels_per_k");
  if (is_sparse(labels)) {
    const SparseTensor& all = sparse_of(labels);
    const Tensor last = reshape(size(all.dense_shape()) + -1, {1});
    const Tensor before = slice(all.dense_shape(), {0}, last);
    const Tensor behind = slice(all.dense_shape(), last, {-1});
    const Tensor dims =
        concat({before, Array(std::vector<int64_t>{1}), behind}, 0, {.name = "expanded_shape"});
    SparseTensor expanded = sparse::reshape(all, dims, {.name = "expand"});
    if (k == 1) return expanded;
    const std::vector<SparseTensor> copies(static_cast<size_t>(k), expanded);
    return sparse::concat(-2, copies, {.name = scope.path()});
  }
  const Tensor& all = dense(labels);
  Tensor expanded = expand_dims(all, -2, {.name = "expand"});
  if (k == 1) return expanded;
  const Tensor ones_there = ones_like(tf::shape(all));
  const Tensor before = ones_there[{Slice{.stop = -1}}];
  const Tensor behind = ones_there[{Slice{.start = -1}}];
  const Tensor multiples = concat({before, Array(std::vector<int32_t>{static_cast<int32_t>(k)}), behind}, 0,
                                  {.name = "multiples"});
  return tile(expanded, multiples, {.name = scope.path()});
}

/// How many of each row's labels the best `k` could be.
Tensor num_relevant(graph::Graph& graph, const Classes& labels, int64_t k) {
  const graph::NameScope scope(graph, "num_relevant");
  const auto most = static_cast<int32_t>(k);
  if (is_sparse(labels)) return minimum(sets::size(sparse_of(labels)), most, {.name = scope.path()});
  const Tensor& all = dense(labels);
  const Tensor is_class = greater_equal(all, 0);
  const Tensor one_each = ones_like(all);
  const Tensor number = reduce_sum(where_v2(is_class, one_each, zeros_like(all)), -1);
  return minimum(number, most, {.name = scope.path()});
}

/// The average precision of each row.
Tensor average_of_rows(graph::Graph& graph, const Classes& given, const Tensor& best) {
  const graph::NameScope scope(graph, "average_precision");
  const Tensor predicted = cast(best, DType::kInt64, {.name = "predictions_idx"});
  if (!predicted.shape().has_rank()) throw ValueError("as_list() is not defined on an unknown TensorShape.");
  const int64_t k = predicted.shape().dim(predicted.shape().rank() - 1);
  const Classes labels = expanded(graph, given, predicted);
  const Tensor each = expand_dims(predicted, -1, {.name = "predictions_idx_per_k"});
  const Classes labels_of_each = tiled(graph, labels, k);
  const Tensor relevant =
      counts_of_rows(graph, kRightlyPredicted, labels_of_each, each, {}, {}, "relevant_per_k");
  const Tensor right = apply_op({.op = "Cumsum", .name = "tp_per_k", .args = {relevant, -1}});
  const Tensor one_each = ones_like(relevant);
  const Tensor all = apply_op({.op = "Cumsum", .name = "retrieved_per_k", .args = {one_each, -1}});
  const Tensor right_now = cast(right, DType::kFloat64);
  const Tensor precision = realdiv(right_now, cast(all, DType::kFloat64), {.name = "precision_per_k"});
  const Tensor of_relevant =
      multiply(precision, cast(relevant, DType::kFloat64), {.name = "relevant_precision_per_k"});
  const Tensor sum = reduce_sum(of_relevant, {.axis = {-1}, .name = "precision_sum"});
  const Tensor number = cast(num_relevant(graph, labels, k), DType::kFloat64);
  return realdiv(sum, number, {.name = scope.path()});
}

Metric average_of_all(graph::Graph& graph, const Classes& labels, const Tensor& best,
                      const MetricOptions& options, const graph::NameScope& scope) {
  Tensor rows = average_of_rows(graph, labels, best);
  Tensor weights;
  if (options.weights.has_value()) {
    weights = broadcast_weights(graph, cast(*options.weights, DType::kFloat64), rows);
    rows = multiply(rows, weights);
  }
  Sum most;
  {
    const graph::NameScope part(graph, "max");
    most.variable = variable_named(part);
    const Tensor batch = weights.has_value() ? reduce_sum(weights, {.name = "batch_max"})
                                             : cast(size(rows, {.name = "batch_max"}), DType::kFloat64);
    most.update = most.variable.assign_add(batch, {.name = "update"});
  }
  Sum total;
  {
    const graph::NameScope part(graph, "total");
    total.variable = variable_named(part);
    total.update = total.variable.assign_add(reduce_sum(rows, {.name = "batch_total"}), {.name = "update"});
  }
  Metric metric;
  metric.value = div_no_nan(total.variable, most.variable, {.name = "mean"});
  metric.update = div_no_nan(total.update, most.update, {.name = scope.path()});
  return collected(metric, options);
}

/// The labels, with -1 for each that is not a class.
Classes without_beyond(const Classes& labels, const Tensor& num_classes) {
  const bool sparse = is_sparse(labels);
  const Tensor& values = sparse ? sparse_of(labels).values() : dense(labels);
  const Tensor greatest = reduce_max(values);
  const auto cleaned = [&] {
    const Tensor is_beyond = greater_equal(values, num_classes);
    const Tensor none = -1 * ones_like(values);
    return where_v2(is_beyond, none, values);
  };
  const Tensor is_any = greater_equal(greatest, num_classes);
  if (!sparse) return cond(is_any, cleaned, [&] { return values; });
  const SparseTensor& all = sparse_of(labels);
  const std::vector<Tensor> parts = cond(
      is_any,
      [&] {
        const SparseTensor clean(all.indices(), cleaned(), all.dense_shape());
        return std::vector<Tensor>{clean.indices(), clean.values(), clean.dense_shape()};
      },
      [&] { return std::vector<Tensor>{all.indices(), all.values(), all.dense_shape()}; });
  return SparseTensor(parts[0], parts[1], parts[2]);
}

Metric average_at_k(graph::Graph& graph, const Classes& labels, const Tensor& predictions, int64_t k,
                    const MetricOptions& options) {
  const graph::NameScope scope(graph,
                               options.name.empty() ? name_at_k("average_precision", k, {}) : options.name);
  const Tensor best = best_of(predictions, k)[1];
  const Tensor num_classes = cast(tf::shape(predictions)[-1], DType::kInt64);
  const Classes clean = without_beyond(labels, num_classes);
  const graph::NameScope again(graph, scope.path());
  return average_of_all(graph, clean, best, options, again);
}

void check_k(int64_t k) {
  if (k < 1) throw ValueError(fmt::format("Invalid k={}. `k` should be >= 1.", k));
  constexpr int64_t kMost = 1 << 16;  // there are as many copies of the labels
  if (k > kMost) throw ValueError(fmt::format("Invalid k={}. `k` should be <= {}.", k, kMost));
}

/// Arguments become tensors in the scope of the function that is called.
Classes as_classes(const Input& labels) { return convert_to_tensor(labels, {.name = "labels"}); }
Classes as_classes(const SparseInput& labels) { return SparseTensor(labels); }

}  // namespace

Metric recall_at_k(const Input& labels, const Input& predictions, int64_t k, const AtKOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  return part_at_k(*graph, "recall", kMissed, as_classes(labels), predictions, k, options);
}
Metric recall_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                   const AtKOptions& options) {
  const MetricGraph graph({"predictions", predictions}, options.weights);
  return part_at_k(*graph, "recall", kMissed, as_classes(labels), predictions, k, options);
}
Metric recall_at_top_k(const Input& labels, const Input& predictions_idx, const AtTopKOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions_idx", predictions_idx}, options.weights);
  return part_at_top_k(*graph, "recall", kMissed, as_classes(labels), convert_to_tensor(predictions_idx),
                       options);
}
Metric recall_at_top_k(const SparseInput& labels, const Input& predictions_idx,
                       const AtTopKOptions& options) {
  const MetricGraph graph({"predictions_idx", predictions_idx}, options.weights);
  return part_at_top_k(*graph, "recall", kMissed, as_classes(labels), convert_to_tensor(predictions_idx),
                       options);
}
Metric precision_at_k(const Input& labels, const Input& predictions, int64_t k, const AtKOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  return part_at_k(*graph, "precision", kWronglyPredicted, as_classes(labels), predictions, k, options);
}
Metric precision_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                      const AtKOptions& options) {
  const MetricGraph graph({"predictions", predictions}, options.weights);
  return part_at_k(*graph, "precision", kWronglyPredicted, as_classes(labels), predictions, k, options);
}
Metric precision_at_top_k(const Input& labels, const Input& predictions_idx, const AtTopKOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions_idx", predictions_idx}, options.weights);
  return part_at_top_k(*graph, "precision", kWronglyPredicted, as_classes(labels),
                       convert_to_tensor(predictions_idx), options);
}
Metric precision_at_top_k(const SparseInput& labels, const Input& predictions_idx,
                          const AtTopKOptions& options) {
  const MetricGraph graph({"predictions_idx", predictions_idx}, options.weights);
  return part_at_top_k(*graph, "precision", kWronglyPredicted, as_classes(labels),
                       convert_to_tensor(predictions_idx), options);
}
Metric average_precision_at_k(const Input& labels, const Input& predictions, int64_t k,
                              const MetricOptions& options) {
  const MetricGraph graph({"labels", labels}, {"predictions", predictions}, options.weights);
  check_k(k);
  return average_at_k(*graph, as_classes(labels), convert_to_tensor(predictions), k, options);
}
Metric average_precision_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                              const MetricOptions& options) {
  const MetricGraph graph({"predictions", predictions}, options.weights);
  check_k(k);
  return average_at_k(*graph, as_classes(labels), convert_to_tensor(predictions), k, options);
}

}  // namespace flowray::tf::metrics
