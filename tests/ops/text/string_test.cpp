// Strings, regular expressions, and values shown as text. What they give is what TensorFlow 2.21 gave for the
// same inputs.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "ops/array_testing.h"
#include "ops/text/value_summary.h"
#include "support/idx_files.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using Strings = std::vector<std::string>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Array strings(const Strings& values) { return Array(values); }
Array numbers(const std::vector<float>& values) { return Array(values); }

template <class T>
Array array(const std::vector<T>& values, const Shape& shape) {
  return Array::from(values, shape);
}

// ---- values as text

TEST(ValueSummary, ShowsTheFirstElements) {
  EXPECT_EQ(ops::value_summary(numbers({1, 2.5f, 1e-7f, 3}), 3), "1 2.5 1e-07...");
  EXPECT_EQ(ops::value_summary(counting<int32_t>({2, 2}, 1), 3), "[1 2][3...]...");
  EXPECT_EQ(ops::value_summary(counting<int64_t>({3, 2, 2}), 5), "[[0 1][2 3]][[4...]]...");
  EXPECT_EQ(ops::value_summary(Array(std::vector<bool>{true, false}), 3), "1 0");
  EXPECT_EQ(ops::value_summary(strings({"q\"\n"}), 3), "q\\\"\\n");
  EXPECT_EQ(ops::value_summary(Array(3.f), 3), "3");
  EXPECT_EQ(ops::value_summary(Array(DType::kFloat32, {0}), 3), "");
}

TEST(ValueSummary, ShowsNumbersAsTheyReadBack) {
  EXPECT_EQ(
      ops::value_summary(
          numbers({1.f / 3, 1e10f, 1e20f, 123456789.f, kNan, kInfinity, -kInfinity, 0.1f, 1e5f, 1e6f}), -1),
      "0.333333343 1e+10 1e+20 123456792 nan inf -inf 0.1 100000 1e+06");
  EXPECT_EQ(ops::value_summary(Array(std::vector<double>{1. / 3, 1e17, 1e-300}), -1),
            "0.33333333333333331 1e+17 1e-300");
  EXPECT_EQ(ops::value_summary(Array(std::vector<float16>{float16(1.5f), float16(1.f / 3)}), -1),
            "1.5 0.333251953");
  EXPECT_EQ(ops::value_summary(Array(std::complex<float>(1, 2)), -1), "?");
  EXPECT_EQ(ops::value_summary(Array(int8_t{-5}), -1), "-5");
  EXPECT_EQ(ops::value_summary(Array(uint8_t{200}), -1), "200");
}

TEST(StringFormat, ShowsTheEndsOfEachDimension) {
  const auto formatted = [](const Array& value, int64_t ends) {
    return run_op(
        "StringFormat", {value},
        {{"template", std::string("<%t%>")}, {"placeholder", std::string("%t%")}, {"summarize", ends}});
  };
  EXPECT_EQ(formatted(counting<int64_t>({2, 3, 4}), 1),
            Array("<[[[0 ... 3]\n  ...\n  [8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]>"));
  EXPECT_EQ(formatted(counting<int64_t>({2, 2}), -1), Array("<[[0 1]\n [2 3]]>"));
  EXPECT_EQ(formatted(strings({"a", "b\""}), 3), Array("<[\"a\" \"b\\\"\"]>"));
  EXPECT_EQ(formatted(Array(true), 3), Array("<1>"));
  EXPECT_EQ(formatted(Array(DType::kFloat32, {0, 2}), 3), Array("<[]>"));
  EXPECT_EQ(formatted(Array(DType::kFloat32, {2, 0}), 3), Array("<[\n ...]>"));
  EXPECT_EQ(formatted(Array(DType::kBool, {2, 0}), 3), Array("<>"));
  expect_run_error("num placeholders in template and num inputs must match: 1 vs. 2", "StringFormat",
                   {Array(1), Array(2)}, {{"template", std::string("%s")}});
}

// ---- looking at values

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

// ---- strings

TEST(StringJoin, NeedsOneRank) {
  expect_build_error("Shapes must be equal rank, but are 1 and 2", "StringJoin",
                     {strings({"a", "b"}), strings({"a", "b"}).reshape({2, 1})}, {{"N", int64_t{2}}});
}

TEST(StringJoin, JoinsElementByElement) {
  EXPECT_EQ(run_op("StringJoin", {Array("a"), strings({"b", "c"})}, {{"separator", std::string("-")}}),
            strings({"a-b", "a-c"}));
  EXPECT_EQ(run_op("StringJoin", {Array("a"), Array("b")}), Array("ab"));
  expect_run_error("Input shapes do not match: [1] vs. [2]\n", "StringJoin",
                   {strings({"a"}), strings({"b", "c"})});
  EXPECT_EQ(built_shape("StringJoin", {TestInput(DType::kString, {}), TestInput(DType::kString, {3})}),
            "[3]");
}

TEST(Regex, MatchesWholeStrings) {
  const Attrs pattern = {{"pattern", std::string("^s3://.*")}};
  EXPECT_EQ(run_op("StaticRegexFullMatch", {strings({"s3://x", "/a", ""})}, pattern),
            Array(std::vector<bool>{true, false, false}));
  EXPECT_EQ(run_op("RegexFullMatch", {strings({"ab", "abc"}), Array("a.")}),
            Array(std::vector<bool>{true, false}));
  expect_run_error("Invalid pattern: (a, error: missing ): (a\n", "StaticRegexFullMatch", {strings({"x"})},
                   {{"pattern", std::string("(a")}});
}

TEST(Regex, Replaces) {
  const auto replaced = [](const Strings& texts, const std::string& pattern, const std::string& rewrite,
                           bool all) {
    return run_op("StaticRegexReplace", {strings(texts)},
                  {{"pattern", pattern}, {"rewrite", rewrite}, {"replace_global", all}});
  };
  EXPECT_EQ(replaced({"aabb", "x"}, "a+(b)", "[\\1]", true), strings({"[b]b", "x"}));
  EXPECT_EQ(replaced({"aabab", "x"}, "a", "z", false), strings({"zabab", "x"}));
  EXPECT_EQ(run_op("RegexReplace", {strings({"aabab"}), Array("a"), Array("z")}), strings({"zzbzb"}));
}

TEST(AsString, PrintsAsC) {
  const auto shown = [](const Array& values, Attrs attrs = {}) {
    return run_op("AsString", {values}, std::move(attrs));
  };
  EXPECT_EQ(shown(numbers({1, 2.5f, 1e-7f, 1e20f})),
            strings({"1.000000", "2.500000", "0.000000", "100000002004087734272.000000"}));
  EXPECT_EQ(shown(Array(std::vector<int32_t>{1, -22})), strings({"1", "-22"}));
  EXPECT_EQ(shown(numbers({1.5f, 22.25f}),
                  {{"precision", int64_t{2}}, {"width", int64_t{8}}, {"fill", std::string("0")}}),
            strings({"00001.50", "00022.25"}));
  EXPECT_EQ(shown(numbers({1.5f}), {{"scientific", true}}), strings({"1.500000e+00"}));
  EXPECT_EQ(shown(numbers({1.5f, 22.25f}), {{"shortest", true}}), strings({"1.5", "22.25"}));
  EXPECT_EQ(shown(Array(std::vector<bool>{true, false})), strings({"true", "false"}));
  EXPECT_EQ(shown(Array(std::complex<float>(1, 2))), Array("(1.000000,2.000000)"));
  EXPECT_EQ(shown(Array(std::vector<int32_t>{1, 22}), {{"width", int64_t{5}}, {"fill", std::string("-")}}),
            strings({"1    ", "22   "}));
  EXPECT_EQ(shown(Array(uint64_t{18446744073709551615u})), Array("18446744073709551615"));
  EXPECT_EQ(shown(strings({"a"})), strings({"a"}));
  expect_run_error("width and precision must be at most 1048576, got 2147483648 and -1\n", "AsString",
                   {Array(1)}, {{"width", int64_t{1} << 31}});
  expect_run_error("precision not supported for datatype int32\n", "AsString", {Array(1)},
                   {{"precision", int64_t{5}}});
}

TEST(StringToNumber, ReadsWholeStrings) {
  EXPECT_EQ(run_op("StringToNumber", {strings({"1.5", " -2e3 "})}), numbers({1.5f, -2000}));
  EXPECT_EQ(run_op("StringToNumber", {Array("7")}, {{"out_type", DType::kInt64}}), Array(int64_t{7}));
  expect_run_error("StringToNumberOp could not correctly convert string: 1x\n", "StringToNumber",
                   {Array("1x")});
}

TEST(StringOps, ChangeAndCountCharacters) {
  EXPECT_EQ(run_op("StringLower", {strings({"aB\u00dc"})}), strings({"ab\u00dc"}));
  EXPECT_EQ(run_op("StringUpper", {strings({"aB"})}), strings({"AB"}));
  EXPECT_EQ(run_op("StringLength", {strings({"abc", "", "\u00fc"})}), Array(std::vector<int32_t>{3, 0, 2}));
  EXPECT_EQ(run_op("StringLength", {strings({"\u00fcx"})}, {{"unit", std::string("UTF8_CHAR")}}),
            Array(std::vector<int32_t>{2}));
}

}  // namespace
}  // namespace flowray::testing
