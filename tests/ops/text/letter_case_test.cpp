// Expectations: what TensorFlow's StringUpper and StringLower make with encoding "utf-8".

#include "ops/text/letter_case.h"

#include "ops/text/utf8.h"

#include <gtest/gtest.h>

namespace flowray::ops {
namespace {

TEST(LetterCase, KnowsAllScripts) {
  EXPECT_EQ(utf8_to_lower("\u00c0\u00c9 \u01c5 \u1c90"), "\u00e0\u00e9 \u01c6 \u10d0");
  EXPECT_EQ(utf8_to_upper("\u00e0 \ua64b \U00010428"), "\u00c0 \ua64a \U00010400");
}

TEST(LetterCase, MakesSeveralLettersOfOne) {
  EXPECT_EQ(utf8_to_upper("stra\u00dfe \ufb01x"), "STRASSE FIX");
  EXPECT_EQ(utf8_to_upper("\u0390"), "\u0399\u0308\u0301");
  EXPECT_EQ(utf8_to_lower("\u0130TAIL"), "i\u0307tail");
}

TEST(LetterCase, EndsWordsWithAnotherSigma) {
  EXPECT_EQ(utf8_to_lower("\u03a3\u0391\u03a3"), "\u03c3\u03b1\u03c2");
  EXPECT_EQ(utf8_to_lower("A\u03a3 B"), "a\u03c2 b");
  EXPECT_EQ(utf8_to_lower("\u03a3"), "\u03c3");
}

TEST(LetterCase, ReplacesWhatIsNoCharacterAndStopsAtNul) {
  EXPECT_EQ(utf8_to_lower("A\xff"
                          "B\xc3"),
            "a\ufffdb\ufffd");
  EXPECT_EQ(utf8_to_upper("a\xe2\x82"
                          "b\xf0\x9f"),
            "A\ufffdB\ufffd");
  EXPECT_EQ(utf8_to_lower(std::string_view("A\0B", 3)), "a");
}

TEST(Utf8, GoesThereAndBack) {
  for (const uint32_t code :
       {0x24u, 0xa3u, 0x939u, 0x20acu, 0xd7ffu, 0xe000u, 0xffffu, 0x10348u, 0x10ffffu}) {
    std::string text;
    append_utf8(text, code);
    const Utf8Character read = next_utf8(text);
    EXPECT_TRUE(read.valid);
    EXPECT_EQ(read.code, code);
    EXPECT_EQ(read.size, text.size());
  }
}

TEST(Utf8, TakesNoOverlongFormsNorSurrogates) {
  for (const char* text : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(next_utf8(text).valid);
    EXPECT_EQ(next_utf8(text).size, 1u);
  }
}

}  // namespace
}  // namespace flowray::ops
