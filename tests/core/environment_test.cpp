#include "core/environment.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace flowray {
namespace {

constexpr const char* kName = "FLOWRAY_TEST_OF_ENVIRONMENT";

class SwitchFromEnvironment : public testing::Test {
 protected:
  ~SwitchFromEnvironment() override { unsetenv(kName); }

  static bool read(const char* text, bool otherwise = false) {
    setenv(kName, text, 1);
    return switch_from_environment(kName, otherwise);
  }
};

TEST_F(SwitchFromEnvironment, IsTheDefaultWhereNothingIsSet) {
  unsetenv(kName);
  EXPECT_FALSE(switch_from_environment(kName, false));
  EXPECT_TRUE(switch_from_environment(kName, true));
  EXPECT_TRUE(read("", true));
}

TEST_F(SwitchFromEnvironment, IsWhatTheWordSays) {
  for (const char* word : {"1", "true", "on", "yes", "ON", "True"}) EXPECT_TRUE(read(word)) << word;
  for (const char* word : {"0", "false", "off", "no", "OFF", "False"}) EXPECT_FALSE(read(word, true)) << word;
}

TEST_F(SwitchFromEnvironment, RefusesOtherWords) {
  for (const char* word : {"2", "-1", "01", " 1", "maybe", "o n", "oui"}) {
    try {
      (void)read(word);
      ADD_FAILURE() << "took " << word;
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_EQ(error.message(),
                std::string("The environment variable ") + kName + " is '" + word +
                    "': expected 1, true, on or yes, or 0, false, off or no, or nothing for off");
    }
  }
}

class IntegerFromEnvironment : public testing::Test {
 protected:
  ~IntegerFromEnvironment() override { unsetenv(kName); }

  static int64_t read(const char* text) {
    setenv(kName, text, 1);
    return integer_from_environment(kName, -5, 1000, 7);
  }
};

TEST_F(IntegerFromEnvironment, IsTheDefaultWhereNothingIsSet) {
  unsetenv(kName);
  EXPECT_EQ(integer_from_environment(kName, 0, 10, 7), 7);
  EXPECT_EQ(read(""), 7);
}

TEST_F(IntegerFromEnvironment, IsWhatIsSetUpToBothBounds) {
  EXPECT_EQ(read("42"), 42);
  EXPECT_EQ(read("-5"), -5);
  EXPECT_EQ(read("1000"), 1000);
}

TEST_F(IntegerFromEnvironment, RefusesAnythingElseAndSaysWhatIsExpected) {
  for (const char* text : {"-6", "1001", "4 2", " 4", "4.", "0x4", "four", "99999999999999999999"}) {
    try {
      read(text);
      ADD_FAILURE() << "took " << text;
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_EQ(error.message(), "The environment variable FLOWRAY_TEST_OF_ENVIRONMENT is '" +
                                     std::string(text) +
                                     "': expected a whole number from -5 to 1000, or nothing for 7");
    }
  }
}

}  // namespace
}  // namespace flowray
