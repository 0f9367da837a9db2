#include "engine/step/step_graph.h"

#include "engine/step/extended_calls.h"

#include "engine/engine_fixture.h"
#include "graph/exchange/attr_message.h"

namespace flowray::engine {
namespace {

using Prune = EngineTest;

TEST_F(Prune, KeepsOnlyWhatIsNeeded) {
  const auto a = builder.constant(1.0f, "a");
  const auto b = builder.constant(2.0f, "b");
  const auto sum = builder.op("AddV2", {a, b}, {}, "sum");
  builder.op("Mul", {sum, b}, {}, "unused");
  const std::vector<graph::Endpoint> fetches{sum};
  EXPECT_EQ(to_text(prune({{}, fetches, {}})), "a = Const()\nb = Const()\nsum = AddV2(a:0, b:0)\n");
}

TEST_F(Prune, StopsAtWhatIsFed) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto y = builder.op("Exp", {x}, {}, "y");
  const auto z = builder.op("Neg", {y}, {}, "z");
  const std::vector<graph::Endpoint> feeds{y};
  const std::vector<graph::Endpoint> fetches{z};
  EXPECT_EQ(to_text(prune({feeds, fetches, {}})), "z = Neg(fed y:0)\n");
}

TEST_F(Prune, OrdersByControlInputsToo) {
  const auto a = builder.constant(1.0f, "a");
  graph::Node* late = builder.node("NoOp", {}, {}, "late");
  a.node->add_control_input(late);
  const std::vector<graph::Endpoint> fetches{a};
  EXPECT_EQ(to_text(prune({{}, fetches, {}})), "late = NoOp()\na = Const(^late)\n");
}

TEST_F(Prune, RefusesAnEndpointThatIsFedTwice) {
  const auto x = placeholder(DType::kFloat32, {2});
  const std::vector<graph::Endpoint> feeds{x, x};
  const std::vector<graph::Endpoint> fetches{x};
  try {
    (void)prune({feeds, fetches, {}});
    FAIL() << "fed twice";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), "Endpoint \"Placeholder:0\" fed more than once.");
  }
}

TEST_F(Prune, RefusesACycle) {
  graph::Node* first = builder.node("NoOp", {});
  graph::Node* second = builder.node("NoOp", {});
  first->add_control_input(second);
  second->add_control_input(first);
  graph::Node* const targets[] = {first};
  EXPECT_THROW((void)prune({{}, {}, targets}), errors::InvalidArgumentError);
}

TEST_F(Prune, RunsNothingAgainThatIsDone) {
  const auto v = variable("v", Array(1.0f));
  const auto x = placeholder(DType::kFloat32, {});
  const auto assigned = builder.op("Assign", {v, builder.constant(2.0f, "two")}, {}, "assign");
  const auto y = builder.op("Exp", {x}, {}, "y");
  const auto z = builder.op("AddV2", {assigned, y}, {}, "z");
  graph::Node* first = builder.node("NoOp", {}, {}, "first");
  z.node->add_control_input(first);
  const std::vector<graph::Endpoint> feeds{y};
  const std::vector<graph::Endpoint> fetches{z, assigned};
  const std::unordered_set<const graph::Node*> done{assigned.node, y.node, first};
  EXPECT_EQ(to_text(prune({feeds, fetches, {}, &done})), "v = VariableV2()\nz = AddV2(v:0, fed y:0)\n");
}

// ---- calls and their extensions

struct ExtendedCallTest : EngineTest {
  /// A call with as many results.
  graph::Node* call(const std::string& name, size_t num_results, std::vector<std::string> extends = {},
                    std::vector<std::string> stands_with = {}) {
    wire::AttrValue function;
    function.value.emplace<wire::AttrValue::kFunc>(wire::NameAttrList{.name = "F"});
    graph::Attrs attrs = {{"f", graph::OpaqueAttr{wire::encode(function)}},
                          {"Tout", std::vector<DType>(num_results, DType::kFloat32)}};
    if (!extends.empty()) attrs.set("_extends_call", std::move(extends));
    if (!stands_with.empty()) attrs.set("_class", std::move(stands_with));
    return builder.node("PartitionedCall", {x_}, std::move(attrs), name);
  }

  std::string pruned(const std::vector<graph::Endpoint>& fetches) {
    const std::vector<graph::Endpoint> feeds{x_};
    return to_text(prune({feeds, fetches, {}}));
  }

  graph::Endpoint x_ = placeholder(DType::kFloat32, {});
};

TEST_F(ExtendedCallTest, RunsItsLastExtensionOnly) {
  graph::Node* const first = call("first", 1);
  graph::Node* const more = call("more", 2, {"first"});
  graph::Node* const most = call("most", 3, {"first", "more"});
  EXPECT_EQ(pruned({first->output(0), more->output(1)}), "more = PartitionedCall(fed Placeholder:0)\n");
  EXPECT_EQ(pruned({first->output(0), more->output(1), most->output(2)}),
            "most = PartitionedCall(fed Placeholder:0)\n");
  EXPECT_EQ(pruned({first->output(0)}), "first = PartitionedCall(fed Placeholder:0)\n");
}

TEST_F(ExtendedCallTest, RunsBothOfTwoThatDoNotExtendEachOther) {
  graph::Node* const first = call("first", 1);
  graph::Node* const one = call("one", 2, {"first"});
  graph::Node* const other = call("other", 3, {"first"});
  EXPECT_EQ(pruned({first->output(0), one->output(1), other->output(2)}),
            "one = PartitionedCall(fed Placeholder:0)\nother = PartitionedCall(fed Placeholder:0)\n");
}

TEST_F(ExtendedCallTest, RunsForATargetThatIsAnExtensionItself) {
  graph::Node* const first = call("first", 1);
  graph::Node* const more = call("more", 2, {"first"});
  graph::Node* const most = call("most", 3, {"first", "more"});
  graph::Node* const targets[] = {more};
  const std::vector<graph::Endpoint> feeds{x_};
  const std::vector<graph::Endpoint> fetches{most->output(2)};
  const StepGraph step = prune({feeds, fetches, targets});
  EXPECT_EQ(to_text(step), "most = PartitionedCall(fed Placeholder:0)\n");
  EXPECT_EQ(with_extensions(step, targets), (std::vector<graph::Node*>{more, most}));
  graph::Node* const others[] = {first};
  EXPECT_EQ(with_extensions(step, others), (std::vector<graph::Node*>{first, most}));
}

TEST_F(ExtendedCallTest, MayStandWithSeveralNodes) {
  graph::Node* const first = call("first", 1);
  graph::Node* const more = call("more", 2, {"first"}, {"loc:@Placeholder", "loc:@first"});
  EXPECT_EQ(pruned({first->output(0), more->output(1)}), "more = PartitionedCall(fed Placeholder:0)\n");
}

// A graph that was put together by hand may have another call of that name.
TEST_F(ExtendedCallTest, IsOfTheSameInputs) {
  graph::Node* const first = call("first", 1);
  x_ = placeholder(DType::kFloat32, {});
  graph::Node* const more = call("more", 2, {"first"});
  const std::vector<graph::Endpoint> feeds{first->input(0), x_};
  const std::vector<graph::Endpoint> fetches{first->output(0), more->output(1)};
  EXPECT_EQ(to_text(prune({feeds, fetches, {}})),
            "first = PartitionedCall(fed Placeholder:0)\nmore = PartitionedCall(fed Placeholder_1:0)\n");
}

}  // namespace
}  // namespace flowray::engine
