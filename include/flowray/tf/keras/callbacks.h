#pragma once
/// tf.keras.callbacks: what happens between the steps of Model::fit(). Each hears of the training in the
/// order of FitOptions::callbacks, and may serve one fit() after the other, but not two at once. Callback
/// itself, for those of the program's own, is in models.h.
///
///     auto stop = std::make_shared<tf::keras::callbacks::EarlyStopping>(
///         tf::keras::callbacks::EarlyStoppingOptions{.patience = 3, .restore_best_weights = true});
///     model.fit(x, y, {.epochs = 100, .callbacks = {stop}, .validation_split = 0.2});

#include <flowray/array.h>
#include <flowray/tf/keras/models.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::callbacks {

struct LambdaCallbackOptions {
  /// Before an epoch, with its number; null: nothing, as for all of these.
  std::function<void(int64_t epoch)> on_epoch_begin = nullptr;
  /// Behind an epoch, with its means.
  std::function<void(int64_t epoch, const Logs& logs)> on_epoch_end = nullptr;
  /// Before a step, with its number in the epoch.
  std::function<void(int64_t batch)> on_batch_begin = nullptr;
  /// Behind a step, with the means of the epoch until now.
  std::function<void(int64_t batch, const Logs& logs)> on_batch_end = nullptr;
  /// Before the first epoch.
  std::function<void()> on_train_begin = nullptr;
  /// Behind the last epoch.
  std::function<void()> on_train_end = nullptr;
};

/// tf.keras.callbacks.LambdaCallback: calls functions of the program's.
class LambdaCallback : public Callback {
 public:
  /// The functions that it calls.
  explicit LambdaCallback(LambdaCallbackOptions options);
  void on_train_begin() override;
  void on_train_end() override;
  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  void on_batch_begin(int64_t batch) override;
  void on_batch_end(int64_t batch, const Logs& logs) override;

 private:
  LambdaCallbackOptions options_;
};

struct EarlyStoppingOptions {
  /// The number that is watched: "val_loss", "acc". Where an epoch has none of this name, a warning says
  /// which there are, and the training goes on.
  std::string monitor = "val_loss";
  /// A change counts where it is greater than that; the sign says nothing.
  double min_delta = 0;
  /// How many epochs in a row may get no better.
  int64_t patience = 0;
  /// 1: says on standard output that, and why, it ends.
  int verbose = 0;
  /// "min": smaller is better; "max": greater is; "auto": greater is for what ends in "acc", "accuracy" or
  /// "auc". Any other text is taken for "auto", with a warning.
  std::string mode = "auto";
  /// An epoch counts as better only where it is better than this, too.
  std::optional<double> baseline = {};
  /// Whether the model has the weights of its best epoch at the end, also where nothing stopped it.
  bool restore_best_weights = false;
  /// Epochs before this one are not looked at.
  int64_t start_from_epoch = 0;
};

/// tf.keras.callbacks.EarlyStopping: ends the training where a number gets no better.
class EarlyStopping : public Callback {
 public:
  /// Says a warning on standard error for a mode that is none.
  explicit EarlyStopping(EarlyStoppingOptions options = {});
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  void on_train_end() override;

  /// The number of the epoch that it stopped behind; 0: it did not.
  int64_t stopped_epoch() const { return stopped_epoch_; }
  /// The best value that was seen; infinity, of the worse sign, before the first one.
  double best() const { return best_; }
  /// The number of the epoch with it.
  int64_t best_epoch() const { return best_epoch_; }

 private:
  bool is_better(double value, double other) const;
  void keep_weights(int64_t epoch);

  EarlyStoppingOptions options_;
  bool greater_is_better_;
  int64_t wait_ = 0;
  int64_t stopped_epoch_ = 0;
  int64_t best_epoch_ = 0;
  double best_ = 0;
  std::optional<std::vector<Array>> best_weights_;
};

/// tf.keras.callbacks.TerminateOnNaN: ends the training where the loss is no finite number, and says so on
/// standard output.
class TerminateOnNaN : public Callback {
 public:
  void on_batch_end(int64_t batch, const Logs& logs) override;
};

struct CSVLoggerOptions {
  /// What stands between two values.
  char separator = ',';
  /// Whether lines are added to a file that is there; else it is begun anew.
  bool append = false;
};

/// tf.keras.callbacks.CSVLogger: a line of a file for each epoch, its number in front: the numbers of the
/// first one by their names in order, "NA" for one that is missing later. A file that has nothing yet
/// begins with the names. Lines end as RFC 4180 has it, in "\r\n". fit() throws the errors:: class of the
/// system's error where the file cannot be written.
class CSVLogger : public Callback {
 public:
  /// Nothing is written before fit().
  explicit CSVLogger(std::string filename, const CSVLoggerOptions& options = {});
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;

 private:
  std::string line_of(const std::vector<std::string>& fields) const;

  std::string filename_;
  CSVLoggerOptions options_;
  std::vector<std::string> keys_;
};

}  // namespace flowray::tf::keras::callbacks

#pragma GCC visibility pop
