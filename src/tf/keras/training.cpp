#include "tf/keras/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr int64_t kBatchSize = 32;  // of arrays, where none is given

/// Parts of predictions, one below the other.
class Stacked {
 public:
  void add(const Array& part, int64_t begin, int64_t end, int64_t size) {
    if (!all_.has_value()) {
      if (part.rank() == 0 || part.dim(0) != end - begin)
        throw ValueError("predict: the model's outputs have not the batch along their first dimension.");
      std::vector<int64_t> dims(part.shape().dims().begin(), part.shape().dims().end());
      dims[0] = size;
      all_ = Array::uninitialized(part.dtype(), Shape(dims));
      row_ = part.size_bytes() / static_cast<size_t>(end - begin);
    }
    if (part.size_bytes() != row_ * static_cast<size_t>(end - begin))
      throw ValueError("predict: the outputs of two batches have elements of different shapes.");
    auto* const out = static_cast<std::byte*>(all_.mutable_raw_data());
    std::memcpy(out + static_cast<size_t>(begin) * row_, part.raw_data(), part.size_bytes());
  }
  const Array& all() const { return all_; }

 private:
  Array all_;
  size_t row_ = 0;
};

void check_positive(int64_t value, const char* what) {
  if (value < 1) throw ValueError(fmt::format("{} must be at least 1, but is {}.", what, value));
}
void check_positive(const std::optional<int64_t>& value, const char* what) {
  if (value.has_value()) check_positive(*value, what);
}

double number_of(const Array& score) {
  return score.dtype() == DType::kFloat32 ? score.item<float>()
                                          : score.astype(DType::kFloat64).item<double>();
}

void write_to_stdout(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

[[noreturn]] void throw_without_batches(const char* what) {
  throw ValueError(
      fmt::format("Empty training data.\n{}: there is no batch; a dataset's elements are batches.", what));
}

[[noreturn]] void throw_steps_of_arrays(const char* argument) {
  throw ValueError(fmt::format(
      "When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument. Please use "
      "`batch_size` instead.\n`{}` is how many batches of a dataset are taken.",
      argument));
}

void check_options(const FitOptions& options) {
  if (!options.class_weight.empty() && !options.class_weight_of_outputs.empty())
    throw ValueError("`class_weight` and `class_weight_of_outputs` are both given.\nGive one of them.");
  check_positive(options.batch_size, "batch_size");
  check_positive(options.steps_per_epoch, "steps_per_epoch");
  check_positive(options.validation_steps, "validation_steps");
  if (options.validation_freq < 1) throw ValueError("`validation_freq` can not be less than 1.");
  if (options.epochs < 0 || options.initial_epoch < 0)
    throw ValueError(fmt::format("epochs and initial_epoch must be at least 0, but are {} and {}.",
                                 options.epochs, options.initial_epoch));
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw ValueError(
        fmt::format("`validation_split` must be from 0 to 1, but is {}.", options.validation_split));
  if (options.validation_steps.has_value() && !options.validation_data.dataset().has_value()) {
    throw ValueError(
        options.validation_data.has_value()
            ? "`validation_steps` is for a dataset, but `validation_data` is arrays.\nLeave it out."
            : "`validation_steps` should not be specified if `validation_data` is None.");
  }
}

void refuse_with_dataset(bool is_given, const char* argument, const char* advice) {
  if (!is_given) return;
  throw ValueError(
      fmt::format("`{}` argument is not supported when input `x` is a dataset or a dataset iterator.\n{}",
                  argument, advice));
}

/// What belongs to arrays only.
void check_options_of_dataset(const FitOptions& options) {
  refuse_with_dataset(options.batch_size.has_value(), "batch_size", "Dataset::batch() says it.");
  refuse_with_dataset(options.validation_split != 0, "validation_split",
                      "Give a dataset of its own as validation_data: take() and skip() divide one.");
  refuse_with_dataset(options.sample_weight.has_value(), "sample_weight",
                      "Weights are the components of an element behind the true values.");
  refuse_with_dataset(options.seed.has_value(), "seed", "Dataset::shuffle() takes one.");
  refuse_with_dataset(options.order != nullptr, "order", "The order is that of the dataset.");
}

/// "Train on 3 steps, validate on 2 steps\n"
std::string sizes_text(const Batches& batches, const Batches* validation) {
  const char* const unit = batches.counts_steps() ? "steps" : "samples";
  const auto size = batches.size();
  std::string text = fmt::format("Train on {} {}", size.has_value() ? std::to_string(*size) : "None", unit);
  if (validation != nullptr && validation->size().value_or(0) > 0) {
    text += fmt::format(", validate on {} {}", *validation->size(),
                        validation->counts_steps() ? unit : "samples");  // of a dataset as tf.keras has it
  }
  return text + "\n";
}

void put(Logs& logs, const std::string& name, double value) {
  const auto found = std::ranges::find(logs, name, &Logs::value_type::first);
  if (found == logs.end()) {
    logs.emplace_back(name, value);
  } else {
    found->second = value;
  }
}

}  // namespace

/// Means of numbers of batches, each as often as it has elements. The losses of several outputs, which stand
/// behind the whole loss, are means over batches, as tf.keras has them; so is the whole loss itself where
/// steps are counted.
class Training::Means {
 public:
  Means(const std::vector<std::string>& names, size_t num_losses, bool is_loss_of_steps,
        std::set<size_t> running)
      : names_(names),
        sums_(names.size()),
        counts_(names.size()),
        num_losses_(num_losses),
        is_loss_of_steps_(is_loss_of_steps),
        running_(std::move(running)) {}
  /// `counts`: of each number how much this batch counts.
  void add(const std::vector<double>& values, const std::vector<double>& counts) {
    if (values.size() != sums_.size() || counts.size() != sums_.size()) {
      throw errors::InternalError(
          fmt::format("A step of the model gave {} scores, with {} counts, for {} names.", values.size(),
                      counts.size(), sums_.size()));
    }
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (running_.contains(i)) {
        sums_[i] = values[i];
        continue;
      }
      const double count = is_of_batches(i) ? 1.0 : counts[i];
      if (count > 0) sums_[i] += values[i] * count;
      counts_[i] += count;
    }
  }
  Logs logs() const {
    Logs logs;
    for (size_t i = 0; i < sums_.size(); ++i) {
      logs.emplace_back(names_[i], sums_[i] / (counts_[i] > 0 ? counts_[i] : 1.0));
    }
    return logs;
  }

 private:
  bool is_of_batches(size_t i) const { return i == 0 ? is_loss_of_steps_ : i <= num_losses_; }

  std::vector<std::string> names_;
  std::vector<double> sums_;
  std::vector<double> counts_;
  size_t num_losses_;
  bool is_loss_of_steps_;
  std::set<size_t> running_;  // the last value of these is that of all batches
};

std::vector<double> Training::step(const Examples& batch, bool training, std::vector<double>* counts) {
  ModelStep& step = runner_.score_step(training, batch.is_weighted());
  std::vector<double> scores;
  for (const Array& score : runner_.run(step, batch.values())) scores.push_back(number_of(score));
  const size_t num_scores = step.scores.size();
  if (counts != nullptr) {
    counts->assign(num_scores, static_cast<double>(batch.size()));
    size_t next = num_scores;
    for (size_t i = 0; i < num_scores; ++i) {
      if (step.counts[i].has_value()) (*counts)[i] = scores[next++];
    }
  }
  scores.resize(num_scores);
  return scores;
}

void Training::reset(const ModelStep& step) {
  if (step.running.empty()) return;
  runner_.session();  // which the metrics' variables are in
  for (const auto& [number, metric] : step.running) metric.reset_states();
}

/// What counts over batches begins anew with them.
Training::Means Training::means_of(bool training, const Examples& batch, const Batches& batches) {
  const ModelStep& step = runner_.score_step(training, batch.is_weighted());
  reset(step);
  std::set<size_t> running;
  for (const auto& [number, metric] : step.running) running.insert(number);
  return {state_.names_of_scores(step.added_metrics), num_losses(), batches.counts_steps(),
          std::move(running)};
}

std::vector<double> Training::step_by_itself(const Examples& batch, bool training) {
  reset(runner_.score_step(training, batch.is_weighted()));
  return step(batch, training);
}

// ---- evaluate

std::optional<Logs> Training::evaluated(Batches& batches, const Callbacks& callbacks) {
  std::optional<Means> means;
  tell(callbacks, [](Callback& callback) { callback.on_test_begin(); });
  batches.begin(0);
  for (int64_t number = 0; const std::optional<Examples> batch = batches.next(); ++number) {
    note_batch(callbacks, *batch, batches);
    tell(callbacks, [&](Callback& callback) { callback.on_test_batch_begin(number); });
    if (!means.has_value()) means = means_of(/*training=*/false, *batch, batches);
    std::vector<double> counts;
    const std::vector<double> scores = step(*batch, /*training=*/false, &counts);
    means->add(scores, counts);
    if (callbacks.empty()) continue;
    Logs of_batch = means->logs();
    of_batch[0].second = scores[0];
    tell(callbacks, [&](Callback& callback) { callback.on_test_batch_end(number, of_batch); });
    if (model_.stop_training) break;
  }
  if (!means.has_value()) return {};
  tell(callbacks, [](Callback& callback) { callback.on_test_end(); });
  return means->logs();
}

Logs Training::evaluate(const Arrays& x, const Arrays& y, const EvaluateOptions& options) {
  const int64_t batch_size = options.batch_size.value_or(kBatchSize);
  check_positive(batch_size, "batch_size");
  if (options.steps.has_value()) throw_steps_of_arrays("steps");
  BatchesOfArrays batches(checked(x, y, options.sample_weight), batch_size);
  begin_telling(options.callbacks);
  std::optional<Logs> logs = evaluated(batches, options.callbacks);
  if (!logs.has_value()) throw_without_batches("evaluate");
  return std::move(*logs);
}

Logs Training::evaluate(const data::Dataset& x, const EvaluateOptions& options) {
  check_compiled();
  check_positive(options.steps, "steps");
  refuse_with_dataset(options.batch_size.has_value(), "batch_size", "Dataset::batch() says it.");
  refuse_with_dataset(options.sample_weight.has_value(), "sample_weight",
                      "Weights are the components of an element behind the true values.");
  check_elements(x, "x");
  begin_telling(options.callbacks);
  const std::unique_ptr<Batches> batches = batches_of(x, {.argument = "steps", .given = options.steps},
                                                      "\nThe arrays are a batch of the dataset.");
  std::optional<Logs> logs = evaluated(*batches, options.callbacks);
  if (!logs.has_value()) throw_without_batches("evaluate");
  return std::move(*logs);
}

// ---- predict

std::optional<std::vector<Array>> Training::predicted(Batches& batches, int64_t number,
                                                      const Callbacks& callbacks) {
  const std::optional<Examples> batch = batches.next();
  if (!batch.has_value()) return {};
  if (batch->size() == 0) return std::vector<Array>();
  note_batch(callbacks, *batch, batches);
  tell(callbacks, [&](Callback& callback) { callback.on_predict_batch_begin(number); });
  std::vector<Array> outputs = runner_.run(runner_.predict_step(), batch->values());
  tell(callbacks, [&](Callback& callback) { callback.on_predict_batch_end(number, outputs); });
  return outputs;
}

std::vector<Array> Training::predict(const Arrays& x, const PredictOptions& options) {
  const int64_t batch_size = options.batch_size.value_or(kBatchSize);
  check_positive(batch_size, "batch_size");
  if (options.steps.has_value()) throw_steps_of_arrays("steps");
  BatchesOfArrays batches({checked_inputs(x, {}), {}, {}}, batch_size);
  const int64_t size = *batches.size();
  if (size == 0) throw ValueError("predict: x has no elements.");
  std::vector<Stacked> outputs(state_.outputs.size());
  begin_telling(options.callbacks);
  tell(options.callbacks, [](Callback& callback) { callback.on_predict_begin(); });
  batches.begin(0);
  int64_t begin = 0;
  for (int64_t number = 0; const auto parts = predicted(batches, number, options.callbacks); ++number) {
    for (size_t i = 0; i < parts->size(); ++i) outputs[i].add((*parts)[i], begin, batches.done(), size);
    begin = batches.done();
  }
  tell(options.callbacks, [](Callback& callback) { callback.on_predict_end(); });
  std::vector<Array> all;
  for (const Stacked& output : outputs) all.push_back(output.all());
  return all;
}

std::vector<Array> Training::predict(const data::Dataset& x, const PredictOptions& options) {
  check_positive(options.steps, "steps");
  refuse_with_dataset(options.batch_size.has_value(), "batch_size", "Dataset::batch() says it.");
  check_inputs_of(x);
  BatchesOfDataset batches(
      x, state_.graph, {.argument = "steps", .given = options.steps},
      [this](std::vector<Array> components) { return inputs_of(std::move(components)); });
  std::vector<int64_t> ends;
  std::vector<std::vector<Array>> parts;
  begin_telling(options.callbacks);
  tell(options.callbacks, [](Callback& callback) { callback.on_predict_begin(); });
  batches.begin(0);
  for (int64_t number = 0; auto outputs = predicted(batches, number, options.callbacks); ++number) {
    if (outputs->empty()) continue;
    ends.push_back((ends.empty() ? 0 : ends.back()) + (*outputs)[0].dim(0));
    parts.push_back(std::move(*outputs));
  }
  tell(options.callbacks, [](Callback& callback) { callback.on_predict_end(); });
  if (parts.empty()) throw ValueError("predict: the dataset has no element, which would be a batch.");
  std::vector<Array> all;
  for (size_t i = 0; i < state_.outputs.size(); ++i) {
    Stacked output;
    for (size_t k = 0; k < parts.size(); ++k)
      output.add(parts[k][i], k == 0 ? 0 : ends[k - 1], ends[k], ends.back());
    all.push_back(output.all());
  }
  return all;
}

// ---- fit

namespace {

void check_order(const std::vector<int64_t>& numbers, int64_t size) {
  if (static_cast<int64_t>(numbers.size()) != size) {
    throw ValueError(
        fmt::format("fit: the function `order` left {} numbers of {}.\nIt is to put them into another order: "
                    "each example "
                    "is trained with in each epoch.",
                    numbers.size(), size));
  }
  for (const int64_t number : numbers) {
    if (number >= 0 && number < size) continue;
    throw ValueError(
        fmt::format("fit: the function `order` gave the number {}, and there are {} examples.\n"
                    "They are counted from 0.",
                    number, size));
  }
}

}  // namespace

std::vector<int64_t> Training::order_of(int64_t size, const FitOptions& options, int64_t epoch) const {
  std::vector<int64_t> numbers(static_cast<size_t>(size));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  if (options.order != nullptr) {
    call_back([&] { options.order(numbers); });
    check_order(numbers, size);
    return numbers;
  }
  std::mt19937_64 random(options.seed.has_value() ? *options.seed + static_cast<uint64_t>(epoch)
                                                  : std::random_device()());
  std::ranges::shuffle(numbers, random);
  return numbers;
}

void Training::begin_telling(const Callbacks& callbacks) const {
  for (size_t i = 0; i < callbacks.size(); ++i) {
    if (callbacks[i] == nullptr)
      throw ValueError(fmt::format("The argument 'callbacks[{}]' is a null pointer.", i));
    callbacks[i]->model_ = &model_;
  }
  model_.stop_training = false;
}

void Training::note_batch(const Callbacks& callbacks, const Examples& batch, const Batches& batches) {
  for (const auto& callback : callbacks) callback->batch_size_ = batches.counts_steps() ? 1 : batch.size();
}

void Training::tell(const Callbacks& callbacks, const std::function<void(Callback&)>& what) const {
  for (const std::shared_ptr<Callback>& callback : callbacks) call_back([&] { what(*callback); });
}

void Training::tell_end_of_epoch(const FitOptions& options, int64_t epoch, Logs& logs) const {
  for (const std::shared_ptr<Callback>& callback : options.callbacks) {
    callback->added_.clear();
    call_back([&] { callback->on_epoch_end(epoch, logs); });
    for (const auto& [name, value] : callback->added_) put(logs, name, value);
  }
}

ProgressBar::Write Training::write_of(const FitOptions& options) const {
  if (options.write == nullptr) return write_to_stdout;
  return [this, &options](const std::string& text) { call_back([&] { options.write(text); }); };
}

Logs Training::train_batches(Batches& batches, const FitOptions& options, ProgressBar& progress) {
  std::optional<Means> means;
  Logs logs;
  for (int64_t number = 0;; ++number) {
    const std::optional<Examples> batch = batches.next();
    if (!batch.has_value()) break;
    note_batch(options.callbacks, *batch, batches);
    tell(options.callbacks, [&](Callback& callback) { callback.on_batch_begin(number); });
    if (!means.has_value()) means = means_of(/*training=*/true, *batch, batches);
    std::vector<double> counts;
    const std::vector<double> scores = step(*batch, /*training=*/true, &counts);
    means->add(scores, counts);
    logs = means->logs();
    Logs of_batch = logs;
    of_batch[0].second = scores[0];
    tell(options.callbacks, [&](Callback& callback) { callback.on_batch_end(number, of_batch); });
    const bool is_last = batches.size().has_value() && batches.done() >= *batches.size();
    if (options.verbose == 1 && !is_last) progress.update(batches.done(), logs);
    if (model_.stop_training) break;  // one batch has been trained with, whenever it was asked for
  }
  return logs;
}

void Training::validate(Batches& validation, const Callbacks& callbacks, Logs& logs) {
  const std::optional<Logs> scores = evaluated(validation, callbacks);
  if (!scores.has_value()) throw_without_batches("validation_data");
  if (validation.ran_out()) model_.stop_training = true;
  for (const auto& [name, value] : *scores) logs.emplace_back("val_" + name, value);
}

bool Training::train_epoch(Batches& batches, int64_t epoch, const FitOptions& options, Batches* validation) {
  const auto begin_time = std::chrono::steady_clock::now();
  const ProgressBar::Write write = write_of(options);
  const char* const unit = batches.counts_steps() ? "step" : "sample";
  tell(options.callbacks, [&](Callback& callback) { callback.on_epoch_begin(epoch); });
  if (options.verbose > 0 && options.epochs > 1)
    write(fmt::format("Epoch {}/{}\n", epoch + 1, options.epochs));
  ProgressBar progress(batches.size(), unit, write);
  batches.begin(epoch);
  Logs logs = train_batches(batches, options, progress);
  if (logs.empty() && batches.ran_out() && epoch > options.initial_epoch) return false;
  if (logs.empty() && !model_.stop_training) throw_without_batches("fit");
  if (batches.ran_out()) model_.stop_training = true;
  if (validation != nullptr && !model_.stop_training && (epoch + 1) % options.validation_freq == 0)
    validate(*validation, options.callbacks, logs);
  tell_end_of_epoch(options, epoch, logs);
  for (const auto& [name, value] : logs) history_.history[name].push_back(value);
  history_.epoch.push_back(epoch);
  if (options.verbose == 1) progress.finish(batches.done(), logs);
  if (options.verbose == 2) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
    const int64_t all = batches.size().value_or(batches.done());
    write(fmt::format("{0}/{0} - {1:.0f}s{2} - {3} - {4}\n", all, seconds, text_of(logs),
                      time_of_one(seconds, 1, "epoch"), time_of_one(seconds, all, unit)));
  }
  return true;
}

History Training::run_epochs(Batches& batches, Batches* validation, const FitOptions& options) {
  begin_telling(options.callbacks);
  if (options.verbose > 0) write_of(options)(sizes_text(batches, validation));
  history_ = {};
  tell(options.callbacks, [](Callback& callback) { callback.on_train_begin(); });
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !model_.stop_training; ++epoch) {
    if (!train_epoch(batches, epoch, options, validation)) break;
  }
  tell(options.callbacks, [](Callback& callback) { callback.on_train_end(); });
  return std::move(history_);
}

std::unique_ptr<Batches> Training::batches_of(const data::Dataset& dataset, StepsOfEpoch steps,
                                              std::string_view advice, const FitOptions* class_weighted) {
  return std::make_unique<BatchesOfDataset>(
      dataset, state_.graph, steps, [this, advice, class_weighted](std::vector<Array> components) {
        Examples examples = examples_of(std::move(components), advice);
        return class_weighted == nullptr ? std::move(examples)
                                         : weighed(std::move(examples), class_weights_of(*class_weighted));
      });
}

std::unique_ptr<Batches> Training::validation_of(const FitOptions& options) {
  if (const auto& dataset = options.validation_data.dataset(); dataset.has_value()) {
    check_elements(*dataset, "validation_data");
    return batches_of(*dataset, {.argument = "validation_steps", .given = options.validation_steps},
                      "\nThe arrays are a batch of `validation_data`.");
  }
  const auto& arrays = options.validation_data.arrays();
  if (!arrays.has_value()) return nullptr;
  return std::make_unique<BatchesOfArrays>(
      checked(arrays->first, arrays->second, options.validation_data.sample_weight(),
              "\nThe arrays are those of `validation_data`."),
      options.batch_size.value_or(kBatchSize));
}

History Training::fit(const Arrays& x, const Arrays& y, const FitOptions& options) {
  check_options(options);
  if (options.steps_per_epoch.has_value()) throw_steps_of_arrays("steps_per_epoch");
  const int64_t batch_size = options.batch_size.value_or(kBatchSize);
  Examples examples = checked(x, y, options.sample_weight);  // makes the outputs of a model that has none yet
  examples = weighed(std::move(examples), class_weights_of(options));
  std::unique_ptr<Batches> validation = validation_of(options);
  if (validation == nullptr && options.validation_split > 0) {
    const auto kept =
        static_cast<int64_t>(static_cast<double>(examples.size()) * (1 - options.validation_split));
    validation = std::make_unique<BatchesOfArrays>(examples.rows(kept, examples.size()), batch_size);
    examples = examples.rows(0, kept);
  }
  const int64_t size = examples.size();
  if (size == 0) throw ValueError("fit: there are no elements to train with.");
  BatchesOfArrays::Order order;
  if (options.shuffle) order = [&](int64_t epoch) { return order_of(size, options, epoch); };
  BatchesOfArrays batches(std::move(examples), batch_size, std::move(order));
  return run_epochs(batches, validation.get(), options);
}

History Training::fit(const data::Dataset& x, const FitOptions& options) {
  check_options(options);
  check_options_of_dataset(options);
  check_compiled();
  check_elements(x, "x");
  const std::unique_ptr<Batches> batches = batches_of(x,
                                                      {.argument = "steps_per_epoch",
                                                       .given = options.steps_per_epoch,
                                                       .epochs = options.epochs,
                                                       .are_for_training = true},
                                                      "\nThe arrays are a batch of the dataset.", &options);
  const std::unique_ptr<Batches> validation = validation_of(options);
  return run_epochs(*batches, validation.get(), options);
}

}  // namespace flowray::tf::keras
