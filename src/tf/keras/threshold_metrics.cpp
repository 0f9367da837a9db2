// Metrics of how many are rightly and wrongly said to be so, and of confusions of classes.
#include <flowray/tf/keras/metrics.h>

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/metrics.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/matrix_ops.h>
#include <flowray/tf/ops/reduce_ops.h>
#include <flowray/tf/slicing.h>

#include "tf/keras/metric_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

using metrics::Metric;
using metrics::MetricRule;

constexpr double kBeyond = 1e-7;  // the outermost thresholds lie so far beyond 0 and 1
constexpr double kNever = -1e10;  // below all predictions

/// How those are counted that are (true) or are not, and are said to be (positive) or not to be.
struct Kind {
  std::string_view class_name;
  const char* variable;
  bool is;
  bool said;
};
constexpr Kind kTruePositives = {"TruePositives", "true_positives", true, true};
constexpr Kind kTrueNegatives = {"TrueNegatives", "true_negatives", false, false};
constexpr Kind kFalsePositives = {"FalsePositives", "false_positives", false, true};
constexpr Kind kFalseNegatives = {"FalseNegatives", "false_negatives", true, false};

Config numbers_config(const std::vector<double>& numbers) {
  return std::vector<Config>(numbers.begin(), numbers.end());
}

std::vector<double> checked_thresholds(const std::vector<double>& thresholds, double usual) {
  std::string wrong;
  for (const double threshold : thresholds) {
    if (threshold >= 0 && threshold <= 1) continue;
    wrong += (wrong.empty() ? "" : ", ") + fmt::format("{:#}", threshold);
  }
  if (!wrong.empty())
    throw ValueError(fmt::format("Threshold values must be in [0, 1]. Received: [{}]", wrong));
  return thresholds.empty() ? std::vector<double>{usual} : thresholds;
}

struct Chosen {
  std::optional<int64_t> top_k;
  std::optional<int64_t> class_id;
};

/// True values, predictions and weights as [1, n], or of each label by itself as [1, batch, labels].
struct Flat {
  Tensor truths, predictions, weights;
};

/// From here on a step fails whose predictions are no chances.
Tensor checked_chances(const Tensor& predictions) {
  const Operation lowest = assert_greater_equal(predictions, 0.0, {.message = "predictions must be >= 0"});
  const Operation greatest = assert_less_equal(predictions, 1.0, {.message = "predictions must be <= 1"});
  if (predictions.is_eager()) return predictions;
  const ControlDependenciesGuard checked = control_dependencies({lowest, greatest});
  return identity(predictions);
}

/// All but the k greatest of each element are said not to be.
Tensor only_top(const Tensor& predictions, int64_t k) {
  const auto [values, places] = raw_ops::TopKV2(predictions, k, {.sorted = false});
  const int64_t classes = predictions.shape().dim(predictions.shape().rank() - 1);
  const Tensor kept = reduce_sum(one_hot(places, classes), {-2});
  return predictions * kept + kNever * (1.0 - kept);
}

Tensor of_class(const Tensor& values, int64_t class_id) { return gather(values, class_id, {.axis = -1}); }

Flat flat_of(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Chosen& chosen,
             bool is_by_label) {
  auto [truths, predictions] = of_one_rank(as_float32(y_true), checked_chances(as_float32(y_pred)));
  if (chosen.top_k.has_value()) predictions = only_top(predictions, *chosen.top_k);
  if (chosen.class_id.has_value()) {
    truths = of_class(truths, *chosen.class_id);
    predictions = of_class(predictions, *chosen.class_id);
  }
  const auto flat = [&](const Tensor& values) {
    return is_by_label ? expand_dims(values, 0) : reshape(values, {1, -1});
  };
  return {flat(truths), flat(predictions),
          sample_weight.has_value() ? flat(weights_like(sample_weight, predictions)) : Tensor()};
}

/// How many of a kind there are at each threshold, or at each threshold of each label.
Tensor count_of_kind(const Kind& kind, const Flat& flat, const std::vector<double>& thresholds) {
  std::vector<float> column(thresholds.begin(), thresholds.end());
  std::vector<int64_t> shape(static_cast<size_t>(flat.predictions.shape().rank()), 1);
  shape[0] = static_cast<int64_t>(column.size());
  const Tensor limits = constant(Array::from(column, Shape(shape)));
  const Tensor says = cast(flat.predictions > limits, float32);
  const Tensor is = cast(not_equal(flat.truths, 0.0f), float32);
  Tensor counts = (kind.said ? says : 1.0 - says) * (kind.is ? is : 1.0 - is);
  if (flat.weights.has_value()) counts = counts * flat.weights;
  return reduce_sum(counts, {1});
}

/// Numbers of some kinds at thresholds.
class KindsRule : public MetricRule {
 public:
  KindsRule(std::string class_name, std::vector<Kind> kinds, std::vector<double> thresholds)
      : class_name_(std::move(class_name)), kinds_(std::move(kinds)), thresholds_(std::move(thresholds)) {}
  std::string class_name() const override { return class_name_; }

 protected:
  void build(const TensorShape& values) override {
    std::vector<int64_t> shape = {static_cast<int64_t>(thresholds_.size())};
    if (is_by_label_) shape.push_back(values.dim(1));
    for (const Kind& kind : kinds_)
      counts_.push_back(add_weight(kinds_.size() == 1 ? "accumulator" : kind.variable, TensorShape(shape)));
  }
  std::vector<Tensor> update(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_predictions(y_pred, class_name_);
    const Flat flat = flat_of(y_true, y_pred, sample_weight, chosen_, is_by_label_);
    std::vector<Tensor> changes;
    for (size_t i = 0; i < kinds_.size(); ++i)
      changes.push_back(counts_[i].assign_add(count_of_kind(kinds_[i], flat, thresholds_)));
    return changes;
  }
  Tensor count(size_t kind) const { return counts_[kind].read_value(); }
  /// A vector, or the number where there is one threshold.
  Tensor of_thresholds(const Tensor& values) const {
    return thresholds_.size() == 1 ? reshape(values, std::vector<int64_t>{}) : values;
  }

  Chosen chosen_;
  bool is_by_label_ = false;  // each of the predictions' last dimension has numbers of its own

 private:
  std::string class_name_;
  std::vector<Kind> kinds_;
  std::vector<double> thresholds_;
  std::vector<Variable> counts_;
};

Config thresholds_config(const std::vector<double>& given) {
  if (given.empty()) return {};
  return given.size() == 1 ? Config(given[0]) : numbers_config(given);
}

class CountRule : public KindsRule {
 public:
  CountRule(const Kind& kind, const metrics::CountOptions& options)
      : KindsRule(std::string(kind.class_name), {kind}, checked_thresholds(options.thresholds, 0.5)),
        given_(options.thresholds) {}
  Config get_config() const override { return Config::items({{"thresholds", thresholds_config(given_)}}); }

 protected:
  Tensor result() const override { return of_thresholds(count(0)); }

 private:
  std::vector<double> given_;
};

/// The first kind's part of two.
class ShareRule : public KindsRule {
 public:
  ShareRule(const char* class_name, const Kind& other, const metrics::ShareOptions& options)
      : KindsRule(class_name, {kTruePositives, other},
                  checked_thresholds(options.thresholds, options.top_k.has_value() ? kNever : 0.5)),
        options_(options) {
    chosen_ = {options.top_k, options.class_id};
  }
  Config get_config() const override {
    const auto or_null = [](const std::optional<int64_t>& value) {
      return value.has_value() ? Config(*value) : Config();
    };
    return Config::items({{"thresholds", thresholds_config(options_.thresholds)},
                          {"top_k", or_null(options_.top_k)},
                          {"class_id", or_null(options_.class_id)}});
  }

 protected:
  Tensor result() const override { return of_thresholds(div_no_nan(count(0), count(0) + count(1))); }

 private:
  metrics::ShareOptions options_;
};

std::vector<double> even_thresholds(int64_t number) {
  if (number == 1) return {0.5};
  std::vector<double> all = {0.0 - kBeyond};
  for (int64_t i = 1; i < number - 1; ++i)
    all.push_back(static_cast<double>(i) / static_cast<double>(number - 1));
  all.push_back(1.0 + kBeyond);
  return all;
}

/// All four kinds.
class FourKindsRule : public KindsRule {
 public:
  FourKindsRule(std::string class_name, std::vector<double> thresholds)
      : KindsRule(std::move(class_name), {kTruePositives, kTrueNegatives, kFalsePositives, kFalseNegatives},
                  std::move(thresholds)) {}

 protected:
  Tensor true_positives() const { return count(0); }
  Tensor true_negatives() const { return count(1); }
  Tensor false_positives() const { return count(2); }
  Tensor false_negatives() const { return count(3); }
  Tensor sensitivity() const { return div_no_nan(true_positives(), true_positives() + false_negatives()); }
  Tensor specificity() const { return div_no_nan(true_negatives(), true_negatives() + false_positives()); }
  Tensor precision() const { return div_no_nan(true_positives(), true_positives() + false_positives()); }
};

std::vector<double> thresholds_of(const metrics::AUCOptions& options) {
  if (options.thresholds.empty()) return even_thresholds(options.num_thresholds);
  std::vector<double> all = checked_thresholds(options.thresholds, 0.5);
  std::ranges::sort(all);
  all.insert(all.begin(), 0.0 - kBeyond);
  all.push_back(1.0 + kBeyond);
  return all;
}

class AreaRule : public FourKindsRule {
 public:
  explicit AreaRule(const metrics::AUCOptions& options)
      : FourKindsRule("AUC", thresholds_of(options)), options_(options) {
    if (!options.thresholds.empty())
      options_.num_thresholds = static_cast<int64_t>(options.thresholds.size()) + 2;
    is_by_label_ = options.multi_label;
  }
  Config get_config() const override {
    Config config =
        Config::items({{"num_thresholds", options_.num_thresholds},
                       {"curve", options_.curve},
                       {"summation_method", options_.summation_method},
                       {"multi_label", options_.multi_label},
                       {"num_labels", {}},
                       {"label_weights",
                        options_.label_weights.empty() ? Config() : numbers_config(options_.label_weights)},
                       {"from_logits", options_.from_logits}});
    if (options_.thresholds.empty()) return config;
    std::vector<double> sorted = options_.thresholds;
    std::ranges::sort(sorted);
    return std::move(config.set("thresholds", numbers_config(sorted)));
  }

 protected:
  bool is_shaped_by_values() const override { return options_.multi_label; }
  std::vector<Tensor> update(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_predictions(y_pred, "AUC");
    const Tensor chances = options_.from_logits ? sigmoid(as_float32(y_pred)) : y_pred;
    check_labels(y_pred.shape());
    Tensor weights = sample_weight;
    if (!options_.multi_label && !options_.label_weights.empty()) {
      const Tensor elements = ones_like(as_float32(chances));
      weights = label_weights() * (weights.has_value() ? weights_like(weights, elements) : elements);
    }
    return FourKindsRule::update(y_true, chances, weights);
  }
  void build(const TensorShape& values) override {
    if (options_.multi_label) check_labels(values);
    FourKindsRule::build(values);
  }
  Tensor result() const override {
    const bool is_roc = options_.curve == "ROC";
    if (!is_roc && options_.summation_method == "interpolation") return area_of_precision();
    const Tensor x = is_roc ? wrongly_said() : sensitivity();
    const Tensor y = is_roc ? sensitivity() : precision();
    const Tensor left = without_last(y);
    const Tensor right = without_first(y);
    Tensor heights = (left + right) / 2.0;
    if (options_.summation_method == "minoring") heights = minimum(left, right);
    if (options_.summation_method == "majoring") heights = maximum(left, right);
    return of_labels(reduce_sum((without_last(x) - without_first(x)) * heights, {0}));
  }

 private:
  static Tensor without_last(const Tensor& values) { return values[Slice{{}, -1}]; }
  static Tensor without_first(const Tensor& values) { return values[Slice{1, {}}]; }
  /// Of those that are not, how many are said to be.
  Tensor wrongly_said() const { return div_no_nan(false_positives(), true_negatives() + false_positives()); }
  /// Between two points true positives grow evenly with what is said to be so. Source: Davis and Goadrich,
  /// 2006.
  Tensor area_of_precision() const {
    const Tensor positives = true_positives();
    const Tensor said = positives + false_positives();
    const Tensor gained = without_last(positives) - without_first(positives);
    const Tensor added = maximum(without_last(said) - without_first(said), 0.0f);
    const Tensor slope = div_no_nan(gained, added);
    const Tensor offset = without_first(positives) - slope * without_first(said);
    const Tensor grows = logical_and(without_last(said) > 0.0f, without_first(said) > 0.0f);
    const Tensor factor = where(grows, div_no_nan(without_last(said), maximum(without_first(said), 0.0f)),
                                ones_like(without_first(said)));
    const Tensor all = without_first(positives + false_negatives());
    return of_labels(
        reduce_sum(div_no_nan(slope * (gained + offset * log(factor)), maximum(all, 0.0f)), {0}));
  }

  /// Throws ValueError for predictions of another number of dimensions or labels.
  void check_labels(const TensorShape& given) const {
    if (options_.multi_label && (!given.has_rank() || given.rank() != 2 || given.dim(1) < 0)) {
      throw ValueError(fmt::format(
          "`y_pred` must have rank 2 when `multi_label=True`. Found rank {}. Full shape received for "
          "`y_pred`: {}\nThe number of labels, its last dimension, has to be known.",
          given.has_rank() ? fmt::to_string(given.rank()) : "None", given.to_tuple_string()));
    }
    if (options_.label_weights.empty() || !given.has_rank() || given.rank() == 0) return;
    const int64_t labels = given.dim(given.rank() - 1);
    const auto weights = static_cast<int64_t>(options_.label_weights.size());
    if (labels < 0 || labels == weights) return;
    throw ValueError(
        fmt::format("Number of labels is not consistent.\nThere are {} predictions of each element, but {} "
                    "label_weights.",
                    labels, weights));
  }
  Tensor label_weights() const {
    const std::vector<float> weights(options_.label_weights.begin(), options_.label_weights.end());
    return constant(Array::from(weights, {static_cast<int64_t>(weights.size())}));
  }
  /// The mean of the areas of labels.
  Tensor of_labels(const Tensor& areas) const {
    if (!options_.multi_label) return areas;
    if (options_.label_weights.empty()) return reduce_mean(areas);
    return div_no_nan(reduce_sum(areas * label_weights()), reduce_sum(label_weights()));
  }

  metrics::AUCOptions options_;
};

/// One share at the threshold that is best of those where another one is large enough.
class BestAtRule : public FourKindsRule {
 public:
  enum class Share { kSensitivity, kSpecificity, kPrecision };
  BestAtRule(const char* class_name, const char* word, double least, Share given, Share wanted,
             const metrics::BestAtOptions& options)
      : FourKindsRule(class_name, even_thresholds(checked(word, least, options))),
        word_(word),
        least_(least),
        given_(given),
        wanted_(wanted),
        num_thresholds_(options.num_thresholds) {}
  Config get_config() const override {
    return Config::items({{"class_id", {}}, {"num_thresholds", num_thresholds_}, {word_, least_}});
  }

 protected:
  Tensor result() const override {
    const Tensor values = share(wanted_);
    return reduce_max(where(share(given_) >= static_cast<float>(least_), values, zeros_like(values)));
  }

 private:
  static int64_t checked(const char* word, double least, const metrics::BestAtOptions& options) {
    if (!(least >= 0 && least <= 1)) {
      throw ValueError(fmt::format("Argument `{0}` must be in the range [0, 1]. Received: {0}={1}", word,
                                   fmt::format("{:#}", least)));
    }
    if (options.num_thresholds < 1) {
      throw ValueError(
          fmt::format("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={}",
                      options.num_thresholds));
    }
    return options.num_thresholds;
  }
  Tensor share(Share which) const {
    if (which == Share::kSensitivity) return sensitivity();
    return which == Share::kSpecificity ? specificity() : precision();
  }

  std::string word_;
  double least_;
  Share given_, wanted_;
  int64_t num_thresholds_;
};

class IntersectionRule : public MetricRule {
 public:
  explicit IntersectionRule(int64_t num_classes) : num_classes_(num_classes) {
    if (num_classes < 1) throw ValueError(fmt::format("num_classes is {}, but at least 1", num_classes));
  }
  std::string class_name() const override { return "MeanIoU"; }
  Config get_config() const override {
    return Config::items({{"num_classes", num_classes_},
                          {"ignore_class", {}},
                          {"sparse_y_true", true},
                          {"sparse_y_pred", true},
                          {"axis", -1}});
  }

 protected:
  void build(const TensorShape&) override {
    total_ = add_weight("total_confusion_matrix", TensorShape({num_classes_, num_classes_}));
  }
  std::vector<Tensor> update(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_predictions(y_pred, class_name());
    const auto classes = [](const Tensor& values) { return reshape(cast(values, int64), {-1}); };
    ConfusionMatrixOptions options{.num_classes = num_classes_, .dtype = DType::kFloat32};
    if (sample_weight.has_value())
      options.weights = reshape(weights_like(sample_weight, as_float32(y_pred)), {-1});
    return {total_.assign_add(confusion_matrix(classes(y_true), classes(y_pred), options))};
  }
  Tensor result() const override {
    const Tensor counted = total_.read_value();
    const Tensor both = raw_ops::MatrixDiagPart(counted);
    const Tensor one = reduce_sum(counted, {0}) + reduce_sum(counted, {1}) - both;
    const Tensor classes = reduce_sum(cast(not_equal(one, 0.0f), float32));
    return div_no_nan(reduce_sum(div_no_nan(both, one)), classes);
  }

 private:
  int64_t num_classes_;
  Variable total_;
};

Metric count_metric(const Kind& kind, const metrics::CountOptions& options) {
  return Metric(std::make_shared<CountRule>(kind, options), options.name);
}

}  // namespace

Metric metrics::TruePositives(const CountOptions& options) { return count_metric(kTruePositives, options); }
Metric metrics::FalsePositives(const CountOptions& options) { return count_metric(kFalsePositives, options); }
Metric metrics::TrueNegatives(const CountOptions& options) { return count_metric(kTrueNegatives, options); }
Metric metrics::FalseNegatives(const CountOptions& options) { return count_metric(kFalseNegatives, options); }

Metric metrics::Precision(const ShareOptions& options) {
  return Metric(std::make_shared<ShareRule>("Precision", kFalsePositives, options), options.name);
}
Metric metrics::Recall(const ShareOptions& options) {
  return Metric(std::make_shared<ShareRule>("Recall", kFalseNegatives, options), options.name);
}

Metric metrics::AUC(const AUCOptions& options) {
  if (options.curve != "ROC" && options.curve != "PR") {
    throw ValueError(
        fmt::format("Invalid AUC curve value: \"{}\". Expected values are [\"PR\", \"ROC\", \"PR_GAIN\"]\nOf "
                    "these PR_GAIN is not there.",
                    options.curve));
  }
  const std::string& method = options.summation_method;
  if (method != "interpolation" && method != "minoring" && method != "majoring") {
    throw ValueError(
        fmt::format("Invalid AUC summation method value: \"{}\". Expected values are [\"interpolation\", "
                    "\"majoring\", \"minoring\"]",
                    method));
  }
  if (options.num_thresholds <= 1 && options.thresholds.empty()) {
    throw ValueError(
        fmt::format("Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={}",
                    options.num_thresholds));
  }
  if (std::ranges::any_of(options.label_weights, [](double weight) { return !(weight >= 0); }))
    throw ValueError("All values of `label_weights` must be non-negative.");
  return Metric(std::make_shared<AreaRule>(options), options.name);
}

Metric metrics::SensitivityAtSpecificity(double specificity, const BestAtOptions& options) {
  return Metric(
      std::make_shared<BestAtRule>("SensitivityAtSpecificity", "specificity", specificity,
                                   BestAtRule::Share::kSpecificity, BestAtRule::Share::kSensitivity, options),
      options.name);
}
Metric metrics::SpecificityAtSensitivity(double sensitivity, const BestAtOptions& options) {
  return Metric(
      std::make_shared<BestAtRule>("SpecificityAtSensitivity", "sensitivity", sensitivity,
                                   BestAtRule::Share::kSensitivity, BestAtRule::Share::kSpecificity, options),
      options.name);
}
Metric metrics::PrecisionAtRecall(double recall, const BestAtOptions& options) {
  return Metric(
      std::make_shared<BestAtRule>("PrecisionAtRecall", "recall", recall, BestAtRule::Share::kSensitivity,
                                   BestAtRule::Share::kPrecision, options),
      options.name);
}
Metric metrics::RecallAtPrecision(double precision, const BestAtOptions& options) {
  return Metric(
      std::make_shared<BestAtRule>("RecallAtPrecision", "precision", precision, BestAtRule::Share::kPrecision,
                                   BestAtRule::Share::kSensitivity, options),
      options.name);
}

Metric metrics::MeanIoU(int64_t num_classes, const std::string& name) {
  return Metric(std::make_shared<IntersectionRule>(num_classes), name);
}

}  // namespace flowray::tf::keras
