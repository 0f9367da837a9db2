#pragma once
/// How a model of tf.keras is trained: what compile, fit, evaluate and predict take, what fit gives, and what
/// a program does between its steps.

#include <flowray/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/keras/arrays.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/optimizers.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

class Model;

/// Numbers of an epoch or a batch by their names: "loss", "acc", "val_loss".
using Logs = std::vector<std::pair<std::string, double>>;

/// What fit() gives.
struct History {
  /// Of each number its value in each epoch.
  std::map<std::string, std::vector<double>> history;
  /// The numbers of the epochs.
  std::vector<int64_t> epoch;
};

/// tf.keras.callbacks.Callback: what a program does between the steps of fit(), evaluate() and predict().
/// Nothing, unless overridden. The validations of a fit() are heard of as evaluate() is.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Before the first epoch.
  virtual void on_train_begin() {}
  /// Behind the last epoch.
  virtual void on_train_end() {}
  /// Before an epoch, whose number counts from FitOptions::initial_epoch.
  virtual void on_epoch_begin(int64_t epoch) { (void)epoch; }
  /// Behind an epoch. `logs`: its means, and those of the validation as "val_loss" and so on.
  virtual void on_epoch_end(int64_t epoch, const Logs& logs) { (void)epoch, (void)logs; }
  /// Before a step; batches count from 0 in each epoch.
  virtual void on_batch_begin(int64_t batch) { (void)batch; }
  /// `logs`: the loss of this batch, and the means of the metrics over the epoch until now.
  virtual void on_batch_end(int64_t batch, const Logs& logs) { (void)batch, (void)logs; }
  /// Before the first batch of evaluate() or of a validation.
  virtual void on_test_begin() {}
  /// Behind the last one.
  virtual void on_test_end() {}
  /// Before a batch that the model is judged by; they count from 0.
  virtual void on_test_batch_begin(int64_t batch) { (void)batch; }
  /// `logs`: the loss of this batch, and the means of the metrics until now.
  virtual void on_test_batch_end(int64_t batch, const Logs& logs) { (void)batch, (void)logs; }
  /// Before the first batch of predict().
  virtual void on_predict_begin() {}
  /// Behind the last one.
  virtual void on_predict_end() {}
  /// Before a batch to predict for; they count from 0.
  virtual void on_predict_batch_begin(int64_t batch) { (void)batch; }
  /// `outputs`: what each output of the model gave for this batch.
  virtual void on_predict_batch_end(int64_t batch, const std::vector<Array>& outputs) {
    (void)batch, (void)outputs;
  }

 protected:
  /// The model that is trained, judged or asked.
  Model& model() const { return *model_; }
  /// In what is called around a batch: how many elements it has. Of a dataset it is 1, as tf.keras has it.
  int64_t batch_size() const { return batch_size_; }
  /// In on_epoch_end: puts a number into the epoch's logs, in the place of one that is called so. The
  /// callbacks behind this one hear of it, and the history has it.
  void add_to_logs(const std::string& name, double value) { added_.emplace_back(name, value); }

 private:
  friend class Training;
  Model* model_ = nullptr;
  int64_t batch_size_ = 0;
  Logs added_;
};

struct CompileOptions {
  /// What changes the weights: a name or an optimizer.
  OptimizerArgument optimizer = "rmsprop";
  /// What training makes small, for each output: a name, "mse", or a function.
  ScoreFunction loss = {};
  /// What is shown beside the loss, for each output: names, "accuracy", functions, or metrics::Metric.
  std::vector<ScoreFunction> metrics = {};
  /// In place of `loss`, one for each output.
  std::vector<ScoreFunction> losses = {};
  /// In place of `metrics`, a list for each output.
  std::vector<std::vector<ScoreFunction>> metrics_of_outputs = {};
  /// As `metrics`, but elements count by their sample_weight and class_weight. They stand behind the others,
  /// and are called "weighted_acc" and so on.
  std::vector<ScoreFunction> weighted_metrics = {};
  /// In place of `weighted_metrics`, a list for each output.
  std::vector<std::vector<ScoreFunction>> weighted_metrics_of_outputs = {};
  /// How much the loss of each output counts in the one that is trained for; empty: 1.
  std::vector<double> loss_weights = {};
  /// What sample_weight counts, for each output: "": its elements, [batch]; "temporal": each time of them,
  /// [batch, time], of an output [batch, time, ...]. One stands for all outputs; empty: elements.
  std::vector<std::string> sample_weight_modes = {};
};

/// What a model is judged by behind an epoch: elements and their true values, or a dataset of such batches.
/// As braces: {.validation_data = {x, y}}, {.validation_data = batches}.
class ValidationData {
 public:
  ValidationData() = default;
  /// Elements and their true values.
  ValidationData(Arrays x, Arrays y) : arrays_(std::pair(std::move(x), std::move(y))) {}
  /// The same, with how much each element counts: [number of elements], one for each output.
  ValidationData(Arrays x, Arrays y, Arrays sample_weight)
      : arrays_(std::pair(std::move(x), std::move(y))), sample_weight_(std::move(sample_weight)) {}
  template <std::convertible_to<Arrays> X, std::convertible_to<Arrays> Y>
  ValidationData(const std::pair<X, Y>& arrays)  // NOLINT: implicit, as the next one
      : ValidationData(Arrays(arrays.first), Arrays(arrays.second)) {}
  /// A dataset, whose elements are as Model::fit takes them.
  ValidationData(data::Dataset dataset) : dataset_(std::move(dataset)) {}

  /// Whether there is any.
  bool has_value() const { return arrays_.has_value() || dataset_.has_value(); }
  /// The elements and their true values; none where it is a dataset.
  const std::optional<std::pair<Arrays, Arrays>>& arrays() const { return arrays_; }
  /// How much each of those elements counts; none: 1.
  const std::optional<Arrays>& sample_weight() const { return sample_weight_; }
  /// The dataset; none where it is arrays.
  const std::optional<data::Dataset>& dataset() const { return dataset_; }

 private:
  std::optional<std::pair<Arrays, Arrays>> arrays_;
  std::optional<Arrays> sample_weight_;
  std::optional<data::Dataset> dataset_;
};

/// How much the elements of each class count: {{0, 1.0}, {1, 25.0}}.
using ClassWeights = std::map<int64_t, double>;

struct FitOptions {
  /// Elements of a batch of arrays, at least 1: more are faster and take more memory. Left out: 32. A dataset
  /// has its own.
  std::optional<int64_t> batch_size = {};
  /// The number behind that of the last epoch: with an initial_epoch fewer are run.
  int64_t epochs = 1;
  /// 0: silent; 1: a progress bar; 2: a line an epoch.
  int verbose = 1;
  /// Called around epochs and batches, in this order.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  /// The share of the last elements that is kept for validation: 0 to 1. For arrays.
  double validation_split = 0;
  /// What the model is judged by behind the epochs.
  ValidationData validation_data = {};
  /// Whether each epoch has an order of its own; a dataset has its shuffle(); false for series whose order
  /// counts.
  bool shuffle = true;
  /// How much each element counts: [number of elements], one for each output. For arrays.
  std::optional<Arrays> sample_weight = {};
  /// How much the elements of each class count in the loss, times their sample_weight. The class of an
  /// element is its true value, or the greatest of a row of them; each that occurs is to be named. Empty: 1.
  /// Not for validation_data.
  ClassWeights class_weight = {};
  /// In place of `class_weight`, one for each output with a loss.
  std::vector<ClassWeights> class_weight_of_outputs = {};
  /// The number of the first epoch, of `epochs`.
  int64_t initial_epoch = 0;
  /// Decides the orders of arrays; left out: chance does.
  std::optional<uint64_t> seed = {};
  /// Puts the numbers of the elements of arrays into an order, in place of what `seed` decides.
  std::function<void(std::vector<int64_t>&)> order = nullptr;
  /// Where the progress goes; null: standard output.
  std::function<void(const std::string&)> write = nullptr;
  /// Batches of a dataset that an epoch takes, at least 1; the next one goes on behind them. Left out: an
  /// epoch goes once through it. Needed where the dataset has no end.
  std::optional<int64_t> steps_per_epoch = {};
  /// Batches that each validation takes from the beginning of a dataset. Left out: all.
  std::optional<int64_t> validation_steps = {};
  /// How many epochs there are from one validation to the next, at least 1.
  int64_t validation_freq = 1;
};

struct EvaluateOptions {
  /// Elements of a batch of arrays, at least 1: more are faster and take more memory. Left out: 32. A dataset
  /// has its own.
  std::optional<int64_t> batch_size = {};
  /// How much each element counts: [number of elements], one for each output; left out: 1. For arrays.
  std::optional<Arrays> sample_weight = {};
  /// Batches that are taken from a dataset. Left out: all.
  std::optional<int64_t> steps = {};
  /// Called around batches, in this order.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
};

struct PredictOptions {
  /// Elements of a batch of arrays, at least 1: more are faster and take more memory. Left out: 32. A dataset
  /// has its own.
  std::optional<int64_t> batch_size = {};
  /// Batches that are taken from a dataset. Left out: all.
  std::optional<int64_t> steps = {};
  /// Called around batches, in this order.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
};

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
