#include <flowray/errors.h>
#include <flowray/shape.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>

namespace flowray {

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<int32_t>(dims.size())) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) throw_bad_rank(dims.size());
  for (int64_t dim : dims) {
    if (dim < kUnknownDim) throw_bad_size(dim);
  }
  if (rank_ > kInlineRank) heap_ = new int64_t[dims.size()];
  std::copy(dims.begin(), dims.end(), data());
}

Shape::Shape(const Shape& other) : rank_(other.rank_) {
  if (rank_ > kInlineRank) {
    heap_ = new int64_t[static_cast<size_t>(rank_)];
    std::copy_n(other.heap_, rank_, heap_);
  } else {
    std::memcpy(inline_, other.inline_, sizeof inline_);
  }
}

Shape::Shape(Shape&& other) noexcept : rank_(other.rank_) {
  // The heap pointer is the union's first word. Of fixed size and disjoint, it takes no call of memmove.
  std::memcpy(inline_, other.inline_, sizeof inline_);
  other.rank_ = 0;
}

Shape& Shape::operator=(const Shape& other) {
  if (this != &other) *this = Shape(other);
  return *this;
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this == &other) return *this;
  if (rank_ > kInlineRank) delete[] heap_;
  rank_ = other.rank_;
  std::memcpy(inline_, other.inline_, sizeof inline_);
  other.rank_ = 0;
  return *this;
}

void Shape::throw_bad_rank(size_t rank) {
  throw ValueError(fmt::format("Shape must have rank at most {}, but is rank {}", kMaxRank, rank));
}

void Shape::throw_bad_size(int64_t size) { throw ValueError(fmt::format("Dimension {} must be >= 0", size)); }

void Shape::throw_no_dimension(int i) const {
  throw IndexError(fmt::format("Shape {} has no dimension {}", to_tuple_string(), i));
}

Shape Shape::of_rank(int64_t rank) {
  if (rank < 0) throw ValueError(fmt::format("Shape must have rank at least 0, but is rank {}", rank));
  if (rank > kMaxRank) throw_bad_rank(static_cast<size_t>(rank));
  const std::vector<int64_t> dims(static_cast<size_t>(rank), kUnknownDim);
  return Shape(dims);
}

bool Shape::is_fully_defined() const noexcept {
  return has_rank() && std::none_of(begin(), end(), [](int64_t dim) { return dim < 0; });
}

int64_t Shape::num_elements() const noexcept {
  if (!has_rank()) return -1;
  int64_t count = 1;
  bool is_too_large = false;
  for (int64_t dim : dims()) {
    if (dim < 0) return -1;
    is_too_large = __builtin_mul_overflow(count, dim, &count) || is_too_large;
  }
  // A dimension of 0 empties the largest shape.
  if (std::find(begin(), end(), 0) != end()) return 0;
  return is_too_large ? std::numeric_limits<int64_t>::max() : count;
}

void Shape::push_back(int64_t size) {
  if (has_rank() && rank_ < kInlineRank) {
    if (size < kUnknownDim) throw_bad_size(size);
    inline_[rank_++] = size;
    return;
  }
  std::vector<int64_t> dims(begin(), end());
  dims.push_back(size);
  *this = Shape(dims);
}

bool Shape::operator==(const Shape& other) const noexcept {
  return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
}

bool Shape::is_compatible_with(const Shape& other) const noexcept {
  if (!has_rank() || !other.has_rank()) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dim(i) >= 0 && other.dim(i) >= 0 && dim(i) != other.dim(i)) return false;
  }
  return true;
}

Shape Shape::merge_with(const Shape& other) const {
  if (!is_compatible_with(other)) {
    throw ValueError(
        fmt::format("Shapes {} and {} are not compatible", to_tuple_string(), other.to_tuple_string()));
  }
  if (!has_rank()) return other;
  Shape merged = *this;
  for (int i = 0; other.has_rank() && i < rank_; ++i) {
    if (merged.dim(i) < 0) merged.set_dim(i, other.dim(i));
  }
  return merged;
}

Shape Shape::concatenate(const Shape& other) const {
  if (!has_rank() || !other.has_rank()) return unknown_rank();
  std::vector<int64_t> dims(begin(), end());
  dims.insert(dims.end(), other.begin(), other.end());
  return Shape(dims);
}

std::string Shape::to_string() const {
  if (!has_rank()) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ',';
    text += dim(i) < 0 ? "?" : std::to_string(dim(i));
  }
  return text + "]";
}

std::string Shape::to_tuple_string() const {
  if (!has_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ", ";
    text += dim(i) < 0 ? "?" : std::to_string(dim(i));
  }
  return text + (rank_ == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.to_tuple_string(); }

}  // namespace flowray
