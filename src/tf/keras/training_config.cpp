#include "tf/keras/training_config.h"

#include <flowray/tf/keras/metrics.h>

#include "tf/keras/layer_config.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/optimizers.h"
#include "tf/keras/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

namespace flowray::tf::keras {
namespace {

Config told_score(const ScoreFunction& score, const char* what) {
  if (!score.has_value()) return {};
  if (score.in_files() != nullptr) return *score.in_files();
  if (!score.name().empty()) return score.name();
  throw errors::UnimplementedError(
      fmt::format("A {} of the model is a function without a name, which no file can hold.\nGive it one, "
                  "ScoreFunction(\"name\", function), and name it in CustomObjects.scores when the file is "
                  "read, or save with "
                  ".include_optimizer = false.",
                  what));
}

/// One alone, several as a list.
Config one_or_all(std::vector<Config> all) { return all.size() == 1 ? all[0] : Config(std::move(all)); }

[[noreturn]] void throw_not_there(const Config& told) {
  throw errors::UnimplementedError(fmt::format(
      "The file's model is trained by {}, which is not there.\nload_model(path, {{.compile = false}}) "
      "reads the model, which compile() may then train by something else.",
      told.to_json().substr(0, 300)));
}

/// What the config of a class says of its options; what it does not say is usual.
class ScoreOptions {
 public:
  explicit ScoreOptions(const Config& config) : config_(config) {}
  double number(const char* option, double usual) const {
    const Config* const found = given(option);
    return found == nullptr ? usual : found->number();
  }
  bool truth(const char* option) const {
    const Config* const found = given(option);
    return found != nullptr && found->truth();
  }
  bool from_logits() const { return truth("from_logits"); }
  std::string name() const {
    const Config* const found = given("name");
    return found == nullptr ? std::string() : found->text();
  }
  std::string text(const char* option, const char* usual) const {
    const Config* const found = given(option);
    return found == nullptr ? usual : found->text();
  }
  /// Empty, one, or several.
  std::vector<double> numbers(const char* option) const {
    const Config* const found = given(option);
    if (found == nullptr) return {};
    if (!found->is_list()) return {found->number()};
    std::vector<double> all;
    for (const Config& value : found->values()) all.push_back(value.number());
    return all;
  }
  std::optional<int64_t> integer(const char* option) const {
    const Config* const found = given(option);
    return found == nullptr ? std::optional<int64_t>() : found->integer();
  }
  metrics::CountOptions count() const { return {.thresholds = numbers("thresholds"), .name = name()}; }
  metrics::ShareOptions share() const {
    return {.thresholds = numbers("thresholds"),
            .top_k = integer("top_k"),
            .class_id = integer("class_id"),
            .name = name()};
  }
  metrics::BestAtOptions best_at() const {
    return {.num_thresholds = integer("num_thresholds").value_or(200), .name = name()};
  }
  metrics::AUCOptions area() const {
    return {.num_thresholds = integer("num_thresholds").value_or(200),
            .curve = text("curve", "ROC"),
            .summation_method = text("summation_method", "interpolation"),
            .thresholds = numbers("thresholds"),
            .multi_label = truth("multi_label"),
            .label_weights = numbers("label_weights"),
            .from_logits = from_logits(),
            .name = name()};
  }
  int64_t k() const { return static_cast<int64_t>(std::clamp(number("k", 5), 0.0, 1e15)); }
  losses::CrossentropyOptions crossentropy() const {
    return {.from_logits = from_logits(), .label_smoothing = number("label_smoothing", 0)};
  }

 private:
  const Config* given(const char* option) const {
    const Config* const found = config_.find(option);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  const Config& config_;
};

/// A class that has options here.
struct ScoreClass {
  std::string_view name;
  std::array<std::string_view, 7> options;
  ScoreFunction (*make)(const ScoreOptions& options);
};

constexpr ScoreClass kScoreClasses[] = {
    {"CategoricalCrossentropy",
     {"from_logits", "label_smoothing"},
     [](const ScoreOptions& told) { return losses::CategoricalCrossentropy(told.crossentropy()); }},
    {"BinaryCrossentropy",
     {"from_logits", "label_smoothing"},
     [](const ScoreOptions& told) { return losses::BinaryCrossentropy(told.crossentropy()); }},
    {"SparseCategoricalCrossentropy",
     {"from_logits"},
     [](const ScoreOptions& told) { return losses::SparseCategoricalCrossentropy(told.from_logits()); }},
    {"Huber", {"delta"}, [](const ScoreOptions& told) { return losses::Huber(told.number("delta", 1)); }},
    {"BinaryAccuracy",
     {"threshold"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::BinaryAccuracy(told.number("threshold", 0.5)));
     }},
    {"TopKCategoricalAccuracy",
     {"k"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::TopKCategoricalAccuracy(told.k())); }},
    {"SparseTopKCategoricalAccuracy",
     {"k"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::SparseTopKCategoricalAccuracy(told.k()));
     }},
    {"TruePositives",
     {"thresholds"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::TruePositives(told.count())); }},
    {"FalsePositives",
     {"thresholds"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::FalsePositives(told.count())); }},
    {"TrueNegatives",
     {"thresholds"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::TrueNegatives(told.count())); }},
    {"FalseNegatives",
     {"thresholds"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::FalseNegatives(told.count())); }},
    {"Precision",
     {"thresholds", "top_k", "class_id"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::Precision(told.share())); }},
    {"Recall",
     {"thresholds", "top_k", "class_id"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::Recall(told.share())); }},
    {"AUC",
     {"num_thresholds", "curve", "summation_method", "thresholds", "multi_label", "label_weights",
      "from_logits"},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::AUC(told.area())); }},
    {"SensitivityAtSpecificity",
     {"num_thresholds", "specificity"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::SensitivityAtSpecificity(told.number("specificity", 0), told.best_at()));
     }},
    {"SpecificityAtSensitivity",
     {"num_thresholds", "sensitivity"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::SpecificityAtSensitivity(told.number("sensitivity", 0), told.best_at()));
     }},
    {"PrecisionAtRecall",
     {"num_thresholds", "recall"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::PrecisionAtRecall(told.number("recall", 0), told.best_at()));
     }},
    {"RecallAtPrecision",
     {"num_thresholds", "precision"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::RecallAtPrecision(told.number("precision", 0), told.best_at()));
     }},
    {"MeanIoU",
     {"num_classes"},
     [](const ScoreOptions& told) {
       return ScoreFunction(metrics::MeanIoU(told.integer("num_classes").value_or(0), told.name()));
     }},
    {"RootMeanSquaredError",
     {},
     [](const ScoreOptions& told) { return ScoreFunction(metrics::RootMeanSquaredError(told.name())); }},
    {"MeanRelativeError",
     {"normalizer"},
     [](const ScoreOptions& told) {
       const std::vector<double> normalizer = told.numbers("normalizer");
       return ScoreFunction(metrics::MeanRelativeError({normalizer.begin(), normalizer.end()}, told.name()));
     }},
};

/// A loss or metric of a class: with its options, or with those that functions have.
ScoreFunction score_of_class(const Config& told) {
  const std::string& class_name = told.at("class_name").text();
  const Config& config = told.at("config");
  const auto* const known = std::ranges::find(kScoreClasses, class_name, &ScoreClass::name);
  const bool has_options = known != std::end(kScoreClasses);
  const auto is_usual = [&](const std::string& name, const Config& value) {
    if (name == "name" || name == "dtype" || name == "fn" || value.is_null()) return true;
    if (name == "reduction") return value == "auto" || value == "sum_over_batch_size";
    if (name == "axis") return value == -1;
    if (name == "sparse_y_true" || name == "sparse_y_pred") return value == true;
    return has_options && std::ranges::find(known->options, name) != known->options.end();
  };
  for (size_t i = 0; i < config.names().size(); ++i)
    if (!is_usual(config.names()[i], config.values()[i])) throw_not_there(told);
  if (has_options) return known->make(ScoreOptions(config));
  const Config* const function = config.find("fn");
  const std::string name =
      function != nullptr && function->is_text() ? function->text() : snake_case(class_name);
  const ScoreFunction score(name);
  try {
    (void)metric_of(score, TensorShape::unknown_rank(), TensorShape::unknown_rank());
  } catch (const ValueError&) {
    throw_not_there(told);
  }
  return score;
}

ScoreFunction score_of(const Config& told, const CustomObjects& own) {
  if (told.is_null()) return {};
  if (told.has_items()) return score_of_class(told);
  if (!told.is_text()) throw_not_there(told);
  const auto found = own.scores.find(told.text());
  if (found == own.scores.end()) return told.text();
  return {told.text(), found->second.function()};
}

/// What is told of each output: one for all, a list, or items by the outputs' names.
std::vector<Config> of_outputs(const Config& told, const std::vector<std::string>& names) {
  if (told.has_items() && told.find("class_name") == nullptr) {
    std::vector<Config> all;
    for (const std::string& name : names) {
      const Config* const found = told.find(name);
      all.push_back(found == nullptr ? Config() : *found);
    }
    return all;
  }
  return told.is_list() ? told.values() : std::vector<Config>(std::max<size_t>(names.size(), 1), told);
}

std::vector<ScoreFunction> scores_in(const Config& told, const CustomObjects& own) {
  std::vector<ScoreFunction> scores;
  if (told.is_null()) return scores;
  if (!told.is_list()) return {score_of(told, own)};
  for (const Config& one : told.values()) scores.push_back(score_of(one, own));
  return scores;
}

const Config& item_or_null(const Config& config, const char* name) {
  static const Config none;
  const Config* const found = config.find(name);
  return found == nullptr ? none : *found;
}

/// Of all outputs, or a list for each.
void read_metrics(const Config& told, const std::vector<std::string>& names, const CustomObjects& own,
                  std::vector<ScoreFunction>& metrics,
                  std::vector<std::vector<ScoreFunction>>& metrics_of_outputs) {
  const bool is_by_output =
      told.has_items() || (told.is_list() && !told.values().empty() && told.values()[0].is_list());
  if (!is_by_output) {
    metrics = scores_in(told, own);
    return;
  }
  for (const Config& of_output : of_outputs(told, names))
    metrics_of_outputs.push_back(scores_in(of_output, own));
}

}  // namespace

namespace {

/// A list of the only output, else a list for each.
Config told_metrics(const std::vector<std::vector<ScoreFunction>>& of_outputs) {
  std::vector<Config> metrics;
  for (const std::vector<ScoreFunction>& of_output : of_outputs) {
    Config told = std::vector<Config>();
    for (const ScoreFunction& metric : of_output) told.add(told_score(metric, "metric"));
    metrics.push_back(std::move(told));
  }
  return one_or_all(std::move(metrics));
}

/// Null where weights are of whole samples; a word of the only output, else a list.
Config told_modes(const std::vector<std::string>& modes) {
  if (std::ranges::all_of(modes, [](const std::string& mode) { return mode.empty(); })) return {};
  std::vector<Config> told;
  for (const std::string& mode : modes) told.push_back(mode.empty() ? Config() : Config(mode));
  return one_or_all(std::move(told));
}

}  // namespace

Config told_training(const CompileOptions& options, const Config& optimizer) {
  std::vector<Config> losses;
  for (const ScoreFunction& loss : options.losses) losses.push_back(told_score(loss, "loss"));
  const std::vector<double>& weights = options.loss_weights;
  Config loss_weights;
  if (std::ranges::any_of(weights, [](double weight) { return weight != 1.0; }))
    loss_weights = std::vector<Config>(weights.begin(), weights.end());
  return Config::items({{"loss", one_or_all(std::move(losses))},
                        {"metrics", told_metrics(options.metrics_of_outputs)},
                        {"loss_weights", loss_weights},
                        {"sample_weight_mode", told_modes(options.sample_weight_modes)},
                        {"weighted_metrics", options.weighted_metrics_of_outputs.empty()
                                                 ? Config()
                                                 : told_metrics(options.weighted_metrics_of_outputs)},
                        {"optimizer_config", optimizer}});
}

CompileOptions compile_options_of(const Config& training, const std::vector<std::string>& output_names,
                                  const CustomObjects& own) {
  CompileOptions options;
  options.optimizer = optimizer_of_config(training.at("optimizer_config"));
  for (const Config& loss : of_outputs(item_or_null(training, "loss"), output_names))
    options.losses.push_back(score_of(loss, own));
  read_metrics(item_or_null(training, "metrics"), output_names, own, options.metrics,
               options.metrics_of_outputs);
  read_metrics(item_or_null(training, "weighted_metrics"), output_names, own, options.weighted_metrics,
               options.weighted_metrics_of_outputs);
  if (const Config& modes = item_or_null(training, "sample_weight_mode"); !modes.is_null()) {
    for (const Config& mode : of_outputs(modes, output_names))
      options.sample_weight_modes.push_back(mode.is_null() ? "" : mode.text());
  }
  if (const Config& weights = item_or_null(training, "loss_weights"); !weights.is_null()) {
    for (const Config& weight : of_outputs(weights, output_names))
      options.loss_weights.push_back(weight.is_null() ? 1.0 : weight.number());
  }
  return options;
}

}  // namespace flowray::tf::keras
