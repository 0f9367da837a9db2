// Functions whose nodes are on several tasks, run by those tasks. Expected values are worked out by hand.
#include "engine/step/lower_calls.h"

#include "engine/step/partition_fixture.h"
#include "engine/step/place.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "wire/graph_def.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace flowray::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr const char* kPs0 = "/job:ps/task:0";
constexpr const char* kPs1 = "/job:ps/task:1";

// ---- graphs in protobuf's text form

struct Written {
  std::string name;
  std::string op;
  std::vector<std::string> inputs = {};
  std::string attrs = {};
  std::string device = {};
};

std::string text_of(const Written& node, const std::string& field) {
  std::string text =
      fmt::format("{} {{ name: '{}' op: '{}' device: '{}' ", field, node.name, node.op, node.device);
  for (const std::string& input : node.inputs) text += "input: '" + input + "' ";
  return text + node.attrs + " } ";
}
std::string of_type(const std::string& key, const std::string& type) {
  return fmt::format("attr {{ key: '{}' value {{ type: {} }} }} ", key, type);
}
std::string of_types(const std::string& key, const std::vector<std::string>& types) {
  std::string list;
  for (const std::string& type : types) list += "type: " + type + " ";
  return fmt::format("attr {{ key: '{}' value {{ list {{ {} }} }} }} ", key, list);
}
std::string of_function(const std::string& key, const std::string& name) {
  return fmt::format("attr {{ key: '{}' value {{ func {{ name: '{}' }} }} }} ", key, name);
}
const std::string kFloat = of_type("T", "DT_FLOAT");
const std::string kInt = of_type("T", "DT_INT32");

std::string constant(const std::string& type, const std::string& value) {
  return of_type("dtype", type) +
         fmt::format("attr {{ key: 'value' value {{ tensor {{ dtype: {} tensor_shape {{ }} {} }} }} }} ",
                     type, value);
}

using Args = std::vector<std::pair<std::string, std::string>>;  // names and types

/// `rets`: what each result is, by its name.
std::string function(const std::string& name, const Args& args, const Args& results,
                     const std::vector<Written>& nodes, const std::vector<std::string>& rets,
                     const std::vector<std::string>& control = {}) {
  std::string text = fmt::format("function {{ signature {{ name: '{}' ", name);
  for (const auto& [arg, type] : args) text += fmt::format("input_arg {{ name: '{}' type: {} }} ", arg, type);
  for (const auto& [result, type] : results)
    text += fmt::format("output_arg {{ name: '{}' type: {} }} ", result, type);
  for (const std::string& effect : control) text += fmt::format("control_output: '{}' ", effect);
  text += fmt::format("is_stateful: {} }} ", !control.empty());
  for (const Written& node : nodes) text += text_of(node, "node_def");
  for (size_t i = 0; i < results.size(); ++i)
    text += fmt::format("ret {{ key: '{}' value: '{}' }} ", results[i].first, rets[i]);
  for (const std::string& effect : control)
    text += fmt::format("control_ret {{ key: '{}' value: '{}' }} ", effect, effect);
  return text + "} ";
}

const Args kX = {{"x", "DT_FLOAT"}};
const Args kY = {{"y", "DT_FLOAT"}};
const std::string kCall = of_types("Tin", {"DT_FLOAT"}) + of_types("Tout", {"DT_FLOAT"});

const std::string kLibrary =
    "library { " + function("Twice", kX, kY, {{"sum", "AddV2", {"x", "x"}, kFloat, kPs0}}, {"sum:z:0"}) +
    function("Negated", kX, kY, {{"neg", "Neg", {"x"}, kFloat, kPs1}}, {"neg:y:0"}) +
    function("Seven", kX, kY, {{"seven", "Const", {}, constant("DT_FLOAT", "float_val: 7"), kPs1}},
             {"seven:output:0"}) +
    function("TwiceNegated", kX, kY,
             {{"twice", "PartitionedCall", {"x"}, kCall + of_function("f", "Twice"), kPs1},
              {"result", "PartitionedCall", {"twice:output:0"}, kCall + of_function("f", "Negated")}},
             {"result:output:0"}) +
    function("CallsByName", kX, kY,
             {{"twice", "Twice", {"x"}, "", kPs0}, {"neg", "Neg", {"twice:y:0"}, kFloat, kPs1}},
             {"neg:y:0"}) +
    function("Small", {{"x", "DT_FLOAT"}, {"n", "DT_INT32"}}, {{"y", "DT_BOOL"}},
             {{"most", "Const", {}, constant("DT_FLOAT", "float_val: 100"), kPs1},
              {"less", "Less", {"x", "most:output:0"}, kFloat, kPs1}},
             {"less:z:0"}) +
    function("Step", {{"x", "DT_FLOAT"}, {"n", "DT_INT32"}}, {{"y", "DT_FLOAT"}, {"m", "DT_INT32"}},
             {{"twice", "PartitionedCall", {"x"}, kCall + of_function("f", "Twice")},
              {"one", "Const", {}, constant("DT_INT32", "int_val: 1")},
              {"more", "AddV2", {"n", "one:output:0"}, kInt}},
             {"twice:output:0", "more:z:0"}) +
    function("Below5", {{"v", "DT_RESOURCE"}}, {{"y", "DT_BOOL"}},
             {{"value", "ReadVariableOp", {"v"}, of_type("dtype", "DT_FLOAT")},
              {"most", "Const", {}, constant("DT_FLOAT", "float_val: 5"), kPs1},
              {"less", "Less", {"value:value:0", "most:output:0"}, kFloat, kPs1}},
             {"less:z:0"}) +
    function("Bump", {{"v", "DT_RESOURCE"}}, {{"w", "DT_RESOURCE"}},
             {{"one", "Const", {}, constant("DT_FLOAT", "float_val: 1")},
              {"bump", "AssignAddVariableOp", {"v", "one:output:0"}, of_type("dtype", "DT_FLOAT")}},
             {"v"}, {"bump"}) +
    function("BumpIt", {{"v", "DT_RESOURCE"}}, {},
             {{"one", "Const", {}, constant("DT_FLOAT", "float_val: 1"), kPs1},
              {"bump", "AssignAddVariableOp", {"v", "one:output:0"}, of_type("dtype", "DT_FLOAT")}},
             {}, {"bump"}) +
    function("Nothing", {{"v", "DT_RESOURCE"}}, {}, {{"nothing", "NoOp"}}, {}, {"nothing"}) + "} ";

class LoweredCalls : public ::testing::Test {
 protected:
  void import(const std::vector<Written>& nodes) {
    std::string text = kLibrary;
    for (const Written& node : nodes) text += text_of(node, "node");
    graph::import_graph_def(wire::from_text_format<wire::GraphDef>(text), *graph_);
  }
  graph::Endpoint at(const std::string& name, int index = 0) { return {graph_->find(name), index}; }

  /// All calls are lowered, on the worker.
  std::vector<Array> run(
      const std::vector<graph::Endpoint>& fetches, const std::vector<Tasks::Fed>& feeds = {},
      const std::vector<std::string>& targets = {},
      const std::function<bool(const graph::Node& call)>& is_lowered = [](const auto&) { return true; }) {
    std::vector<graph::Endpoint> fed;
    for (const Tasks::Fed& feed : feeds) fed.push_back(feed.endpoint);
    std::vector<graph::Node*> ends;
    for (const std::string& target : targets) ends.push_back(graph_->find(target));
    const StepGraph flat = prune({.feeds = fed, .fetches = fetches, .targets = ends});
    std::vector<std::string> wishes;
    for (const StepNode& item : flat.nodes)
      wishes.push_back(item.node->device().empty() ? tasks_.devices.devices[0].to_string()
                                                   : item.node->device());
    const LoweredStep& step = kept_.emplace_back(
        lower_calls(flat, std::move(wishes), ends,
                    [&](const graph::Node& call, const std::string&) { return is_lowered(call); }));
    const std::vector<uint32_t> device_of = place(step.graph, tasks_.devices, step.devices);
    places_.clear();
    for (size_t n = 0; n < device_of.size(); ++n) {
      places_.insert(fmt::format("{} on {}", step.graph.nodes[n].node->name(),
                                 *tasks_.devices.devices[device_of[n]].job +
                                     std::to_string(*tasks_.devices.devices[device_of[n]].task)));
    }
    tasks_.library = &graph::FunctionLibrary::of(*graph_);
    return tasks_.run(step.graph, device_of, feeds);
  }

  struct Release {
    void operator()(graph::Graph* graph) const { graph->release(); }
  };
  std::unique_ptr<graph::Graph, Release> graph_{new graph::Graph(ops::op_table())};
  std::list<LoweredStep> kept_;
  Tasks tasks_;
  std::set<std::string> places_;  // of the nodes of the last step
};

const Written kFed = {
    "x", "Placeholder", {}, of_type("dtype", "DT_FLOAT") + "attr { key: 'shape' value { shape { } } } "};

TEST_F(LoweredCalls, AreCutAtTheDevicesOfTheirNodes) {
  import({kFed, {"call", "PartitionedCall", {"x"}, kCall + of_function("f", "TwiceNegated")}});
  EXPECT_THAT(run({at("call")}, {{at("x"), Array(3.0f)}}), ElementsAre(Array(-6.0f)));
  EXPECT_THAT(places_, Contains("call/twice/sum on ps0"));
  EXPECT_THAT(places_, Contains("call/result/neg on ps1"));
}

TEST_F(LoweredCalls, TakeTheBranchThatIsAskedFor) {
  import(
      {kFed,
       {"yes", "Placeholder", {}, of_type("dtype", "DT_BOOL") + "attr { key: 'shape' value { shape { } } } "},
       {"either",
        "If",
        {"yes", "x"},
        of_type("Tcond", "DT_BOOL") + kCall + of_function("then_branch", "TwiceNegated") +
            of_function("else_branch", "Seven")},
       {"y", "Neg", {"either"}, kFloat}});
  EXPECT_THAT(run({at("y")}, {{at("x"), Array(3.0f)}, {at("yes"), Array(true)}}), ElementsAre(Array(6.0f)));
  EXPECT_THAT(run({at("y")}, {{at("x"), Array(3.0f)}, {at("yes"), Array(false)}}), ElementsAre(Array(-7.0f)));
  EXPECT_THAT(places_, Contains("either/then/twice/sum on ps0"));
  EXPECT_THAT(places_, Contains("either/else/seven on ps1"));
}

TEST_F(LoweredCalls, TakeNumbersForPredicates) {
  import({kFed,
          {"either",
           "If",
           {"x", "x"},
           of_type("Tcond", "DT_FLOAT") + kCall + of_function("then_branch", "Twice") +
               of_function("else_branch", "Seven")}});
  EXPECT_THAT(run({at("either")}, {{at("x"), Array(3.0f)}}), ElementsAre(Array(6.0f)));
  EXPECT_THAT(run({at("either")}, {{at("x"), Array(0.0f)}}), ElementsAre(Array(7.0f)));
}

TEST_F(LoweredCalls, TakeOneOfSeveralBranches) {
  import({kFed,
          {"index",
           "Placeholder",
           {},
           of_type("dtype", "DT_INT32") + "attr { key: 'shape' value { shape { } } } "},
          {"one",
           "Case",
           {"index", "x"},
           kCall + "attr { key: 'branches' value { list { func { name: 'Twice' } func { name: 'Negated' } "
                   "func { name: 'Seven' } } } } "}});
  const std::pair<int, float> expected[] = {{0, 6.0f}, {1, -3.0f}, {2, 7.0f}, {9, 7.0f}, {-1, 7.0f}};
  for (const auto& [index, value] : expected) {
    EXPECT_THAT(run({at("one")}, {{at("x"), Array(3.0f)}, {at("index"), Array(index)}}),
                ElementsAre(Array(value)))
        << index;
  }
}

TEST_F(LoweredCalls, LoopOverSeveralTasks) {
  const std::string types = of_types("T", {"DT_FLOAT", "DT_INT32"});
  import(
      {kFed,
       {"none", "Const", {}, constant("DT_INT32", "int_val: 0")},
       {"loop", "While", {"x", "none"}, types + of_function("cond", "Small") + of_function("body", "Step")}});
  // 3, 6, 12, 24, 48, 96, 192
  EXPECT_THAT(run({at("loop", 0), at("loop", 1)}, {{at("x"), Array(3.0f)}}),
              ElementsAre(Array(192.0f), Array(6)));
  EXPECT_THAT(run({at("loop", 1)}, {{at("x"), Array(500.0f)}}), ElementsAre(Array(0)));
  EXPECT_THAT(places_, Contains("loop/body/twice/sum on ps0"));
  EXPECT_THAT(places_, Contains("loop/cond/less on ps1"));
}

TEST_F(LoweredCalls, ChangeVariablesWhereTheyLie) {
  const std::string dtype = of_type("dtype", "DT_FLOAT");
  import({{"v", "VarHandleOp", {}, dtype + "attr { key: 'shape' value { shape { } } } ", kPs0},
          {"start", "Const", {}, constant("DT_FLOAT", "float_val: 1.5")},
          {"init", "AssignVariableOp", {"v", "start"}, dtype},
          {"yes", "Const", {}, constant("DT_BOOL", "bool_val: true")},
          {"no", "Const", {}, constant("DT_BOOL", "bool_val: false")},
          {"loop",
           "While",
           {"v"},
           of_types("T", {"DT_RESOURCE"}) + of_function("cond", "Below5") + of_function("body", "Bump")},
          {"after", "ReadVariableOp", {"v", "^loop"}, dtype},
          {"now", "ReadVariableOp", {"v"}, dtype},
          {"once",
           "If",
           {"yes", "v"},
           of_type("Tcond", "DT_BOOL") + of_types("Tin", {"DT_RESOURCE"}) + of_types("Tout", {}) +
               of_function("then_branch", "BumpIt") + of_function("else_branch", "Nothing")},
          {"never",
           "If",
           {"no", "v"},
           of_type("Tcond", "DT_BOOL") + of_types("Tin", {"DT_RESOURCE"}) + of_types("Tout", {}) +
               of_function("then_branch", "BumpIt") + of_function("else_branch", "Nothing")},
          {"then", "ReadVariableOp", {"v", "^once"}, dtype}});
  EXPECT_THAT(run({}, {}, {"init"}), ElementsAre());
  EXPECT_THAT(run({at("after")}), ElementsAre(Array(5.5f)));  // 1.5, 2.5, 3.5, 4.5, 5.5
  EXPECT_THAT(places_, Contains("loop/body/bump on ps0"));
  EXPECT_THAT(run({at("then")}), ElementsAre(Array(6.5f)));
  run({}, {}, {"once"});
  run({}, {}, {"never"});
  EXPECT_THAT(run({at("now")}), ElementsAre(Array(7.5f)));
}

/// The first node of the step is of no graph that has functions.
TEST_F(LoweredCalls, CallOthersByTheirNames) {
  import(
      {kFed,
       {"yes", "Placeholder", {}, of_type("dtype", "DT_BOOL") + "attr { key: 'shape' value { shape { } } } "},
       {"either",
        "If",
        {"yes", "x"},
        of_type("Tcond", "DT_BOOL") + kCall + of_function("then_branch", "CallsByName") +
            of_function("else_branch", "Seven")}});
  EXPECT_THAT(run({at("either")}, {{at("x"), Array(3.0f)}, {at("yes"), Array(true)}}, {},
                  [](const graph::Node& call) { return call.op() == "If"; }),
              ElementsAre(Array(-6.0f)));
}

/// Each asks for a truth of its own.
TEST_F(LoweredCalls, MayAskForTheSameNumber) {
  const std::string branches = of_type("Tcond", "DT_FLOAT") + kCall + of_function("then_branch", "Twice") +
                               of_function("else_branch", "Seven");
  import({kFed,
          {"asked", "AddV2", {"x", "x"}, kFloat},
          {"first", "If", {"asked", "x"}, branches},
          {"second", "If", {"asked", "first"}, branches}});
  EXPECT_THAT(run({at("second"), at("first")}, {{at("x"), Array(3.0f)}}),
              ElementsAre(Array(12.0f), Array(6.0f)));
  EXPECT_THAT(run({at("second")}, {{at("x"), Array(0.0f)}}), ElementsAre(Array(7.0f)));
}

TEST_F(LoweredCalls, OfManyBranchesHaveALimit) {
  std::string branches;
  for (int i = 0; i < 5000; ++i) branches += "func { name: 'Seven' } ";
  import({kFed,
          {"index",
           "Placeholder",
           {},
           of_type("dtype", "DT_INT32") + "attr { key: 'shape' value { shape { } } } "},
          {"one",
           "Case",
           {"index", "x"},
           kCall + "attr { key: 'branches' value { list { " + branches + "} } } "}});
  EXPECT_THROW(run({at("one")}, {{at("x"), Array(3.0f)}, {at("index"), Array(1)}}),
               errors::ResourceExhaustedError);
}

TEST_F(LoweredCalls, RefuseTwoNodesOfOneName) {
  import({kFed,
          {"call", "PartitionedCall", {"x"}, kCall + of_function("f", "Twice")},
          {"call/sum", "Neg", {"call"}, kFloat}});
  EXPECT_THROW(run({at("call/sum")}, {{at("x"), Array(3.0f)}}), errors::InvalidArgumentError);
}

TEST_F(LoweredCalls, AreThoseThatAreChosen) {
  import({kFed, {"call", "PartitionedCall", {"x"}, kCall + of_function("f", "TwiceNegated")}});
  const graph::Endpoint fed[] = {at("x")};
  const graph::Endpoint fetched[] = {at("call")};
  const StepGraph flat = prune({.feeds = fed, .fetches = fetched});
  std::vector<std::string> asked;
  const LoweredStep step =
      lower_calls(flat, {"/job:worker"}, {}, [&](const graph::Node& call, const std::string& on) {
        asked.push_back(call.name() + " on " + on);
        return call.name() == "call";
      });
  EXPECT_THAT(asked, ElementsAre("call on /job:worker", StartsWith("call/twice on /job:ps"),
                                 "call/result on /job:worker"));
  EXPECT_TRUE(calls_functions(step.graph));
  EXPECT_EQ(step.graph.nodes.size(), step.devices.size());
}

}  // namespace
}  // namespace flowray::engine
