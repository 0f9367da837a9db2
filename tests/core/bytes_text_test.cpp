#include "core/bytes_text.h"

#include <gtest/gtest.h>

namespace flowray {
namespace {

TEST(BytesText, HasTheUnitThatLeavesAtLeastOne) {
  EXPECT_EQ(bytes_text(0), "0B");
  EXPECT_EQ(bytes_text(1023), "1023B");
  EXPECT_EQ(bytes_text(1024), "1.00KiB");
  EXPECT_EQ(bytes_text(1536 * 1024), "1.50MiB");
  EXPECT_EQ(bytes_text(uint64_t{1} << 30), "1.00GiB");
}

TEST(BytesText, EndsAtGibibytes) { EXPECT_EQ(bytes_text(uint64_t{1} << 50), "1048576.00GiB"); }

}  // namespace
}  // namespace flowray
