#include "tf/keras/scores.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace flowray::tf::keras {

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
    {"squared_hinge", losses::squared_hinge},
    {"categorical_hinge", losses::categorical_hinge},
    {"mean_absolute_percentage_error", losses::mean_absolute_percentage_error},
    {"mape", losses::mean_absolute_percentage_error},
    {"MAPE", losses::mean_absolute_percentage_error},
    {"mean_squared_logarithmic_error", losses::mean_squared_logarithmic_error},
    {"msle", losses::mean_squared_logarithmic_error},
    {"MSLE", losses::mean_squared_logarithmic_error},
    {"log_cosh", losses::log_cosh},
    {"logcosh", losses::log_cosh},
    {"huber", losses::huber},
    {"huber_loss", losses::huber},
    {"kl_divergence", losses::kl_divergence},
    {"kullback_leibler_divergence", losses::kl_divergence},
    {"kld", losses::kl_divergence},
    {"KLD", losses::kl_divergence},
    {"bce", losses::binary_crossentropy},
    {"BCE", losses::binary_crossentropy},
    {"poisson", losses::poisson},
    {"cosine_similarity", losses::cosine_similarity},
    {"cosine_proximity", losses::cosine_similarity},
    {"cosine", losses::cosine_similarity},
};
constexpr Named kMetrics[] = {
    {"categorical_accuracy", metrics::categorical_accuracy},
    {"sparse_categorical_accuracy", metrics::sparse_categorical_accuracy},
    {"binary_accuracy", metrics::binary_accuracy},
    {"top_k_categorical_accuracy", metrics::top_k_categorical_accuracy},
    {"sparse_top_k_categorical_accuracy", metrics::sparse_top_k_categorical_accuracy},
    {"cosine_similarity", metrics::cosine_similarity},
    {"cosine_proximity", metrics::cosine_similarity},
    {"cosine", metrics::cosine_similarity},
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
  if (score.metric() != nullptr) {
    throw ValueError(fmt::format(
        "The loss is the metric '{}', which counts over batches.\nA loss is a function of one: see "
        "flowray/tf/keras/losses.h.",
        score.name()));
  }
  if (score.function() != nullptr) return score.function();
  const Pointer found = find(kLosses, score.name());
  if (found == nullptr) throw_unknown("loss", score.name());
  return found;
}

ScoreFunction::Function metric_of(const ScoreFunction& score, const TensorShape& y_true,
                                  const TensorShape& y_pred, const ScoreFunction& loss) {
  if (score.function() != nullptr) return score.function();
  if (score.metric() != nullptr) return nullptr;
  if (is_accuracy(score.name())) {
    const bool is_binary = loss.has_value() && loss_name(loss) == "binary_crossentropy";
    return is_binary ? metrics::binary_accuracy : accuracy_for(y_true, y_pred);
  }
  Pointer found = find(kMetrics, score.name());
  if (found == nullptr) found = find(kLosses, score.name());
  if (found == nullptr) throw_unknown("metric", score.name());
  return found;
}

std::string loss_name(const ScoreFunction& loss) {
  return loss.function() == nullptr ? metric_name(loss) : loss.name();
}

std::string metric_name(const ScoreFunction& score) {
  if (score.metric() != nullptr) return score.name();
  if (score.function() == nullptr && is_accuracy(score.name())) return "acc";
  const Pointer loss = score.function() == nullptr ? find(kLosses, score.name()) : nullptr;
  if (loss != nullptr) return std::string(name_in(kLosses, loss));
  return score.name().empty() ? "metric" : score.name();
}

}  // namespace flowray::tf::keras
