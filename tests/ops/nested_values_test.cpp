// Values within each other as deep, and in as many places, as a small graph makes them: the process neither
// runs out of its stack nor walks through them for ever.

#include "core/sanitizers.h"
#include "engine/session.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "support/op_runner.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace flowray {
namespace {

using ::testing::HasSubstr;
using testing::run_op;
using testing::run_op_all;

/// In protobuf's text form; `attrs`: as "T: DT_INT32".
std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs = {},
                 const std::string& attrs = "", const std::string& field = "node") {
  std::string text = fmt::format("{} {{ name: '{}' op: '{}' ", field, name, op);
  for (const std::string& input : inputs) text += fmt::format("input: '{}' ", input);
  return text + attrs + "}\n";
}
std::string type_attr(const std::string& name, const std::string& dtype) {
  return fmt::format("attr {{ key: '{}' value {{ type: DT_{} }} }} ", name, dtype);
}
std::string list_attr(const std::string& name, const std::string& items) {
  return fmt::format("attr {{ key: '{}' value {{ list {{ {} }} }} }} ", name, items);
}
std::string constant(const std::string& name, const std::string& dtype, const std::string& value,
                     const std::string& field = "node") {
  return node(
      name, "Const", {},
      type_attr("dtype", dtype) +
          fmt::format("attr {{ key: 'value' value {{ tensor {{ dtype: DT_{} tensor_shape {{ }} {} }} }} }} ",
                      dtype, value),
      field);
}
std::string function_attr(const std::string& name, const std::string& function) {
  return fmt::format("attr {{ key: '{}' value {{ func {{ name: '{}' }} }} }} ", name, function);
}

const std::string kInt64s =
    list_attr("output_types", "type: DT_INT64") + list_attr("output_shapes", "shape { }");

/// A dataset of the numbers 0 to 9 called `d0`, and what is made of it.
std::string numbers(const std::string& field = "node") {
  return constant("zero", "INT64", "int64_val: 0", field) + constant("one", "INT64", "int64_val: 1", field) +
         constant("ten", "INT64", "int64_val: 10", field);
}
std::string range() { return numbers() + node("d0", "RangeDataset", {"zero", "ten", "one"}, kInt64s); }

class NestedValues : public ::testing::Test {
 protected:
  NestedValues() : graph_(ops::op_table()) {}

  void import(const std::string& text) {
    graph::import_graph_def(wire::from_text_format<wire::GraphDef>(text), graph_);
  }
  /// Runs the node; "" or the error.
  std::string run(const std::string& name, double seconds = 100) {
    engine::Session session;
    graph::Node* const target[] = {graph_.find(name)};
    engine::RunContext context;
    context.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    try {
      session.step({{}, {}, target}).run({}, {}, context);
      return "";
    } catch (const errors::OpError& error) {
      return std::string(code_name(error.code())) + ": " + error.message();
    }
  }

  graph::Graph graph_;
};

/// d1 = f(d0), d2 = f(d1), ...; of the last one the first element.
std::string chain(int count, const std::string& op, const std::vector<std::string>& others,
                  const std::string& attrs) {
  std::string text = range();
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> inputs = {fmt::format("d{}", i)};
    inputs.insert(inputs.end(), others.begin(), others.end());
    text += node(fmt::format("d{}", i + 1), op, inputs, attrs);
  }
  return text +
         node("it", "IteratorV2", {},
              kInt64s +
                  "attr { key: 'shared_name' value { s: '' } } attr { key: 'container' value { s: '' } } ") +
         node("made", "MakeIterator", {fmt::format("d{}", count), "it"}) +
         node("next", "IteratorGetNext", {"it", "^made"}, kInt64s);
}

TEST_F(NestedValues, AChainOfDatasetsHasALimit) {
  import(chain(1'500, "TakeDataset", {"ten"}, kInt64s));
  EXPECT_THAT(run("next"), HasSubstr("RESOURCE_EXHAUSTED: Variants hold each other more than 1000 deep"));
}

TEST_F(NestedValues, AChainOfDatasetsMayBeLong) {
  import(chain(900, "TakeDataset", {"ten"}, kInt64s));
  EXPECT_EQ(run("next"), "");
}

TEST_F(NestedValues, AChainOfFunctionsOfDatasetsMayBeLong) {
  import(
      "library { function { signature { name: 'Same' input_arg { name: 'x' type: DT_INT64 } "
      "output_arg { name: 'y' type: DT_INT64 } } ret { key: 'y' value: 'x' } } }\n" +
      chain(100, "MapDataset", {}, kInt64s + list_attr("Targuments", "") + function_attr("f", "Same")));
  EXPECT_EQ(run("next"), "");
}

TEST_F(NestedValues, ADatasetIsNotWalkedThroughInMillionsOfPlaces) {
  std::string text = range();
  for (int i = 0; i < 40; ++i) {
    const std::string from = fmt::format("d{}", i);
    text += node(fmt::format("d{}", i + 1), "ZipDataset", {from, from},
                 kInt64s + "attr { key: 'N' value { i: 2 } } ");
  }
  import(text +
         node("it", "IteratorV2", {},
              kInt64s +
                  "attr { key: 'shared_name' value { s: '' } } attr { key: 'container' value { s: '' } } ") +
         node("made", "MakeIterator", {"d40", "it"}) + node("made10", "MakeIterator", {"d10", "it"}));
  EXPECT_THAT(run("made", 5), HasSubstr("RESOURCE_EXHAUSTED: A walk through a dataset would be more than"));
  EXPECT_EQ(run("made10"), "");
}

const std::string kFunctionHead = "signature { name: 'F' input_arg { name: 'x' type: DT_INT64 } ";

/// F(x) walks through a dataset of x whose function is F.
TEST_F(NestedValues, AFunctionOfADatasetMayWalkThroughItsOwnNotForEver) {
  const std::string attrs = kInt64s + list_attr("Targuments", "") + function_attr("f", "F");
  const std::string slices =
      list_attr("Toutput_types", "type: DT_INT64") + list_attr("output_shapes", "shape { }");
  import("library { function { " + kFunctionHead +
         "output_arg { name: 'y' type: DT_INT64 } is_stateful: true } " +
         node("t", "TensorDataset", {"x"}, slices, "node_def") +
         node("m", "MapDataset", {"t:handle:0"}, attrs, "node_def") +
         node("e", "DatasetToSingleElement", {"m:handle:0"}, kInt64s, "node_def") +
         "ret { key: 'y' value: 'e:components:0' } } }\n" + range() + node("m", "MapDataset", {"d0"}, attrs) +
         node("first", "TakeDataset", {"m", "one"}, kInt64s) +
         node("e", "DatasetToSingleElement", {"first"}, kInt64s));
  EXPECT_THAT(run("e"), HasSubstr("RESOURCE_EXHAUSTED: "));
}

class FlatMapOfItself : public NestedValues, public ::testing::WithParamInterface<const char*> {};

/// F(x) gives a dataset whose elements are those of F(x).
TEST_P(FlatMapOfItself, HasALimit) {
  const std::string op = GetParam();
  const std::string attrs = kInt64s + list_attr("Targuments", "") + function_attr("f", "F");
  const std::string slices =
      list_attr("Toutput_types", "type: DT_INT64") + list_attr("output_shapes", "shape { }");
  const std::vector<std::string> turns =
      op == "ParallelInterleaveDatasetV4"
          ? std::vector<std::string>{"one:output:0", "one:output:0", "two:output:0", "two:output:0",
                                     "two:output:0"}
      : op == "InterleaveDataset" ? std::vector<std::string>{"one:output:0", "one:output:0"}
                                  : std::vector<std::string>{};
  std::vector<std::string> inside = {"t:handle:0"};
  inside.insert(inside.end(), turns.begin(), turns.end());
  std::vector<std::string> outside = {"d0"};
  for (const std::string& turn : turns) outside.push_back(turn.substr(0, 3));
  import("library { function { " + kFunctionHead + "output_arg { name: 'y' type: DT_VARIANT } } " +
         constant("one", "INT64", "int64_val: 1", "node_def") +
         constant("two", "INT64", "int64_val: 2", "node_def") +
         node("t", "TensorDataset", {"x"}, slices, "node_def") + node("m", op, inside, attrs, "node_def") +
         "ret { key: 'y' value: 'm:handle:0' } } }\n" + range() + constant("two", "INT64", "int64_val: 2") +
         node("m", op, outside, attrs) + node("e", "DatasetToSingleElement", {"m"}, kInt64s));
  EXPECT_THAT(run("e"), HasSubstr("RESOURCE_EXHAUSTED: "));
}

INSTANTIATE_TEST_SUITE_P(Ops, FlatMapOfItself,
                         ::testing::Values("FlatMapDataset", "InterleaveDataset",
                                           "ParallelInterleaveDatasetV4"),
                         [](const auto& op) { return std::string(op.param); });

// ---- lists and optionals

const graph::Attrs kVariants{{"element_dtype", DType::kVariant}, {"shape_type", DType::kInt32}};
Array ints(std::vector<int32_t> values) { return {values}; }

Array empty_list() { return run_op("EmptyTensorList", {ints({}), Array(-1)}, kVariants); }
Array pushed(const Array& list, const Array& value) {
  return run_op_all("TensorListPushBack", {list, value}, {.attrs = {{"element_dtype", value.dtype()}}})[0];
}
Array optional_of(const Array& value) {
  return run_op_all("OptionalFromValue", {value},
                    {.attrs = {{"Toutput_types", std::vector<DType>{value.dtype()}}}})[0];
}

template <class Deeper>
void expect_a_limit(Array value, Deeper deeper) {
  bool is_refused = false;
  for (int i = 0; i < 400'000 && !is_refused; ++i) {
    try {
      value = deeper(value);
    } catch (const errors::ResourceExhaustedError& error) {
      EXPECT_THAT(error.message(), HasSubstr("Variants hold each other more than 1000 deep"));
      is_refused = true;
    }
  }
  EXPECT_TRUE(is_refused);
  (void)run_op("ZerosLike", {value});
  (void)run_op("AddN", {value, value}, {{"N", int64_t{2}}});
}

TEST(NestedVariants, ListsOfListsHaveALimit) {
  expect_a_limit(empty_list(), [](const Array& list) { return pushed(empty_list(), list); });
}

TEST(NestedVariants, DatasetsOfDatasetsHaveALimit) {
  const Array number(int64_t{1});
  const std::vector<DType> types = {DType::kInt64};
  const graph::Attrs attrs = {{"output_types", types}, {"output_shapes", std::vector<Shape>{Shape()}}};
  Array dataset = run_op("RangeDataset", {number, number, number}, attrs);
  EXPECT_THROW(
      {
        for (int i = 0; i < 400'000; ++i) dataset = run_op("TakeDataset", {dataset, number}, attrs);
      },
      errors::ResourceExhaustedError);
}

TEST(NestedVariants, OptionalsOfOptionalsHaveALimit) {
  expect_a_limit(optional_of(Array(1.0f)), [](const Array& optional) { return optional_of(optional); });
}

TEST(NestedVariants, AListThatIsAnElementOfItsNextStateHasALimit) {
  expect_a_limit(empty_list(), [](const Array& list) { return pushed(list, list); });
}

/// L(k) = [L(k-1), L(k-1)]: 2^60 ways through 60 lists.
TEST(NestedVariants, AreGoneThroughOnceEach) {
  Array list = pushed(run_op("EmptyTensorList", {ints({}), Array(-1)},
                             {{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}}),
                      Array(3.0f));
  Array optional = optional_of(Array(3.0f));
  for (int i = 0; i < 60; ++i) {
    list = pushed(pushed(empty_list(), list), list);
    optional = run_op_all("OptionalFromValue", {optional, optional},
                          {.attrs = {{"Toutput_types", std::vector<DType>(2, DType::kVariant)}}})[0];
  }
  const auto innermost = [](Array inner) {
    for (int i = 0; i < 60; ++i) {
      inner = run_op_all("TensorListGetItem", {inner, Array(1), ints({})},
                         {.attrs = {{"element_dtype", DType::kVariant}}})[0];
    }
    return run_op_all("TensorListGetItem", {inner, Array(0), ints({})},
                      {.attrs = {{"element_dtype", DType::kFloat32}}})[0];
  };
  EXPECT_EQ(innermost(run_op("ZerosLike", {list})), Array(0.0f));
  EXPECT_EQ(innermost(run_op("AddN", {list, list}, {{"N", int64_t{2}}})), Array(6.0f));
  (void)run_op("ZerosLike", {optional});
  (void)run_op("AddN", {optional, optional}, {{"N", int64_t{2}}});
}

/// A handle that is in what another one stands for, and so on.
TEST(NestedVariants, HandlesMayKeepEachOtherAsDeepAsTheyLike) {
  Array stack;
  for (int i = 0; i < (kSanitized ? 20'000 : 100'000); ++i) {
    const Array deeper = run_op("StackV2", {Array(-1)}, {{"elem_type", DType::kResource}});
    if (stack.has_value()) (void)run_op("StackPushV2", {deeper, stack}, {{"T", DType::kResource}});
    stack = deeper;
  }
  stack = Array();
}

}  // namespace
}  // namespace flowray
