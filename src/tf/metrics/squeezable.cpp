#include "tf/metrics/squeezable.h"

#include <flowray/tf/array.h>

#include "tf/build/apply_op.h"

namespace flowray::tf {
namespace {

bool may_go(const Tensor& value) {
  return value.shape().rank() > 0 && (value.shape().dim(-1) == 1 || value.shape().dim(-1) < 0);
}

Tensor without_last(const Tensor& value) { return squeeze(value, {.axis = {-1}}); }

}  // namespace

std::pair<Tensor, Tensor> remove_squeezable_dimensions(graph::Graph& graph, const Input& given_labels,
                                                       const Input& given_predictions, int more) {
  const graph::NameScope scope(graph, "remove_squeezable_dimensions");
  const Tensor predictions = to_tensor(graph, given_predictions, "Const");
  const Tensor labels = to_tensor(graph, given_labels, "Const");
  if (!predictions.shape().has_rank() || !labels.shape().has_rank()) return {labels, predictions};
  const int difference = predictions.shape().rank() - labels.shape().rank();
  if (difference == more + 1 && may_go(predictions)) return {labels, without_last(predictions)};
  if (difference == more - 1 && may_go(labels)) return {without_last(labels), predictions};
  return {labels, predictions};
}

Tensor weights_of_rank(const Tensor& weights, const Tensor& values) {
  if (!weights.shape().has_rank() || weights.shape().rank() == 0 || !values.shape().has_rank())
    return weights;
  const int difference = weights.shape().rank() - values.shape().rank();
  if (difference == 1) return without_last(weights);
  if (difference == -1) return expand_dims(weights, {-1});
  return weights;
}

}  // namespace flowray::tf
