// Protobuf's text form as people write it; what Python writes is read in message_test.cpp.

#include "wire/graph_def.h"
#include "wire/text_reader.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace flowray::wire {
namespace {

using ::testing::ElementsAre;

std::string error_of(std::string_view text) {
  try {
    from_text_format<GraphDef>(text);
  } catch (const errors::InvalidArgumentError& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(TextFormat, MayBeWrittenInManyWays) {
  const auto graph = from_text_format<GraphDef>(R"(
    # a comment
    node: < name: 'a' "b" op: "NoOp", input: ["x", "y:1"]; input: "^z" >
    versions { producer: 0x10 bad_consumers: [] bad_consumers: [1, 017] }  # the end)");
  ASSERT_EQ(graph.node.size(), 1u);
  EXPECT_EQ(graph.node[0].name, "ab");
  EXPECT_THAT(graph.node[0].input, ElementsAre("x", "y:1", "^z"));
  EXPECT_EQ(graph.versions->producer, 16);
  EXPECT_THAT(graph.versions->bad_consumers, ElementsAre(1, 15));
}

TEST(TextFormat, ReadsEscapesAsCDoes) {
  const auto node = from_text_format<NodeDef>(R"(name: "\n\t\\\'\"\101\x42\7z\377")");
  EXPECT_EQ(node.name, std::string("\n\t\\'\"AB\7z\377"));
}

TEST(TextFormat, ReadsNumbersOfEveryForm) {
  const auto tensor = from_text_format<TensorProto>(
      "dtype: DT_INT32_REF float_val: [1, -2.5f, 1e-3, inf, -inf, 1e39] double_val: nan int64_val: "
      "-9223372036854775808 "
      "uint64_val: 18446744073709551615 bool_val: [true, f, 1]");
  EXPECT_EQ(tensor.dtype, ref_dtype(DType::kInt32));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(tensor.float_val, ElementsAre(1, -2.5f, 1e-3f, infinity, -infinity, infinity));
  EXPECT_TRUE(tensor.double_val.at(0) != tensor.double_val.at(0));
  EXPECT_EQ(tensor.int64_val.at(0), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(tensor.uint64_val.at(0), std::numeric_limits<uint64_t>::max());
  EXPECT_THAT(tensor.bool_val, ElementsAre(true, false, true));
}

TEST(TextFormat, ReadsIntegersOfEveryBase) {
  const auto tensor = from_text_format<TensorProto>("int64_val: [10, 0x1f, -0X10, 017, -010, 0]");
  EXPECT_THAT(tensor.int64_val, ElementsAre(10, 31, -16, 15, -8, 0));
}

TEST(TextFormat, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of("node {\n  nam: 'a' }"), "2:6 : Message type has no field named \"nam\".");
  EXPECT_EQ(error_of("node { name: 'a }"), "1:18 : String missing ending quote.");
  EXPECT_EQ(error_of("node { name 'a' }"), "1:13 : Expected \":\".");
  EXPECT_EQ(error_of("node { name: 1 }"), "1:14 : Expected a string.");
  EXPECT_EQ(error_of("node {"), "1:7 : Expected \"}\".");
  EXPECT_EQ(error_of("versions { producer: 3000000000 }"),
            "1:33 : \"3000000000\" is not an integer of 32 bits.");
  EXPECT_EQ(error_of("version: 1.5"), "1:13 : \"1.5\" is not an integer of 32 bits.");
  EXPECT_EQ(error_of("}"), "1:1 : Expected a name or a number.");
}

TEST(TextFormat, NestedTooDeeplyIsAnErrorAndNoStackOverflow) {
  std::string text = "library { function { attr { key: 'a' value { ";
  for (int i = 0; i < 10000; ++i) text += "func { attr { value { ";
  EXPECT_NE(error_of(text).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace flowray::wire
