#include "cluster/status_text.h"

#include <gtest/gtest.h>

namespace flowray::cluster {
namespace {

TEST(StatusText, StaysAsItIsUpTo3072Bytes) {
  EXPECT_EQ(fitted_into_status(""), "");
  EXPECT_EQ(fitted_into_status(std::string(3072, 'x')), std::string(3072, 'x'));
  EXPECT_EQ(fitted_into_status(std::string(3073, 'x')), std::string(3072, 'x') + " ... [truncated]");
}

TEST(StatusText, IsCutBetweenTwoCharacters) {
  const std::string cut = fitted_into_status(std::string(3071, 'x') + "\u00e9" + std::string(9, 'x'));
  EXPECT_EQ(cut, std::string(3071, 'x') + " ... [truncated]");
}

TEST(StatusText, IsCutSoonerWhereItsBytesAreSentAsThree) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u20ac";  // 3 bytes, sent as 9: 682 of them are 6138
  EXPECT_EQ(fitted_into_status(text), text.substr(0, 682 * 3) + " ... [truncated]");
}

/// Invalid bytes are those that Python's bytes.decode("utf-8") refuses.
TEST(StatusText, HasCharactersOnly) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(with_characters_only("a\u00e9\u20ac\U0001f600z"), "a\u00e9\u20ac\U0001f600z");
  EXPECT_EQ(with_characters_only("a\xff"
                                 "b\x80"),
            "a" + bad + "b" + bad);
  EXPECT_EQ(with_characters_only("\xc3"), bad);
  EXPECT_EQ(with_characters_only("\xc0\xaf"), bad + bad);
  EXPECT_EQ(with_characters_only("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(with_characters_only("\xf4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(with_characters_only("\xe0\x80\x80"), bad + bad + bad);
}

}  // namespace
}  // namespace flowray::cluster
