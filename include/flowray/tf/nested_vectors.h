#pragma once
/// Vectors in vectors as values: std::vector<std::vector<float>> is a matrix where an Array or an
/// Input is wanted.

#include <flowray/array.h>

#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace internal {
/// The dtype of what is in a vector of Elements, or in such vectors in a vector; kInvalid of other types.
template <class T>
inline constexpr DType kDTypeInList = DType::kInvalid;
template <class T>
inline constexpr DType kDTypeInList<std::vector<T>> = Element<T> ? kDTypeOf<T> : kDTypeInList<T>;

Array stacked(const std::vector<Array>& rows, DType dtype);
}  // namespace internal

/// A vector of Elements, or of such vectors: a row of a matrix, a matrix, ...
template <class T>
concept NestedVector = (internal::kDTypeInList<T> != DType::kInvalid);

/// One dimension for each vector in the others. Throws ValueError for rows of different lengths.
template <NestedVector T>
Array array_of(const T& values) {
  if constexpr (std::is_constructible_v<Array, const T&>) {
    return Array(values);
  } else {
    std::vector<Array> rows;
    rows.reserve(values.size());
    for (const auto& row : values) rows.push_back(array_of(row));
    return internal::stacked(rows, internal::kDTypeInList<T>);
  }
}

}  // namespace flowray::tf

#pragma GCC visibility pop
