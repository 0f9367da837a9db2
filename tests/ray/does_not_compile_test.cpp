// Programs that the compiler must refuse, with a message that says what to do.
#include "support/compiler.h"

#include <gtest/gtest.h>

namespace flowray {
namespace {

class DoesNotCompile : public testing::TestWithParam<const char*> {};

TEST_P(DoesNotCompile, AndSaysWhatToDo) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  expect_refused("ray", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Programs, DoesNotCompile,
                         testing::Values("parts_of_graphs", "returned_tensor", "pointers_and_unknown_types",
                                         "arguments", "callables", "lambdas", "lambda_factory",
                                         "session_parameter", "python_classes", "old_standard"),
                         [](const auto& program) { return std::string(program.param); });

TEST(DoesCompile, WhatIsRight) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  expect_accepted("tests/ray/does_not_compile_control.cpp");
}

TEST(DoesCompile, AProgramOfRaysThatIncludesNothingElse) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  expect_accepted("tests/ray/ray_api_alone.cpp");
}

TEST(DoesCompile, AProgramOfRaysWithClassesOfItsOwn) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  expect_accepted("tests/ray/using_namespace_ray.cpp");
}

}  // namespace
}  // namespace flowray
