#include <flowray/weights.h>

#include "core/dtype_dispatch.h"
#include "core/wrapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <type_traits>

namespace flowray {
namespace {

// NumPy divides these to float64.
using WholeTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using PartTypes = TypeList<float, double, float16, bfloat16, std::complex<float>, std::complex<double>>;

/// Elements that are summed at a time: their sums stay in the first-level cache while item after item
/// is read.
constexpr int64_t kBlock = 2048;

/// NumPy's a + b: integers wrap around, 16-bit floats round after each addition.
template <class T>
T added(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_add(a, b);
  } else if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}

/// NumPy's sum / count in the dtype of the result.
template <class T, class Result>
Result divided(T sum, int64_t count) {
  if constexpr (sizeof(Result) == 2) {
    return Result(static_cast<float>(sum) / static_cast<float>(count));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(sum) / static_cast<double>(count);
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum / static_cast<T>(count);
  } else {
    return sum *
           (typename T::value_type(1) / static_cast<typename T::value_type>(count));  // as NumPy divides them
  }
}

/// `Sum` is the type that is summed in; it differs from `T` for bool only.
template <class T, class Sum, class Result>
void mean_elements(std::span<const Array* const> items, Array& result) {
  Result* out = result.mutable_data<Result>();
  const int64_t size = result.size();
  Sum sums[kBlock];
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t count = std::min(kBlock, size - begin);
    std::fill_n(sums, count, Sum(0));  // not the first item itself: 0 + -0 is 0, as in Python
    for (const Array* item : items) {
      const T* in = item->data<T>() + begin;
      for (int64_t i = 0; i < count; ++i) sums[i] = added(sums[i], static_cast<Sum>(in[i]));
    }
    for (int64_t i = 0; i < count; ++i) {
      out[begin + i] = divided<Sum, Result>(sums[i], static_cast<int64_t>(items.size()));
    }
  }
}

/// `what` names the array in an error: "", "Item 1 of ", "'Variable' of ".
Array mean_of_arrays(std::span<const Array* const> items, const std::string& what) {
  const Array& first = *items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    const Array& item = *items[i];
    if (item.dtype() != first.dtype()) {
      throw TypeError(
          fmt::format("{}number {} has dtype {}, but that of number 0 has {}: a mean needs one dtype", what,
                      i, dtype_name(item.dtype()), dtype_name(first.dtype())));
    }
    if (!(item.shape() == first.shape())) {
      throw ValueError(
          fmt::format("{}number {} has shape {}, but that of number 0 has {}: a mean needs one shape", what,
                      i, item.shape().to_tuple_string(), first.shape().to_tuple_string()));
    }
  }
  Array result;
  const bool is_whole = dispatch<WholeTypes>(first.dtype(), [&]<class T>() {
    result = Array::uninitialized(DType::kFloat64, first.shape());
    mean_elements<T, T, double>(items, result);
  });
  const bool is_part = is_whole || dispatch<PartTypes>(first.dtype(), [&]<class T>() {
                         result = Array::uninitialized(first.dtype(), first.shape());
                         mean_elements<T, T, T>(items, result);
                       });
  if (!is_part && first.dtype() == DType::kBool) {
    result = Array::uninitialized(DType::kFloat64, first.shape());
    mean_elements<bool, int64_t, double>(items, result);
  } else if (!is_part) {
    throw TypeError(
        fmt::format("{}number 0 has dtype {}, of which there is no mean", what, dtype_name(first.dtype())));
  }
  return result;
}

template <class T>
void check_not_empty(std::span<const T* const> items) {
  if (items.empty()) throw IndexError("list index out of range\nA mean needs at least one item.");
  if (std::find(items.begin(), items.end(), nullptr) != items.end()) {
    throw ValueError("A mean was asked for with a null pointer among its items");
  }
}

}  // namespace

namespace internal {

Array mean_of(std::span<const Array* const> items) {
  check_not_empty(items);
  return mean_of_arrays(items, "Array ");
}

std::vector<Array> mean_of(std::span<const std::vector<Array>* const> items) {
  check_not_empty(items);
  std::vector<Array> means;
  std::vector<const Array*> arrays(items.size());
  for (size_t index = 0; index < items[0]->size(); ++index) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (index >= items[i]->size()) {
        throw IndexError(
            fmt::format("list index out of range\nList number {} has {} arrays, but number 0 has {}.", i,
                        items[i]->size(), items[0]->size()));
      }
      arrays[i] = &(*items[i])[index];
    }
    means.push_back(mean_of_arrays(arrays, fmt::format("Array {} of list ", index)));
  }
  return means;
}

Weights mean_of(std::span<const Weights* const> items) {
  check_not_empty(items);
  Weights means;
  std::vector<const Array*> arrays(items.size());
  for (const auto& [name, value] : *items[0]) {
    arrays[0] = &value;
    for (size_t i = 1; i < items.size(); ++i) {
      const auto found = items[i]->find(name);
      if (found == items[i]->end()) {
        throw KeyError(fmt::format(
            "'{}'\nWeights number {} do not have it, but number 0 do: are they of the same network?", name,
            i));
      }
      arrays[i] = &found->second;
    }
    means.emplace_hint(means.end(), name, mean_of_arrays(arrays, "'" + name + "' of weights "));
  }
  return means;
}

}  // namespace internal

std::ostream& operator<<(std::ostream& out, const Weights& weights) {
  out << '{';
  for (auto item = weights.begin(); item != weights.end(); ++item) {
    out << (item == weights.begin() ? "" : ", ") << item->first << ": " << item->second;
  }
  return out << '}';
}

}  // namespace flowray
