// What is expected is what TensorFlow 2.21 gave for the same inputs.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using Strings = std::vector<std::string>;

Array strings(const Strings& values) { return Array(values); }
Array numbers(const std::vector<float>& values) { return Array(values); }

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

TEST(StringStrip, DropsBlanksAtBothEnds) {
  EXPECT_EQ(run_op("StringStrip", {Array(std::vector<std::string>{" \t a b\r\n", "", " \v\f ", "c"})}),
            Array(std::vector<std::string>{"a b", "", "", "c"}));
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

TEST(StringFormat, ShowsAsManyElementsAsAnIntCanSay) {
  EXPECT_EQ(run_op("StringFormat", {Array({1, 2, 3})}, {{"summarize", int64_t{INT32_MAX}}}),
            Array("[1 2 3]"));
  expect_run_error("Attr summarize has value 9223372036854775807 out of range for an int32", "StringFormat",
                   {Array({1, 2, 3})}, {{"summarize", INT64_MAX}});
}

}  // namespace
}  // namespace flowray::testing
