// Programs that the compiler must refuse, with a message that says what is wrong.
#include "support/compiler.h"

#include <gtest/gtest.h>

#include <string>

namespace flowray {
namespace {

class DoesNotCompile : public testing::TestWithParam<std::string> {};

TEST_P(DoesNotCompile, AndSaysWhere) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  expect_refused("tf", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Programs, DoesNotCompile, testing::Values("conditions", "options", "branches"),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace flowray
