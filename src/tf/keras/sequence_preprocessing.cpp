// tf.keras.preprocessing.sequence, and classes as rows.
#include <flowray/errors.h>
#include <flowray/tf/keras/preprocessing.h>

#include "core/checked_size.h"
#include "tf/keras/python_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace flowray::tf::keras {
namespace {

/// Rows of float64, which become the dtype that was asked for.
template <class Number>
Array padded(const std::vector<std::vector<Number>>& sequences,
             const preprocessing::sequence::PadSequencesOptions& options) {
  for (const auto& [what, word] :
       {std::pair("Padding", options.padding), std::pair("Truncating", options.truncating)}) {
    if (word != "pre" && word != "post")
      throw ValueError(fmt::format("{} type \"{}\" not understood\nIt is \"pre\" or \"post\".", what, word));
  }
  size_t longest = 0;
  for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
  const int64_t maxlen = options.maxlen.value_or(static_cast<int64_t>(longest));
  if (maxlen < 0) throw ValueError(fmt::format("pad_sequences: maxlen is {}, but at least 0", maxlen));
  const auto width = static_cast<size_t>(maxlen);
  Array all(DType::kFloat64, {static_cast<int64_t>(sequences.size()), maxlen});
  double* row = all.mutable_data<double>();
  for (const auto& sequence : sequences) {
    const size_t taken = std::min(width, sequence.size());
    const size_t first = options.truncating == "pre" ? sequence.size() - taken : 0;
    std::fill(row, row + width, options.value);
    double* const begin = options.padding == "pre" ? row + (width - taken) : row;
    for (size_t i = 0; i < taken; ++i) begin[i] = static_cast<double>(sequence[first + i]);
    row += width;
  }
  return all.astype(options.dtype);
}

/// Elements of the first dimension, `rows` of them, as one array.
Array taken(const Array& values, const std::vector<int64_t>& rows) {
  std::vector<int64_t> dims(values.shape().dims().begin(), values.shape().dims().end());
  const size_t bytes = dims[0] == 0 ? 0 : values.size_bytes() / static_cast<size_t>(dims[0]);
  dims[0] = static_cast<int64_t>(rows.size());
  Array result(values.dtype(), Shape(dims));
  auto* out = static_cast<std::byte*>(result.mutable_raw_data());
  const auto* const in = static_cast<const std::byte*>(values.raw_data());
  for (const int64_t row : rows) out = std::copy_n(in + static_cast<size_t>(row) * bytes, bytes, out);
  return result;
}

}  // namespace

Array preprocessing::sequence::pad_sequences(const std::vector<Numbers>& sequences,
                                             const PadSequencesOptions& options) {
  return padded(sequences, options);
}

Array preprocessing::sequence::pad_sequences(const std::vector<std::vector<double>>& sequences,
                                             const PadSequencesOptions& options) {
  return padded(sequences, options);
}

Array preprocessing::sequence::make_sampling_table(int64_t size, double sampling_factor) {
  constexpr double kGamma = 0.577;
  if (size < 0) throw ValueError(fmt::format("make_sampling_table: size is {}, but at least 0", size));
  Array table(DType::kFloat64, {size});
  for (int64_t i = 0; i < size; ++i) {
    const auto rank = static_cast<double>(std::max<int64_t>(i, 1));
    const double inverse = rank * (std::log(rank) + kGamma) + 0.5 - 1.0 / (12.0 * rank);
    const double frequency = sampling_factor * inverse;
    table.mutable_data<double>()[i] = std::min(1.0, frequency / std::sqrt(frequency));
  }
  return table;
}

namespace {

/// Couples of neighbours, of the words that chance takes.
preprocessing::sequence::Skipgrams neighbours(const Numbers& sequence,
                                              const preprocessing::sequence::SkipgramsOptions& options,
                                              PythonRandom& chance) {
  preprocessing::sequence::Skipgrams made;
  const auto count = static_cast<int64_t>(sequence.size());
  const Array table = options.sampling_table ? options.sampling_table->astype(DType::kFloat64) : Array();
  const auto at = [&](int64_t i) { return sequence[static_cast<size_t>(i)]; };
  for (int64_t i = 0; i < count; ++i) {
    if (at(i) == 0) continue;
    if (table.has_value()) {
      if (at(i) < 0 || at(i) >= table.size())
        throw IndexError(fmt::format("skipgrams: the sampling_table has no word {}", at(i)));
      if (table.span<double>()[static_cast<size_t>(at(i))] < chance.random()) continue;
    }
    const int64_t last = std::min(count - 1 - i, options.window_size) + i;
    for (int64_t j = i - std::min(i, options.window_size); j <= last; ++j) {
      if (j != i && at(j) != 0) made.couples.emplace_back(at(i), at(j));
    }
  }
  made.labels.assign(made.couples.size(), 1);
  return made;
}

}  // namespace

preprocessing::sequence::Skipgrams preprocessing::sequence::skipgrams(const Numbers& sequence,
                                                                      int64_t vocabulary_size,
                                                                      const SkipgramsOptions& options) {
  if (options.window_size < 1)
    throw ValueError(fmt::format("skipgrams: window_size is {}, but at least 1", options.window_size));
  if (options.negative_samples > 0 && vocabulary_size < 2)
    throw ValueError(fmt::format("skipgrams: a vocabulary of {} has no word but 0", vocabulary_size));
  PythonRandom chance(static_cast<int64_t>(std::random_device()()));
  Skipgrams made = neighbours(sequence, options, chance);
  if (options.negative_samples > 0 && !made.couples.empty()) {
    const auto count =
        static_cast<size_t>(static_cast<double>(made.labels.size()) * options.negative_samples);
    Numbers words;
    for (const auto& [word, other] : made.couples) words.push_back(word);
    chance.shuffle(words);
    for (size_t i = 0; i < count; ++i)
      made.couples.emplace_back(words[i % words.size()], chance.randint(1, vocabulary_size - 1));
    made.labels.resize(made.labels.size() + count, 0);
  }
  if (!options.shuffle) return made;
  const int64_t seed = options.seed.value_or(chance.randint(0, 10000000));
  PythonRandom(seed).shuffle(made.couples);  // both in the same order
  PythonRandom(seed).shuffle(made.labels);
  return made;
}

// ---- TimeseriesGenerator

preprocessing::sequence::TimeseriesGenerator::TimeseriesGenerator(Array data, Array targets, int64_t length,
                                                                  const TimeseriesGeneratorOptions& options)
    : data_(std::move(data)), targets_(std::move(targets)), length_(length), options_(options) {
  if (data_.shape().rank() == 0 || targets_.shape().rank() == 0)
    throw ValueError("TimeseriesGenerator: data and targets have times, [times, ...]");
  if (data_.dtype() == DType::kString || targets_.dtype() == DType::kString)
    throw TypeError("TimeseriesGenerator: data and targets are numbers");
  const int64_t times = data_.shape().dim(0);
  if (times != targets_.shape().dim(0)) {
    throw ValueError(
        fmt::format("Data and targets have to be of same length. Data length is {} while target length is {}",
                    times, targets_.shape().dim(0)));
  }
  for (const int64_t number : {length, options.sampling_rate, options.stride, options.batch_size}) {
    if (number < 1)
      throw ValueError("TimeseriesGenerator: length, sampling_rate, stride and batch_size are at least 1");
  }
  start_ = CheckedSize(options.start_index) + length;
  end_ = options.end_index.value_or(times - 1);
  if (options.start_index < 0 || end_ >= times)
    throw ValueError(fmt::format("TimeseriesGenerator: start_index and end_index lie in 0 to {}", times - 1));
  if (start_ > end_) {
    throw ValueError(fmt::format(
        "`start_index+length={} > end_index={}` is disallowed, as no part of the sequence would be left to "
        "be used as current step.",
        start_, end_));
  }
}

int64_t preprocessing::sequence::TimeseriesGenerator::size() const {
  const int64_t samples = (end_ - start_) / options_.stride + 1;
  return (samples - 1) / options_.batch_size + 1;
}

std::pair<Array, Array> preprocessing::sequence::TimeseriesGenerator::operator[](int64_t batch) const {
  if (batch < 0 || batch >= size())
    throw IndexError(fmt::format("TimeseriesGenerator: there is no batch {} of {}", batch, size()));
  std::vector<int64_t> times;
  std::vector<int64_t> targets;
  const int64_t samples = (end_ - start_) / options_.stride + 1;
  const int64_t last = std::min((batch + 1) * options_.batch_size, samples);
  for (int64_t sample = batch * options_.batch_size; sample < last; ++sample) {
    const int64_t row = start_ + sample * options_.stride;
    targets.push_back(row);
    const auto first = static_cast<std::ptrdiff_t>(times.size());
    for (int64_t time = row - length_; time < row; time += options_.sampling_rate) times.push_back(time);
    if (options_.reverse) std::reverse(times.begin() + first, times.end());
  }
  const Array all = taken(data_, times);
  std::vector<int64_t> dims = {static_cast<int64_t>(targets.size()),
                               static_cast<int64_t>(times.size() / targets.size())};
  dims.insert(dims.end(), all.shape().dims().begin() + 1, all.shape().dims().end());
  return {all.reshape(Shape(dims)), taken(targets_, targets)};
}

// ---- classes

Array utils::to_categorical(const Array& y, const ToCategoricalOptions& options) {
  std::vector<int64_t> dims(y.shape().dims().begin(), y.shape().dims().end());
  if (dims.size() > 1 && dims.back() == 1) dims.pop_back();
  const Array numbers = y.astype(DType::kInt64);
  const auto classes = numbers.span<int64_t>();
  if (!options.num_classes.has_value() && classes.empty())
    throw ValueError("to_categorical: of no numbers num_classes must be given");
  const int64_t count =
      options.num_classes.value_or(classes.empty() ? 0 : *std::ranges::max_element(classes) + 1);
  if (count < 1) throw ValueError(fmt::format("to_categorical: num_classes is {}, but at least 1", count));
  dims.push_back(count);
  (void)int64_t{CheckedSize(y.size()) * count};
  Array rows(DType::kFloat32, Shape(dims));
  float* row = rows.mutable_data<float>();
  for (const int64_t number : classes) {
    if (number < -count || number >= count) {
      throw IndexError(
          fmt::format("index {} is out of bounds for axis 1 with size {}\nto_categorical: classes are 0 to "
                      "{}.",
                      number, count, count - 1));
    }
    row[number < 0 ? number + count : number] = 1;
    row += count;
  }
  return rows.astype(options.dtype);
}

}  // namespace flowray::tf::keras
