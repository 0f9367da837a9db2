#include "core/environment.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace flowray {
namespace {

constexpr const char* kName = "FLOWRAY_TEST_OF_ENVIRONMENT";

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
