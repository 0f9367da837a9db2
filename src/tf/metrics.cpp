#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/variable_scope.h>

#include "tf/collections.h"
#include "tf/composite.h"

#include <fmt/format.h>

#include <string_view>

namespace flowray::tf::metrics {
namespace {

Variable local_scalar(const std::string& name) {
  return Variable([] { return zeros(TensorShape{}); },
                  {.trainable = false,
                   .collections = {internal::kLocalVariables, internal::kMetricVariables},
                   .name = name});
}

Metric mean_of(const Tensor& given, const std::string& name, std::string_view default_name) {
  const VariableScopeGuard scope = variable_scope(name, {.default_name = std::string(default_name)});
  const Tensor values = cast(given, DType::kFloat32);
  const Variable total = local_scalar("total");
  const Variable count = local_scalar("count");
  const Tensor number = cast(size(values), DType::kFloat32);
  const Tensor new_total = total.assign_add(reduce_sum(values));
  Tensor new_count;
  {
    const ControlDependenciesGuard wait = control_dependencies({values});
    new_count = count.assign_add(number);
  }
  Metric metric;
  metric.value = div_no_nan(total, maximum(count, 0.0), {.name = "value"});
  metric.update = div_no_nan(new_total, maximum(new_count, 0.0), {.name = "update_op"});
  return metric;
}

}  // namespace

Metric mean(const Input& values, const NameOption& options) {
  graph::Graph& graph = graph_of({&values});
  const GraphScope in_graph(&graph);
  const UserLine line(graph, values.where());
  return mean_of(tensor_of(convert_to_endpoint(graph, values, DType::kInvalid, "values")), options.name,
                 "mean");
}

Metric accuracy(const Input& labels, const Input& predictions, const NameOption& options) {
  graph::Graph& graph = graph_of({&labels, &predictions});
  const GraphScope in_graph(&graph);
  const UserLine line(graph, labels.where());
  Tensor guess = tensor_of(convert_to_endpoint(graph, predictions, DType::kInvalid, "predictions"));
  const Tensor truth = tensor_of(convert_to_endpoint(graph, labels, DType::kInvalid, "labels"));
  if (!guess.shape().has_rank() || guess.shape().rank() != truth.shape().rank()) {
    throw errors::UnimplementedError(
        fmt::format("Labels and predictions of an accuracy have the same known rank today, but the shapes {} "
                    "and {}.\nUse tf::squeeze or set_shape.",
                    truth.shape().to_tuple_string(), guess.shape().to_tuple_string()));
  }
  if (!guess.shape().is_compatible_with(truth.shape())) {
    throw ValueError(fmt::format("Shapes {} and {} are incompatible", guess.shape().to_tuple_string(),
                                 truth.shape().to_tuple_string()));
  }
  if (base_dtype(guess.dtype()) != base_dtype(truth.dtype())) guess = cast(guess, base_dtype(truth.dtype()));
  return mean_of(cast(equal(guess, truth), DType::kFloat32), options.name, "accuracy");
}

}  // namespace flowray::tf::metrics
