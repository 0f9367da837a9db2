#include "tf/keras/batches.h"

#include "core/checked_size.h"
#include "core/said_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr std::string_view kEndlessWhileEager =
    "When providing an infinite dataset, you must specify the number of steps to run (if you did not intend "
    "to "
    "create an infinite dataset, make sure to not call `repeat()` on the dataset).";

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

void BatchesOfArrays::begin(int64_t epoch) {
  done_ = 0;
  if (order_ != nullptr) numbers_ = order_(epoch);
}

std::optional<Examples> BatchesOfArrays::next() {
  const int64_t begin = done_;
  const int64_t size = examples_.size();
  if (begin >= size) return {};
  done_ += std::min(batch_size_, size - begin);
  if (order_ == nullptr) return examples_.rows(begin, done_);
  return examples_.at({numbers_.begin() + begin, numbers_.begin() + done_});
}

BatchesOfDataset::BatchesOfDataset(const data::Dataset& dataset, const Graph& graph, StepsOfEpoch steps,
                                   Split split)
    : walk_(dataset, graph), steps_(steps), split_(std::move(split)), size_(steps_.given) {
  if (steps_.given.has_value()) return;
  const int64_t all = walk_.cardinality();
  if (all == data::INFINITE_CARDINALITY) {
    throw ValueError(dataset.variant_tensor().is_eager()
                         ? std::string(kEndlessWhileEager)
                         : fmt::format("When passing an infinitely repeating dataset, you must specify the "
                                       "`{}` argument.",
                                       steps_.argument));
  }
  if (all >= 0) size_ = all;
}

void BatchesOfDataset::begin(int64_t /*epoch*/) {
  done_ = 0;
  if (!steps_.are_for_training || !steps_.given.has_value()) walk_.begin_anew();
}

std::optional<Examples> BatchesOfDataset::next() {
  if (size_.has_value() && done_ >= *size_) return {};
  std::optional<std::vector<Array>> components = walk_.next();
  if (!components.has_value()) {
    end_epoch();
    return {};
  }
  ++done_;
  return split_(std::move(*components));
}

void BatchesOfDataset::end_epoch() {
  if (!size_.has_value()) {
    if (steps_.are_for_training && done_ > 0) size_ = done_;  // as tf.keras: the next ones have as many
    return;
  }
  ran_out_ = true;
  const bool is_validation = steps_.argument == "validation_steps";
  int64_t needed = 0;
  if (__builtin_mul_overflow(*size_, steps_.epochs, &needed)) needed = std::numeric_limits<int64_t>::max();
  say_unless_just_said(
      fmt::format("Your dataset{} ran out of data; interrupting training. Make sure that your {} can "
                  "generate at least `{} * epochs` batches (in this case, {} batches). You may need to use "
                  "the repeat() function when building your dataset.",
                  is_validation ? " iterator" : "", is_validation ? "iterator" : "dataset", steps_.argument,
                  needed),
      std::chrono::seconds(0));
}

}  // namespace flowray::tf::keras
