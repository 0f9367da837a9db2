#include "wire/string_content.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace flowray::wire {
namespace {

TEST(StringContentTest, HasTheLengthsBeforeTheBytes) {
  // As TensorFlow 2.21 writes "é" and 200 times "b".
  const std::vector<std::string> strings = {"\xC3\xA9", std::string(200, 'b')};
  const std::string content = string_content(strings);
  EXPECT_EQ(content, "\x02\xC8\x01\xC3\xA9" + std::string(200, 'b'));
  std::vector<std::string> read(2);
  EXPECT_EQ(read_string_content(content, read), "");
  EXPECT_EQ(read, strings);
}

TEST(StringContentTest, TellsEmptyStringsFromNone) {
  const std::vector<std::string> strings = {"", ""};
  const std::string content = string_content(strings);
  EXPECT_EQ(content, std::string(2, '\0'));
  std::vector<std::string> read = {"old", "old"};
  EXPECT_EQ(read_string_content(content, read), "");
  EXPECT_EQ(read, strings);
  EXPECT_EQ(string_content({}), "");
  EXPECT_EQ(read_string_content("", {}), "");
}

TEST(StringContentTest, SaysWhatIsWrong) {
  std::array<std::string, 2> read;
  EXPECT_EQ(read_string_content("\x01", read), "The lengths of the strings are damaged.");
  EXPECT_EQ(read_string_content("\x05\x05"
                                "ab",
                                read),
            "The strings are shorter than their lengths say.");
  EXPECT_EQ(read_string_content("\x01\x01"
                                "abc",
                                read),
            "There are more bytes than the lengths of the strings say.");
  const std::string huge =
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x01"
      "a";
  EXPECT_EQ(read_string_content(huge, read), "The strings are shorter than their lengths say.");
}

}  // namespace
}  // namespace flowray::wire
