#include "tf/keras/scores.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace flowray::tf::keras {
namespace {

constexpr double kEpsilon = 1e-7;  // keras.backend.epsilon()

/// The logits that an activation was made of; none where it is another node.
Tensor logits_behind(const Tensor& output, std::string_view activation) {
  const Operation op = output.op();
  return op.type() == activation ? op.inputs()[0] : Tensor();
}

Tensor clipped(const Tensor& chances) { return clip_by_value(chances, kEpsilon, 1 - kEpsilon); }

/// Numbers of classes as a vector.
Tensor class_numbers(const Tensor& y_true) { return cast(reshape(y_true, {-1}), int64); }

Tensor like(const Tensor& y_true, const Tensor& y_pred) {
  const DType dtype = base_dtype(y_pred.dtype());
  return base_dtype(y_true.dtype()) == dtype ? y_true : cast(y_true, dtype);
}

/// A number for each element of a batch, whatever dimensions are left behind it.
Tensor as_numbers(const Tensor& truths, const Tensor& y_pred) {
  return cast(truths, base_dtype(y_pred.dtype()));
}

/// [n] as y_pred's shape without the classes, where that has more than the batch.
Tensor for_each_element(const Tensor& values, const Tensor& y_pred) {
  const TensorShape& dims = y_pred.shape();
  if (!dims.has_rank() || dims.rank() <= 2) return values;
  Tensor result = reshape(values, shape(y_pred)[Slice{0, -1}]);
  result.set_shape(TensorShape(dims.dims().first(static_cast<size_t>(dims.rank() - 1))));
  return result;
}

}  // namespace

Tensor losses::mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_mean(square(y_pred - like(y_true, y_pred)), {-1});
}

Tensor losses::mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_mean(abs(y_pred - like(y_true, y_pred)), {-1});
}

Tensor losses::categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor logits = logits_behind(y_pred, "Softmax");
  if (logits.has_value())
    return nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = logits});
  const Tensor chances = clipped(y_pred / reduce_sum(y_pred, {-1}, {.keepdims = true}));
  return negative(reduce_sum(labels * log(chances), {-1}));
}

Tensor losses::sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  Tensor logits = logits_behind(y_pred, "Softmax");
  if (!logits.has_value()) logits = log(clipped(y_pred));
  const TensorShape& dims = logits.shape();
  const int64_t classes = dims.has_rank() && dims.rank() > 0 ? dims.dim(dims.rank() - 1) : -1;
  if (dims.has_rank() && dims.rank() > 2 && classes > 0) logits = reshape(logits, {-1, classes});
  return for_each_element(
      nn::sparse_softmax_cross_entropy_with_logits({.labels = class_numbers(y_true), .logits = logits}),
      y_pred);
}

Tensor losses::binary_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor logits = logits_behind(y_pred, "Sigmoid");
  if (logits.has_value())
    return reduce_mean(nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = logits}), {-1});
  const Tensor yes = clipped(y_pred);
  const Tensor score = labels * log(yes + kEpsilon) + (1.0 - labels) * log(1.0 - yes + kEpsilon);
  return reduce_mean(negative(score), {-1});
}

Tensor losses::hinge(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor is_binary = reduce_all(logical_or(equal(labels, 0.0), equal(labels, 1.0)));
  const Tensor shift = cast(is_binary, base_dtype(y_pred.dtype()));
  const Tensor signs = labels * (1.0 + shift) - shift;  // of 0 and 1 alone: -1 and 1
  return reduce_mean(maximum(1.0 - signs * y_pred, 0.0), {-1});
}

Tensor metrics::categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return as_numbers(equal(argmax(y_true, -1), argmax(y_pred, -1)), y_pred);
}

Tensor metrics::sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return for_each_element(as_numbers(equal(class_numbers(y_true), reshape(argmax(y_pred, -1), {-1})), y_pred),
                          y_pred);
}

Tensor metrics::binary_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor says = as_numbers(y_pred > 0.5, y_pred);
  return reduce_mean(as_numbers(equal(like(y_true, y_pred), says), y_pred), {-1});
}

// ---- by their names

namespace {

using Pointer = Tensor (*)(const Tensor&, const Tensor&);
struct Named {
  std::string_view name;
  Pointer function;
};

constexpr Named kLosses[] = {
    {"mean_squared_error", losses::mean_squared_error},
    {"mse", losses::mean_squared_error},
    {"MSE", losses::mean_squared_error},
    {"mean_absolute_error", losses::mean_absolute_error},
    {"mae", losses::mean_absolute_error},
    {"MAE", losses::mean_absolute_error},
    {"categorical_crossentropy", losses::categorical_crossentropy},
    {"sparse_categorical_crossentropy", losses::sparse_categorical_crossentropy},
    {"binary_crossentropy", losses::binary_crossentropy},
    {"hinge", losses::hinge},
};
constexpr Named kMetrics[] = {
    {"categorical_accuracy", metrics::categorical_accuracy},
    {"sparse_categorical_accuracy", metrics::sparse_categorical_accuracy},
    {"binary_accuracy", metrics::binary_accuracy},
};

Pointer find(std::span<const Named> table, std::string_view name) {
  for (const Named& named : table) {
    if (named.name == name) return named.function;
  }
  return nullptr;
}

std::string_view name_in(std::span<const Named> table, Pointer function) {
  for (const Named& named : table) {
    if (named.function == function) return named.name;
  }
  return {};
}

[[noreturn]] void throw_unknown(const char* what, const std::string& name) {
  throw ValueError(
      fmt::format("Unknown {} function: '{}'. Please ensure you are using a "
                  "`keras.utils.custom_object_scope` and that this object is "
                  "included in the scope.\nThe names that are known stand in flowray/tf/keras/losses.h; any "
                  "function of true and "
                  "predicted values may be given instead.",
                  what, name));
}

/// "accuracy" for these shapes.
Pointer accuracy_for(const TensorShape& y_true, const TensorShape& y_pred) {
  const auto last = [](const TensorShape& shape) {
    return shape.has_rank() && shape.rank() > 0 ? shape.dim(shape.rank() - 1) : -1;
  };
  if (last(y_pred) == 1) return metrics::binary_accuracy;
  const bool is_sparse = (y_true.has_rank() && y_pred.has_rank() && y_true.rank() < y_pred.rank()) ||
                         (last(y_true) == 1 && last(y_pred) > 1);
  return is_sparse ? metrics::sparse_categorical_accuracy : metrics::categorical_accuracy;
}

bool is_accuracy(const std::string& name) { return name == "accuracy" || name == "acc"; }

}  // namespace

std::string ScoreFunction::known_name(Pointer function) {
  const std::string_view loss = name_in(kLosses, function);
  return std::string(loss.empty() ? name_in(kMetrics, function) : loss);
}

ScoreFunction::Function loss_of(const ScoreFunction& score) {
  if (score.function() != nullptr) return score.function();
  const Pointer found = find(kLosses, score.name());
  if (found == nullptr) throw_unknown("loss", score.name());
  return found;
}

ScoreFunction::Function metric_of(const ScoreFunction& score, const TensorShape& y_true,
                                  const TensorShape& y_pred) {
  if (score.function() != nullptr) return score.function();
  if (is_accuracy(score.name())) return accuracy_for(y_true, y_pred);
  Pointer found = find(kMetrics, score.name());
  if (found == nullptr) found = find(kLosses, score.name());
  if (found == nullptr) throw_unknown("metric", score.name());
  return found;
}

std::string metric_name(const ScoreFunction& score) {
  if (score.function() == nullptr && is_accuracy(score.name())) return "acc";
  const Pointer loss = score.function() == nullptr ? find(kLosses, score.name()) : nullptr;
  if (loss != nullptr) return std::string(name_in(kLosses, loss));
  return score.name().empty() ? "metric" : score.name();
}

}  // namespace flowray::tf::keras
