#include "core/checked_size.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

namespace flowray {
namespace {

constexpr int64_t kMost = INT64_MAX;

TEST(CheckedSize, ComputesAsAnInt64Does) {
  const int64_t sum = checked(3) * 4 + 5 - 7;
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(int64_t{checked(-7) / 2}, -3);
  EXPECT_EQ(int64_t{2 * checked(3)}, 6);
  EXPECT_EQ(int64_t{1 - checked(kMost)}, -kMost + 1);
  CheckedSize size = checked(kMost - 1);
  size += 1;
  EXPECT_EQ(size, kMost);
}

template <class Formula>
std::string complaint(Formula formula) {
  try {
    (void)formula();
  } catch (const errors::InvalidArgumentError& error) {
    return error.message();
  }
  return "none";
}

TEST(CheckedSize, ComplainsOfWhatDoesNotFit) {
  EXPECT_EQ(complaint([] { return checked(kMost) + 1; }),
            "Dimension size overflow from adding 9223372036854775807 and 1");
  EXPECT_EQ(complaint([] { return checked(INT64_MIN) - 1; }),
            "Dimension size overflow from subtracting 1 from -9223372036854775808");
  EXPECT_EQ(complaint([] { return checked(int64_t{1} << 32) * (int64_t{1} << 31); }),
            "Negative dimension size caused by overflow when multiplying 4294967296 and 2147483648");
  EXPECT_EQ(complaint([] { return checked(5) / 0; }), "Dimension size 5 divided by 0");
  EXPECT_NE(complaint([] { return checked(INT64_MIN) / -1; }), "none");
  EXPECT_EQ(complaint([] { return 2 * (checked(kMost) / 2) + 1; }), "none");
}

TEST(CheckedSize, IsAnIntOnlyWhereItFits) {
  EXPECT_EQ(checked_int32("Attr n", -5), -5);
  EXPECT_EQ(complaint([] { return checked_int32("Attr n", int64_t{1} << 31); }),
            "Attr n has value 2147483648 out of range for an int32");
}

}  // namespace
}  // namespace flowray
