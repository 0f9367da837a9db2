/// tf.metrics and tf.confusion_matrix.

#include "native/convert/bind.h"

#include <flowray/tf/metrics.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::ConfusionMatrixOptions, num_classes, dtype, name, weights)
FLOWRAY_FIELDS(tf::metrics::Metric, value, update)
FLOWRAY_FIELDS(tf::metrics::MetricOptions, weights, metrics_collections, updates_collections, name)
FLOWRAY_FIELDS(tf::metrics::AucOptions, weights, num_thresholds, metrics_collections, updates_collections,
               curve, name, summation_method, thresholds)

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

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::module_ module = m.def_submodule("metrics");
  bind(module, "mean", &metrics::mean, {"values"}, kDocument);
  bind(module, "mean_tensor", &metrics::mean_tensor, {"values"}, kDocument);
  bind(module, "percentage_below", &metrics::percentage_below, {"values", "threshold"});
  bind_pairs(module);
  bind_triples(module);
  bind(module, "auc", &metrics::auc, {"labels", "predictions"});
  bind(m, "confusion_matrix", &tf::confusion_matrix, {"labels", "predictions"});
}

}  // namespace flowray::python
