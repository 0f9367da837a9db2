#include "tf/keras/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Array as_numbers(const Array& array, const char* what, DType dtype, std::string_view advice = {}) {
  if (!array.has_value() || array.rank() == 0) {
    throw ValueError(fmt::format(
        "{}: an array of at least one dimension is needed, the elements along the first.{}", what, advice));
  }
  if (array.dtype() == DType::kString)
    throw ValueError(fmt::format("{}: numbers are needed, not strings.{}", what, advice));
  return array.astype(dtype);
}

/// The arrays in the order of `names`.
std::vector<Array> in_order(const Arrays& arrays, const std::vector<std::string>& names, const char* what,
                            std::string_view advice) {
  if (arrays.named().empty()) {
    if (arrays.list().size() == names.size()) return arrays.list();
    throw ValueError(fmt::format(
        "Error when checking model {0}: the list of Numpy arrays that you are passing to your model is not "
        "the size the model expected. Expected to see {1} array(s), for {0}s ['{2}'] but instead got a list "
        "of "
        "{3} arrays.{4}",
        what, names.size(), fmt::join(names, "', '"), arrays.list().size(), advice));
  }
  std::vector<Array> list;
  for (const std::string& name : names) {
    const auto found = arrays.named().find(name);
    if (found != arrays.named().end()) {
      list.push_back(found->second);
      continue;
    }
    std::vector<std::string> given;
    for (const auto& [key, array] : arrays.named()) given.push_back("'" + key + "'");
    throw ValueError(
        fmt::format("No data provided for \"{}\". Need data for each key in: ['{}']\nGiven are [{}].{}", name,
                    fmt::join(names, "', '"), fmt::join(given, ", "), advice));
  }
  return list;
}

std::vector<int64_t> dims_of(const Array& array, int64_t batch) {
  std::vector<int64_t> dims(array.shape().dims().begin(), array.shape().dims().end());
  dims[0] = batch;
  return dims;
}

std::string element_text(const Shape& shape) { return Shape(shape.dims().subspan(1)).to_tuple_string(); }

/// Parts of predictions, one below the other.
class Stacked {
 public:
  void add(const Array& part, int64_t begin, int64_t end, int64_t size) {
    if (!all_.has_value()) {
      if (part.rank() == 0 || part.dim(0) != end - begin)
        throw ValueError("predict: the model's outputs have not the batch along their first dimension.");
      all_ = Array::uninitialized(part.dtype(), Shape(dims_of(part, size)));
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

/// Means of numbers of batches, each as often as it has elements. The losses of several outputs, which stand
/// behind the whole loss, are means over batches, as tf.keras has them.
class Means {
 public:
  Means(const std::vector<std::string>& names, size_t num_losses)
      : names_(names), sums_(names.size()), counts_(names.size()), num_losses_(num_losses) {}
  /// `counts`: of each number how much this batch counts.
  void add(const std::vector<double>& values, const std::vector<double>& counts) {
    if (values.size() != sums_.size() || counts.size() != sums_.size()) {
      throw errors::InternalError(
          fmt::format("A step of the model gave {} scores, with {} counts, for {} names.", values.size(),
                      counts.size(), sums_.size()));
    }
    for (size_t i = 0; i < sums_.size(); ++i) {
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
  bool is_of_batches(size_t i) const { return i >= 1 && i <= num_losses_; }

  std::vector<std::string> names_;
  std::vector<double> sums_;
  std::vector<double> counts_;
  size_t num_losses_;
};

void write_to_stdout(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

Examples Examples::at(const std::vector<int64_t>& numbers) const {
  const auto part = [&](const std::vector<Array>& arrays) {
    std::vector<Array> parts;
    for (const Array& array : arrays) parts.push_back(rows_at(array, numbers));
    return parts;
  };
  return {part(x), part(y), part(weights)};
}

Examples Examples::rows(int64_t begin, int64_t end) const {
  const auto part = [&](const std::vector<Array>& arrays) {
    std::vector<Array> parts;
    for (const Array& array : arrays) parts.push_back(array.rows(begin, end));
    return parts;
  };
  return {part(x), part(y), part(weights)};
}

std::vector<Array> Examples::values() const {
  std::vector<Array> values = x;
  values.insert(values.end(), y.begin(), y.end());
  values.insert(values.end(), weights.begin(), weights.end());
  return values;
}

std::vector<Array> Training::checked_inputs(const Arrays& x, std::string_view advice) {
  if (!state_.is_built) {
    const std::vector<Array> given = in_order(x, {"input_1"}, "input", advice);
    Sequential(model_).build(
        TensorShape(dims_of(at_least_a_matrix(as_numbers(given[0], "x", DType::kFloat32, advice)), -1)));
  }
  std::vector<Array> arrays = in_order(x, state_.input_names, "input", advice);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TensorShape& wanted = state_.inputs[i].shape();
    arrays[i] = as_numbers(arrays[i], "x", state_.inputs[i].dtype(), advice);
    if (wanted.rank() != 1) arrays[i] = at_least_a_matrix(arrays[i]);
    const Shape& given = arrays[i].shape();
    bool fits = wanted.rank() == given.rank();
    for (int k = 1; fits && k < wanted.rank(); ++k) fits = wanted.dim(k) < 0 || wanted.dim(k) == given.dim(k);
    if (!fits) {
      throw ValueError(
          fmt::format("Error when checking input: expected {} to have shape {} but got array with shape {}{}",
                      state_.input_names[i], element_text(wanted), element_text(given), advice));
    }
    if (given.dim(0) == arrays[0].dim(0)) continue;
    throw ValueError(
        fmt::format("All input arrays (x) should have the same number of samples. Got array shapes: {}, {}{}",
                    arrays[0].shape().to_tuple_string(), given.to_tuple_string(), advice));
  }
  return arrays;
}

std::vector<Array> Training::checked_targets(const Arrays& y, int64_t size, std::string_view advice) {
  const std::vector<size_t> outputs = state_.outputs_with_loss();
  if (outputs.empty() && !(y.list().empty() && y.named().empty())) {
    (void)runner_.score_step(/*training=*/false,
                             /*weighted=*/false);  // says so where there is no loss at all
    throw ValueError(fmt::format(
        "Error when checking model target: expected no data, but got {} array(s) of true values.\n"
        "None of the model's outputs has a loss in compile that takes them.{}",
        y.named().empty() ? y.list().size() : y.named().size(), advice));
  }
  std::vector<Array> arrays = in_order(y, state_.names_with_loss(), "target", advice);
  std::vector<TensorShape> shapes;
  for (Array& array : arrays) {
    array = at_least_a_matrix(as_numbers(array, "y", DType::kFloat32, advice));
    shapes.emplace_back(dims_of(array, -1));
    if (array.dim(0) == size) continue;
    throw ValueError(fmt::format(
        "Input arrays should have the same number of samples as target arrays. Found {} input samples and {} "
        "target samples.{}",
        size, array.dim(0), advice));
  }
  if (state_.target_shapes.empty()) {
    state_.target_shapes.resize(state_.num_outputs());
    for (size_t i = 0; i < outputs.size(); ++i) state_.target_shapes[outputs[i]] = shapes[i];
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TensorShape& first = state_.target_shapes[outputs[i]];
    if (first.is_compatible_with(shapes[i])) continue;
    throw ValueError(
        fmt::format("Error when checking target: expected true values of shape {} but got array with shape "
                    "{}\nThe first call of fit or "
                    "evaluate since compile decides the shape.{}",
                    first.to_tuple_string(), arrays[i].shape().to_tuple_string(), advice));
  }
  return arrays;
}

std::vector<Array> Training::checked_weights(const Arrays& weights, int64_t size) {
  const std::vector<std::string> names = state_.names_with_loss();
  if (weights.named().empty() && weights.list().size() == 1 && names.size() > 1) {
    throw ValueError(
        fmt::format("The model has multiple outputs, so `sample_weight` should be either a list or a dict.\n"
                    "It needs an array for each of ['{}'].",
                    fmt::join(names, "', '")));
  }
  std::vector<Array> arrays = in_order(weights, names, "sample_weight", {});
  for (Array& array : arrays) {
    array = as_numbers(array, "sample_weight", DType::kFloat32);
    if (array.rank() == 1 && array.dim(0) == size) continue;
    throw ValueError(fmt::format(
        "Found a sample_weight array with shape {} for an input with {} samples: a number for each "
        "sample is needed.",
        array.shape().to_tuple_string(), size));
  }
  return arrays;
}

Examples Training::checked(const Arrays& x, const Arrays& y, const std::optional<Arrays>& weights,
                           std::string_view advice) {
  if (!state_.is_compiled) {
    throw RuntimeError(
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  }
  Examples examples;
  examples.x = checked_inputs(x, advice);
  examples.y = checked_targets(y, examples.size(), advice);
  if (weights.has_value()) examples.weights = checked_weights(*weights, examples.size());
  return examples;
}

std::vector<double> Training::step(const Examples& batch, bool training, std::vector<double>* counts) {
  ModelStep& step = runner_.score_step(training, batch.is_weighted());
  std::vector<double> scores;
  for (const Array& score : runner_.run(step, batch.values())) scores.push_back(score.item<float>());
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

Logs Training::evaluate(const Examples& examples, int64_t batch_size) {
  check_positive(batch_size, "batch_size");
  Means means(
      state_.names_of_scores(runner_.score_step(/*training=*/false, examples.is_weighted()).added_metrics),
      num_losses());
  for (int64_t begin = 0; begin < examples.size(); begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, examples.size());
    std::vector<double> counts;
    const std::vector<double> scores = step(examples.rows(begin, end), /*training=*/false, &counts);
    means.add(scores, counts);
  }
  return means.logs();
}

std::vector<Array> Training::predict(const Arrays& x, int64_t batch_size) {
  check_positive(batch_size, "batch_size");
  const Examples examples{checked_inputs(x, {}), {}, {}};
  const int64_t size = examples.size();
  if (size == 0) throw ValueError("predict: x has no elements.");
  ModelStep& step = runner_.predict_step();
  std::vector<Stacked> outputs(state_.outputs.size());
  for (int64_t begin = 0; begin < size; begin += std::min(batch_size, size)) {
    const int64_t end = begin + std::min(batch_size, size - begin);
    const std::vector<Array> parts = runner_.run(step, examples.rows(begin, end).values());
    for (size_t i = 0; i < parts.size(); ++i) outputs[i].add(parts[i], begin, end, size);
  }
  std::vector<Array> all;
  for (const Stacked& output : outputs) all.push_back(output.all());
  return all;
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
  Means means(
      state_.names_of_scores(runner_.score_step(/*training=*/true, examples.is_weighted()).added_metrics),
      num_losses());
  const std::vector<int64_t> order = order_of(examples.size(), options, static_cast<uint64_t>(epoch));
  int64_t batch = 0;
  Logs logs;
  for (int64_t begin = 0; begin < examples.size() && !model_.stop_training;
       begin += options.batch_size, ++batch) {
    const int64_t end = std::min(begin + options.batch_size, examples.size());
    tell(options, [&](Callback& callback) { callback.on_batch_begin(batch); });
    const Examples part = options.shuffle ? examples.at({order.begin() + begin, order.begin() + end})
                                          : examples.rows(begin, end);
    std::vector<double> counts;
    const std::vector<double> scores = step(part, /*training=*/true, &counts);
    means.add(scores, counts);
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

History Training::fit(const Arrays& x, const Arrays& y, const FitOptions& options) {
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
