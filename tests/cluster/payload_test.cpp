#include "cluster/payload.h"

#include <gtest/gtest.h>

#include <string>

namespace flowray::cluster {
namespace {

size_t payload_of(const std::string& bytes) {
  return payload_offset(std::as_bytes(std::span(bytes)), bytes.size());
}

TEST(Payload, IsTheInnermostContentThatIsMostOfTheMessage) {
  const std::string content(100, '\0');
  // 1: 5; 2: {1: "abc", 4: content}; 3: 1
  const std::string inner = std::string("\x0a\x03") + "abc" + "\x22\x64" + content;
  EXPECT_EQ(payload_of(std::string("\x08\x05\x12") + static_cast<char>(inner.size()) + inner + "\x18\x01"),
            4u + 7u);
}

TEST(Payload, PassesOverSmallFieldsOfEveryKind) {
  // 1: fixed64, 2: fixed32, 3: varint of two bytes, 4: "ab", 5: 60 bytes
  const std::string head =
      std::string("\x09") + "12345678" + "\x15" + "1234" + "\x18\x80\x01" + "\x22\x02" + "ab" + "\x2a\x3c";
  EXPECT_EQ(payload_of(head + std::string(60, '\0')), head.size());
}

TEST(Payload, IsNowhereInWhatIsNoMessage) {
  EXPECT_EQ(payload_of(""), 0u);
  EXPECT_EQ(payload_of(std::string(100, '\xff')), 0u);
  EXPECT_EQ(payload_of(std::string(100, '\0')), 0u);
  EXPECT_EQ(payload_of(std::string("\x0a\x7f") + std::string(50, 'x')), 0u);  // longer than the message
  EXPECT_EQ(payload_of("\x0a"), 0u);
}

}  // namespace
}  // namespace flowray::cluster
