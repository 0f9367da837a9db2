#include "graph/op_schema.h"

#include <gtest/gtest.h>

namespace flowray::graph {
namespace {

TEST(OpSchema, ReadsSignatures) {
  const OpSchema schema =
      parse_op({.name = "Example",
                .inputs = "ref:ref T, values:N*T, axis:int32, rest:[Trest]",
                .outputs = "out:ref T, count:int64",
                .attrs = "T:type{[float32,float64]}; N:int; Trest:list(type)=[]; flag:bool=false; "
                         "mode:string=\"SAME\"{[SAME,VALID]}; rate:float=0.5; dims:list(int)=[1,2]; "
                         "shape:shape=unknown"});
  ASSERT_EQ(schema.inputs.size(), 4u);
  EXPECT_TRUE(schema.inputs[0].is_ref);
  EXPECT_EQ(schema.inputs[0].type_attr, "T");
  EXPECT_EQ(schema.inputs[1].number_attr, "N");
  EXPECT_EQ(schema.inputs[2].type, DType::kInt32);
  EXPECT_EQ(schema.inputs[3].type_list_attr, "Trest");
  EXPECT_TRUE(schema.outputs[0].is_ref);
  EXPECT_EQ(schema.find_attr("T")->allowed_types, (std::vector<DType>{DType::kFloat32, DType::kFloat64}));
  EXPECT_FALSE(schema.find_attr("N")->default_value.has_value());
  EXPECT_EQ(schema.find_attr("mode")->default_value->get<std::string>(), "SAME");
  EXPECT_EQ(schema.find_attr("mode")->allowed_strings, (std::vector<std::string>{"SAME", "VALID"}));
  EXPECT_EQ(schema.find_attr("rate")->default_value->get<float>(), 0.5f);
  EXPECT_EQ(schema.find_attr("dims")->default_value->get<std::vector<int64_t>>(),
            (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(schema.find_attr("shape")->default_value->get<Shape>().has_rank());
  EXPECT_EQ(schema.find_attr("nothing"), nullptr);
}

TEST(OpSchema, ReadsMinimums) {
  const OpSchema schema =
      parse_op({.name = "Example",
                .attrs = "N:int>=1; offset:int>=-2=0; ksize:list(int)>=4; rest:list(int)=[]; free:int=7"});
  EXPECT_EQ(schema.find_attr("N")->minimum, 1);
  EXPECT_FALSE(schema.find_attr("N")->default_value.has_value());
  EXPECT_EQ(schema.find_attr("offset")->minimum, -2);
  EXPECT_EQ(schema.find_attr("offset")->default_value->get<int64_t>(), 0);
  EXPECT_EQ(schema.find_attr("ksize")->minimum, 4);
  EXPECT_TRUE(schema.find_attr("ksize")->is_list);
  EXPECT_EQ(schema.find_attr("rest")->minimum, std::nullopt);
  EXPECT_EQ(schema.find_attr("free")->minimum, std::nullopt);
  EXPECT_EQ(counted(*schema.find_attr("N"), int64_t{-5}), -5);
  EXPECT_EQ(counted(*schema.find_attr("ksize"), std::vector<int64_t>{1, 2}), 2);
}

TEST(OpSchema, SaysWhatItCannotRead) {
  EXPECT_THROW(parse_op({.name = "A", .inputs = "x"}), errors::InternalError);
  EXPECT_THROW(parse_op({.name = "A", .inputs = "x:Nothing"}), errors::InternalError);
  EXPECT_THROW(parse_op({.name = "A", .attrs = "n:what"}), errors::InternalError);
  EXPECT_THROW(parse_op({.name = "A", .attrs = "n:int=many"}), errors::InternalError);
  EXPECT_THROW(parse_op({.name = "A", .attrs = "n:int>=few"}), errors::InternalError);
}

TEST(OpTable, TakesEachNameOnce) {
  OpTable table;
  table.add({.name = "A"});
  EXPECT_THROW(table.add({.name = "A"}), errors::InternalError);
  EXPECT_NE(table.find("A"), nullptr);
  EXPECT_EQ(table.find("A"), table.find("A"));
  EXPECT_EQ(table.find("B"), nullptr);
}

TEST(Attrs, AreFoundByName) {
  Attrs attrs{{"b", true}, {"a", int64_t{3}}};
  EXPECT_EQ(attrs.get<int64_t>("a"), 3);
  attrs.set("a", int64_t{4});
  EXPECT_EQ(attrs.get<int64_t>("a"), 4);
  EXPECT_EQ(attrs.items().size(), 2u);
  EXPECT_EQ(attrs.items()[0].first, "a");
  EXPECT_THROW((void)attrs.get<bool>("a"), errors::InternalError);
  EXPECT_THROW((void)attrs.get<bool>("c"), errors::InternalError);
  EXPECT_TRUE(same_attr(std::vector<int64_t>{1}, std::vector<int64_t>{1}));
  EXPECT_FALSE(same_attr(true, int64_t{1}));
}

}  // namespace
}  // namespace flowray::graph
