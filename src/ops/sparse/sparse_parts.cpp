#include "ops/sparse/sparse_parts.h"

#include "graph/integers.h"
#include "ops/elements/word_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace flowray::ops {

std::strong_ordering compare_coordinates(std::span<const int64_t> a, std::span<const int64_t> b) {
  for (size_t d = 0; d < a.size() && d < b.size(); ++d) {
    if (a[d] != b[d]) return a[d] <=> b[d];
  }
  return std::strong_ordering::equal;
}

bool are_in_order(const Coordinates& coordinates, std::span<const int64_t> dims) {
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= dims[d]) return false;
    }
    if (i > 0 && compare_coordinates(coordinates[i - 1], at) >= 0) return false;
  }
  return true;
}

std::vector<int64_t> sorted_rows(const Coordinates& coordinates, std::span<const int64_t> axes) {
  std::vector<int64_t> rows(static_cast<size_t>(coordinates.count()));
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, [&](int64_t a, int64_t b) {
    const auto first = coordinates[a];
    const auto second = coordinates[b];
    for (const int64_t axis : axes) {
      const auto d = static_cast<size_t>(axis);
      if (first[d] != second[d]) return first[d] < second[d];
    }
    return false;
  });
  return rows;
}

std::vector<int64_t> all_axes(int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Array picked_rows(const Array& from, std::span<const int64_t> rows) {
  Shape shape = from.shape();
  shape.set_dim(0, std::ssize(rows));
  Array picked(from.dtype(), shape);
  if (picked.size() == 0) return picked;
  const int64_t width = picked.size() / std::ssize(rows);
  for_words(from.dtype(), [&]<class W>() {
    W* to = words_in<W>(picked);
    for (const int64_t row : rows) {
      copy_words(words_in<W>(from) + row * width, to, width);
      to += width;
    }
  });
  return picked;
}

Array coordinates_of(const std::vector<int64_t>& numbers, int64_t count, int64_t depth) {
  return Array::from(numbers, Shape{count, depth});
}

std::vector<int64_t> checked_dims(const Array& vector) {
  std::vector<int64_t> dims = graph::to_integers(vector);
  int64_t product = 1;
  bool is_empty = false;
  bool is_too_large = false;
  for (const int64_t dim : dims) {
    if (dim < 0) invalid_argument(fmt::format("Dimension {} must be >= 0", dim));
    is_empty = is_empty || dim == 0;
    is_too_large = __builtin_mul_overflow(product, dim, &product) || is_too_large;
  }
  if (is_too_large && !is_empty) {
    invalid_argument(fmt::format("Shape {} would have more than 2**63 - 1 elements", numbers_text(dims)));
  }
  return dims;
}

std::string numbers_text(std::span<const int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string summary_of(const Array& vector, int64_t most) {
  const std::vector<int64_t> numbers = graph::to_integers(vector);
  const auto shown = std::span(numbers).first(static_cast<size_t>(std::min(most, std::ssize(numbers))));
  return fmt::format("{}{}", fmt::join(shown, " "), shown.size() < numbers.size() ? "..." : "");
}

void check_sparse(const Array& indices, const Array& values, std::span<const int64_t> dims) {
  if (values.rank() != 1) {
    invalid_argument(fmt::format("vals must be a vec, but got: {}", values.shape().to_string()));
  }
  if (indices.rank() != 2) {
    invalid_argument(
        fmt::format("indices must be a vector or matrix, but got: {}", indices.shape().to_string()));
  }
  if (indices.dim(0) != values.dim(0)) {
    invalid_argument(
        fmt::format("indices and values rows (indexing dimension) must match. (indices = {}, values = {})",
                    indices.dim(0), values.dim(0)));
  }
  if (std::ssize(dims) != indices.dim(1)) invalid_argument("Shape rank must be SparseTensor rank.");
}

void check_rank(const Array& array, int rank, std::string_view what) {
  if (array.rank() != rank) invalid_argument(fmt::format("{} {}", what, array.shape().to_string()));
}

void check_order(const Coordinates& coordinates, std::span<const int64_t> dims) {
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] >= 0 && at[d] < dims[d]) continue;
      invalid_argument(fmt::format("indices[{}] = {} is out of bounds: need 0 <= index < {}", i,
                                   numbers_text(at), numbers_text(dims)));
    }
    if (i == 0) continue;
    const auto order = compare_coordinates(coordinates[i - 1], at);
    if (order > 0) {
      invalid_argument(
          fmt::format("indices[{}] = {} is out of order. Many sparse ops require sorted indices.\n    Use "
                      "`tf.sparse.reorder` to create a correctly ordered copy.",
                      i, numbers_text(at)));
    }
    if (order == 0) invalid_argument(fmt::format("indices[{}] = {} is repeated", i, numbers_text(at)));
  }
}

}  // namespace flowray::ops
