#include "tf/keras/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

namespace flowray::tf::keras {
namespace {

/// Rows of these numbers, one behind the other.
Array rows_at(const Array& array, const std::vector<int64_t>& numbers) {
  std::vector<int64_t> dims(array.shape().dims().begin(), array.shape().dims().end());
  dims[0] = static_cast<int64_t>(numbers.size());
  Array rows = Array::uninitialized(array.dtype(), Shape(dims));
  if (array.dim(0) == 0) return rows;
  const size_t row = array.size_bytes() / static_cast<size_t>(array.dim(0));
  auto* out = static_cast<std::byte*>(rows.mutable_raw_data());
  const auto* in = static_cast<const std::byte*>(array.raw_data());
  for (size_t i = 0; i < numbers.size(); ++i)
    std::memcpy(out + i * row, in + static_cast<size_t>(numbers[i]) * row, row);
  return rows;
}

/// [n] as [n, 1].
Array at_least_a_matrix(const Array& array) {
  return array.rank() == 1 ? array.reshape({array.dim(0), 1}) : array;
}

Array as_numbers(const Array& array, const char* what, std::string_view advice = {}) {
  if (!array.has_value() || array.rank() == 0) {
    throw ValueError(fmt::format(
        "{}: an array of at least one dimension is needed, the elements along the first.{}", what, advice));
  }
  if (array.dtype() == DType::kString)
    throw ValueError(fmt::format("{}: numbers are needed, not strings.{}", what, advice));
  return array.astype(DType::kFloat32);
}

void check_positive(int64_t value, const char* what) {
  if (value < 1) throw ValueError(fmt::format("{} must be at least 1, but is {}.", what, value));
}

/// Sums of numbers of batches, each as often as it has elements.
class Means {
 public:
  Means(const std::vector<std::string>& names, std::string prefix = {})
      : names_(names), sums_(names.size()), prefix_(std::move(prefix)) {}
  void add(const std::vector<double>& values, int64_t count) {
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += values[i] * static_cast<double>(count);
    count_ += count;
  }
  Logs logs() const {
    Logs logs;
    for (size_t i = 0; i < sums_.size(); ++i)
      logs.emplace_back(prefix_ + names_[i], sums_[i] / static_cast<double>(std::max<int64_t>(count_, 1)));
    return logs;
  }

 private:
  std::vector<std::string> names_;
  std::vector<double> sums_;
  std::string prefix_;
  int64_t count_ = 0;
};

void write_to_stdout(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

Examples Examples::at(const std::vector<int64_t>& numbers) const {
  return {rows_at(x, numbers), rows_at(y, numbers),
          weights.has_value() ? std::optional(rows_at(*weights, numbers)) : std::nullopt};
}

Examples Examples::rows(int64_t begin, int64_t end) const {
  return {x.rows(begin, end), y.rows(begin, end),
          weights.has_value() ? std::optional(weights->rows(begin, end)) : std::nullopt};
}

std::vector<Array> Examples::values() const {
  return weights.has_value() ? std::vector<Array>{x, y, *weights} : std::vector<Array>{x, y};
}

Array Training::checked_inputs(const Array& x, std::string_view advice) {
  const Array numbers = at_least_a_matrix(as_numbers(x, "x", advice));
  if (!state_.is_built) {
    std::vector<int64_t> dims(numbers.shape().dims().begin(), numbers.shape().dims().end());
    dims[0] = -1;
    model_.build(TensorShape(dims));
  }
  const TensorShape& wanted = state_.input_shape;
  bool fits = wanted.rank() == numbers.rank();
  for (int i = 1; fits && i < wanted.rank(); ++i) fits = wanted.dim(i) < 0 || wanted.dim(i) == numbers.dim(i);
  if (fits) return numbers;
  const auto element = [](const Shape& shape) { return Shape(shape.dims().subspan(1)).to_tuple_string(); };
  throw ValueError(
      fmt::format("Error when checking input: expected {} to have shape {} but got array with shape {}{}",
                  state_.input.op().name(), element(wanted), element(numbers.shape()), advice));
}

Array Training::checked_targets(const Array& y, int64_t size, std::string_view advice) {
  const Array numbers = at_least_a_matrix(as_numbers(y, "y", advice));
  if (numbers.dim(0) != size) {
    throw ValueError(fmt::format(
        "Input arrays should have the same number of samples as target arrays. Found {} input samples and {} "
        "target samples.{}",
        size, numbers.dim(0), advice));
  }
  if (!state_.target_shape.has_rank()) {
    std::vector<int64_t> dims(numbers.shape().dims().begin(), numbers.shape().dims().end());
    dims[0] = -1;
    state_.target_shape = TensorShape(dims);
  }
  std::vector<int64_t> dims(numbers.shape().dims().begin(), numbers.shape().dims().end());
  if (state_.target_shape.is_compatible_with(TensorShape(dims))) return numbers;
  throw ValueError(
      fmt::format("Error when checking target: expected true values of shape {} but got array with shape "
                  "{}\nThe first call of fit or "
                  "evaluate since compile decides the shape.{}",
                  state_.target_shape.to_tuple_string(), numbers.shape().to_tuple_string(), advice));
}

Examples Training::checked(const Array& x, const Array& y, const std::optional<Array>& weights,
                           std::string_view advice) {
  if (!state_.is_compiled) {
    throw RuntimeError(
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  }
  Examples examples;
  examples.x = checked_inputs(x, advice);
  examples.y = checked_targets(y, examples.x.dim(0), advice);
  if (weights.has_value()) {
    examples.weights = as_numbers(*weights, "sample_weight");
    if (examples.weights->rank() != 1 || examples.weights->dim(0) != examples.size()) {
      throw ValueError(fmt::format(
          "Found a sample_weight array with shape {} for an input with {} samples: a number for each "
          "sample is needed.",
          examples.weights->shape().to_tuple_string(), examples.size()));
    }
  }
  return examples;
}

std::vector<double> Training::step(const Examples& batch, bool training) {
  ModelStep& step = runner_.score_step(training, batch.weights.has_value());
  std::vector<double> scores;
  for (const Array& score : runner_.run(step, batch.values())) scores.push_back(score.item<float>());
  return scores;
}

Logs Training::evaluate(const Examples& examples, int64_t batch_size) {
  check_positive(batch_size, "batch_size");
  Means means(model_.metrics_names());
  for (int64_t begin = 0; begin < examples.size(); begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, examples.size());
    means.add(step(examples.rows(begin, end), /*training=*/false), end - begin);
  }
  return means.logs();
}

Array Training::predict(const Array& x, int64_t batch_size) {
  check_positive(batch_size, "batch_size");
  const Array inputs = checked_inputs(x, {});
  ModelStep& step = runner_.predict_step();
  Array outputs;
  size_t row = 0;
  for (int64_t begin = 0; begin < inputs.dim(0); begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, inputs.dim(0));
    const Array part = runner_.run(step, {inputs.rows(begin, end)})[0];
    if (!outputs.has_value()) {
      std::vector<int64_t> dims(part.shape().dims().begin(), part.shape().dims().end());
      if (dims.empty() || dims[0] != end - begin)
        throw ValueError("predict: the model's outputs have not the batch along their first dimension.");
      dims[0] = inputs.dim(0);
      outputs = Array::uninitialized(part.dtype(), Shape(dims));
      row = part.size_bytes() / static_cast<size_t>(end - begin);
    }
    if (part.size_bytes() != row * static_cast<size_t>(end - begin))
      throw ValueError("predict: the outputs of two batches have elements of different shapes.");
    auto* const out = static_cast<std::byte*>(outputs.mutable_raw_data());
    std::memcpy(out + static_cast<size_t>(begin) * row, part.raw_data(), part.size_bytes());
  }
  if (!outputs.has_value()) throw ValueError("predict: x has no elements.");
  return outputs;
}

std::vector<int64_t> Training::order_of(int64_t size, const FitOptions& options, uint64_t epoch) const {
  std::vector<int64_t> numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  if (!options.shuffle) return numbers;
  if (options.order != nullptr) {
    call_back([&] { options.order(numbers); });
    return numbers;
  }
  std::mt19937_64 random(options.seed.has_value() ? *options.seed + epoch : std::random_device()());
  std::ranges::shuffle(numbers, random);
  return numbers;
}

void Training::tell(const FitOptions& options, const std::function<void(Callback&)>& what) const {
  for (const std::shared_ptr<Callback>& callback : options.callbacks) call_back([&] { what(*callback); });
}

ProgressBar::Write Training::write_of(const FitOptions& options) const {
  if (options.write == nullptr) return write_to_stdout;
  return [this, &options](const std::string& text) { call_back([&] { options.write(text); }); };
}

void Training::train_epoch(const Examples& examples, int64_t epoch, const FitOptions& options,
                           const Examples* validation) {
  const auto begin_time = std::chrono::steady_clock::now();
  const ProgressBar::Write write = write_of(options);
  if (options.verbose > 0 && options.epochs > 1)
    write(fmt::format("Epoch {}/{}\n", epoch + 1, options.epochs));
  tell(options, [&](Callback& callback) { callback.on_epoch_begin(epoch); });
  ProgressBar progress(examples.size(), write);
  Means means(model_.metrics_names());
  const std::vector<int64_t> order = order_of(examples.size(), options, static_cast<uint64_t>(epoch));
  int64_t batch = 0;
  Logs logs;
  for (int64_t begin = 0; begin < examples.size() && !model_.stop_training;
       begin += options.batch_size, ++batch) {
    const int64_t end = std::min(begin + options.batch_size, examples.size());
    tell(options, [&](Callback& callback) { callback.on_batch_begin(batch); });
    const Examples part = options.shuffle ? examples.at({order.begin() + begin, order.begin() + end})
                                          : examples.rows(begin, end);
    means.add(step(part, /*training=*/true), end - begin);
    logs = means.logs();
    tell(options, [&](Callback& callback) { callback.on_batch_end(batch, logs); });
    if (options.verbose == 1 && end < examples.size()) progress.update(end, logs, /*is_last=*/false);
  }
  if (validation != nullptr) {
    for (auto& [name, value] : evaluate(*validation, options.batch_size))
      logs.emplace_back("val_" + name, value);
  }
  for (const auto& [name, value] : logs) history_.history[name].push_back(value);
  history_.epoch.push_back(epoch);
  tell(options, [&](Callback& callback) { callback.on_epoch_end(epoch, logs); });
  if (options.verbose == 1) progress.update(examples.size(), logs, /*is_last=*/true);
  if (options.verbose == 2) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
    write(fmt::format("{0}/{0} - {1:.0f}s{2} - {3:.0f}ms/epoch - {4:.0f}us/sample\n", examples.size(),
                      seconds, text_of(logs), seconds * 1e3,
                      seconds * 1e6 / static_cast<double>(examples.size())));
  }
}

History Training::fit(const Array& x, const Array& y, const FitOptions& options) {
  check_positive(options.batch_size, "batch_size");
  if (options.epochs < 0 || options.initial_epoch < 0)
    throw ValueError(fmt::format("epochs and initial_epoch must be at least 0, but are {} and {}.",
                                 options.epochs, options.initial_epoch));
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw ValueError(
        fmt::format("`validation_split` must be from 0 to 1, but is {}.", options.validation_split));
  for (size_t i = 0; i < options.callbacks.size(); ++i) {
    if (options.callbacks[i] == nullptr)
      throw ValueError(fmt::format("The argument 'callbacks[{}]' is a null pointer.", i));
  }
  Examples examples = checked(x, y, options.sample_weight);
  std::optional<Examples> validation;
  if (options.validation_data.has_value()) {
    validation = checked(options.validation_data->first, options.validation_data->second, {},
                         "\nThe arrays are those of `validation_data`.");
  } else if (options.validation_split > 0) {
    const auto kept =
        static_cast<int64_t>(static_cast<double>(examples.size()) * (1 - options.validation_split));
    validation = examples.rows(kept, examples.size());
    examples = examples.rows(0, kept);
  }
  if (examples.size() == 0) throw ValueError("fit: there are no elements to train with.");
  if (options.verbose > 0) {
    write_of(options)(validation.has_value() ? fmt::format("Train on {} samples, validate on {} samples\n",
                                                           examples.size(), validation->size())
                                             : fmt::format("Train on {} samples\n", examples.size()));
  }
  model_.stop_training = false;
  history_ = {};
  for (const auto& callback : options.callbacks) callback->model_ = &model_;
  tell(options, [](Callback& callback) { callback.on_train_begin(); });
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !model_.stop_training; ++epoch)
    train_epoch(examples, epoch, options, validation.has_value() ? &*validation : nullptr);
  tell(options, [](Callback& callback) { callback.on_train_end(); });
  return std::move(history_);
}

}  // namespace flowray::tf::keras
