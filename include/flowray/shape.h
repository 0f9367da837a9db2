#pragma once
/// Shape: the sizes of a dense array, or what is known of them while a graph is built.

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray {

/// A list of dimension sizes. A dimension of -1 (tf::None) is unknown; a whole shape may have unknown
/// rank, as TensorFlow's TensorShape. The shape of an Array is always fully defined. Ranks up to 254, as
/// in TensorFlow.
class Shape {
 public:
  /// A dimension that is not known: tf::None.
  static constexpr int64_t kUnknownDim = -1;
  /// The most dimensions that a shape can have.
  static constexpr int kMaxRank = 254;

  /// A scalar: rank 0.
  Shape() noexcept : rank_(0) {}
  /// Throws ValueError for a dimension below -1 or more than kMaxRank dimensions.
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  /// The same dimensions as a span, copied.
  explicit Shape(std::span<const int64_t> dims);
  /// The same dimensions as a vector, copied.
  explicit Shape(const std::vector<int64_t>& dims) : Shape(std::span<const int64_t>(dims)) {}
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape() {
    if (rank_ > kInlineRank) delete[] heap_;
  }

  /// The shape of which nothing is known, not even the number of dimensions.
  static Shape unknown_rank() noexcept {
    Shape shape;
    shape.rank_ = -1;
    return shape;
  }
  /// `rank` dimensions, all unknown. Throws ValueError for a rank below 0 or above kMaxRank.
  static Shape of_rank(int64_t rank);

  /// Whether the number of dimensions is known.
  bool has_rank() const noexcept { return rank_ >= 0; }
  /// Number of dimensions; -1 if unknown.
  int rank() const noexcept { return rank_; }
  /// Size of dimension `i`, counted from the end if negative.
  /// Throws IndexError if there is no such dimension.
  int64_t dim(int i) const { return data()[index(i)]; }
  /// As dim().
  int64_t operator[](int i) const { return dim(i); }
  /// All dimensions, valid as long as the shape lives unchanged; empty for an unknown rank.
  std::span<const int64_t> dims() const noexcept {
    return {data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  /// The first dimension, and the end, for a loop over dims().
  const int64_t* begin() const noexcept { return data(); }
  const int64_t* end() const noexcept { return data() + (rank_ < 0 ? 0 : rank_); }

  /// Whether the rank and all dimensions are known.
  bool is_fully_defined() const noexcept;
  /// Product of all dimensions; -1 if any is unknown.
  int64_t num_elements() const noexcept;

  /// Throws IndexError if there is no dimension `i`, ValueError for a size below -1.
  void set_dim(int i, int64_t size) {
    if (size < kUnknownDim) [[unlikely]]
      throw_bad_size(size);
    data()[index(i)] = size;
  }
  /// Adds a last dimension; a shape of unknown rank becomes one of rank 1. Throws ValueError for a size below
  /// -1 and for more than kMaxRank dimensions.
  void push_back(int64_t size);

  /// Same rank and the same (also unknown) dimensions.
  bool operator==(const Shape& other) const noexcept;

  /// Whether some array could have both shapes.
  bool is_compatible_with(const Shape& other) const noexcept;
  /// What is known when both hold. Throws ValueError "Shapes (2,) and (3,) are not compatible".
  Shape merge_with(const Shape& other) const;
  /// The two shapes' dimensions in a row; unknown rank if either has it.
  Shape concatenate(const Shape& other) const;

  /// "[2,3]", "[?,784]", "[]", "<unknown>": the form of TensorFlow's run-time messages.
  std::string to_string() const;
  /// "(2, 3)", "(?, 784)", "()", "<unknown>": the form of its Python messages.
  std::string to_tuple_string() const;

 private:
  static constexpr int kInlineRank = 6;
  const int64_t* data() const noexcept { return rank_ > kInlineRank ? heap_ : inline_; }
  int64_t* data() noexcept { return rank_ > kInlineRank ? heap_ : inline_; }
  int index(int i) const {
    const int from_begin = i < 0 ? i + rank_ : i;
    if (from_begin < 0 || from_begin >= rank_) [[unlikely]]
      throw_no_dimension(i);
    return from_begin;
  }
  [[noreturn]] void throw_no_dimension(int i) const;
  [[noreturn]] static void throw_bad_rank(size_t rank);
  [[noreturn]] static void throw_bad_size(int64_t size);

  int32_t rank_;  // -1: unknown
  union {
    int64_t inline_[kInlineRank];
    int64_t* heap_;  // rank_ > kInlineRank
  };
};

/// Writes to_string().
std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace flowray

#pragma GCC visibility pop
