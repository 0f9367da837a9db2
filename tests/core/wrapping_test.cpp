#include "core/wrapping.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>

namespace flowray {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kGreatest = std::numeric_limits<int32_t>::max();

TEST(Wrapping, LeavesTheTypeAtOneEndAndComesBackAtTheOther) {
  EXPECT_EQ(wrapping_add(kGreatest, 1), kLeast);
  EXPECT_EQ(wrapping_subtract(kLeast, 1), kGreatest);
  EXPECT_EQ(wrapping_multiply(kGreatest, 2), -2);
  EXPECT_EQ(wrapping_negate(kLeast), kLeast);
  EXPECT_EQ(wrapping_add(std::numeric_limits<int64_t>::max(), int64_t{1}),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(wrapping_subtract(uint64_t{0}, uint64_t{1}), std::numeric_limits<uint64_t>::max());
}

/// As int, to which they are promoted, the squares of large 16-bit numbers overflow.
TEST(Wrapping, ComputesNarrowIntegersModuloTheirWidth) {
  EXPECT_EQ(wrapping_multiply(uint16_t{65535}, uint16_t{65535}), uint16_t{1});
  EXPECT_EQ(wrapping_multiply(int16_t{-32768}, int16_t{-32768}), int16_t{0});
  EXPECT_EQ(wrapping_add(int8_t{127}, int8_t{1}), int8_t{-128});
  EXPECT_EQ(wrapping_subtract(uint8_t{0}, uint8_t{1}), uint8_t{255});
  EXPECT_EQ(wrapping_negate(uint8_t{1}), uint8_t{255});
  EXPECT_EQ(wrapping_add(true, true), true);
}

TEST(Wrapping, LeavesOtherNumbersToTheirOperators) {
  EXPECT_EQ(wrapping_add(0.5f, 0.25f), 0.75f);
  EXPECT_EQ(wrapping_negate(2.0), -2.0);
  EXPECT_EQ(wrapping_multiply(std::complex<float>(0, 1), std::complex<float>(0, 1)),
            std::complex<float>(-1, 0));
}

}  // namespace
}  // namespace flowray
