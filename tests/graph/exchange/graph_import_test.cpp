// GraphDefs that real TensorFlow wrote, imported and exported again; wrong ones, which it refuses, and
// damaged ones.

#include "graph/exchange/graph_import.h"

#include "core/sanitizers.h"
#include "graph/builder.h"
#include "graph/exchange/attr_message.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/graph_export.h"
#include "graph/exchange/recorded_graph_defs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace flowray::graph {
namespace {

using ::testing::ElementsAre;
using testing::from_hexadecimal;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string program_bytes(const std::string& name) {
  return from_hexadecimal(recorded_graph_defs().at("programs").at(name).text);
}

/// The nodes of tests/golden/graphs/PROGRAM.txt, which TensorFlow listed from its own graph; without
/// its collections.
std::string golden_listing(const std::string& program) {
  std::ifstream file(std::string(FLOWRAY_SOURCE_DIR) + "/tests/golden/graphs/" + program + ".txt");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.find(" = ") != std::string::npos) text += line + "\n";
  }
  return text;
}

void expect_same_node(const wire::NodeDef& expected, const wire::NodeDef& actual) {
  SCOPED_TRACE(expected.name.view());
  EXPECT_EQ(actual.name, expected.name);
  EXPECT_EQ(actual.op, expected.op);
  EXPECT_EQ(actual.device, expected.device);
  EXPECT_EQ(actual.input, expected.input);
  ASSERT_EQ(actual.attr.size(), expected.attr.size());
  for (size_t i = 0; i < expected.attr.size(); ++i) {
    const auto& [name, value] = expected.attr.items[i];
    EXPECT_EQ(actual.attr.items[i].first, name);
    if (wire::encode(actual.attr.items[i].second) == wire::encode(value)) continue;
    // One tensor can be written in several ways.
    ASSERT_EQ(value.value.index(), wire::AttrValue::kTensor) << name.view();
    EXPECT_TRUE(same_attr(
        attr_from_message(actual.attr.items[i].second, {.name = "value", .type = AttrType::kTensor}),
        attr_from_message(value, {.name = "value", .type = AttrType::kTensor})));
  }
}

TEST(GraphImport, OfTensorFlowsProgramsIsTheGraphAndExportsAsItWas) {
  for (const auto& [program, recorded] : recorded_graph_defs().at("programs").members) {
    SCOPED_TRACE(program);
    const std::string bytes = from_hexadecimal(recorded.text);
    const auto message = wire::decode<wire::GraphDef>(bytes);
    const TestGraph graph;
    const std::vector<Node*> nodes = import_graph_def(message, *graph);
    EXPECT_EQ(nodes, graph->nodes());
    EXPECT_EQ(to_text(*graph), golden_listing(program));
    const wire::GraphDef exported = to_graph_def(*graph);
    EXPECT_EQ(exported.versions->producer, message.versions->producer);
    ASSERT_EQ(exported.node.size(), message.node.size());
    for (size_t i = 0; i < message.node.size(); ++i) expect_same_node(message.node[i], exported.node[i]);
  }
}

/// The part of a message that we share with TensorFlow: what follows lists ops and gives advice.
std::string shared_part(const std::string& message) {
  size_t end = message.size();
  for (const char* stop : {"\n", "; NodeDef", "; Op<", " from Op<", " running on ", ".  Please"}) {
    end = std::min(end, message.find(stop));
  }
  if (end > 0 && message[end - 1] == '.') --end;
  return message.substr(0, end);
}

TEST(GraphImport, RefusesWhatTensorFlowRefusesAndLeavesTheGraphAsItWas) {
  for (const auto& [name, recorded] : recorded_graph_defs().at("wrong").members) {
    SCOPED_TRACE(name);
    const std::string bytes = from_hexadecimal(recorded.at("bytes").text);
    const TestGraph graph;
    // Python makes ValueError of what is INVALID_ARGUMENT in C++.
    const Code code = recorded.at("class").text == "ValueError" ? Code::kInvalidArgument : Code::kNotFound;
    try {
      import_graph_def(wire::decode<wire::GraphDef>(bytes), *graph);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const errors::OpError& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_EQ(shared_part(error.message()), shared_part(recorded.at("message").text));
    }
    EXPECT_EQ(graph->num_nodes(), 0);
    EXPECT_EQ(graph->find("p"), nullptr);
    EXPECT_EQ(graph->unique_name("p"), "p");
  }
}

wire::NodeDef node(const char* name, const char* op, std::vector<wire::Text> inputs = {}) {
  wire::NodeDef message;
  message.name = name;
  message.op = op;
  message.input = std::move(inputs);
  return message;
}

wire::NodeDef with_dtype(wire::NodeDef message, const char* attr = "T") {
  message.attr.add(attr).value.emplace<wire::AttrValue::kType_>(DType::kFloat32);
  return message;
}

wire::GraphDef graph_of(std::vector<wire::NodeDef> nodes) {
  wire::GraphDef message;
  message.node = std::move(nodes);
  return message;
}

std::vector<std::string> names_of(const std::vector<Node*>& nodes) {
  std::vector<std::string> names;
  for (const Node* each : nodes) names.push_back(each->name());
  return names;
}

TEST(GraphImport, TakesNodesInAnyOrder) {
  const TestGraph graph;
  const auto message =
      graph_of({node("last", "NoOp", {"^c", "^b"}), with_dtype(node("c", "Neg", {"b"})),
                with_dtype(node("b", "Neg", {"a:0"})), with_dtype(node("a", "Placeholder"), "dtype")});
  EXPECT_THAT(names_of(import_graph_def(message, *graph)), ElementsAre("last", "c", "b", "a"));
  EXPECT_THAT(names_of(graph->nodes()), ElementsAre("a", "b", "c", "last"));
  EXPECT_EQ(graph->find("c")->input(0).node, graph->find("b"));
  EXPECT_EQ(graph->find("last")->control_inputs()[0], graph->find("c"));
}

TEST(GraphImport, OfALargeGraphInReverseOrderNeedsNoDeepStack) {
  std::vector<wire::NodeDef> nodes;
  constexpr int kNodes = 30000;
  for (int i = kNodes; i > 0; --i) {
    nodes.push_back(
        with_dtype(node(("n" + std::to_string(i)).c_str(), "Neg", {"n" + std::to_string(i - 1)})));
  }
  nodes.push_back(with_dtype(node("n0", "Placeholder"), "dtype"));
  const TestGraph graph;
  import_graph_def(graph_of(std::move(nodes)), *graph);
  EXPECT_EQ(graph->num_nodes(), kNodes + 1);
  EXPECT_EQ(graph->nodes()[kNodes]->name(), "n30000");
}

TEST(GraphImport, FillsInDefaultsAndKeepsWhatItDoesNotKnow) {
  wire::NodeDef product = with_dtype(node("m", "MatMul", {"p", "p"}));
  wire::NameAttrList function;
  function.name = "f";
  product.attr.add("_func").value.emplace<wire::AttrValue::kFunc>(function);
  product.attr.add("_number").value.emplace<wire::AttrValue::kI>(7);
  wire::GraphDef message = graph_of({with_dtype(node("p", "Placeholder"), "dtype"), product});
  message.library.emplace().function.emplace_back().signature.name = "f";
  const TestGraph graph;
  import_graph_def(message, *graph);
  EXPECT_EQ(graph->find("m")->attrs().get<bool>("transpose_a"), false);
  EXPECT_EQ(graph->find("p")->output_shape(0), Shape::unknown_rank());

  const wire::GraphDef exported = to_graph_def(*graph);
  EXPECT_EQ(std::get<wire::AttrValue::kFunc>(exported.node[1].attr.find("_func")->value)->name, "f");
  EXPECT_EQ(std::get<wire::AttrValue::kI>(exported.node[1].attr.find("_number")->value), 7);
  ASSERT_TRUE(exported.library.has_value());
  EXPECT_EQ(exported.library->function[0].signature.name, "f");
}

TEST(GraphImport, PutsAPrefixBeforeNamesAndColocations) {
  wire::NodeDef group = node("c", "NoOp", {"^p"});
  wire::AttrValue::ListValue list;
  list.s.emplace_back("loc:@p");
  group.attr.add("_class").value.emplace<wire::AttrValue::kList>(list);
  group.device = "/job:ps/task:1";
  const TestGraph graph;
  import_graph_def(graph_of({with_dtype(node("p", "Placeholder"), "dtype"), group}), *graph,
                   {.prefix = "a/b", .device_around = "/cpu:0"});
  ASSERT_NE(graph->find("a/b/c"), nullptr);
  EXPECT_THAT(graph->find("a/b/c")->attrs().get<std::vector<std::string>>("_class"),
              ElementsAre("loc:@a/b/p"));
  EXPECT_EQ(graph->find("a/b/c")->device(), "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(graph->find("a/b/p")->device(), "/cpu:0");
  EXPECT_EQ(graph->unique_name("a/b/p"), "a/b/p_1");
}

TEST(GraphImport, TakesMappedInputsAndThoseOfTheGraph) {
  const TestGraph graph;
  Builder make(*graph);
  const Endpoint one = make.constant(1.0f, "one");
  const auto message = graph_of({with_dtype(node("n", "Neg", {"x"})), with_dtype(node("m", "Neg", {"n"}))});
  EXPECT_THROW(import_graph_def(message, *graph), errors::InvalidArgumentError);
  import_graph_def(message, *graph, {.input_map = {{"x:0", one}}});
  EXPECT_EQ(graph->find("n")->input(0), one);
  EXPECT_EQ(graph->find("m")->input(0).node, graph->find("n"));
  import_graph_def(graph_of({with_dtype(node("k", "Neg", {"m"}))}), *graph, {.may_use_nodes_of_graph = true});
  EXPECT_EQ(graph->find("k")->input(0).node, graph->find("m"));
}

TEST(GraphImport, OfANameThatIsThereChangesNothing) {
  const TestGraph graph;
  Builder(*graph).constant(1.0f, "one");
  const auto message = graph_of({node("zero", "NoOp"), node("one", "NoOp")});
  try {
    import_graph_def(message, *graph);
    FAIL() << "nothing was thrown";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), "Node name 'one' already exists in the Graph");
  }
  EXPECT_EQ(graph->num_nodes(), 1);
  EXPECT_EQ(graph->find("zero"), nullptr);
}

TEST(GraphImport, OfAnUnknownOpNamesThisHost) {
  const TestGraph graph;
  try {
    import_graph_def(graph_of({node("n", "NoSuchOp")}), *graph);
    FAIL() << "nothing was thrown";
  } catch (const errors::NotFoundError& error) {
    EXPECT_THAT(error.message(), StartsWith("Op type not registered 'NoSuchOp' in binary running on "));
    EXPECT_THAT(error.message(), HasSubstr(". Make sure the Op and Kernel are registered"));
  }
}

TEST(GraphImport, OfAnUnknownOpTellsWhereItIsAndWhatIsLikeIt) {
  const TestGraph graph;
  try {
    import_graph_def(graph_of({with_dtype(node("p", "Placeholder"), "dtype"), node("layer/r", "Rellu", {"p"}),
                               node("y", "Neg", {"layer/r:0"}), node("z", "NoOp", {"^layer/r"})}),
                     *graph);
    FAIL() << "nothing was thrown";
  } catch (const errors::NotFoundError& error) {
    EXPECT_THAT(error.message(),
                HasSubstr("\nIt is the op of node 'layer/r'. What it gives goes to 'y', 'z'.\n"));
    EXPECT_THAT(error.message(), HasSubstr("\nKnown ops of similar names: Relu, "));
  }
}

TEST(GraphImport, RefusesAConstantOfAnotherDtype) {
  wire::NodeDef constant = with_dtype(node("n", "Const"), "dtype");
  wire::TensorProto tensor;
  tensor.dtype = DType::kInt32;
  constant.attr.add("value").value.emplace<wire::AttrValue::kTensor>(tensor);
  const TestGraph graph;
  EXPECT_THROW(import_graph_def(graph_of({constant}), *graph), errors::InvalidArgumentError);
}

// An error or another graph, and never a crash. FLOWRAY_NIGHTLY asks for more.
/// A graph of a Placeholder of floats and a node of it.
wire::GraphDef graph_of(const std::string& op, const std::vector<std::pair<std::string, int64_t>>& ints,
                        const std::vector<std::pair<std::string, std::vector<int64_t>>>& lists = {}) {
  wire::GraphDef message;
  wire::NodeDef& x = message.node.emplace_back();
  x.name = wire::Text("x");
  x.op = wire::Text("Placeholder");
  x.attr.add(wire::Text("dtype")).value.emplace<wire::AttrValue::kType_>(DType::kFloat32);
  wire::NodeDef& node = message.node.emplace_back();
  node.name = wire::Text("n");
  node.op = wire::Text(op);
  node.input.emplace_back("x");
  node.attr.add(wire::Text("T")).value.emplace<wire::AttrValue::kType_>(DType::kFloat32);
  for (const auto& [name, value] : ints)
    node.attr.add(wire::Text(name)).value.emplace<wire::AttrValue::kI>(value);
  for (const auto& [name, values] : lists) {
    wire::AttrValue::ListValue list;
    list.i = values;
    node.attr.add(wire::Text(name)).value.emplace<wire::AttrValue::kList>(std::move(list));
  }
  node.attr.sort();
  return message;
}

TEST(GraphImport, RefusesAttributesBelowTheirMinimum) {
  const auto refusal = [](const wire::GraphDef& message) {
    const TestGraph graph;
    try {
      import_graph_def(message, *graph);
    } catch (const errors::InvalidArgumentError& error) {
      return error.message();
    }
    return std::string("taken");
  };
  EXPECT_THAT(refusal(graph_of("Split", {{"num_split", 0}})),
              StartsWith("Value for attr 'num_split' of 0 must be at least minimum 1\n\t; NodeDef: {{node "
                         "n}}; Op<name=Split;"));
  EXPECT_THAT(refusal(graph_of("Split", {{"num_split", INT64_MIN}})),
              StartsWith("Value for attr 'num_split' of -9223372036854775808 must be at least minimum 1\n"));
  EXPECT_THAT(refusal(graph_of("Split", {{"num_split", INT64_MAX}})),
              StartsWith("Value for attr 'num_split' of 9223372036854775807 must be at most "));
  EXPECT_THAT(refusal(graph_of("MaxPool", {}, {{"ksize", {1, 1}}, {"strides", {1, 1, 1, 1}}})),
              StartsWith("Length for attr 'ksize' of 2 must be at least minimum 4\n\t; NodeDef: {{node n}}; "
                         "Op<name=MaxPool;"));
}

TEST(GraphImport, OfADamagedGraphIsNoCrash) {
  const int damages = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 100000 : kSanitized ? 300 : 1500;
  std::mt19937 random(1);
  int imported = 0;
  for (const char* program : {"slice_by_range", "lenet5_job_momentum", "splits"}) {
    const std::string bytes = program_bytes(program);
    for (int i = 0; i < damages / 3; ++i) {
      std::string changed = bytes;
      for (size_t n = 1 + random() % 3; n > 0; --n)
        changed[random() % changed.size()] = static_cast<char>(random());
      const TestGraph graph;
      try {
        const auto message = wire::decode<wire::GraphDef>(changed);
        import_graph_def(message, *graph);
        ++imported;
      } catch (const Error&) {
        EXPECT_EQ(graph->num_nodes(), 0);
      }
    }
  }
  EXPECT_GT(imported, 0);
}

// ---- functions

/// A graph with one function F, whose node has this op and these attributes.
wire::GraphDef with_function(const std::string& op, const std::string& attrs,
                             const std::string& library = {}) {
  return wire::from_text_format<wire::GraphDef>(
      "node { name: '" + op +
      "' op: 'NoOp' } library { function { signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } "
      "output_arg { name: 'y' type: DT_FLOAT } } node_def { name: 'y' op: '" +
      op + "' input: 'a' " + attrs + "} ret { key: 'y' value: 'y:y:0' } } " + library + "}");
}

void expect_refused(const wire::GraphDef& message, Graph& graph, const std::string& expected) {
  const int before = graph.num_nodes();
  try {
    import_graph_def(message, graph, {});
    ADD_FAILURE() << "imported";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), expected);
  }
  EXPECT_EQ(graph.num_nodes(), before);
}

/// A call with attributes of a function with that signature, or of no input.
std::string error_of_call(const std::string& signature, const std::string& attrs, bool has_input = true) {
  const auto message = wire::from_text_format<wire::GraphDef>(
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
      "attr { key: 'shape' value { shape { unknown_rank: true } } } } "
      "node { name: 'y' op: 'F' " +
      std::string(has_input ? "input: 'x' " : "") + attrs + " } library { function { signature { name: 'F' " +
      signature + " } } }");
  Graph graph(ops::op_table());
  try {
    import_graph_def(message, graph);
  } catch (const errors::InvalidArgumentError& error) {
    return error.message();
  }
  return "none";
}

TEST(FunctionImport, RefusesCallsThatTheSignatureDoesNotCount) {
  const std::string number = "attr { key: 'N' value { i: 1 } }";
  const std::string counted = "input_arg { name: 'a' type: DT_FLOAT number_attr: 'N' } ";
  EXPECT_THAT(error_of_call(counted, ""), StartsWith("No attr named 'N' in NodeDef"));
  EXPECT_EQ(error_of_call(counted, number), "none");
  EXPECT_EQ(error_of_call(counted + "attr { name: 'N' type: 'int' }", number), "none");
  EXPECT_THAT(error_of_call(counted + "attr { name: 'N' type: 'float' }", "attr { key: 'N' value { f: 1 } }"),
              HasSubstr("is of another type"));
  EXPECT_THAT(error_of_call(counted + "attr { name: 'N' type: 'int' }", "attr { key: 'N' value { i: -1 } }"),
              HasSubstr("-1 < 0"));
  EXPECT_THAT(error_of_call("output_arg { name: 'b' type: DT_FLOAT number_attr: 'N' }",
                            "attr { key: 'N' value { i: -5 } }", false),
              HasSubstr("-5 < 0"));
  EXPECT_THAT(error_of_call("input_arg { name: 'a' type_attr: 'T' }", number),
              StartsWith("No attr named 'T' in NodeDef"));
  EXPECT_THAT(error_of_call("input_arg { name: 'a' type_list_attr: 'N' }", number),
              HasSubstr("is of another type"));
}

TEST(FunctionImport, RefusesCallsOutsideOfTheSignaturesLimits) {
  const std::string number = "attr { key: 'n' value { i: 1 } }";
  EXPECT_THAT(error_of_call("attr { name: 'n' type: 'int' has_minimum: true minimum: 2 }", number, false),
              StartsWith("Value for attr 'n' of 1 must be at least minimum 2"));
  EXPECT_EQ(error_of_call("attr { name: 'n' type: 'int' has_minimum: true minimum: 1 }", number, false),
            "none");
  EXPECT_EQ(error_of_call("attr { name: 'n' type: 'float' has_minimum: true minimum: 2 }",
                          "attr { key: 'n' value { f: 1 } }", false),
            "none");
  const std::string limits =
      "attr { name: 'T' type: 'type' allowed_values { list { type: [DT_INT32, DT_INT64] } } } ";
  EXPECT_EQ(error_of_call(limits, "attr { key: 'T' value { type: DT_INT64 } }", false), "none");
  EXPECT_THAT(error_of_call(limits, "attr { key: 'T' value { type: DT_FLOAT } }", false),
              StartsWith("Value for attr 'T' of float is not in the list of allowed values: int32, int64"));
}

TEST(FunctionImport, RefusesAnotherFunctionOfANameThatIsTaken) {
  Graph graph(ops::op_table());
  const std::string dtype = "attr { key: 'T' value { type: DT_FLOAT } } ";
  const std::string mark = "attr { key: '_mark' value { i: 1 } } ";
  import_graph_def(with_function("Sin", dtype + mark), graph, {.prefix = "a"});
  import_graph_def(with_function("Sin", mark + dtype), graph, {.prefix = "b"});  // the same
  wire::GraphDef described = with_function("Sin", dtype + mark);
  // An entry of arg_attr, whose order TensorFlow's client changes from message to message.
  described.library->function[0].unknown = std::string("\x3a\x02\x08\x00", 4);
  import_graph_def(described, graph, {.prefix = "c"});
  EXPECT_EQ(FunctionLibrary::of(graph).message().function.size(), 1u);
  expect_refused(with_function("Cos", dtype + mark), graph,
                 "Cannot add function 'F' because a different function with the same name already exists.");
  EXPECT_EQ(FunctionLibrary::of(graph).find("F")->definition.node_def[0].op, "Sin");
}

TEST(FunctionImport, RefusesAnotherGradientOfAFunction) {
  Graph graph(ops::op_table());
  const std::string dtype = "attr { key: 'T' value { type: DT_FLOAT } } ";
  const auto gradient = [](const std::string& name) {
    return "gradient { function_name: 'F' gradient_func: '" + name + "' } ";
  };
  import_graph_def(with_function("Sin", dtype, gradient("G")), graph, {.prefix = "a"});
  import_graph_def(with_function("Sin", dtype, gradient("G")), graph, {.prefix = "b"});
  EXPECT_EQ(FunctionLibrary::of(graph).gradient_of("F"), "G");
  EXPECT_EQ(FunctionLibrary::of(graph).message().gradient.size(), 1u);
  expect_refused(with_function("Sin", dtype, gradient("H")), graph,
                 "Cannot assign gradient function 'H' to 'F' because it already has gradient function 'G'");
}

/// F calls `op`; a node calls F. Large, so that imports meet.
wire::GraphDef with_call_and_many_nodes(const std::string& op) {
  const std::string dtype = "attr { key: 'T' value { type: DT_FLOAT } } ";
  wire::GraphDef message = with_function(op, dtype);
  wire::NodeDef x = with_dtype(node("x", "Placeholder"), "dtype");
  message.node.push_back(x);
  message.node.push_back(node("call", "F", {"x"}));
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("n" + std::to_string(i));
    return names;
  }();
  for (const std::string& name : kNames) message.node.push_back(node(name.c_str(), "NoOp"));
  return message;
}

/// Two threads that import at once, each with a prefix of its own. Gives who was refused.
std::array<bool, 2> import_at_once(Graph& graph, const std::array<std::string, 2>& ops) {
  std::array<bool, 2> refused{};
  std::barrier start(2);
  const auto import = [&](size_t i) {
    const wire::GraphDef message = with_call_and_many_nodes(ops[i]);
    start.arrive_and_wait();
    try {
      import_graph_def(message, graph, {.prefix = ops[i] + std::to_string(i)});
    } catch (const errors::InvalidArgumentError&) {
      refused[i] = true;
    }
  };
  std::thread other(import, 1);
  import(0);
  other.join();
  return refused;
}

TEST(FunctionImport, OfTwoFunctionsOfOneNameAtOnceRefusesOneBeforeItsNodesJoin) {
  for (int round = 0; round < 20; ++round) {
    Graph graph(ops::op_table());
    const std::array<bool, 2> refused = import_at_once(graph, {"Sin", "Cos"});
    ASSERT_NE(refused[0], refused[1]);
    EXPECT_EQ(graph.num_nodes(), 1003);
    EXPECT_NE(graph.find(refused[0] ? "Cos1/call" : "Sin0/call"), nullptr);
    EXPECT_EQ(FunctionLibrary::of(graph).find("F")->definition.node_def[0].op, refused[0] ? "Cos" : "Sin");
  }
}

TEST(FunctionImport, OfOneFunctionTwiceAtOnceKeepsWhatBothCall) {
  for (int round = 0; round < 20; ++round) {
    Graph graph(ops::op_table());
    EXPECT_THAT(import_at_once(graph, {"Sin", "Sin"}), ElementsAre(false, false));
    const OpSchema* const kept = &FunctionLibrary::of(graph).find("F")->schema;
    EXPECT_EQ(&graph.find("Sin0/call")->schema(), kept);
    EXPECT_EQ(&graph.find("Sin1/call")->schema(), kept);
  }
}

}  // namespace
}  // namespace flowray::graph
