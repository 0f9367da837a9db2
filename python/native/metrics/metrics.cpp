/// tf.metrics and tf.confusion_matrix.

#include "native/convert/bind.h"

#include <flowray/tf/metrics.h>
#include <flowray/tf/sparse_tensor.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::ConfusionMatrixOptions, num_classes, dtype, name, weights)
FLOWRAY_FIELDS(tf::metrics::Metric, value, update)
FLOWRAY_FIELDS(tf::metrics::MetricOptions, weights, metrics_collections, updates_collections, name)
FLOWRAY_FIELDS(tf::metrics::AucOptions, weights, num_thresholds, metrics_collections, updates_collections,
               curve, name, summation_method, thresholds)
FLOWRAY_FIELDS(tf::metrics::AtRateOptions, weights, num_thresholds, metrics_collections, updates_collections,
               name)
FLOWRAY_FIELDS(tf::metrics::AtKOptions, class_id, weights, metrics_collections, updates_collections, name)
FLOWRAY_FIELDS(tf::metrics::AtTopKOptions, k, class_id, weights, metrics_collections, updates_collections,
               name)

namespace {

namespace metrics = tf::metrics;

constexpr const char* kDocument = "The value of all steps until now, and what takes a step's values in.";

void bind_pairs(nb::module_& m) {
  const auto metric = [&](const char* name, auto function) {
    bind(m, name, function, {"labels", "predictions"}, kDocument);
  };
  metric("accuracy", &metrics::accuracy);
  metric("mean_squared_error", &metrics::mean_squared_error);
  metric("root_mean_squared_error", &metrics::root_mean_squared_error);
  metric("mean_absolute_error", &metrics::mean_absolute_error);
  metric("true_positives", &metrics::true_positives);
  metric("false_positives", &metrics::false_positives);
  metric("true_negatives", &metrics::true_negatives);
  metric("false_negatives", &metrics::false_negatives);
  metric("precision", &metrics::precision);
  metric("recall", &metrics::recall);
}

/// Binds metrics of labels, predictions and a third argument.
void bind_triples(nb::module_& m) {
  const auto metric = [&](const char* name, const char* third, auto function) {
    bind(m, name, function, {"labels", "predictions", third});
  };
  metric("mean_relative_error", "normalizer", &metrics::mean_relative_error);
  metric("mean_cosine_distance", "dim", &metrics::mean_cosine_distance);
  metric("mean_iou", "num_classes", &metrics::mean_iou);
  metric("mean_per_class_accuracy", "num_classes", &metrics::mean_per_class_accuracy);
  metric("true_positives_at_thresholds", "thresholds", &metrics::true_positives_at_thresholds);
  metric("false_positives_at_thresholds", "thresholds", &metrics::false_positives_at_thresholds);
  metric("true_negatives_at_thresholds", "thresholds", &metrics::true_negatives_at_thresholds);
  metric("false_negatives_at_thresholds", "thresholds", &metrics::false_negatives_at_thresholds);
  metric("precision_at_thresholds", "thresholds", &metrics::precision_at_thresholds);
  metric("recall_at_thresholds", "thresholds", &metrics::recall_at_thresholds);
}

/// A metric of labels that may be sparse, a SparseTensorValue among them; it takes an Input or a SparseInput.
template <class Function>
tf::metrics::Metric of_labels(nb::handle labels, Function function) {
  const bool is_value =
      PyObject_IsInstance(labels.ptr(), python_object("flowray.tf._sparse", "SparseTensorValue").ptr()) == 1;
  if (!is_value && !nb::isinstance<tf::SparseTensor>(labels)) return function(as_input(labels));
  const nb::object converter = python_object("flowray.tf._sparse", "convert_to_tensor_or_sparse_tensor");
  const nb::object tensor = is_value ? nb::object(converter(labels)) : nb::borrow(labels);
  return function(tf::SparseInput(nb::cast<const tf::SparseTensor&>(tensor), tf::Input::Where()));
}

template <class Function>
void bind_at_k(nb::module_& m, const char* name, const char* same_as, Function function) {
  bind(
      m, name,
      [function](nb::handle labels, const tf::Input& predictions, int64_t k,
                 const metrics::AtKOptions& options) {
        return of_labels(labels, [&](const auto& of) { return function(of, predictions, k, options); });
      },
      {"labels", "predictions", "k"}, docstring_of(same_as));
}

template <class Function>
void bind_at_top_k(nb::module_& m, const char* name, Function function) {
  bind(
      m, name,
      [function](nb::handle labels, const tf::Input& predictions_idx, const metrics::AtTopKOptions& options) {
        return of_labels(labels, [&](const auto& of) { return function(of, predictions_idx, options); });
      },
      {"labels", "predictions_idx"}, docstring_of(std::string("metrics.") + name));
}

void bind_best(nb::module_& m) {
  const auto precision = [](const auto&... all) { return metrics::precision_at_k(all...); };
  bind_at_k(m, "precision_at_k", "metrics.precision_at_k", precision);
  bind_at_k(m, "sparse_precision_at_k", "metrics.precision_at_k", precision);
  bind_at_k(m, "recall_at_k", "metrics.recall_at_k",
            [](const auto&... all) { return metrics::recall_at_k(all...); });
  bind_at_top_k(m, "precision_at_top_k",
                [](const auto&... all) { return metrics::precision_at_top_k(all...); });
  bind_at_top_k(m, "recall_at_top_k", [](const auto&... all) { return metrics::recall_at_top_k(all...); });
  for (const char* name : {"average_precision_at_k", "sparse_average_precision_at_k"}) {
    bind(
        m, name,
        [](nb::handle labels, const tf::Input& predictions, int64_t k,
           const metrics::MetricOptions& options) {
          return of_labels(labels, [&](const auto& of) {
            return metrics::average_precision_at_k(of, predictions, k, options);
          });
        },
        {"labels", "predictions", "k"}, docstring_of("metrics.average_precision_at_k"));
  }
}

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::module_ module = m.def_submodule("metrics");
  bind(module, "mean", &metrics::mean, {"values"}, kDocument);
  bind(module, "mean_tensor", &metrics::mean_tensor, {"values"}, kDocument);
  bind(module, "percentage_below", &metrics::percentage_below, {"values", "threshold"});
  bind_pairs(module);
  bind_triples(module);
  bind(module, "auc", &metrics::auc, {"labels", "predictions"});
  bind(module, "sensitivity_at_specificity", &metrics::sensitivity_at_specificity,
       {"labels", "predictions", "specificity"});
  bind(module, "specificity_at_sensitivity", &metrics::specificity_at_sensitivity,
       {"labels", "predictions", "sensitivity"});
  bind_best(module);
  bind(m, "confusion_matrix", &tf::confusion_matrix, {"labels", "predictions"});
}

}  // namespace flowray::python
