#include <flowray/tf/keras/callbacks.h>

#include "files/file_access.h"
#include "files/file_contents.h"
#include "tf/keras/watched_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

namespace flowray::tf::keras::callbacks {

LambdaCallback::LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}
void LambdaCallback::on_train_begin() {
  if (options_.on_train_begin != nullptr) options_.on_train_begin();
}
void LambdaCallback::on_train_end() {
  if (options_.on_train_end != nullptr) options_.on_train_end();
}
void LambdaCallback::on_epoch_begin(int64_t epoch) {
  if (options_.on_epoch_begin != nullptr) options_.on_epoch_begin(epoch);
}
void LambdaCallback::on_epoch_end(int64_t epoch, const Logs& logs) {
  if (options_.on_epoch_end != nullptr) options_.on_epoch_end(epoch, logs);
}
void LambdaCallback::on_batch_begin(int64_t batch) {
  if (options_.on_batch_begin != nullptr) options_.on_batch_begin(batch);
}
void LambdaCallback::on_batch_end(int64_t batch, const Logs& logs) {
  if (options_.on_batch_end != nullptr) options_.on_batch_end(batch, logs);
}

EarlyStopping::EarlyStopping(EarlyStoppingOptions options)
    : options_(std::move(options)),
      greater_is_better_(greater_is_better("EarlyStopping", options_.mode,
                                           options_.monitor.ends_with("acc") ||
                                               options_.monitor.ends_with("accuracy") ||
                                               options_.monitor.ends_with("auc"))) {}

void EarlyStopping::on_train_begin() {
  wait_ = stopped_epoch_ = best_epoch_ = 0;
  best_ = std::numeric_limits<double>::infinity() * (greater_is_better_ ? -1 : 1);
  best_weights_.reset();
}

bool EarlyStopping::is_better(double value, double other) const {
  const double delta = std::abs(options_.min_delta);
  return greater_is_better_ ? value - delta > other : value + delta < other;
}

void EarlyStopping::keep_weights(int64_t epoch) {
  best_epoch_ = epoch;
  if (options_.restore_best_weights) best_weights_ = model().get_weights();
}

void EarlyStopping::on_epoch_end(int64_t epoch, const Logs& logs) {
  const double* const value = value_of(logs, options_.monitor);
  if (value == nullptr) {
    warn(
        fmt::format("Early stopping conditioned on metric `{}` which is not available. Available metrics "
                    "are: {}",
                    options_.monitor, fmt::join(names_of(logs), ",")));
    return;
  }
  if (epoch < options_.start_from_epoch) return;
  if (options_.restore_best_weights && !best_weights_.has_value())
    keep_weights(epoch);  // of the first epoch, where none is better
  ++wait_;
  if (is_better(*value, best_)) {
    best_ = *value;
    keep_weights(epoch);
    if (!options_.baseline.has_value() || is_better(*value, *options_.baseline)) wait_ = 0;
  } else if (wait_ >= options_.patience && epoch > 0) {
    stopped_epoch_ = epoch;
    model().stop_training = true;
  }
}

void EarlyStopping::on_train_end() {
  if (stopped_epoch_ > 0 && options_.verbose > 0)
    say(fmt::format("Epoch {}: early stopping", stopped_epoch_ + 1));
  if (!best_weights_.has_value()) return;
  if (options_.verbose > 0) {
    say(fmt::format("Restoring model weights from the end of the best epoch: {}.", best_epoch_ + 1));
  }
  model().set_weights(*best_weights_);
}

void TerminateOnNaN::on_batch_end(int64_t batch, const Logs& logs) {
  const double* const loss = value_of(logs, "loss");
  if (loss == nullptr || std::isfinite(*loss)) return;
  say(fmt::format("Batch {}: Invalid loss, terminating training", batch));
  model().stop_training = true;
}

CSVLogger::CSVLogger(std::string filename, const CSVLoggerOptions& options)
    : filename_(std::move(filename)), options_(options) {}

void CSVLogger::on_train_begin() {
  if (!options_.append) files::write_file(filename_, "", files::FileAccess::all());
}

std::string CSVLogger::line_of(const std::vector<std::string>& fields) const {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += options_.separator;
    const std::string& field = fields[i];
    if (field.find_first_of(std::string("\"\r\n") + options_.separator) == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

void CSVLogger::on_epoch_end(int64_t epoch, const Logs& logs) {
  if (keys_.empty()) {
    keys_ = names_of(logs);
    std::ranges::sort(keys_);
    if (std::ranges::none_of(keys_, [](const std::string& key) { return key.starts_with("val_"); })) {
      std::vector<std::string> of_validation;  // in an epoch to come
      for (const std::string& key : keys_) of_validation.push_back("val_" + key);
      std::ranges::move(of_validation, std::back_inserter(keys_));
    }
  }
  std::string lines;
  std::error_code none;
  const auto size = std::filesystem::file_size(files::local_path(filename_), none);
  if (none || size == 0) {
    std::vector<std::string> names{"epoch"};
    std::ranges::copy(keys_, std::back_inserter(names));
    lines = line_of(names);
  }
  std::vector<std::string> values{std::to_string(epoch)};
  for (const std::string& key : keys_) {
    const double* const value = value_of(logs, key);
    values.push_back(value == nullptr ? "NA" : fmt::format("{}", *value));
  }
  files::append_to_file(files::local_path(filename_), lines + line_of(values), files::FileAccess::all());
}

}  // namespace flowray::tf::keras::callbacks
