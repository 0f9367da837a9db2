/// tf.metrics and tf.confusion_matrix.

#include "native/convert/convert.h"

#include <flowray/tf/metrics.h>

#include <string>

namespace flowray::python {
namespace {

namespace metrics = tf::metrics;
using metrics::Metric;
using metrics::MetricOptions;

auto none(const char* name) { return nb::arg(name).none() = nb::none(); }

nb::tuple both(const Metric& metric) { return nb::make_tuple(give(metric.value), give(metric.update)); }

MetricOptions options_of(nb::handle weights, nb::handle of_metrics, nb::handle of_updates, nb::handle name) {
  return {as_optional_input(weights), as_texts(of_metrics), as_texts(of_updates), as_text(name)};
}

std::vector<double> numbers(nb::handle list) {
  std::vector<double> all;
  if (list.is_none()) return all;
  for (nb::handle number : list) all.push_back(as_float(number));
  return all;
}

/// Metrics of one argument.
void bind_values(nb::module_& m) {
  const auto metric = [&](const char* name, Metric (*make)(const tf::Input&, const MetricOptions&)) {
    m.def(
        name,
        [make](nb::handle values, nb::handle weights, nb::handle of_metrics, nb::handle of_updates,
               nb::handle node_name) {
          return both(make(as_input(values), options_of(weights, of_metrics, of_updates, node_name)));
        },
        "values"_a, none("weights"), none("metrics_collections"), none("updates_collections"), none("name"),
        "The value of all steps until now, and what takes a step's values in.");
  };
  metric("mean", &metrics::mean);
  metric("mean_tensor", &metrics::mean_tensor);
  m.def(
      "percentage_below",
      [](nb::handle values, nb::handle threshold, nb::handle weights, nb::handle of_metrics,
         nb::handle of_updates, nb::handle name) {
        return both(metrics::percentage_below(as_input(values), as_input(threshold),
                                              options_of(weights, of_metrics, of_updates, name)));
      },
      "values"_a, "threshold"_a, none("weights"), none("metrics_collections"), none("updates_collections"),
      none("name"));
}

/// Metrics of labels and predictions.
void bind_pairs(nb::module_& m) {
  const auto metric = [&](const char* name,
                          Metric (*make)(const tf::Input&, const tf::Input&, const MetricOptions&)) {
    m.def(
        name,
        [make](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle of_metrics,
               nb::handle of_updates, nb::handle node_name) {
          return both(make(as_input(labels), as_input(predictions),
                           options_of(weights, of_metrics, of_updates, node_name)));
        },
        "labels"_a, "predictions"_a, none("weights"), none("metrics_collections"),
        none("updates_collections"), none("name"),
        "The value of all steps until now, and what takes a step's values in.");
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

/// Metrics of labels, predictions and one thing more.
void bind_triples(nb::module_& m) {
  const auto metric = [&](const char* name, const char* third_name, auto make) {
    m.def(
        name,
        [make](nb::handle labels, nb::handle predictions, nb::handle third, nb::handle weights,
               nb::handle of_metrics, nb::handle of_updates, nb::handle node_name) {
          return both(make(as_input(labels), as_input(predictions), third,
                           options_of(weights, of_metrics, of_updates, node_name)));
        },
        "labels"_a, "predictions"_a, nb::arg(third_name).none(), none("weights"), none("metrics_collections"),
        none("updates_collections"), none("name"));
  };
  metric("mean_relative_error", "normalizer",
         [](const tf::Input& labels, const tf::Input& predictions, nb::handle normalizer,
            const MetricOptions& options) {
           return metrics::mean_relative_error(labels, predictions, as_input(normalizer), options);
         });
  using OfNumber = Metric (*)(const tf::Input&, const tf::Input&, int64_t, const MetricOptions&);
  const auto of_number = [&](const char* name, const char* number_name, OfNumber make) {
    metric(
        name, number_name,
        [make](const tf::Input& labels, const tf::Input& predictions, nb::handle number,
               const MetricOptions& options) { return make(labels, predictions, as_int(number), options); });
  };
  of_number("mean_cosine_distance", "dim", &metrics::mean_cosine_distance);
  of_number("mean_iou", "num_classes", &metrics::mean_iou);
  of_number("mean_per_class_accuracy", "num_classes", &metrics::mean_per_class_accuracy);
  using AtThresholds =
      Metric (*)(const tf::Input&, const tf::Input&, const std::vector<double>&, const MetricOptions&);
  const auto at_thresholds = [&](const char* name, AtThresholds make) {
    metric(name, "thresholds",
           [make](const tf::Input& labels, const tf::Input& predictions, nb::handle thresholds,
                  const MetricOptions& options) {
             return make(labels, predictions, numbers(thresholds), options);
           });
  };
  at_thresholds("true_positives_at_thresholds", &metrics::true_positives_at_thresholds);
  at_thresholds("false_positives_at_thresholds", &metrics::false_positives_at_thresholds);
  at_thresholds("true_negatives_at_thresholds", &metrics::true_negatives_at_thresholds);
  at_thresholds("false_negatives_at_thresholds", &metrics::false_negatives_at_thresholds);
  at_thresholds("precision_at_thresholds", &metrics::precision_at_thresholds);
  at_thresholds("recall_at_thresholds", &metrics::recall_at_thresholds);
}

void bind_areas(nb::module_& m) {
  m.def(
      "auc",
      [](nb::handle labels, nb::handle predictions, nb::handle weights, Integer num_thresholds,
         nb::handle of_metrics, nb::handle of_updates, nb::handle curve, nb::handle name, nb::handle method,
         nb::handle thresholds) {
        return both(metrics::auc(
            as_input(labels), as_input(predictions),
            {as_optional_input(weights), num_thresholds, as_texts(of_metrics), as_texts(of_updates),
             as_text(curve), as_text(name), as_text(method), numbers(thresholds)}));
      },
      "labels"_a, "predictions"_a, none("weights"), "num_thresholds"_a = 200, none("metrics_collections"),
      none("updates_collections"), "curve"_a = "ROC", none("name"), "summation_method"_a = "trapezoidal",
      none("thresholds"));
}

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::module_ module = m.def_submodule("metrics");
  bind_values(module);
  bind_pairs(module);
  bind_triples(module);
  bind_areas(module);
  m.def(
      "confusion_matrix",
      [](nb::handle labels, nb::handle predictions, nb::handle num_classes, nb::handle dtype, nb::handle name,
         nb::handle weights) {
        tf::ConfusionMatrixOptions options{.num_classes = as_optional_input(num_classes),
                                           .name = as_text(name),
                                           .weights = as_optional_input(weights)};
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        return give(tf::confusion_matrix(as_input(labels), as_input(predictions), options));
      },
      "labels"_a, "predictions"_a, none("num_classes"), none("dtype"), none("name"), none("weights"));
}

}  // namespace flowray::python
