// Expectations: RFC 3720, appendix B.4 (the bytes of its checksums are in the order of transmission,
// least first).

#include "files/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace flowray::files {
namespace {

std::string rising(size_t count) {
  std::string bytes(count, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(Crc32c, IsThatOfTheStandardsExamples) {
  const std::string up = rising(32);
  const std::string read_command = std::string(
      "\x01\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0\0\0\x04\0\0\0\0\x14\0\0\0\x18\x28\0\0\0\0\0\0\0\x02\0\0"
      "\0\0\0\0\0",
      48);
  for (const auto function : {crc32c, crc32c_portable}) {
    EXPECT_EQ(function(std::string(32, '\0'), 0), 0x8a9136aau);
    EXPECT_EQ(function(std::string(32, '\xff'), 0), 0x62a8ab43u);
    EXPECT_EQ(function(up, 0), 0x46dd794eu);
    EXPECT_EQ(function(std::string(up.rbegin(), up.rend()), 0), 0x113fdb5cu);
    EXPECT_EQ(function(read_command, 0), 0xd9963a56u);
    EXPECT_EQ(function("123456789", 0), 0xe3069283u);  // the check value of every catalogue of CRCs
    EXPECT_EQ(function("", 0), 0u);
  }
}

TEST(Crc32c, IsTheSameWithAndWithoutTheProcessorsInstruction) {
  const std::string bytes = rising(100);
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t count = 0; count < 80; ++count) {
      const auto part = std::string_view(bytes).substr(begin, count);
      ASSERT_EQ(crc32c(part), crc32c_portable(part)) << begin << " " << count;
    }
  }
}

TEST(Crc32c, GoesOnFromThatOfWhatStandsBefore) {
  const std::string bytes = rising(50);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::string_view all = bytes;
    EXPECT_EQ(crc32c(all.substr(cut), crc32c(all.substr(0, cut))), crc32c(all));
    EXPECT_EQ(crc32c_portable(all.substr(cut), crc32c_portable(all.substr(0, cut))), crc32c(all));
  }
}

}  // namespace
}  // namespace flowray::files
