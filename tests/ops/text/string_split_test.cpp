// Strings cut and joined. What they give is what TensorFlow 2.21 gave for
// the same inputs; tests/interop/data_ops_test.py compares many more with it.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

using Strings = std::vector<std::string>;

Array strings(const Strings& values) { return Array(values); }
Array longs(const std::vector<int64_t>& values) { return Array(values); }

TEST(StringSplit, GivesPiecesAsASparseMatrix) {
  const auto split = run_op_all("StringSplit", {strings({"a b  c", "", "x"}), Array(" ")});
  EXPECT_EQ(split[0], longs({0, 0, 0, 1, 0, 2, 2, 0}).reshape({4, 2}));
  EXPECT_EQ(split[1], strings({"a", "b", "c", "x"}));
  EXPECT_EQ(split[2], longs({3, 3}));
  EXPECT_EQ(built_shapes("StringSplit", {TestInput(DType::kString, {3}), TestInput(DType::kString, {})}),
            (Strings{"[?,2]", "[?]", "[2]"}));
  expect_build_error("Shape must be rank 1 but is rank 0", "StringSplit", {Array("a"), Array(" ")});
}

TEST(StringSplitV2, CutsAsOftenAsItIsTold) {
  const auto split = run_op_all("StringSplitV2", {strings({"a b  c ", "x"}), Array("")},
                                {.attrs = {{"maxsplit", int64_t{1}}}});
  EXPECT_EQ(split[1], strings({"a", "b  c ", "x", ""}));
}

// As many bytes as there are, but no characters, and none that are counted from the end.
TEST(Substr, OfANegativeLengthDependsOnTheUnit) {
  const graph::Attrs characters = {{"unit", std::string("UTF8_CHAR")}};
  EXPECT_EQ(run_op("Substr", {strings({"hello"}), Array({-2}), Array({-1})}), strings({"lo"}));
  EXPECT_EQ(run_op("Substr", {strings({"hello"}), Array({1}), Array({-1})}, characters), strings({""}));
  expect_run_error("pos -2 out of range for string at index 0", "Substr",
                   {strings({"hello"}), Array({-2}), Array({-1})}, characters);
}

TEST(Substr, NamesWhatIsOutOfRange) {
  EXPECT_EQ(run_op("Substr", {strings({"hello", "ab"}), Array(-2), Array(2)}), strings({"lo", "ab"}));
  expect_run_error("pos 3 out of range for string b'ab' at index 1", "Substr",
                   {strings({"hello", "ab"}), Array(3), Array(2)});
  expect_build_error(
      "Dimensions must be equal, but are 4 and 2", "Substr",
      {TestInput(DType::kString, {2, 4}), TestInput(DType::kInt32, {2}), TestInput(DType::kInt32, {2})});
}

TEST(ReduceJoin, JoinsTheFirstNamedAxisFastest) {
  const Array square = strings({"a", "b", "c", "d"}).reshape({2, 2});
  EXPECT_EQ(run_op("ReduceJoin", {square, int_vector({0, 1})}), Array("acbd"));
  EXPECT_EQ(run_op("ReduceJoin", {square, int_vector({1, 0})}), Array("abcd"));
  EXPECT_EQ(built_shape("ReduceJoin", {TestInput(DType::kString, {2, 3, 4}), int_vector({-2})}), "[2,4]");
}

TEST(ReduceJoin, OfNothingHasNoStrides) {
  const Array none(DType::kString, {0, int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(run_op("ReduceJoin", {none, Array({2})}).shape(), (Shape{0, int64_t{1} << 40}));
}

}  // namespace
}  // namespace flowray::testing
