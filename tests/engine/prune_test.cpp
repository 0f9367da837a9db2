#include "engine/step_graph.h"

#include "engine_fixture.h"

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

}  // namespace
}  // namespace flowray::engine
