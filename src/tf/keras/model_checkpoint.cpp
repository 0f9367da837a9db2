#include <flowray/tf/keras/callbacks.h>

#include "files/file_contents.h"
#include "files/file_error.h"
#include "tf/keras/python_format.h"
#include "tf/keras/watched_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace flowray::tf::keras::callbacks {

ModelCheckpoint::ModelCheckpoint(std::string filepath, ModelCheckpointOptions options)
    : filepath_(std::move(filepath)),
      options_(std::move(options)),
      greater_is_better_(greater_is_better(
          "ModelCheckpoint", options_.mode,
          options_.monitor.find("acc") != std::string::npos || options_.monitor.starts_with("fmeasure"))),
      best_(options_.initial_value_threshold.value_or(std::numeric_limits<double>::infinity() *
                                                      (greater_is_better_ ? -1 : 1))) {
  if (options_.save_freq.value_or(1) < 1) {
    throw ValueError(fmt::format(
        "Unrecognized save_freq: {}. Expected save_freq are \"epoch\" or integer\nIt is the number "
        "of steps from one file to the next, at least 1; left out, there is one for each epoch.",
        *options_.save_freq));
  }
}

void ModelCheckpoint::on_epoch_begin(int64_t epoch) { epoch_ = epoch; }

void ModelCheckpoint::on_batch_end(int64_t batch, const Logs& logs) {
  if (!options_.save_freq.has_value() || ++steps_since_last_ < *options_.save_freq) return;
  steps_since_last_ = 0;
  save(logs, batch);
}

void ModelCheckpoint::on_epoch_end(int64_t epoch, const Logs& logs) {
  epoch_ = epoch;
  if (!options_.save_freq.has_value()) save(logs, {});
}

/// A path as Python formats it, of the names that tf.keras gives there.
std::string ModelCheckpoint::path_of(const Logs& logs, std::optional<int64_t> batch) const {
  NamedNumbers numbers = {{"epoch", epoch_ + 1}};
  if (batch.has_value()) {
    numbers.emplace_back("batch", *batch);
    numbers.emplace_back("size", batch_size());
  }
  for (const auto& [name, value] : logs) numbers.emplace_back(name, value);
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers) names.push_back(name);
  const auto with_advice = [&](const std::string& what) {
    return what.substr(0, what.find('\n')) +
           fmt::format("\nIt is the path \"{}\" of a ModelCheckpoint; the names that it may have are {}.",
                       filepath_, fmt::join(names, ", "));
  };
  try {
    return python_format(filepath_, numbers);
  } catch (const KeyError& error) {
    const std::string name = error.message().substr(0, error.message().find('\n'));
    throw KeyError(with_advice(
        fmt::format("Failed to format this callback filepath: \"{}\". Reason: '{}'", filepath_, name)));
  } catch (const IndexError& error) {
    throw IndexError(with_advice(error.message()));
  } catch (const ValueError& error) {
    throw ValueError(with_advice(error.message()));
  }
}

bool ModelCheckpoint::is_to_be_saved(const Logs& logs, const std::string& path) {
  const auto tell = [&](const std::string& what) {
    if (options_.verbose > 0) say(fmt::format("\nEpoch {}: {}", epoch_ + 1, what));
  };
  if (!options_.save_best_only) {
    tell("saving model to " + path);
    return true;
  }
  const double* const value = value_of(logs, options_.monitor);
  if (value == nullptr) {
    warn(fmt::format("Can save best model only with {} available, skipping.", options_.monitor));
    return false;
  }
  if (!(greater_is_better_ ? *value > best_ : *value < best_)) {
    tell(fmt::format("{} did not improve from {:.5f}", options_.monitor, best_));
    return false;
  }
  tell(fmt::format("{} improved from {:.5f} to {:.5f}, saving model to {}", options_.monitor, best_, *value,
                   path));
  best_ = *value;
  return true;
}

void ModelCheckpoint::save(const Logs& logs, std::optional<int64_t> batch) {
  const std::filesystem::path path = files::local_path(path_of(logs, batch));
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) files::throw_file_error(path.parent_path(), error.value());
  }
  if (!is_to_be_saved(logs, path.string())) return;
  if (options_.save_weights_only) {
    model().save_weights(path);
  } else {
    model().save(path);
  }
}

}  // namespace flowray::tf::keras::callbacks
