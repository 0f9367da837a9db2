// Metrics as objects: what all of them have, and those that are means.
#include <flowray/tf/keras/metrics.h>

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/eager.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/metric_values.h"
#include "tf/keras/model_state.h"
#include "tf/keras/scores.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras {

using metrics::Metric;
using metrics::MetricRule;

// ---- what all have

MetricRule::~MetricRule() = default;

/// In no collection that savers or initializers of all variables look at; read where it is used.
Variable MetricRule::add_weight(const std::string& name, const TensorShape& shape,
                                const Initializer& initializer) {
  const Variable variable(
      [&] { return initializer(shape, DType::kFloat32); },
      {.trainable = false, .collections = {"metric_variables_of_keras"}, .name = name, .use_resource = true});
  weights_.push_back({variable, initializer});
  return variable;
}

Metric::Metric(std::shared_ptr<MetricRule> rule, std::string name)
    : rule_(std::move(rule)), name_(std::move(name)) {
  if (rule_ == nullptr) throw ValueError("The argument 'rule' is a null pointer.");
  if (name_.empty()) name_ = next_name(*home_graph().get(), snake_case(rule_->class_name()));
}

void Metric::build(const TensorShape& values) const {
  if (rule_->is_built_) return;
  graph::Graph& graph = default_graph();
  const WithoutScopes outside(graph);
  const NameScopeGuard top = name_scope("");
  rule_->build(values);
  rule_->is_built_ = true;
}

std::vector<Variable> Metric::variables(tf::Input::Where where) const {
  const ErrorLine errors(where);
  if (!rule_->is_shaped_by_values()) build(TensorShape::unknown_rank());
  std::vector<Variable> all;
  for (const MetricRule::Weight& weight : rule_->weights_) all.push_back(weight.variable);
  return all;
}

Operation Metric::counted(const Tensor& y_true, const Tensor& y_pred,
                          const OptionalInput& sample_weight) const {
  build(y_pred.has_value() ? y_pred.shape() : y_true.shape());
  const Tensor weights =
      sample_weight.has_value() ? cast(convert_to_tensor(*sample_weight), float32) : Tensor();
  std::vector<Dependency> changes;
  for (const Tensor& change : rule_->update(y_true, y_pred, weights))
    if (!change.is_eager()) changes.emplace_back(change.op());
  return changes.empty() ? Operation() : group(changes);
}

Operation Metric::update_predictions(const tf::Input& y_true, const tf::Input& y_pred,
                                     const UpdateOptions& options, tf::Input::Where where) const {
  const ErrorLine errors(where);
  return counted(convert_to_tensor(y_true), convert_to_tensor(y_pred), options.sample_weight);
}

Operation Metric::update_state(const tf::Input& values, const UpdateOptions& options,
                               tf::Input::Where where) const {
  const ErrorLine errors(where);
  return counted(convert_to_tensor(values), Tensor(), options.sample_weight);
}

Tensor Metric::result(tf::Input::Where where) const {
  const ErrorLine errors(where);
  build(TensorShape::unknown_rank());
  return returned(rule_->result(), "result");
}

void Metric::reset_states(tf::Input::Where where) const {
  const ErrorLine errors(where);
  const std::vector<Variable> all = variables(where);
  if (all.empty()) return;
  if (all[0].ref().is_eager()) {
    const EagerScope at_once;
    for (const MetricRule::Weight& weight : rule_->weights_)
      weight.variable.assign(weight.initializer(weight.variable.shape(), DType::kFloat32));
    return;
  }
  std::vector<Operation> initializers;
  for (const Variable& variable : all) initializers.push_back(variable.initializer());
  rule_->session_ = session_of(all[0].graph());
  rule_->session_->run(initializers);
}

Config Metric::in_files() const {
  Config config = Config::items({{"name", name_}, {"dtype", "float32"}});
  const Config own = rule_->get_config();
  for (size_t i = 0; i < own.names().size(); ++i) config.set(own.names()[i], own.values()[i]);
  return Config::items({{"class_name", rule_->class_name()}, {"config", std::move(config)}});
}

ScoreFunction::ScoreFunction(const metrics::Metric& metric)
    : name_(metric.name()),
      function_(metric.function()),
      in_files_(std::make_shared<const Config>(metric.in_files())) {
  if (function_ == nullptr) metric_ = std::make_shared<const metrics::Metric>(metric);
}

// ---- numbers and their weights

namespace {

int rank_of(const Tensor& tensor) { return tensor.shape().has_rank() ? tensor.shape().rank() : -1; }

bool ends_in_one(const Tensor& tensor) {
  const int64_t last = tensor.shape().dim(tensor.shape().rank() - 1);
  return last == 1 || last == -1;
}

}  // namespace

std::pair<Tensor, Tensor> of_one_rank(const Tensor& y_true, const Tensor& y_pred) {
  const int truths = rank_of(y_true);
  const int predictions = rank_of(y_pred);
  if (truths < 0 || predictions < 0) return {y_true, y_pred};
  if (truths == predictions + 1 && ends_in_one(y_true)) return {squeeze(y_true, -1), y_pred};
  if (predictions == truths + 1 && ends_in_one(y_pred)) return {y_true, squeeze(y_pred, -1)};
  return {y_true, y_pred};
}

Tensor weights_like(const Tensor& sample_weight, const Tensor& values) {
  Tensor weights = sample_weight;
  const int rank = rank_of(values);
  while (rank >= 0 && rank_of(weights) > rank) weights = squeeze(weights, -1);
  while (rank_of(weights) > 0 && rank_of(weights) < rank) weights = expand_dims(weights, -1);
  return weights * ones_like(values);
}

Tensor as_float32(const Tensor& values) { return cast(values, float32); }

// ---- means

namespace {

void check_are_values(const Tensor& y_pred, const std::string& class_name) {
  if (!y_pred.has_value()) return;
  throw ValueError(
      fmt::format("{} takes values.\nIt was given two tensors: their weights are "
                  "{{.sample_weight = ...}}.",
                  class_name));
}

class SumRule : public MetricRule {
 public:
  std::string class_name() const override { return "Sum"; }

 protected:
  void build(const TensorShape&) override { total_ = add_weight("total"); }
  std::vector<Tensor> update(const Tensor& values, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_values(y_pred, class_name());
    return {added(as_float32(values), sample_weight)};
  }
  Tensor result() const override { return total(); }

  Tensor total() const { return total_.read_value(); }
  Tensor added(const Tensor& values, const Tensor& sample_weight) {
    return total_.assign_add(
        reduce_sum(sample_weight.has_value() ? values * weights_like(sample_weight, values) : values));
  }

 private:
  Variable total_;
};

class MeanRule : public SumRule {
 public:
  std::string class_name() const override { return "Mean"; }

 protected:
  void build(const TensorShape& values) override {
    SumRule::build(values);
    count_ = add_weight("count");
  }
  std::vector<Tensor> update(const Tensor& values, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_values(y_pred, class_name());
    return counted(as_float32(values), sample_weight);
  }
  Tensor result() const override { return div_no_nan(total(), count_.read_value()); }

  std::vector<Tensor> counted(const Tensor& values, const Tensor& sample_weight) {
    const Tensor count = sample_weight.has_value() ? reduce_sum(weights_like(sample_weight, values))
                                                   : cast(size(values), float32);
    return {added(values, sample_weight), count_.assign_add(count)};
  }

 private:
  Variable count_;
};

/// The mean of what becomes of true values and predictions.
class FunctionMeanRule : public MeanRule {
 public:
  FunctionMeanRule(std::string class_name, ScoreFunction::Function function, Config config)
      : class_name_(std::move(class_name)), function_(std::move(function)), config_(std::move(config)) {}
  std::string class_name() const override { return class_name_; }
  Config get_config() const override { return config_; }

 protected:
  std::vector<Tensor> update(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_predictions(y_pred, class_name_);
    const auto [truths, predictions] = of_one_rank(as_float32(y_true), as_float32(y_pred));
    return counted(returned(function_(truths, predictions), class_name_), sample_weight);
  }

 private:
  std::string class_name_;
  ScoreFunction::Function function_;
  Config config_;
};

class RootMeanRule : public FunctionMeanRule {
 public:
  RootMeanRule()
      : FunctionMeanRule(
            "RootMeanSquaredError",
            [](const Tensor& y_true, const Tensor& y_pred) { return square(y_pred - y_true); },
            Config::items()) {}

 protected:
  Tensor result() const override { return sqrt(MeanRule::result()); }
};

class MeanTensorRule : public MetricRule {
 public:
  std::string class_name() const override { return "MeanTensor"; }

 protected:
  bool is_shaped_by_values() const override { return true; }
  void build(const TensorShape& values) override {
    if (!values.is_fully_defined()) {
      throw ValueError(
          "MeanTensor does not have any value yet. Please call the MeanTensor instance or use "
          "`.update_state(value)` before retrieving the result.\nThe first values say its shape, which has "
          "to "
          "be known.");
    }
    total_ = add_weight("total", values);
    count_ = add_weight("count", values);
  }
  std::vector<Tensor> update(const Tensor& given, const Tensor& y_pred,
                             const Tensor& sample_weight) override {
    check_are_values(y_pred, class_name());
    if (!given.shape().is_compatible_with(total_.shape())) {
      throw ValueError(fmt::format(
          "MeanTensor input values must always have the same shape. Expected shape (set during the "
          "first call): {}. Got: {}.",
          total_.shape().to_tuple_string(), given.shape().to_tuple_string()));
    }
    const Tensor values = as_float32(given);
    if (!sample_weight.has_value()) return {total_.assign_add(values), count_.assign_add(ones_like(values))};
    const Tensor weights = weights_like(sample_weight, values);
    return {total_.assign_add(values * weights), count_.assign_add(weights)};
  }
  Tensor result() const override { return div_no_nan(total_.read_value(), count_.read_value()); }

 private:
  Variable total_, count_;
};

/// Files have `config` of it, behind its name and dtype.
Metric mean_of_function(const char* class_name, std::string name, const ScoreFunction::Function& function,
                        Config config = Config::items()) {
  return {std::make_shared<FunctionMeanRule>(class_name, function, std::move(config)), std::move(name),
          function};
}

/// Of a loss or metric with options: what it says of itself, without what only losses have.
Metric mean_of_score(const char* class_name, std::string name, const ScoreFunction& score) {
  Config config = Config::items();
  const Config& told = score.in_files()->at("config");
  for (size_t i = 0; i < told.names().size(); ++i) {
    const std::string& option = told.names()[i];
    if (option != "name" && option != "reduction") config.set(option, told.values()[i]);
  }
  return mean_of_function(class_name, std::move(name), score.function(), std::move(config));
}

Tensor are_equal(const Tensor& y_true, const Tensor& y_pred) {
  return cast(equal(y_true, cast(y_pred, base_dtype(y_true.dtype()))), float32);
}

}  // namespace

void check_are_predictions(const Tensor& y_pred, const std::string& class_name) {
  if (y_pred.has_value()) return;
  throw ValueError(
      fmt::format("{} takes true values and predictions.\nIt was given one tensor.", class_name));
}

Metric metrics::Sum(const std::string& name) { return Metric(std::make_shared<SumRule>(), name); }
Metric metrics::Mean(const std::string& name) { return Metric(std::make_shared<MeanRule>(), name); }
Metric metrics::MeanTensor(const std::string& name) {
  return Metric(std::make_shared<MeanTensorRule>(), name);
}

Metric metrics::MeanMetricWrapper(const ScoreFunction& function, const std::string& name) {
  const ScoreFunction::Function of =
      function.function() != nullptr
          ? function.function()
          : metric_of(function, TensorShape::unknown_rank(), TensorShape::unknown_rank());
  return mean_of_function("MeanMetricWrapper", name.empty() ? metric_name(function) : name, of,
                          Config::items({{"fn", function.name().empty() ? Config() : function.name()}}));
}

Metric metrics::Accuracy(const std::string& name) { return mean_of_function("Accuracy", name, are_equal); }
Metric metrics::CategoricalAccuracy(const std::string& name) {
  return mean_of_function("CategoricalAccuracy", name, categorical_accuracy);
}
Metric metrics::SparseCategoricalAccuracy(const std::string& name) {
  return mean_of_function("SparseCategoricalAccuracy", name, sparse_categorical_accuracy);
}
Metric metrics::BinaryAccuracy(double threshold, const std::string& name) {
  return mean_of_function("BinaryAccuracy", name, binary_accuracy_above(threshold),
                          Config::items({{"threshold", threshold}}));
}
Metric metrics::TopKCategoricalAccuracy(int64_t k, const std::string& name) {
  return mean_of_function("TopKCategoricalAccuracy", name, top_categorical_accuracy(k),
                          Config::items({{"k", k}}));
}
Metric metrics::SparseTopKCategoricalAccuracy(int64_t k, const std::string& name) {
  return mean_of_function("SparseTopKCategoricalAccuracy", name, sparse_top_categorical_accuracy(k),
                          Config::items({{"k", k}}));
}
Metric metrics::MeanSquaredError(const std::string& name) {
  return mean_of_function("MeanSquaredError", name, losses::mean_squared_error);
}
Metric metrics::MeanAbsoluteError(const std::string& name) {
  return mean_of_function("MeanAbsoluteError", name, losses::mean_absolute_error);
}
Metric metrics::MeanAbsolutePercentageError(const std::string& name) {
  return mean_of_function("MeanAbsolutePercentageError", name, losses::mean_absolute_percentage_error);
}
Metric metrics::MeanSquaredLogarithmicError(const std::string& name) {
  return mean_of_function("MeanSquaredLogarithmicError", name, losses::mean_squared_logarithmic_error);
}
Metric metrics::Hinge(const std::string& name) { return mean_of_function("Hinge", name, losses::hinge); }
Metric metrics::SquaredHinge(const std::string& name) {
  return mean_of_function("SquaredHinge", name, losses::squared_hinge);
}
Metric metrics::CategoricalHinge(const std::string& name) {
  return mean_of_function("CategoricalHinge", name, losses::categorical_hinge);
}
Metric metrics::LogCoshError(const std::string& name) {
  return mean_of_function("LogCoshError", name, losses::log_cosh);
}
Metric metrics::Poisson(const std::string& name) {
  return mean_of_function("Poisson", name, losses::poisson);
}
Metric metrics::KLDivergence(const std::string& name) {
  return mean_of_function("KLDivergence", name, losses::kl_divergence);
}
Metric metrics::CosineSimilarity(const std::string& name) {
  return mean_of_function("CosineSimilarity", name, metrics::cosine_similarity,
                          Config::items({{"axis", -1}}));
}
Metric metrics::BinaryCrossentropy(const losses::CrossentropyOptions& options, const std::string& name) {
  return mean_of_score("BinaryCrossentropy", name, losses::BinaryCrossentropy(options));
}
Metric metrics::CategoricalCrossentropy(const losses::CrossentropyOptions& options, const std::string& name) {
  return mean_of_score("CategoricalCrossentropy", name, losses::CategoricalCrossentropy(options));
}
Metric metrics::SparseCategoricalCrossentropy(bool from_logits, const std::string& name) {
  return mean_of_score("SparseCategoricalCrossentropy", name,
                       losses::SparseCategoricalCrossentropy(from_logits));
}

Metric metrics::RootMeanSquaredError(const std::string& name) {
  return Metric(std::make_shared<RootMeanRule>(), name);
}

Metric metrics::MeanRelativeError(const std::vector<float>& normalizer, const std::string& name) {
  const auto function = [normalizer](const Tensor& y_true, const Tensor& y_pred) {
    return div_no_nan(abs(y_true - y_pred), constant(Array(normalizer)) * ones_like(y_pred));
  };
  const Config told = std::vector<Config>(normalizer.begin(), normalizer.end());
  return Metric(std::make_shared<FunctionMeanRule>("MeanRelativeError", function,
                                                   Config::items({{"normalizer", told}})),
                name);
}

}  // namespace flowray::tf::keras
