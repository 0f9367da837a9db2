#pragma once
/// Arithmetic on sizes that come from outside: dimensions, strides, dilations, paddings, multiples, counts. A
/// graph may say 2^63 - 1 of each of them, and what wraps around is a small size of a large thing.

#include <concepts>
#include <cstdint>
#include <string_view>

namespace flowray {

/// An int64 whose sums, differences, products and quotients throw errors::InvalidArgumentError where they do
/// not fit ("Dimension size overflow from adding ..."), and for a division by 0. Write checked(a) * b + c:
/// what is computed with a checked size is one, and it converts back by itself.
class CheckedSize {
 public:
  constexpr explicit CheckedSize(int64_t value) noexcept : value_(value) {}
  constexpr operator int64_t() const noexcept { return value_; }  // NOLINT: implicit, as the end of a formula

  constexpr CheckedSize plus(int64_t other) const {
    int64_t sum = 0;
    if (__builtin_add_overflow(value_, other, &sum)) throw_sum(value_, other);
    return CheckedSize(sum);
  }
  constexpr CheckedSize minus(int64_t other) const {
    int64_t difference = 0;
    if (__builtin_sub_overflow(value_, other, &difference)) throw_difference(value_, other);
    return CheckedSize(difference);
  }
  constexpr CheckedSize times(int64_t other) const {
    int64_t product = 0;
    if (__builtin_mul_overflow(value_, other, &product)) throw_product(value_, other);
    return CheckedSize(product);
  }
  /// Towards zero, as `/`.
  constexpr CheckedSize over(int64_t other) const {
    if (other == 0 || (other == -1 && value_ == INT64_MIN)) throw_quotient(value_, other);
    return CheckedSize(value_ / other);
  }

  constexpr CheckedSize& operator+=(int64_t other) { return *this = plus(other); }
  constexpr CheckedSize& operator-=(int64_t other) { return *this = minus(other); }
  constexpr CheckedSize& operator*=(int64_t other) { return *this = times(other); }

 private:
  [[noreturn]] static void throw_sum(int64_t a, int64_t b);
  [[noreturn]] static void throw_difference(int64_t a, int64_t b);
  [[noreturn]] static void throw_product(int64_t a, int64_t b);
  [[noreturn]] static void throw_quotient(int64_t a, int64_t b);

  int64_t value_;
};

constexpr CheckedSize checked(int64_t value) noexcept { return CheckedSize(value); }

/// `count`, which is how many objects are to be made: of a list, a batch. Throws
/// errors::ResourceExhaustedError "OOM when making 2147483647 elements of a list", `what` being "elements of
/// a list", for more than 2^25: each takes some hundred bytes,
/// while the number that asks for them takes four.
int64_t checked_count(std::string_view what, int64_t count);

/// `value` as an int. Throws errors::InvalidArgumentError "Attr stride has value 3000000000 out of range for
/// an int32", `what` being "Attr stride".
int checked_int32(std::string_view what, int64_t value);

// For each pair that may stand on both sides, so that no plain operator of int64_t fits as well.

constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) { return a.plus(b); }
constexpr CheckedSize operator-(CheckedSize a, CheckedSize b) { return a.minus(b); }
constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) { return a.times(b); }
constexpr CheckedSize operator/(CheckedSize a, CheckedSize b) { return a.over(b); }
constexpr CheckedSize operator+(CheckedSize a, std::integral auto b) {
  return a.plus(static_cast<int64_t>(b));
}
constexpr CheckedSize operator-(CheckedSize a, std::integral auto b) {
  return a.minus(static_cast<int64_t>(b));
}
constexpr CheckedSize operator*(CheckedSize a, std::integral auto b) {
  return a.times(static_cast<int64_t>(b));
}
constexpr CheckedSize operator/(CheckedSize a, std::integral auto b) {
  return a.over(static_cast<int64_t>(b));
}
constexpr CheckedSize operator+(std::integral auto a, CheckedSize b) { return CheckedSize(a).plus(b); }
constexpr CheckedSize operator-(std::integral auto a, CheckedSize b) { return CheckedSize(a).minus(b); }
constexpr CheckedSize operator*(std::integral auto a, CheckedSize b) { return CheckedSize(a).times(b); }

}  // namespace flowray
