#pragma once
/// The two 16-bit floating types of arrays: IEEE 754 half precision and the upper half of a float.

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

#pragma GCC visibility push(default)

namespace flowray {

/// How the 16 bits of a small float are read; see float16 and bfloat16 below.
struct Binary16Format {
  /// Bits of the exponent.
  static constexpr int kExponentBits = 5;
  /// Bits of the fraction, without the leading 1.
  static constexpr int kFractionBits = 10;
  /// The float of these bits, exactly.
  static constexpr float to_float(uint16_t bits) noexcept;
  /// The nearest bits of a float; ties to even.
  static constexpr uint16_t from_float(float value) noexcept;
};
struct Brain16Format {
  /// Bits of the exponent.
  static constexpr int kExponentBits = 8;
  /// Bits of the fraction, without the leading 1.
  static constexpr int kFractionBits = 7;
  /// The float of these bits, exactly.
  static constexpr float to_float(uint16_t bits) noexcept;
  /// The nearest bits of a float; ties to even.
  static constexpr uint16_t from_float(float value) noexcept;
};

/// A 2-byte value that converts exactly to float and from it with rounding to nearest, ties to even. Values
/// too large become infinite, NaNs stay NaNs (quiet, with their sign and the upper bits of their payload).
/// Arithmetic and comparison convert to float, so that -0 == 0 and a NaN equals nothing.
///
/// Wider types convert through float (so does TensorFlow): a double may be rounded twice.
template <class Format>
class SmallFloat {
 public:
  /// Not initialised, as the built-in types, so that arrays of it may be left unwritten.
  SmallFloat() noexcept = default;
  /// The nearest value.
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit constexpr SmallFloat(T value) noexcept : bits_(Format::from_float(static_cast<float>(value))) {}
  /// The nearest value.
  template <class Other>
    requires(!std::same_as<Other, Format>)
  explicit constexpr SmallFloat(SmallFloat<Other> other) noexcept : SmallFloat(static_cast<float>(other)) {}

  /// The value that these bits are.
  static constexpr SmallFloat from_bits(uint16_t bits) noexcept {
    SmallFloat result{0.0f};
    result.bits_ = bits;
    return result;
  }
  /// Its bits.
  constexpr uint16_t bits() const noexcept { return bits_; }

  /// Exact for float and wider; integers truncate as from float; bool is "not zero".
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const noexcept {
    return static_cast<T>(Format::to_float(bits_));
  }

  /// Itself.
  constexpr SmallFloat operator+() const noexcept { return *this; }
  /// With the other sign, NaN too.
  constexpr SmallFloat operator-() const noexcept { return from_bits(bits_ ^ 0x8000u); }
  friend constexpr SmallFloat operator+(SmallFloat a, SmallFloat b) noexcept {
    return SmallFloat(static_cast<float>(a) + static_cast<float>(b));
  }
  friend constexpr SmallFloat operator-(SmallFloat a, SmallFloat b) noexcept {
    return SmallFloat(static_cast<float>(a) - static_cast<float>(b));
  }
  friend constexpr SmallFloat operator*(SmallFloat a, SmallFloat b) noexcept {
    return SmallFloat(static_cast<float>(a) * static_cast<float>(b));
  }
  friend constexpr SmallFloat operator/(SmallFloat a, SmallFloat b) noexcept {
    return SmallFloat(static_cast<float>(a) / static_cast<float>(b));
  }
  /// Computed in float and rounded once, as all of these.
  constexpr SmallFloat& operator+=(SmallFloat other) noexcept { return *this = *this + other; }
  constexpr SmallFloat& operator-=(SmallFloat other) noexcept { return *this = *this - other; }
  constexpr SmallFloat& operator*=(SmallFloat other) noexcept { return *this = *this * other; }
  constexpr SmallFloat& operator/=(SmallFloat other) noexcept { return *this = *this / other; }

  friend constexpr bool operator==(SmallFloat a, SmallFloat b) noexcept {
    return static_cast<float>(a) == static_cast<float>(b);
  }
  friend constexpr auto operator<=>(SmallFloat a, SmallFloat b) noexcept {
    return static_cast<float>(a) <=> static_cast<float>(b);
  }
  friend constexpr bool isnan(SmallFloat value) noexcept { return value != value; }

  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                      SmallFloat value) {
    return out << static_cast<float>(value);
  }

 private:
  uint16_t bits_;
};

/// IEEE 754 binary16: 5 bits of exponent, 11 of precision; up to 65504, in steps of 2^-24 next to zero.
using float16 = SmallFloat<Binary16Format>;
/// The upper 16 bits of a float: 8 bits of exponent, 8 of precision; the range of a float.
using bfloat16 = SmallFloat<Brain16Format>;

constexpr float Binary16Format::to_float(uint16_t bits) noexcept {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  uint32_t result = 0;
  if (magnitude >= 0x7c00u) {
    const uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0u;
    result = 0x7f800000u | quiet | ((magnitude & 0x3ffu) << 13);
  } else if (magnitude >= 0x0400u) {
    result = (magnitude << 13) + (112u << 23);  // 112: 127 - 15, the difference of the exponents' biases
  } else {
    result = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  }
  return std::bit_cast<float>(sign | result);
}

constexpr uint16_t Binary16Format::from_float(float value) noexcept {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x47800000u) {  // 65536 and above
    result = 0x7c00u;
  } else if (magnitude >=
             0x38800000u) {  // 2^-14 and above; a carry out of the fraction is right, also into infinity
    const uint32_t ties_to_even = 0xfffu + ((magnitude >> 13) & 1u);
    result = (magnitude - (112u << 23) + ties_to_even) >> 13;
  } else {  // the spacing of floats in [0.5, 1) is 2^-24, that of our subnormals: the addition rounds
    result = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  }
  return static_cast<uint16_t>(sign | result);
}

constexpr float Brain16Format::to_float(uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

constexpr uint16_t Brain16Format::from_float(float value) noexcept {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x0040u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace flowray

template <class Format>
class std::numeric_limits<flowray::SmallFloat<Format>> {
  using Value = flowray::SmallFloat<Format>;
  static constexpr int kFraction = Format::kFractionBits;
  static constexpr int kBias = (1 << (Format::kExponentBits - 1)) - 1;
  static constexpr uint16_t kInfinityBits = ((1u << Format::kExponentBits) - 1u) << kFraction;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = kFraction + 1;
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;  // floor(log10(2^(digits - 1)))
  static constexpr int max_digits10 = digits * 30103 / 100000 + 2;
  static constexpr int radix = 2;
  static constexpr int min_exponent = 2 - kBias;
  static constexpr int max_exponent = kBias + 1;
  static constexpr int min_exponent10 = Format::kExponentBits == 5 ? -4 : -37;
  static constexpr int max_exponent10 = Format::kExponentBits == 5 ? 4 : 38;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  /// The smallest positive normal value.
  static constexpr Value min() noexcept { return Value::from_bits(1u << kFraction); }
  static constexpr Value max() noexcept { return Value::from_bits(kInfinityBits - 1u); }
  static constexpr Value lowest() noexcept { return -max(); }
  static constexpr Value epsilon() noexcept { return Value(1.0f / static_cast<float>(1 << kFraction)); }
  static constexpr Value round_error() noexcept { return Value(0.5f); }
  static constexpr Value infinity() noexcept { return Value::from_bits(kInfinityBits); }
  static constexpr Value quiet_NaN() noexcept {
    return Value::from_bits(kInfinityBits | (1u << (kFraction - 1)));
  }
  static constexpr Value denorm_min() noexcept { return Value::from_bits(1u); }
};

#pragma GCC visibility pop
