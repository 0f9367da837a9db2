#pragma once
/// tf.keras.metrics as objects: what counts over batches, alone or in compile().
///
///     model.compile({.optimizer = "adam", .loss = "binary_crossentropy",
///                    .metrics = {"accuracy", tf::keras::metrics::AUC(), tf::keras::metrics::Precision()}});
///
///     tf::keras::metrics::Metric mean = tf::keras::metrics::Mean();
///     tf::Operation update = mean.update_state(losses);   // while tf::eager() is on it counts at once
///     mean.reset_states();                                // its variables get their first values
///     session.run(update);
///     session.run(mean.result());
///
/// The functions of losses.h are metrics, too.

#include <flowray/tf/config.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/session.h>
#include <flowray/tf/tensor.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::metrics {

/// What a metric keeps, counts and gives. A class of the program's derives from it, and stands in compile()
/// as Metric(std::make_shared<Own>()):
///
///     class Positives : public tf::keras::metrics::MetricRule {
///      public:
///       std::string class_name() const override { return "Positives"; }
///
///      protected:
///       void build(const tf::TensorShape&) override { count_ = add_weight("count"); }
///       std::vector<tf::Tensor> update(const tf::Tensor&, const tf::Tensor& y_pred,
///                                      const tf::Tensor&) override {
///         return {count_.assign_add(tf::reduce_sum(tf::cast(y_pred > 0.0, tf::float32)))};
///       }
///       tf::Tensor result() const override { return count_.read_value(); }
///
///      private:
///       tf::Variable count_;
///     };
class MetricRule {
 public:
  virtual ~MetricRule();
  /// "Precision": what names are made of, and files know it by.
  virtual std::string class_name() const = 0;
  /// What files have of it besides its name: its arguments. Unless overridden nothing.
  virtual Config get_config() const { return Config::items(); }

 protected:
  /// Whether the first batch says the shapes of what is kept: before it there is nothing then, and no value.
  virtual bool is_shaped_by_values() const { return false; }
  /// Makes what is kept. `values`: the shape of the first batch's predictions or values; of unknown rank
  /// where the metric was asked before.
  virtual void build(const TensorShape& values) = 0;
  /// The assignments that count a batch. `y_pred` is unset where update_state() was given values alone, which
  /// are y_true then, `sample_weight` where it was given none.
  virtual std::vector<Tensor> update(const Tensor& y_true, const Tensor& y_pred,
                                     const Tensor& sample_weight) = 0;
  /// The value until now.
  virtual Tensor result() const = 0;

  /// In build(): a float32 variable, which reset_states() gives its first value again.
  Variable add_weight(const std::string& name, const TensorShape& shape = TensorShape({}),
                      const Initializer& initializer = zeros_initializer());

 private:
  friend class Metric;
  struct Weight {
    Variable variable;
    Initializer initializer;
  };
  std::vector<Weight> weights_;
  bool is_built_ = false;
  std::shared_ptr<Session> session_;  // that reset_states() used last, so that the values stay
};

struct UpdateOptions {
  /// How much each element counts: of the values' shape, or of their first dimensions; left out: 1.
  OptionalInput sample_weight = {};
};

/// A metric. Copies are the same one. Its variables are made in the graph that is the default one when it is
/// first used; they are in no collection, so that savers leave them out.
class Metric {
 public:
  /// One of the program's own. An empty name: that of its class in small letters, made unique.
  explicit Metric(std::shared_ptr<MetricRule> rule, std::string name = {});

  /// What logs call it.
  const std::string& name() const { return name_; }
  /// What it keeps.
  std::vector<Variable> variables(tf::Input::Where where = tf::Input::Where::current()) const;
  /// What counts a batch of true values and predictions: an operation to run, while operations run at once
  /// done already. Throws ValueError for what takes values, and for shapes that do not fit.
  template <InputLike T>
  Operation update_state(const tf::Input& y_true, const T& y_pred, const UpdateOptions& options = {},
                         tf::Input::Where where = tf::Input::Where::current()) const {
    return update_predictions(y_true, tf::Input(y_pred, where), options, where);
  }
  /// The same of values, for Mean, Sum and MeanTensor.
  Operation update_state(const tf::Input& values, const UpdateOptions& options = {},
                         tf::Input::Where where = tf::Input::Where::current()) const;
  /// The value of what was counted.
  Tensor result(tf::Input::Where where = tf::Input::Where::current()) const;
  /// Begins anew: gives its variables their first values, in the default session where that is of their
  /// graph, else in the session that models of the graph share. What begins, begins so.
  void reset_states(tf::Input::Where where = tf::Input::Where::current()) const;
  /// What files have of it: {"class_name": ..., "config": ...}.
  Config in_files() const;
  /// The function that it is the mean of; null of others.
  const ScoreFunction::Function& function() const { return function_; }

  /// Whether the other one is this one, which counts in the same variables.
  bool is_same_as(const Metric& other) const { return rule_ == other.rule_; }

  /// For Flowray itself.
  Metric(std::shared_ptr<MetricRule> rule, std::string name, ScoreFunction::Function function)
      : rule_(std::move(rule)), name_(std::move(name)), function_(std::move(function)) {}

 private:
  Operation update_predictions(const tf::Input& y_true, const tf::Input& y_pred, const UpdateOptions& options,
                               tf::Input::Where where) const;
  void build(const TensorShape& values) const;
  Operation counted(const Tensor& y_true, const Tensor& y_pred, const OptionalInput& sample_weight) const;

  std::shared_ptr<MetricRule> rule_;
  std::string name_;
  ScoreFunction::Function function_;
};

// ---- of values

/// The sum of all values.
Metric Sum(const std::string& name = "sum");
/// The mean of all values.
Metric Mean(const std::string& name = "mean");
/// The mean of each element of tensors, all of the first one's shape, which has to be known.
Metric MeanTensor(const std::string& name = "mean_tensor");

// ---- means of a function of true values and predictions

/// Of any function, whose name is the metric's where none is given.
Metric MeanMetricWrapper(const ScoreFunction& function, const std::string& name = {});
/// How often both are equal.
Metric Accuracy(const std::string& name = "accuracy");
/// binary_accuracy of what is above `threshold`.
Metric BinaryAccuracy(double threshold = 0.5, const std::string& name = "binary_accuracy");
/// The mean of categorical_accuracy.
Metric CategoricalAccuracy(const std::string& name = "categorical_accuracy");
/// The mean of sparse_categorical_accuracy.
Metric SparseCategoricalAccuracy(const std::string& name = "sparse_categorical_accuracy");
/// top_k_categorical_accuracy of the `k` greatest. Throws ValueError for k below 1.
Metric TopKCategoricalAccuracy(int64_t k = 5, const std::string& name = "top_k_categorical_accuracy");
/// sparse_top_k_categorical_accuracy of the `k` greatest. Throws ValueError for k below 1.
Metric SparseTopKCategoricalAccuracy(int64_t k = 5,
                                     const std::string& name = "sparse_top_k_categorical_accuracy");
/// The mean of losses::mean_squared_error.
Metric MeanSquaredError(const std::string& name = "mean_squared_error");
/// The mean of losses::mean_absolute_error.
Metric MeanAbsoluteError(const std::string& name = "mean_absolute_error");
/// The mean of losses::mean_absolute_percentage_error.
Metric MeanAbsolutePercentageError(const std::string& name = "mean_absolute_percentage_error");
/// The mean of losses::mean_squared_logarithmic_error.
Metric MeanSquaredLogarithmicError(const std::string& name = "mean_squared_logarithmic_error");
/// The mean of losses::hinge.
Metric Hinge(const std::string& name = "hinge");
/// The mean of losses::squared_hinge.
Metric SquaredHinge(const std::string& name = "squared_hinge");
/// The mean of losses::categorical_hinge.
Metric CategoricalHinge(const std::string& name = "categorical_hinge");
/// The mean of losses::log_cosh.
Metric LogCoshError(const std::string& name = "logcosh");
/// The mean of losses::poisson.
Metric Poisson(const std::string& name = "poisson");
/// The mean of losses::kl_divergence.
Metric KLDivergence(const std::string& name = "kullback_leibler_divergence");
/// The mean of cosine_similarity.
Metric CosineSimilarity(const std::string& name = "cosine_similarity");
/// The mean of losses::BinaryCrossentropy.
Metric BinaryCrossentropy(const losses::CrossentropyOptions& options = {},
                          const std::string& name = "binary_crossentropy");
/// The mean of losses::CategoricalCrossentropy.
Metric CategoricalCrossentropy(const losses::CrossentropyOptions& options = {},
                               const std::string& name = "categorical_crossentropy");
/// The mean of losses::SparseCategoricalCrossentropy.
Metric SparseCategoricalCrossentropy(bool from_logits = false,
                                     const std::string& name = "sparse_categorical_crossentropy");
/// The root of the mean of squared differences.
Metric RootMeanSquaredError(const std::string& name = "root_mean_squared_error");
/// The mean of differences, each divided by the number of `normalizer` at its place in the last dimension, or
/// by 0 where that is 0.
Metric MeanRelativeError(const std::vector<float>& normalizer, const std::string& name = {});

// ---- how many are rightly and wrongly said to be so: predictions are chances, from 0 to 1

struct CountOptions {
  /// Above which chance it is said to be so: one number for each value that the metric has, from 0 to 1;
  /// empty: 0.5.
  std::vector<double> thresholds = {};
  /// What logs call it; empty: its class in small letters, made unique.
  std::string name = {};
};
// They throw ValueError for thresholds that are not from 0 to 1.

/// How many are, and are said to be.
Metric TruePositives(const CountOptions& options = {});
/// How many are not, and are said to be.
Metric FalsePositives(const CountOptions& options = {});
/// How many are not, and are said not to be.
Metric TrueNegatives(const CountOptions& options = {});
/// How many are, and are said not to be.
Metric FalseNegatives(const CountOptions& options = {});

struct ShareOptions {
  /// Above which chance it is said to be so: one number for each value that the metric has, from 0 to 1;
  /// empty: 0.5, or with top_k any.
  std::vector<double> thresholds = {};
  /// Only so many of the greatest predictions of an element are said to be so; left out: all above the
  /// threshold. Set it for classes, of which a few are shown.
  std::optional<int64_t> top_k = {};
  /// Only this class of the last dimension counts; left out: all.
  std::optional<int64_t> class_id = {};
  /// What logs call it; empty: its class in small letters, made unique.
  std::string name = {};
};
/// Of those that are said to be so, how many are. Throws ValueError for thresholds that are not from 0 to 1.
Metric Precision(const ShareOptions& options = {});
/// Of those that are so, how many are said to be. Throws ValueError for thresholds that are not from 0 to 1.
Metric Recall(const ShareOptions& options = {});

struct AUCOptions {
  /// At how many chances, evenly from 0 to 1, the curve is known; at least 2. More are exacter and slower.
  int64_t num_thresholds = 200;
  /// "ROC": how many are rightly said to be so over how many are wrongly; "PR": precision over recall. Take
  /// PR where few are.
  std::string curve = "ROC";
  /// "interpolation", or what lies below ("minoring") or above ("majoring") the points.
  std::string summation_method = "interpolation";
  /// Chances in place of num_thresholds, from 0 to 1; the ends are added. Empty: even ones.
  std::vector<double> thresholds = {};
  /// Whether predictions [batch, labels] answer a question for each label: each has a curve of its own, and
  /// the result is the mean of their areas. Otherwise all elements are answers to one question.
  bool multi_label = false;
  /// How much the area of each label counts in that mean, or without multi_label each element of a label;
  /// at least 0. Empty: all the same.
  std::vector<double> label_weights = {};
  /// Whether predictions are logits, in place of chances.
  bool from_logits = false;
  /// What logs call it; empty: "auc", made unique.
  std::string name = {};
};
/// The area under a curve of true over false positives. Throws ValueError for other words and thresholds.
Metric AUC(const AUCOptions& options = {});

struct BestAtOptions {
  /// At how many chances, evenly from 0 to 1, the curve is known; at least 1. More are exacter and slower.
  int64_t num_thresholds = 200;
  /// What logs call it; empty: its class in small letters, made unique.
  std::string name = {};
};
// They throw ValueError for shares that are not from 0 to 1.

/// Of those that are so how many are said to be, where at least `specificity` of the others are said not to
/// be.
Metric SensitivityAtSpecificity(double specificity, const BestAtOptions& options = {});
/// The other way round.
Metric SpecificityAtSensitivity(double sensitivity, const BestAtOptions& options = {});
/// Of those that are said to be so how many are, where at least `recall` of those that are are said to be.
Metric PrecisionAtRecall(double recall, const BestAtOptions& options = {});
/// The other way round.
Metric RecallAtPrecision(double precision, const BestAtOptions& options = {});

/// Of each class those that are it and are said to be by those that are one of both; the mean over the
/// classes that occur. True values and predictions are numbers of classes, below `num_classes`.
Metric MeanIoU(int64_t num_classes, const std::string& name = {});

}  // namespace flowray::tf::keras::metrics

#pragma GCC visibility pop
