// What models are trained for and judged by.
#include <flowray/tf/keras/losses.h>

#include <flowray/tf/array.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/neural_ops.h>
#include <flowray/tf/slicing.h>

#include "tf/keras/metric_values.h"

#include <fmt/format.h>

#include <numbers>
#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr double kFuzz = 1e-7;  // keras.backend.epsilon()

/// The logits that an activation was made of; none where it is another node.
Tensor logits_behind(const Tensor& output, std::string_view activation) {
  const Operation op = output.op();
  return op.type() == activation ? op.inputs()[0] : Tensor();
}

Tensor clipped(const Tensor& chances) { return clip_by_value(chances, kFuzz, 1 - kFuzz); }

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

/// -log of the chance that logits give to the number of the true class.
Tensor sparse_crossentropy_of(const Tensor& y_true, const Tensor& logits) {
  const TensorShape& dims = logits.shape();
  const int64_t classes = dims.has_rank() && dims.rank() > 0 ? dims.dim(dims.rank() - 1) : -1;
  const bool is_deep = dims.has_rank() && dims.rank() > 2 && classes > 0;
  return for_each_element(
      nn::sparse_softmax_cross_entropy_with_logits(
          {.labels = class_numbers(y_true), .logits = is_deep ? reshape(logits, {-1, classes}) : logits}),
      logits);
}

/// The share of elements for which y_pred > threshold says what y_true says.
Tensor accuracy_above(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const Tensor says = as_numbers(y_pred > threshold, y_pred);
  return reduce_mean(as_numbers(equal(like(y_true, y_pred), says), y_pred), {-1});
}

/// max(1 - y_true * y_pred, 0), where of 0 and 1 alone 0 counts as -1.
Tensor short_of_margin(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor is_binary = reduce_all(logical_or(equal(labels, 0.0), equal(labels, 1.0)));
  const Tensor shift = cast(is_binary, base_dtype(y_pred.dtype()));
  const Tensor signs = labels * (1.0 + shift) - shift;
  return maximum(1.0 - signs * y_pred, 0.0);
}

Tensor huber_of(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const Tensor error = abs(y_pred - like(y_true, y_pred));
  const Tensor straight = error * delta - 0.5 * delta * delta;
  return reduce_mean(where(error <= delta, 0.5 * square(error), straight), {-1});
}

Tensor is_in_top(const Tensor& numbers, const Tensor& y_pred, int64_t k) {
  return as_numbers(raw_ops::InTopKV2(y_pred, numbers, Array(k)), y_pred);
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
  const Tensor logits = logits_behind(y_pred, "Softmax");
  return sparse_crossentropy_of(y_true, logits.has_value() ? logits : log(clipped(y_pred)));
}

Tensor losses::binary_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor logits = logits_behind(y_pred, "Sigmoid");
  if (logits.has_value())
    return reduce_mean(nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = logits}), {-1});
  const Tensor yes = clipped(y_pred);
  const Tensor score = labels * log(yes + kFuzz) + (1.0 - labels) * log(1.0 - yes + kFuzz);
  return reduce_mean(negative(score), {-1});
}

Tensor losses::hinge(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_mean(short_of_margin(y_true, y_pred), {-1});
}

Tensor losses::squared_hinge(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_mean(square(short_of_margin(y_true, y_pred)), {-1});
}

Tensor losses::categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = like(y_true, y_pred);
  const Tensor right = reduce_sum(labels * y_pred, {-1});
  const Tensor wrong = reduce_max((1.0 - labels) * y_pred, {-1});
  return maximum(wrong - right + 1.0, 0.0);
}

Tensor losses::mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor truths = like(y_true, y_pred);
  return 100.0 * reduce_mean(abs((truths - y_pred) / maximum(abs(truths), kFuzz)), {-1});
}

Tensor losses::mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto logarithm = [](const Tensor& x) { return log(maximum(x, kFuzz) + 1.0); };
  return reduce_mean(square(logarithm(y_pred) - logarithm(like(y_true, y_pred))), {-1});
}

Tensor losses::log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor error = y_pred - like(y_true, y_pred);
  return reduce_mean(error + nn::softplus(-2.0 * error) - std::numbers::ln2, {-1});
}

Tensor losses::huber(const Tensor& y_true, const Tensor& y_pred) { return huber_of(y_true, y_pred, 1); }

Tensor losses::kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor truths = clip_by_value(like(y_true, y_pred), kFuzz, 1.0);
  return reduce_sum(truths * log(truths / clip_by_value(y_pred, kFuzz, 1.0)), {-1});
}

Tensor losses::poisson(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_mean(y_pred - like(y_true, y_pred) * log(y_pred + kFuzz), {-1});
}

Tensor losses::cosine_similarity(const Tensor& y_true, const Tensor& y_pred) {
  return negative(metrics::cosine_similarity(y_true, y_pred));
}

Tensor metrics::categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return as_numbers(equal(argmax(y_true, -1), argmax(y_pred, -1)), y_pred);
}

Tensor metrics::sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return for_each_element(as_numbers(equal(class_numbers(y_true), reshape(argmax(y_pred, -1), {-1})), y_pred),
                          y_pred);
}

Tensor metrics::binary_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return accuracy_above(y_true, y_pred, 0.5);
}

Tensor metrics::top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return is_in_top(argmax(y_true, -1), y_pred, 5);
}

Tensor metrics::sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return is_in_top(class_numbers(y_true), y_pred, 5);
}

Tensor metrics::cosine_similarity(const Tensor& y_true, const Tensor& y_pred) {
  return reduce_sum(nn::l2_normalize(like(y_true, y_pred), {-1}) * nn::l2_normalize(y_pred, {-1}), {-1});
}

// ---- with options

namespace {

using Options = std::initializer_list<std::pair<std::string, Config>>;

/// {"class_name": ..., "config": ...} with options behind what all have.
Config told(const char* class_name, Config config, const Options& options) {
  for (const auto& [option, value] : options) config.set(option, value);
  return Config::items({{"class_name", class_name}, {"config", std::move(config)}});
}
Config told_loss(const char* class_name, const char* name, const Options& options) {
  return told(class_name, Config::items({{"reduction", "auto"}, {"name", name}}), options);
}
void check_smoothing(const losses::CrossentropyOptions& options) {
  if (options.label_smoothing >= 0 && options.label_smoothing <= 1) return;
  throw ValueError(fmt::format("label_smoothing is {}, but from 0 to 1", options.label_smoothing));
}

void check_k(int64_t k) {
  if (k < 1) throw ValueError(fmt::format("k is {}, but at least 1", k));
}

Config told_crossentropy(const char* class_name, const char* name,
                         const losses::CrossentropyOptions& options) {
  return told_loss(
      class_name, name,
      {{"from_logits", options.from_logits}, {"label_smoothing", options.label_smoothing}, {"axis", -1}});
}

}  // namespace

ScoreFunction losses::CategoricalCrossentropy(const CrossentropyOptions& options) {
  check_smoothing(options);
  const auto function = [options](const Tensor& y_true, const Tensor& y_pred) {
    Tensor labels = like(y_true, y_pred);
    if (options.label_smoothing != 0) {
      const Tensor classes = cast(shape(labels)[-1], base_dtype(y_pred.dtype()));
      labels = labels * (1.0 - options.label_smoothing) + options.label_smoothing / classes;
    }
    if (!options.from_logits || logits_behind(y_pred, "Softmax").has_value())
      return categorical_crossentropy(labels, y_pred);
    return nn::softmax_cross_entropy_with_logits_v2({.labels = labels, .logits = y_pred});
  };
  constexpr const char* kName = "categorical_crossentropy";
  return {kName, function, told_crossentropy("CategoricalCrossentropy", kName, options)};
}

ScoreFunction losses::BinaryCrossentropy(const CrossentropyOptions& options) {
  check_smoothing(options);
  const auto function = [options](const Tensor& y_true, const Tensor& y_pred) {
    Tensor labels = like(y_true, y_pred);
    if (options.label_smoothing != 0)
      labels = labels * (1.0 - options.label_smoothing) + 0.5 * options.label_smoothing;
    if (!options.from_logits || logits_behind(y_pred, "Sigmoid").has_value())
      return binary_crossentropy(labels, y_pred);
    return reduce_mean(nn::sigmoid_cross_entropy_with_logits({.labels = labels, .logits = y_pred}), {-1});
  };
  constexpr const char* kName = "binary_crossentropy";
  return {kName, function, told_crossentropy("BinaryCrossentropy", kName, options)};
}

ScoreFunction losses::SparseCategoricalCrossentropy(bool from_logits) {
  const auto function = [from_logits](const Tensor& y_true, const Tensor& y_pred) {
    if (!from_logits || logits_behind(y_pred, "Softmax").has_value())
      return sparse_categorical_crossentropy(y_true, y_pred);
    return sparse_crossentropy_of(y_true, y_pred);
  };
  constexpr const char* kName = "sparse_categorical_crossentropy";
  return {kName, function, told_loss("SparseCategoricalCrossentropy", kName, {{"from_logits", from_logits}})};
}

ScoreFunction losses::Huber(double delta) {
  if (!(delta >= 0)) throw ValueError(fmt::format("delta is {}, but at least 0", delta));
  return {"huber_loss",
          [delta](const Tensor& y_true, const Tensor& y_pred) { return huber_of(y_true, y_pred, delta); },
          told_loss("Huber", "huber_loss", {{"delta", delta}})};
}

ScoreFunction::Function binary_accuracy_above(double threshold) {
  return [threshold](const Tensor& y_true, const Tensor& y_pred) {
    return accuracy_above(y_true, y_pred, threshold);
  };
}

ScoreFunction::Function top_categorical_accuracy(int64_t k) {
  check_k(k);
  return [k](const Tensor& y_true, const Tensor& y_pred) { return is_in_top(argmax(y_true, -1), y_pred, k); };
}

ScoreFunction::Function sparse_top_categorical_accuracy(int64_t k) {
  check_k(k);
  return
      [k](const Tensor& y_true, const Tensor& y_pred) { return is_in_top(class_numbers(y_true), y_pred, k); };
}

}  // namespace flowray::tf::keras
