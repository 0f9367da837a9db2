// What is expected is what TensorFlow 2.21 gave for the same inputs.

#include <filesystem>
#include <fstream>
#include <limits>

#include "ops/array_testing.h"
#include "support/idx_files.h"

namespace flowray::testing {
namespace {

using graph::Attrs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Array strings(const std::vector<std::string>& values) { return Array(values); }
Array numbers(const std::vector<float>& values) { return Array(values); }

TEST(Assert, SaysWhatIsNotSo) {
  EXPECT_TRUE(run_op_all("Assert", {Array(true), Array("message")}).empty());
  expect_run_error("assertion failed: [message] [1 2.5 1e-07...] [3]\n", "Assert",
                   {Array(false), Array("message"), numbers({1, 2.5f, 1e-7f, 3}), Array(3.f)});
  expect_run_error("In[0] should be a scalar: [1]\n", "Assert",
                   {Array(std::vector<bool>{false}), Array("message")});
}

TEST(Print, WritesToStderrAndPassesOn) {
  ::testing::internal::CaptureStderr();
  const Array x = numbers({1, 2, 3, 4});
  EXPECT_EQ(run_op("Print", {x, x, Array("q")}, {{"message", std::string("msg: ")}}), x);
  EXPECT_EQ(run_op("Print", {strings({"a"}), Array(1)}), strings({"a"}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "msg: [1 2 3...][q]\n[1]\n");
  check_gradient("Print", {Array(std::vector<double>{1, 2}), Array(std::vector<double>{})}, {.skip = {1}});
}

TEST(PrintV2, WritesWhereItIsTold) {
  const TestFolder folder;
  const std::string path = folder.path() / "out";
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  run_op_all("PrintV2", {Array("one")});
  run_op_all("PrintV2", {Array("two")},
             {.attrs = {{"output_stream", std::string("stdout")}, {"end", std::string("!")}}});
  for (int i = 0; i < 2; ++i)
    run_op_all("PrintV2", {Array("three")}, {.attrs = {{"output_stream", "file://" + path}}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "one\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "two!");
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "three\nthree\n");
  expect_run_error("Unknown output stream: nowhere", "PrintV2", {Array("x")},
                   {{"output_stream", std::string("nowhere")}});
}

TEST(CheckNumerics, RefusesWhatIsNoNumber) {
  const Attrs m = {{"message", std::string("m")}};
  EXPECT_EQ(run_op("CheckNumerics", {numbers({1, 2})}, m), numbers({1, 2}));
  expect_run_error("m : Tensor had NaN values\n", "CheckNumerics", {numbers({1, kNan})}, m);
  expect_run_error("m : Tensor had Inf values\n", "CheckNumerics", {numbers({1, kInfinity})}, m);
  expect_run_error("m : Tensor had Inf and NaN values\n", "CheckNumerics", {numbers({kNan, -kInfinity})}, m);
  check_gradient("CheckNumerics", {Array(std::vector<double>{1, 2})}, {.attrs = m});
}

}  // namespace
}  // namespace flowray::testing
