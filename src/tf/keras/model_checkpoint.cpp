#include <flowray/tf/keras/callbacks.h>

#include "files/file_contents.h"
#include "files/file_error.h"
#include "tf/keras/watched_numbers.h"

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace flowray::tf::keras::callbacks {
namespace {

/// The first name in braces that is none of these; empty: there is none.
std::string unknown_name_in(const std::string& path, const std::vector<std::string>& names) {
  for (size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1)) {
    if (path.compare(at, 2, "{{") == 0) {
      ++at;
      continue;
    }
    const std::string name = path.substr(at + 1, path.find_first_of(":}", at) - at - 1);
    if (std::ranges::find(names, name) == names.end()) return name;
  }
  return {};
}

}  // namespace

ModelCheckpoint::ModelCheckpoint(std::string filepath, ModelCheckpointOptions options)
    : filepath_(std::move(filepath)),
      options_(std::move(options)),
      greater_is_better_(greater_is_better(
          "ModelCheckpoint", options_.mode,
          options_.monitor.find("acc") != std::string::npos || options_.monitor.starts_with("fmeasure"))),
      best_(options_.initial_value_threshold.value_or(std::numeric_limits<double>::infinity() *
                                                      (greater_is_better_ ? -1 : 1))) {
  if (!options_.save_weights_only) {
    throw errors::UnimplementedError(
        "ModelCheckpoint(save_weights_only=False) is not there: whole models are written from Python only.\n"
        "Give .save_weights_only = true.");
  }
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

namespace {

/// Numbers have names: the first of them is none that "{}" or "{0}" means.
void check_names_in(const std::string& path) {
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i] != '{') continue;
    const char next = path[++i];
    if (next == '}' || next == ':' || (next >= '0' && next <= '9')) {
      throw ValueError(fmt::format(
          "The path \"{}\" of a ModelCheckpoint has a place without a name.\nName what is to stand there: "
          "\"{{epoch}}\", \"{{epoch:02d}}\", \"{{val_loss:.2f}}\".",
          path));
    }
  }
}

}  // namespace

std::string ModelCheckpoint::path_of(const Logs& logs, std::optional<int64_t> batch) const {
  check_names_in(filepath_);
  fmt::dynamic_format_arg_store<fmt::format_context> numbers;
  numbers.push_back(fmt::arg("epoch", epoch_ + 1));
  if (batch.has_value()) numbers.push_back(fmt::arg("batch", *batch));
  for (const auto& [name, value] : logs) numbers.push_back(fmt::arg(name.c_str(), value));
  try {
    return fmt::vformat(filepath_, numbers);
  } catch (const fmt::format_error& error) {
    std::vector<std::string> names = names_of(logs);
    if (batch.has_value()) names.insert(names.begin(), "batch");
    names.insert(names.begin(), "epoch");
    const std::string unknown = unknown_name_in(filepath_, names);
    if (unknown.empty())
      throw ValueError(
          fmt::format("The path \"{}\" of a ModelCheckpoint is no format: {}.", filepath_, error.what()));
    throw KeyError(fmt::format(
        "Failed to format this callback filepath: \"{}\". Reason: '{}'\nThe names that it may have are {}.",
        filepath_, unknown, fmt::join(names, ", ")));
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
  if (is_to_be_saved(logs, path.string())) model().save_weights(path);
}

}  // namespace flowray::tf::keras::callbacks
