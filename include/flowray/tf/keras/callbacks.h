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
#include <flowray/tf/summary.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
  /// Whether the model has the weights of its best epoch at the end, also where nothing stopped it; true to
  /// use the model itself; false where a checkpoint of the best is written.
  bool restore_best_weights = false;
  /// Epochs before this one are not looked at.
  int64_t start_from_epoch = 0;
};

/// tf.keras.callbacks.EarlyStopping: ends the training where a number gets no better.
class EarlyStopping : public Callback {
 public:
  /// Says a warning on standard error for an unknown mode.
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

/// tf.keras.callbacks.TerminateOnNaN: ends the training where the loss is NaN or infinite, and says so on
/// standard output.
class TerminateOnNaN : public Callback {
 public:
  void on_batch_end(int64_t batch, const Logs& logs) override;
};

struct CSVLoggerOptions {
  /// What stands between two values.
  char separator = ',';
  /// Whether lines are added to a file that is there; else it is begun anew; true for training that goes on.
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

struct ModelCheckpointOptions {
  /// The number that save_best_only looks at. Where an epoch has none of this name, a warning says so and
  /// nothing is written.
  std::string monitor = "val_loss";
  /// 1: says on standard output what is written, and why.
  int verbose = 0;
  /// Whether only that is written which is better than all before; true to spare the disk: false writes each
  /// epoch.
  bool save_best_only = false;
  /// Whether the weights alone are written, as Model::save_weights does it, else all, as Model::save.
  bool save_weights_only = false;
  /// "min": smaller is better; "max": greater is; "auto": greater is for what has "acc" in its name or begins
  /// with "fmeasure". Any other text is taken for "auto", with a warning.
  std::string mode = "auto";
  /// Steps from one file to the next, at least 1, counted through epochs; left out: a file for each epoch.
  std::optional<int64_t> save_freq = {};
  /// With save_best_only, what the first one has to be better than.
  std::optional<double> initial_value_threshold = {};
};

/// tf.keras.callbacks.ModelCheckpoint: writes the model, or its weights, behind each epoch. In
/// the path {epoch} is the number of the epoch, which counts from 1 here, and {loss}, {val_acc} and so on are
/// its numbers, all formatted as Python's str.format does it: "w{epoch:02d}-{val_loss:.2f}". With save_freq
/// {batch} and {size} are there, too. Folders are made where they are missing. fit() throws KeyError for a
/// name in the path that the logs lack, IndexError for a place without a name, ValueError for an invalid
/// format.
class ModelCheckpoint : public Callback {
 public:
  /// Throws ValueError for a save_freq below 1. Says a warning on standard error for an unknown mode.
  explicit ModelCheckpoint(std::string filepath, ModelCheckpointOptions options = {});
  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  void on_batch_end(int64_t batch, const Logs& logs) override;

  /// The best value that was seen; infinity, of the worse sign, before the first one.
  double best() const { return best_; }

 private:
  void save(const Logs& logs, std::optional<int64_t> batch);
  bool is_to_be_saved(const Logs& logs, const std::string& path);
  std::string path_of(const Logs& logs, std::optional<int64_t> batch) const;

  std::string filepath_;
  ModelCheckpointOptions options_;
  bool greater_is_better_;
  double best_;
  int64_t epoch_ = 0;
  int64_t steps_since_last_ = 0;
};

struct LearningRateSchedulerOptions {
  /// 1: says on standard output to what the rate is set.
  int verbose = 0;
};

/// tf.keras.callbacks.LearningRateScheduler: sets the rate before each epoch. The epoch's logs have it as
/// "lr". fit() throws ValueError for an optimizer whose rate cannot be set (Model::set_learning_rate).
class LearningRateScheduler : public Callback {
 public:
  /// Takes the number of the epoch and the rate of now, gives the next one.
  using Schedule = std::function<double(int64_t epoch, double learning_rate)>;
  /// Throws ValueError for an empty function.
  explicit LearningRateScheduler(Schedule schedule, const LearningRateSchedulerOptions& options = {});
  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;

 private:
  Schedule schedule_;
  LearningRateSchedulerOptions options_;
};

struct ReduceLROnPlateauOptions {
  /// The number that is watched. Where an epoch has none of this name, a warning says which there are.
  std::string monitor = "val_loss";
  /// What the rate is multiplied by, below 1.
  double factor = 0.1;
  /// How many epochs in a row may get no better.
  int64_t patience = 10;
  /// 1: says on standard output to what the rate is set.
  int verbose = 0;
  /// "min": smaller is better; "max": greater is; "auto": greater is for what has "acc" in its name. Any
  /// other text is taken for "auto", with a warning.
  std::string mode = "auto";
  /// A change counts where it is greater than that.
  double min_delta = 1e-4;
  /// Epochs behind a change of the rate in which none is counted.
  int64_t cooldown = 0;
  /// The rate gets no smaller.
  double min_lr = 0;
};

/// tf.keras.callbacks.ReduceLROnPlateau: makes the rate smaller where a number gets no better. The epoch's
/// logs have the rate that it was trained with as "lr". fit() throws as with LearningRateScheduler.
class ReduceLROnPlateau : public Callback {
 public:
  /// Throws ValueError for a factor of 1 or more. Says a warning on standard error for an unknown mode.
  explicit ReduceLROnPlateau(ReduceLROnPlateauOptions options = {});
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;

 private:
  void reduce(int64_t epoch, float rate);

  ReduceLROnPlateauOptions options_;
  bool greater_is_better_;
  double best_ = 0;
  int64_t wait_ = 0;
  int64_t cooldown_left_ = 0;
};

struct TensorBoardOptions {
  /// Whether the file has the model's graph, too, which may be large; false for small files.
  bool write_graph = true;
  /// Epochs from one set of histograms of the weights to the next; 0: there are none.
  int64_t histogram_freq = 0;
  /// Elements (of a dataset: steps) from one set of the batches' numbers to the next, at least 1; left out:
  /// there are those of the epochs only, whose step is then the number of the epoch.
  std::optional<int64_t> update_freq = {};
};

/// tf.keras.callbacks.TensorBoard, as it is in graphs: writes the numbers of each epoch as scalars
/// "epoch_loss", "epoch_val_acc" and so on into an event file of the folder, and with update_freq those of
/// batches, "batch_loss". fit() throws as tf::summary::FileWriter does.
class TensorBoard : public Callback {
 public:
  /// Throws ValueError for an update_freq below 1 or a negative histogram_freq. Nothing is written before
  /// fit().
  explicit TensorBoard(std::filesystem::path log_dir = "./logs", const TensorBoardOptions& options = {});
  ~TensorBoard() override;
  void on_train_begin() override;
  void on_train_end() override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  void on_batch_end(int64_t batch, const Logs& logs) override;

 private:
  void write(const char* prefix, const Logs& logs, int64_t step);
  void write_graph();
  void write_histograms(int64_t epoch);

  std::filesystem::path log_dir_;
  TensorBoardOptions options_;
  std::unique_ptr<summary::FileWriter> writer_;
  bool is_graph_written_ = false;
  int64_t num_batches_ = 0;
  int64_t num_elements_ = 0;
  int64_t num_elements_at_last_write_ = 0;
};

}  // namespace flowray::tf::keras::callbacks

#pragma GCC visibility pop
