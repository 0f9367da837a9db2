#pragma once
/// tf.metrics: what is measured over many steps, in local variables. Run tf::local_variables_initializer()
/// before, `update` in each step, `value` when it is asked for.
///
/// Of all of these that compare: labels and predictions have one shape, [batch, ...]; weights have it, or
/// sizes of 1 in it, or are a number. Unless it says otherwise `value` is a float32 scalar.
/// Throws ValueError for shapes that do not fit, where the function is called as far as they
/// are known there, else errors::InvalidArgumentError in the step.

#include <flowray/tf/input.h>
#include <flowray/tf/sparse_tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct ConfusionMatrixOptions {
  /// None: one more than the greatest label and prediction.
  OptionalInput num_classes = {};
  /// The dtype of the counts.
  DType dtype = DType::kInt32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// How much each pair counts, [N]; None: 1.
  OptionalInput weights = {};
};
/// tf.confusion_matrix: of integers [N], how often each label (rows) was predicted as which
/// class, [classes,classes]. The step is an InvalidArgumentError for negative ones, and for those
/// beyond num_classes.
Tensor confusion_matrix(const Input& labels, const Input& predictions,
                        const ConfusionMatrixOptions& options = {});

}  // namespace flowray::tf

namespace flowray::tf::metrics {

struct Metric {
  Tensor value;   // of all steps until now; 0 before the first
  Tensor update;  // takes one step's values in and is the value with them
};

struct MetricOptions {
  /// How much each element counts: a scalar, or of the values' rank with sizes that are theirs or
  /// 1. None: 1. Throws ValueError for shapes that do not fit; where they say too little, the step
  /// is an InvalidArgumentError.
  OptionalInput weights = {};
  /// Graph collections to add the value and the update to.
  std::vector<std::string> metrics_collections = {};
  /// Graph collections to add the update to.
  std::vector<std::string> updates_collections = {};
  /// The variable scope; empty: the metric's own, made unique.
  std::string name = {};
};

// ---- means. Labels and predictions have the same shape, but that one may have a last dimension of size 1
// more; ValueError otherwise.

/// The mean of all elements of `values`, which are converted to float32.
Metric mean(const Input& values, const MetricOptions& options = {});
/// The mean of each element of values of one shape.
Metric mean_tensor(const Input& values, const MetricOptions& options = {});
/// How many `predictions` are equal to their `labels`, of all; predictions of another dtype are converted to
/// that of the labels.
Metric accuracy(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// The mean of (labels - predictions)^2.
Metric mean_squared_error(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// The square root of the mean of (labels - predictions)^2.
Metric root_mean_squared_error(const Input& labels, const Input& predictions,
                               const MetricOptions& options = {});
/// The mean of |labels - predictions|.
Metric mean_absolute_error(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// The mean of |labels - predictions| / normalizer, 0 where that is 0.
Metric mean_relative_error(const Input& labels, const Input& predictions, const Input& normalizer,
                           const MetricOptions& options = {});
/// The mean of 1 - the sum of labels * predictions along `dim`; both have length 1 along it.
Metric mean_cosine_distance(const Input& labels, const Input& predictions, int64_t dim,
                            const MetricOptions& options = {});
/// Which part of the values is below `threshold`.
Metric percentage_below(const Input& values, const Input& threshold, const MetricOptions& options = {});

// ---- counts of what is true and predicted; labels and predictions are taken as bool

/// How many are true and predicted, float32.
Metric true_positives(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// How many are predicted and not true, float32.
Metric false_positives(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// How many are neither true nor predicted, float32.
Metric true_negatives(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// How many are true and not predicted, float32.
Metric false_negatives(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// Which part of what is predicted is true.
Metric precision(const Input& labels, const Input& predictions, const MetricOptions& options = {});
/// Which part of what is true is predicted.
Metric recall(const Input& labels, const Input& predictions, const MetricOptions& options = {});

// ---- the same with predictions from 0 to 1, which the step checks, that are true above each of
// `thresholds`: [thresholds]

/// How many are true and predicted, for each threshold.
Metric true_positives_at_thresholds(const Input& labels, const Input& predictions,
                                    const std::vector<double>& thresholds, const MetricOptions& options = {});
/// How many are predicted and not true, for each threshold.
Metric false_positives_at_thresholds(const Input& labels, const Input& predictions,
                                     const std::vector<double>& thresholds,
                                     const MetricOptions& options = {});
/// How many are neither true nor predicted, for each threshold.
Metric true_negatives_at_thresholds(const Input& labels, const Input& predictions,
                                    const std::vector<double>& thresholds, const MetricOptions& options = {});
/// How many are true and not predicted, for each threshold.
Metric false_negatives_at_thresholds(const Input& labels, const Input& predictions,
                                     const std::vector<double>& thresholds,
                                     const MetricOptions& options = {});
/// Which part of what is predicted is true, for each threshold.
Metric precision_at_thresholds(const Input& labels, const Input& predictions,
                               const std::vector<double>& thresholds, const MetricOptions& options = {});
/// Which part of what is true is predicted, for each threshold.
Metric recall_at_thresholds(const Input& labels, const Input& predictions,
                            const std::vector<double>& thresholds, const MetricOptions& options = {});

struct AucOptions {
  /// How much each element counts, as in MetricOptions; None: 1.
  OptionalInput weights = {};
  /// At least 2, evenly from 0 to 1.
  int64_t num_thresholds = 200;
  /// Graph collections to add the value to.
  std::vector<std::string> metrics_collections = {};
  /// Graph collections to add the update to.
  std::vector<std::string> updates_collections = {};
  /// "ROC", true against false positives, or "PR", precision against recall.
  std::string curve = "ROC";
  /// The variable scope; empty: "auc", made unique.
  std::string name = {};
  /// "trapezoidal"; "minoring" and "majoring", which take the lower and the upper end of each step; for the
  /// PR curve "careful_interpolation", which for others is "trapezoidal".
  std::string summation_method = "trapezoidal";
  /// Thresholds between 0 and 1 instead of the even ones, in any order; empty: those.
  std::vector<double> thresholds = {};
};
/// The area under a curve. Throws ValueError for an unknown curve or summation method. Source: Davis and
/// Goadrich, 2006.
Metric auc(const Input& labels, const Input& predictions, const AucOptions& options = {});

struct AtRateOptions {
  /// How much each element counts, as in MetricOptions; None: 1.
  OptionalInput weights = {};
  /// At least 2, evenly from 0 to 1.
  int64_t num_thresholds = 200;
  /// Graph collections to add the value and the update to.
  std::vector<std::string> metrics_collections = {};
  /// Graph collections to add the update to.
  std::vector<std::string> updates_collections = {};
  /// The variable scope; empty: the metric's own, made unique.
  std::string name = {};
};
/// Which part of what is true is predicted, at the threshold where the part of what is not true and is not
/// predicted is nearest to `specificity`, from 0 to 1. Throws ValueError for another one.
Metric sensitivity_at_specificity(const Input& labels, const Input& predictions, double specificity,
                                  const AtRateOptions& options = {});
/// Which part of what is not true is not predicted, at the threshold where the part of what is true and
/// predicted is nearest to `sensitivity`, from 0 to 1. Throws ValueError for another one.
Metric specificity_at_sensitivity(const Input& labels, const Input& predictions, double sensitivity,
                                  const AtRateOptions& options = {});

// ---- of the best k of predictions [..., classes], with labels [..., labels], int64 and dense or sparse, or
// [...] where there is one of each row; float64

struct AtKOptions {
  /// The one class that counts; left out: all.
  std::optional<int64_t> class_id = {};
  /// How much each row counts: a scalar, or of its rank with sizes that are the rows' or 1. None: 1.
  OptionalInput weights = {};
  /// Graph collections to add the value and the update to.
  std::vector<std::string> metrics_collections = {};
  /// Graph collections to add the update to.
  std::vector<std::string> updates_collections = {};
  /// The name of the scope of its nodes; empty: the metric's own.
  std::string name = {};
};
struct AtTopKOptions {
  /// How many they are, for names; left out: "k".
  std::optional<int64_t> k = {};
  /// The one class that counts; left out: all.
  std::optional<int64_t> class_id = {};
  /// How much each row counts, as in AtKOptions; None: 1.
  OptionalInput weights = {};
  /// Graph collections to add the value and the update to.
  std::vector<std::string> metrics_collections = {};
  /// Graph collections to add the update to.
  std::vector<std::string> updates_collections = {};
  /// The name of the scope of its nodes; empty: the metric's own.
  std::string name = {};
};
/// Which part of the labels is among the `k` classes of the greatest predictions.
Metric recall_at_k(const Input& labels, const Input& predictions, int64_t k, const AtKOptions& options = {});
/// The same of sparse labels.
Metric recall_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                   const AtKOptions& options = {});
/// Which part of the labels is among the classes of `predictions_idx`, [..., k].
Metric recall_at_top_k(const Input& labels, const Input& predictions_idx, const AtTopKOptions& options = {});
/// The same of sparse labels.
Metric recall_at_top_k(const SparseInput& labels, const Input& predictions_idx,
                       const AtTopKOptions& options = {});
/// Which part of the `k` classes of the greatest predictions is among the labels.
Metric precision_at_k(const Input& labels, const Input& predictions, int64_t k,
                      const AtKOptions& options = {});
/// The same of sparse labels.
Metric precision_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                      const AtKOptions& options = {});
/// Which part of the classes of `predictions_idx`, [..., k], is among the labels.
Metric precision_at_top_k(const Input& labels, const Input& predictions_idx,
                          const AtTopKOptions& options = {});
/// The same of sparse labels.
Metric precision_at_top_k(const SparseInput& labels, const Input& predictions_idx,
                          const AtTopKOptions& options = {});
/// The mean over the rows of the precision at each of the best `k` that is right, divided by how many could
/// be. A label that is not a class counts for nothing. Throws ValueError for a `k` below 1.
Metric average_precision_at_k(const Input& labels, const Input& predictions, int64_t k,
                              const MetricOptions& options = {});
/// The same of sparse labels.
Metric average_precision_at_k(const SparseInput& labels, const Input& predictions, int64_t k,
                              const MetricOptions& options = {});

// ---- of classes, integers from 0 to num_classes - 1

/// The mean over the classes of true positives / (all that is or is predicted the class).
Metric mean_iou(const Input& labels, const Input& predictions, int64_t num_classes,
                const MetricOptions& options = {});
/// The mean over the classes of the accuracy of each; the update gives those of all classes.
Metric mean_per_class_accuracy(const Input& labels, const Input& predictions, int64_t num_classes,
                               const MetricOptions& options = {});

}  // namespace flowray::tf::metrics

#pragma GCC visibility pop
