#pragma once
/// What ops of sparse tensors share: coordinates as rows of a matrix, their order, rows that are picked.

#include "core/invalid_argument.h"

#include <flowray/array.h>

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flowray::ops {

/// A size that only a step will tell.
inline constexpr int64_t kUnknown = Shape::kUnknownDim;

/// The rows of a matrix of coordinates. Any order: code that relies on one checks it.
class Coordinates {
 public:
  /// Of an int64 matrix, which outlives it.
  explicit Coordinates(const Array& matrix)
      : numbers_(matrix.data<int64_t>()), count_(matrix.dim(0)), depth_(matrix.dim(1)) {}

  int64_t count() const { return count_; }
  int64_t depth() const { return depth_; }
  std::span<const int64_t> operator[](int64_t i) const {
    return {numbers_ + i * depth_, static_cast<size_t>(depth_)};
  }

 private:
  const int64_t* numbers_;
  int64_t count_;
  int64_t depth_;
};

/// Row by row, as a dense array has its elements.
std::strong_ordering compare_coordinates(std::span<const int64_t> a, std::span<const int64_t> b);

/// Whether all stand inside of `dims`, as many as the coordinates, in strictly growing order.
bool are_in_order(const Coordinates& coordinates, std::span<const int64_t> dims);

/// The numbers of the rows in the order of their coordinates, looked at in the order of `axes`; rows with the
/// same ones stay as they are.
std::vector<int64_t> sorted_rows(const Coordinates& coordinates, std::span<const int64_t> axes);

/// 0, 1, 2, ...: all axes in their own order.
std::vector<int64_t> all_axes(int64_t rank);

/// These rows of an array, one below the other.
Array picked_rows(const Array& from, std::span<const int64_t> rows);

/// A matrix of coordinates from its numbers, `depth` in a row.
Array coordinates_of(const std::vector<int64_t>& numbers, int64_t count, int64_t depth);

/// The dimensions of a vector that a graph gives as a shape: none below 0, their product an int64.
/// Throws InvalidArgumentError.
std::vector<int64_t> checked_dims(const Array& vector);

/// "[2,3]": the elements of an integer vector; of more than `most` the first ones.
std::string numbers_text(std::span<const int64_t> numbers);
/// "2 3", as TensorFlow prints a vector in its errors.
std::string summary_of(const Array& vector, int64_t most);

/// That the parts fit each other, in the words that most ops share.
void check_sparse(const Array& indices, const Array& values, std::span<const int64_t> dims);

/// That coordinates stand inside of `dims`, as many as they have, in strictly growing order.
void check_order(const Coordinates& coordinates, std::span<const int64_t> dims);

/// InvalidArgumentError "Input indices should be a matrix but received shape [2]" where it has another rank.
/// `what`: all before the shape.
void check_rank(const Array& array, int rank, std::string_view what);

}  // namespace flowray::ops
