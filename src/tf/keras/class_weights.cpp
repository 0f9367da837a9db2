// How much the elements of each class count in a training.
#include "tf/keras/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace flowray::tf::keras {
namespace {

/// The class of a row: its number, or which of several columns is the greatest. Throws ValueError for what is
/// not the number of a class.
int64_t class_of_row(std::span<const float> row) {
  if (row.size() == 1) {
    if (!(std::abs(row[0]) < 1e18F))  // NaN, too
      throw ValueError(fmt::format("`class_weight` is given, but {} is not the number of a class.", row[0]));
    return static_cast<int64_t>(row[0]);
  }
  return std::ranges::max_element(row) - row.begin();
}

/// A number for each element of [n, columns].
Array weights_by_class(const Array& truths, const ClassWeights& class_weights) {
  if (truths.rank() > 2) throw ValueError("`class_weight` not supported for 3+ dimensional targets.");
  const Array numbers = truths.astype(DType::kFloat32);
  const std::span<const float> values = numbers.span<float>();
  const auto columns = static_cast<size_t>(truths.dim(1));
  std::vector<float> weights;
  std::set<int64_t> missing;
  for (size_t row = 0; row < static_cast<size_t>(truths.dim(0)); ++row) {
    const int64_t number = class_of_row(values.subspan(row * columns, columns));
    const auto found = class_weights.find(number);
    if (found == class_weights.end()) missing.insert(number);
    weights.push_back(found == class_weights.end() ? 0.0f : static_cast<float>(found->second));
  }
  if (missing.empty()) return Array::from(weights, {truths.dim(0)});
  throw ValueError(fmt::format(
      "`class_weight` must contain all classes in the data. The classes {{{}}} exist in the data but not in "
      "`class_weight`.\nGive each of them a number; 1 is what all count without class_weight.",
      fmt::join(missing, ", ")));
}

/// 1 for each element, or each of its times.
Array equal_weights(const Array& truths, int rank) {
  const std::vector<int64_t> dims(truths.shape().dims().begin(), truths.shape().dims().begin() + rank);
  const Shape shape(dims);
  return Array::from(std::vector<float>(static_cast<size_t>(shape.num_elements()), 1.0f), shape);
}

void multiply_weights(Array& weights, const Array& others) {
  std::vector<float> products(weights.span<float>().begin(), weights.span<float>().end());
  for (size_t i = 0; i < products.size(); ++i) products[i] *= others.span<float>()[i];
  weights = Array::from(products, weights.shape());
}

}  // namespace

std::vector<ClassWeights> Training::class_weights_of(const FitOptions& options) const {
  std::vector<ClassWeights> given = options.class_weight_of_outputs;
  const std::vector<std::string> names = state_.names_with_loss();
  if (names.empty() && !(options.class_weight.empty() && given.empty())) {
    throw ValueError(
        "`class_weight` is given, but no output of the model has a loss.\nLeave it out, or name a loss in "
        "compile().");
  }
  if (!options.class_weight.empty()) {
    if (names.size() > 1) {
      std::vector<int64_t> classes;
      for (const auto& [number, weight] : options.class_weight) classes.push_back(number);
      throw ValueError(
          fmt::format("Unknown entries in class_weight dictionary: [{}]. Only expected following keys: "
                      "['{}']\nThe model has several outputs: class_weight_of_outputs has a map for each.",
                      fmt::join(classes, ", "), fmt::join(names, "', '")));
    }
    return {options.class_weight};
  }
  if (!given.empty() && given.size() != names.size()) {
    throw ValueError(
        fmt::format("Provided `class_weight` was a list of {} elements, but the model has {} outputs. You "
                    "should provide one `class_weight`array per model output.",
                    given.size(), names.size()));
  }
  return given;
}

Examples Training::weighed(Examples examples, const std::vector<ClassWeights>& class_weights) const {
  if (class_weights.empty()) return examples;
  if (class_weights.size() != examples.y.size()) {
    throw ValueError(fmt::format("`class_weight` is for {} outputs, but {} of them have true values.",
                                 class_weights.size(), examples.y.size()));
  }
  const bool had_weights = examples.is_weighted();
  const std::vector<size_t> outputs = state_.outputs_with_loss();
  for (size_t i = 0; i < class_weights.size(); ++i) {
    if (class_weights[i].empty()) {
      const bool are_of_times = state_.has_weights_of_times[outputs[i]];
      if (!had_weights) examples.weights.push_back(equal_weights(examples.y[i], are_of_times ? 2 : 1));
      continue;
    }
    Array of_classes = weights_by_class(examples.y[i], class_weights[i]);
    if (had_weights) {
      multiply_weights(examples.weights[i], of_classes);
    } else {
      examples.weights.push_back(std::move(of_classes));
    }
  }
  return examples;
}

}  // namespace flowray::tf::keras
