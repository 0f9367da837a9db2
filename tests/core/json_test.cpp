#include "core/json.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

namespace flowray {
namespace {

using Kind = JsonValue::Kind;

TEST(Json, HasValuesOfEachKind) {
  const JsonValue json =
      read_json(R"( {"a": [1, -2.5e3, true, null], "b": {"c": "x\"\u00e9"}, "a": "again"} )");
  EXPECT_EQ(json.kind, Kind::kMap);
  ASSERT_NE(json.find("a"), nullptr);
  EXPECT_EQ(json.find("a")->text, "again");
  const JsonValue& list = json.items.at(0);
  ASSERT_EQ(list.items.size(), 4u);
  EXPECT_EQ(list.items[0].text, "1");
  EXPECT_EQ(list.items[1].text, "-2.5e3");
  EXPECT_EQ(list.items[2].kind, Kind::kBool);
  EXPECT_EQ(list.items[3].kind, Kind::kNull);
  EXPECT_EQ(json.find("b")->find("c")->text, "x\"\xc3\xa9");
  EXPECT_EQ(json.find("d"), nullptr);
  EXPECT_EQ(list.find("a"), nullptr);
}

TEST(Json, IsNothingElse) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "01x", "'a'", "1 2", "\"a", "nul"})
    EXPECT_THROW(read_json(text), ValueError) << text;
  EXPECT_THROW(read_json(std::string(1000, '[')), ValueError);
}

}  // namespace
}  // namespace flowray
