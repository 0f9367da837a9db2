#pragma once
/// The arrays of a model's inputs or outputs.

#include <flowray/array.h>

#include <concepts>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

/// One array, a list of them in the order of the model's inputs (outputs), or several by their names:
/// model.fit(x, y), model.fit({left, right}, y), model.fit({{"left", a}, {"right", b}}, y).
class Arrays {
 public:
  Arrays() = default;
  template <std::convertible_to<Array> T>
  Arrays(const T& array) : list_{Array(array)} {}  // NOLINT: implicit, all of these
  Arrays(std::vector<Array> list) : list_(std::move(list)) {}
  template <std::same_as<Array> T>
  Arrays(std::initializer_list<T> list) : list_(list) {}
  Arrays(std::map<std::string, Array> named) : named_(std::move(named)) {}
  Arrays(std::initializer_list<std::pair<const std::string, Array>> named) : named_(named) {}

  /// Empty where they are named.
  const std::vector<Array>& list() const { return list_; }
  /// Empty where they have no names.
  const std::map<std::string, Array>& named() const { return named_; }

 private:
  std::vector<Array> list_;
  std::map<std::string, Array> named_;
};

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
