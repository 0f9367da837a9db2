#pragma once
/// The innermost loops of reductions: rows of elements to one, many rows to one row. Written over a way of
/// combining two elements, compiled for each CpuLevel.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/wrapping.h"
#include "graph/kernel/kernel.h"
#include "ops/loops/compiled_loop.h"

namespace flowray::ops {

// Ways to combine: an associative `combine` and its neutral element. A NaN wins in Maximal and Minimal. What
// cannot wrap has its operator here: by way of core/wrapping.h gcc 12 makes sums of
// complex64 columns a tenth slower.

struct Adding {
  template <class T>
  static constexpr T neutral() {
    return T(0);
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return wrapping_add(a, b);
    else
      return a + b;
  }
};

struct Multiplying {
  template <class T>
  static constexpr T neutral() {
    return T(1);
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return wrapping_multiply(a, b);
    else
      return a * b;
  }
};

struct Maximal {
  template <class T>
  static constexpr T neutral() {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    return ((a < b) | (b != b)) ? b : a;
  }
};

struct Minimal {
  template <class T>
  static constexpr T neutral() {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

// Over bools as bytes 0 and 1.
struct AllOf {
  template <class T>
  static constexpr T neutral() {
    return T(1);
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    return a & b;
  }
};

struct AnyOf {
  template <class T>
  static constexpr T neutral() {
    return T(0);
  }
  template <class T>
  FLOWRAY_ALWAYS_INLINE static T combine(T a, T b) {
    return a | b;
  }
};

/// out[r] = all of x[r * length ...] combined, for `rows` rows; several sums side by side make it fast
/// and exact.
template <class Way, class In, class Sum>
struct RowsLoop {
  static constexpr int kLanes = 32;

  FLOWRAY_ALWAYS_INLINE static Sum reduce(const In* x, int64_t length) {
    Sum lanes[kLanes];
    int64_t i = 0;
    if (length < kLanes) {
      Sum sum = Way::template neutral<Sum>();
      for (; i < length; ++i) sum = Way::combine(sum, static_cast<Sum>(x[i]));
      return sum;
    }
    for (int k = 0; k < kLanes; ++k) lanes[k] = static_cast<Sum>(x[k]);
    for (i = kLanes; i + kLanes <= length; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) lanes[k] = Way::combine(lanes[k], static_cast<Sum>(x[i + k]));
    }
    for (int k = 0; i < length; ++i, ++k) lanes[k] = Way::combine(lanes[k], static_cast<Sum>(x[i]));
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) lanes[k] = Way::combine(lanes[k], lanes[k + width]);
    }
    return lanes[0];
  }

  FLOWRAY_ALWAYS_INLINE static void run(const In* x, int64_t rows, int64_t length, Sum* out) {
    for (int64_t r = 0; r < rows; ++r) out[r] = reduce(x + r * length, length);
  }
};

/// out[j] = x[j], x[stride + j], ... of `rows` >= 1 rows combined, for j < width.
template <class Way, class In, class Sum>
struct ColumnsLoop {
  FLOWRAY_ALWAYS_INLINE static void run(const In* x, int64_t rows, int64_t stride, int64_t width, Sum* out) {
    for (int64_t j = 0; j < width; ++j) out[j] = static_cast<Sum>(x[j]);
    int64_t r = 1;
    for (; r + 4 <= rows; r += 4) {
      const In* a = x + r * stride;
      const In* b = a + stride;
      const In* c = b + stride;
      const In* d = c + stride;
      for (int64_t j = 0; j < width; ++j) {
        const Sum first = Way::combine(static_cast<Sum>(a[j]), static_cast<Sum>(b[j]));
        const Sum second = Way::combine(static_cast<Sum>(c[j]), static_cast<Sum>(d[j]));
        out[j] = Way::combine(out[j], Way::combine(first, second));
      }
    }
    for (; r < rows; ++r) {
      const In* a = x + r * stride;
      for (int64_t j = 0; j < width; ++j) out[j] = Way::combine(out[j], static_cast<Sum>(a[j]));
    }
  }
};

/// Elements that lie in memory.
template <class In>
struct StoredElements {
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const In* x;
  const In* get(int64_t first, int64_t /*count*/) const { return x + first; }
};

/// Elements that are made as they are needed, at most kMost at once.
template <class In>
class SourcedElements {
 public:
  static constexpr int64_t kMost = 64 * 128;
  explicit SourcedElements(const graph::ElementSource& source) : source_(source) {}
  const In* get(int64_t first, int64_t count) const {
    return static_cast<const In*>(source_(first, count, buffer_));
  }

 private:
  const graph::ElementSource& source_;
  alignas(64) mutable In buffer_[kMost];
};

/// Reduces large blocks by halves down to those loops, so that rounding errors grow with the logarithm of the
/// length. What is not stored is asked for by what one such loop works on, so results do not depend on it.
template <class Way, class In, class Sum>
class Reducer {
 public:
  Reducer() {
    // One copy is enough for what is rarely large: integer extremes and products, bools.
    if constexpr (std::is_same_v<In, float> || std::is_same_v<Way, Adding>) {
      rows_loop_ = compiled_loop<RowsLoop<Way, In, Sum>>();
      columns_loop_ = compiled_loop<ColumnsLoop<Way, In, Sum>>();
    } else {
      rows_loop_ = RowsLoop<Way, In, Sum>::run;
      columns_loop_ = ColumnsLoop<Way, In, Sum>::run;
    }
  }

  /// Columns of sourced elements are at most so wide.
  static constexpr int64_t kTile = 128;
  static constexpr int64_t kRowElements = graph::Kernel::kMostReducedRow;  // 32 lanes of 32 elements

  /// out[r] for each of `rows` contiguous rows of `length` elements, the first of which is element `first`
  /// of x.
  template <class Elements>
  void rows(const Elements& x, int64_t first, int64_t rows, int64_t length, Sum* out) const {
    if (length <= kRowElements) {
      const int64_t at_once = Elements::kMost / length;
      for (int64_t r = 0; r < rows;) {
        const int64_t count = rows - r < at_once ? rows - r : at_once;
        rows_loop_(x.get(first + r * length, count * length), count, length, out + r);
        r += count;
      }
      return;
    }
    for (int64_t r = 0; r < rows; ++r) out[r] = long_row(x, first + r * length, length);
  }

  /// The loop that rows() runs over rows of at most kRowElements.
  auto row_loop() const { return rows_loop_; }

  /// out[j] = the j-th elements of `rows` >= 1 rows of `width` elements, combined; the rows are `stride`
  /// apart, which must be `width` for what is not stored.
  template <class Elements>
  void columns(const Elements& x, int64_t first, int64_t rows, int64_t stride, int64_t width,
               Sum* out) const {
    if (width == stride && width <= kNarrow && rows >= 2 * kTile / width)
      return narrow_columns(x, first, rows, width, out);
    for (int64_t j = 0; j < width; j += kTile) {
      tile(x, first + j, rows, stride, width - j < kTile ? width - j : kTile, out + j);
    }
  }

 private:
  static constexpr int64_t kTileRows = 64;
  static constexpr int64_t kNarrow = 32;

  // gcc would inline these, which call themselves, several times into each other: a third of what all
  // reductions take to compile, for calls of which each is for hundreds of elements.
  template <class Elements>
  [[gnu::noinline]] Sum long_row(const Elements& x, int64_t first, int64_t length) const {
    if (length <= kRowElements) {
      Sum sum;
      rows_loop_(x.get(first, length), 1, length, &sum);
      return sum;
    }
    const int64_t half = (length / 2 + 63) / 64 * 64;
    const Sum left = long_row(x, first, half);
    return Way::combine(left, long_row(x, first + half, length - half));
  }

  template <class Elements>
  [[gnu::noinline]] void tile(const Elements& x, int64_t first, int64_t rows, int64_t stride, int64_t width,
                              Sum* out) const {
    if (rows <= kTileRows)
      return columns_loop_(x.get(first, (rows - 1) * stride + width), rows, stride, width, out);
    const int64_t half = rows / 2;
    Sum other[kTile];
    tile(x, first, half, stride, width, out);
    tile(x, first + half * stride, rows - half, stride, width, other);
    for (int64_t j = 0; j < width; ++j) out[j] = Way::combine(out[j], other[j]);
  }

  /// Several short rows are taken as one, their sums combined at the end.
  template <class Elements>
  [[gnu::noinline]] void narrow_columns(const Elements& x, int64_t first, int64_t rows, int64_t width,
                                        Sum* out) const {
    const int64_t group = kTile / width;
    const int64_t groups = rows / group;
    Sum sums[kTile];
    tile(x, first, groups, group * width, group * width, sums);
    for (int64_t j = 0; j < width; ++j) out[j] = sums[j];
    for (int64_t k = 1; k < group; ++k) {
      for (int64_t j = 0; j < width; ++j) out[j] = Way::combine(out[j], sums[k * width + j]);
    }
    const int64_t done = groups * group;
    if (done == rows) return;
    const In* rest = x.get(first + done * width, (rows - done) * width);
    for (int64_t r = 0; r < rows - done; ++r) {
      for (int64_t j = 0; j < width; ++j)
        out[j] = Way::combine(out[j], static_cast<Sum>(rest[r * width + j]));
    }
  }

  void (*rows_loop_)(const In*, int64_t rows, int64_t length, Sum*) = nullptr;
  void (*columns_loop_)(const In*, int64_t rows, int64_t stride, int64_t width, Sum*) = nullptr;
};

}  // namespace flowray::ops
