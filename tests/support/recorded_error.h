#pragma once
/// Wrong uses whose errors real TensorFlow's are recorded in tests/golden/errors.txt: class, code and first
/// sentence must be the same here.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

namespace flowray::testing {

struct RecordedError {
  std::string python_class;  // "ValueError", "InvalidArgumentError", ...; "none": nothing is raised
  std::string code;          // "3 INVALID_ARGUMENT", or "-"
  std::string message;       // its first line
};

/// All cases by name.
const std::map<std::string, RecordedError>& recorded_errors();

/// Runs `misuse` in a new default graph and EXPECTs what is recorded for `name`, and of an error that it
/// names lines of `file`, none twice.
void expect_recorded_error(const std::string& name, void (*misuse)(), std::string_view file);

}  // namespace flowray::testing

/// A test that is named like its case: RECORDED_ERROR(add_shapes) { ...does it... }
/// tests/tf/errors_test.cpp looks for these to see that no case was forgotten.
#define RECORDED_ERROR(name)                                                                       \
  static void name();                                                                              \
  TEST(RecordedErrors, name) { ::flowray::testing::expect_recorded_error(#name, name, __FILE__); } \
  static void name()
