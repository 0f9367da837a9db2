// Strings cut, hashed and read as numbers, CSV and Examples. What they give is what TensorFlow 2.21 gave for
// the same inputs; tests/interop/data_ops_test.py compares many more with it.

#include "ops/array_testing.h"

#include <filesystem>

#include "support/idx_files.h"

namespace flowray::testing {
namespace {

using Strings = std::vector<std::string>;

Array strings(const Strings& values) { return Array(values); }
Array longs(const std::vector<int64_t>& values) { return Array(values); }

/// A tf.train.Example with one float feature "a" of [1, 2], as TensorFlow writes it.
const std::string kExample(
    "\x0a\x13\x0a\x11\x0a\x01\x61\x12\x0c\x12\x0a\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 21);

std::vector<Array> parse(const Array& serialized, const Array& fallback, const Shape& shape) {
  return run_op_all("ParseExampleV2",
                    {serialized, strings({}), strings({}), strings({"a"}), strings({}), fallback},
                    {.attrs = {{"Tdense", std::vector<DType>{DType::kFloat32}},
                               {"num_sparse", int64_t{0}},
                               {"sparse_types", std::vector<DType>{}},
                               {"ragged_value_types", std::vector<DType>{}},
                               {"ragged_split_types", std::vector<DType>{}},
                               {"dense_shapes", std::vector<Shape>{shape}}}});
}

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

TEST(StringToHashBucket, GivesTensorFlowsNumbers) {
  const Array texts = strings({"", "a", "hello", std::string(65, 'z')});
  const graph::Attrs many = {{"num_buckets", int64_t{1} << 62}};
  EXPECT_EQ(run_op("StringToHashBucketFast", {texts}, many),
            longs({1936946117179621455, 3694432073954588131, 3786372426573024488, 3688229565335330613}));
  EXPECT_EQ(run_op("StringToHashBucket", {texts}, many),
            longs({105434511174508091, 2996632905371535868, 1331861223480393034, 2788949775400558854}));
  EXPECT_EQ(run_op("StringToHashBucketStrong", {texts},
                   {{"num_buckets", int64_t{1} << 62}, {"key", std::vector<int64_t>{7, 9}}}),
            longs({1315545615887763260, 1004874263156222447, 4448715484617106059, 4499851587181231062}));
}

TEST(DecodeRaw, ReadsElementsOfEitherByteOrder) {
  const graph::Attrs big = {{"out_type", DType::kInt16}, {"little_endian", false}};
  EXPECT_EQ(run_op("DecodeRaw", {strings({"abcd"})}, big),
            Array(std::vector<int16_t>{24930, 25444}).reshape({1, 2}));
  expect_run_error("Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16",
                   "DecodeRaw", {strings({"abc"})}, big);
}

TEST(ReduceJoin, JoinsTheFirstNamedAxisFastest) {
  const Array square = strings({"a", "b", "c", "d"}).reshape({2, 2});
  EXPECT_EQ(run_op("ReduceJoin", {square, int_vector({0, 1})}), Array("acbd"));
  EXPECT_EQ(run_op("ReduceJoin", {square, int_vector({1, 0})}), Array("abcd"));
  EXPECT_EQ(built_shape("ReduceJoin", {TestInput(DType::kString, {2, 3, 4}), int_vector({-2})}), "[2,4]");
}

TEST(DecodeCsv, ReadsQuotedFieldsAndDefaults) {
  const auto columns =
      run_op_all("DecodeCSV", {strings({"1,\"b,c\"", ",x"}), int_vector({7}), strings({"z"})});
  EXPECT_EQ(columns[0], int_vector({1, 7}));
  EXPECT_EQ(columns[1], strings({"b,c", "x"}));
  expect_run_error("Quoted field has to end with quote followed by delim or end", "DecodeCSV",
                   {strings({"\"a"}), strings({"z"})});
}

TEST(ParseExample, SurvivesEveryDamage) {
  EXPECT_EQ(parse(strings({kExample}), Array(DType::kFloat32, {0}), {2})[0], Array({{1.f, 2.f}}));
  int num_refused = 0;
  for (size_t i = 0; i < kExample.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      for (const bool is_cut : {false, true}) {
        std::string damaged = kExample.substr(0, is_cut ? i : kExample.size());
        if (!is_cut) damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        try {
          parse(strings({damaged}), Array({3.f, 4.f}), {2});
        } catch (const errors::InvalidArgumentError&) {
          ++num_refused;
        }
      }
    }
  }
  EXPECT_GT(num_refused, 20);
}

TEST(Files, AreFoundWrittenAndRead) {
  const TestFolder folder;
  const std::string path = folder.path() / "a" / "b.txt";
  run_op_all("WriteFile", {Array(path), Array("text")});
  EXPECT_EQ(run_op("ReadFile", {Array(path)}), Array("text"));
  EXPECT_EQ(run_op("MatchingFiles", {Array(std::string(folder.path() / "*" / "?.txt"))}), strings({path}));
  EXPECT_THROW(run_op("ReadFile", {Array(path + "x")}), errors::NotFoundError);
}

}  // namespace
}  // namespace flowray::testing
