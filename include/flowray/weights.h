#pragma once
/// What travels between networks: their weights by name, gradients in a list, and the mean of them.

#include <flowray/array.h>

#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray {

/// The weights of a network by the names of its variables. Copying shares the elements.
using Weights = std::map<std::string, Array>;

/// {Variable: [0.1], Variable_1: [0.3]}
std::ostream& operator<<(std::ostream& out, const Weights& weights);

/// What two networks do not have in common, for people: a line for each name that only one of them has, and
/// for each shape or dtype that differs. Empty where there is no such thing.
///     only in the first: 'dense/bias' float32 (10,)
///     'dense/kernel': float32 (784, 10) in the first, float32 (784, 100) in the second
std::string difference(const Weights& first, const Weights& second);

namespace internal {
Array mean_of(std::span<const Array* const> items);
std::vector<Array> mean_of(std::span<const std::vector<Array>* const> items);
Weights mean_of(std::span<const Weights* const> items);
}  // namespace internal

/// The mean, element by element, of `items`: Arrays, lists of them (gradients), or Weights; also of shared
/// pointers to them, as ray::Get returns. It is Python's sum(items) / len(items), bit by bit: summed from 0
/// in the order of the items; floating and complex dtypes stay, integers and bool become float64.
///
/// Keys and length are those of the first item; what others have beyond that is left out. Throws IndexError
/// where there is no item or a list is too short, KeyError for a missing key, ValueError for another shape,
/// TypeError for another dtype.
template <class T>
T mean(std::span<const T> items) {
  std::vector<const T*> pointers;
  pointers.reserve(items.size());
  for (const T& item : items) pointers.push_back(&item);
  return internal::mean_of(std::span<const T* const>(pointers));
}
/// The same of a vector of items.
template <class T>
T mean(const std::vector<T>& items) {
  return mean(std::span<const T>(items));
}
/// The same of the items behind shared pointers.
template <class T>
T mean(const std::vector<std::shared_ptr<T>>& items) {
  std::vector<const T*> pointers;
  pointers.reserve(items.size());
  for (const auto& item : items) pointers.push_back(item.get());
  return internal::mean_of(std::span<const T* const>(pointers));
}
/// The same of the items behind shared pointers to constants, as ray::Get returns them.
template <class T>
T mean(const std::vector<std::shared_ptr<const T>>& items) {
  std::vector<const T*> pointers;
  pointers.reserve(items.size());
  for (const auto& item : items) pointers.push_back(item.get());
  return internal::mean_of(std::span<const T* const>(pointers));
}

}  // namespace flowray

#pragma GCC visibility pop
