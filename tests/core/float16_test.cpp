#include <flowray/float16.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

namespace flowray {
namespace {

constexpr uint32_t kPatterns = 1u << 16;

// What the bits of a format mean, by the definition of IEEE 754 and without its tricks.
double value_of(uint32_t bits, int exponent_bits, int fraction_bits) {
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1u);
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1u));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

template <class T>
struct Format;
template <>
struct Format<float16> {
  static constexpr int kExponentBits = 5;
  static constexpr int kFractionBits = 10;
};
template <>
struct Format<bfloat16> {
  static constexpr int kExponentBits = 8;
  static constexpr int kFractionBits = 7;
};

template <class T>
double value_of(uint32_t bits) {
  return value_of(bits, Format<T>::kExponentBits, Format<T>::kFractionBits);
}

template <class T>
class SmallFloats : public testing::Test {};
using BothTypes = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(SmallFloats, BothTypes);

TYPED_TEST(SmallFloats, HaveTheValueOfEveryPattern) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const auto small = TypeParam::from_bits(static_cast<uint16_t>(bits));
    const double expected = value_of<TypeParam>(bits);
    const auto found = static_cast<double>(static_cast<float>(small));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
      ASSERT_TRUE(isnan(small)) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(found), std::bit_cast<uint64_t>(expected)) << bits;
    }
  }
}

TYPED_TEST(SmallFloats, ComeBackFromFloatUnchanged) {
  for (uint32_t bits = 0; bits < kPatterns; ++bits) {
    const auto small = TypeParam::from_bits(static_cast<uint16_t>(bits));
    const TypeParam back(static_cast<float>(small));
    if (std::isnan(value_of<TypeParam>(bits))) {
      ASSERT_TRUE(std::isnan(value_of<TypeParam>(back.bits()))) << bits;
      ASSERT_EQ(back.bits() >> 15, bits >> 15) << "the sign of a NaN";
    } else {
      ASSERT_EQ(back.bits(), bits);
    }
  }
}

// Between two neighbours: the middle goes to the even one, whatever lies a float beside it to the nearer
// one. The last pair is the greatest number and what would follow it if the exponent went on, which is
// infinity here.
TYPED_TEST(SmallFloats, RoundToTheNearestAndTiesToTheEven) {
  const uint32_t infinity = std::numeric_limits<TypeParam>::infinity().bits();
  for (uint32_t below = 0; below < infinity; ++below) {
    const double low = value_of<TypeParam>(below);
    const double high =
        below + 1 < infinity ? value_of<TypeParam>(below + 1) : 2 * low - value_of<TypeParam>(below - 1);
    const auto middle = static_cast<float>((low + high) / 2);  // exact: one more bit of fraction
    const uint32_t even = below % 2 == 0 ? below : below + 1;
    const float left = std::nextafter(middle, 0.0f);
    const float right = std::nextafter(middle, std::numeric_limits<float>::infinity());
    for (const float sign : {1.0f, -1.0f}) {
      const uint32_t sign_bit = sign < 0 ? 0x8000u : 0u;
      ASSERT_EQ(TypeParam(sign * left).bits(), below | sign_bit);
      ASSERT_EQ(TypeParam(sign * middle).bits(), even | sign_bit);
      ASSERT_EQ(TypeParam(sign * right).bits(), (below + 1) | sign_bit);
    }
  }
}

TYPED_TEST(SmallFloats, BecomeInfiniteWhereTheyEnd) {
  const auto infinity = std::numeric_limits<TypeParam>::infinity();
  for (const float large : {std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(TypeParam(large).bits(), infinity.bits());
    EXPECT_EQ(TypeParam(-large).bits(), (-infinity).bits());
  }
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::denorm_min()).bits(), 0u);
  EXPECT_EQ(TypeParam(-0.0f).bits(), 0x8000u);
}

TYPED_TEST(SmallFloats, KeepNansOfEveryPayload) {
  for (const uint32_t bits : {0x7f800001u, 0x7f801fffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const TypeParam small(std::bit_cast<float>(bits));
    EXPECT_TRUE(isnan(small)) << bits;
    EXPECT_EQ(small.bits() >> 15, bits >> 31);
  }
}

TYPED_TEST(SmallFloats, CompareAsTheirValues) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(T(0.0f), T(-0.0f));
  EXPECT_NE(nan, nan);
  EXPECT_FALSE(nan < T(1) || nan > T(1) || nan <= T(1) || nan >= T(1));
  EXPECT_LT(T(-2), T(1));
  EXPECT_GT(T(3), T(1));
  EXPECT_LE(T(1), T(1));
  EXPECT_GE(T(1), T(1));
}

TYPED_TEST(SmallFloats, ComputeAsFloatsAndRound) {
  using T = TypeParam;
  EXPECT_EQ(T(1.5f) + T(0.25f), T(1.75f));
  EXPECT_EQ(T(1.5f) - T(2.0f), T(-0.5f));
  EXPECT_EQ(T(1.5f) * T(-4.0f), T(-6.0f));
  EXPECT_EQ(T(1.0f) / T(3.0f), T(1.0f / 3.0f));
  EXPECT_EQ(-T(1.5f), T(-1.5f));
  EXPECT_EQ(+T(1.5f), T(1.5f));
  // 1 and half of its last place are a tie, which goes to the even 1.
  EXPECT_EQ(T(1.0f) + std::numeric_limits<T>::epsilon() * T(0.5f), T(1.0f));
  T value(2.0f);
  value += T(1.0f);
  EXPECT_EQ(value, T(3.0f));
  value -= T(2.0f);
  EXPECT_EQ(value, T(1.0f));
  value *= T(8.0f);
  EXPECT_EQ(value, T(8.0f));
  value /= T(4.0f);
  EXPECT_EQ(value, T(2.0f));
}

TYPED_TEST(SmallFloats, ConvertToAndFromOtherTypes) {
  using T = TypeParam;
  EXPECT_EQ(T(7).bits(), T(7.0f).bits());
  EXPECT_EQ(T(true), T(1.0f));
  EXPECT_EQ(static_cast<int>(T(-2.75f)), -2);
  EXPECT_EQ(static_cast<double>(T(0.5f)), 0.5);
  EXPECT_TRUE(static_cast<bool>(T(0.5f)));
  EXPECT_FALSE(static_cast<bool>(T(-0.0f)));
  EXPECT_EQ(bfloat16(float16(1.5f)), bfloat16(1.5f));
  EXPECT_EQ(float16(bfloat16(1.5f)), float16(1.5f));
  static_assert(!std::is_convertible_v<float, T> && !std::is_convertible_v<T, float>);
  static_assert(sizeof(T) == 2 && std::is_trivially_copyable_v<T> &&
                std::is_trivially_default_constructible_v<T>);
  static_assert(static_cast<float>(T(0.5f)) == 0.5f);
  std::ostringstream text;
  text << T(0.25f);
  EXPECT_EQ(text.str(), "0.25");
}

// The limits' definitions, checked against the patterns.
TYPED_TEST(SmallFloats, HaveTheLimitsOfTheirFormat) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const auto value = [](T small) { return value_of<T>(small.bits()); };
  std::vector<double> finite;
  for (uint32_t bits = 0; bits < 0x8000u; ++bits) {
    if (std::isfinite(value_of<T>(bits))) finite.push_back(value_of<T>(bits));
  }
  EXPECT_EQ(value(Limits::max()), finite.back());
  EXPECT_EQ(value(Limits::lowest()), -finite.back());
  EXPECT_EQ(value(Limits::denorm_min()), finite[1]);
  EXPECT_EQ(value(Limits::min()), finite[size_t{1} << Format<T>::kFractionBits]);
  EXPECT_EQ(value(Limits::epsilon()), value_of<T>(T(1.0f).bits() + 1u) - 1.0);
  EXPECT_TRUE(std::isinf(value(Limits::infinity())));
  EXPECT_TRUE(std::isnan(value(Limits::quiet_NaN())));
  EXPECT_EQ(std::ldexp(1.0, Limits::min_exponent - 1), value(Limits::min()));
  EXPECT_EQ(std::ilogb(finite.back()) + 1, Limits::max_exponent);
  EXPECT_EQ(Limits::digits, Format<T>::kFractionBits + 1);
  EXPECT_EQ(Limits::digits10, static_cast<int>(std::floor((Limits::digits - 1) * std::log10(2.0))));
  EXPECT_EQ(Limits::max_digits10, static_cast<int>(std::ceil(Limits::digits * std::log10(2.0) + 1)));
  EXPECT_EQ(Limits::min_exponent10, static_cast<int>(std::ceil(std::log10(value(Limits::min())))));
  EXPECT_EQ(Limits::max_exponent10, static_cast<int>(std::floor(std::log10(finite.back()))));
}

#if defined(__FLT16_MAX__)
// A second opinion: the compiler's own type (F16C or its library), for floats from all over the range.
TEST(Float16, RoundsAsTheCompilersOwnType) {
  __extension__ using Native = _Float16;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4093) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(float16(value).bits(), std::bit_cast<uint16_t>(static_cast<Native>(value))) << value;
  }
}
#endif

}  // namespace
}  // namespace flowray
