// What is shared and what must not be; the lists are worked out by hand.
#include "engine/step/share.h"

#include "engine/engine_fixture.h"

namespace flowray::engine {
namespace {

class Share : public EngineTest {
 protected:
  std::string shared(const std::vector<graph::Endpoint>& feeds, const std::vector<graph::Endpoint>& fetches,
                     const std::vector<graph::Node*>& targets = {}) {
    return to_text(share(prune({feeds, fetches, targets})));
  }
};

TEST_F(Share, ComputesOnceWhatTwoNodesCompute) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto a = builder.op("Tanh", {x}, {}, "a");
  const auto b = builder.op("Tanh", {x}, {}, "b");
  const auto y = builder.op("Sub", {a, b}, {}, "y");
  EXPECT_EQ(shared({x}, {y}), "a = Tanh(fed Placeholder:0)\ny = Sub(a:0, a:0)\n");
}

TEST_F(Share, FollowsWhatBecomesTheSame) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto a = builder.op("Mul", {builder.op("Neg", {x}, {}, "n"), builder.constant(2.0f, "two")}, {}, "a");
  const auto b = builder.op("Mul", {builder.op("Neg", {x}, {}, "m"), builder.constant(2.0f, "due")}, {}, "b");
  const auto y = builder.op("AddV2", {a, b}, {}, "y");
  EXPECT_EQ(shared({x}, {y, b}),
            "n = Neg(fed Placeholder:0)\ntwo = Const()\na = Mul(n:0, two:0)\ny = AddV2(a:0, a:0)\n");
  const std::vector<Array> both = run({y, b}, {{x, Array({1.0f, -3.0f})}});
  EXPECT_EQ(both[0], Array({-4.0f, 12.0f}));
  EXPECT_EQ(both[1], Array({-2.0f, 6.0f}));
}

TEST_F(Share, KeepsApartWhatDiffersInAnAttributeAnOpOrAnInput) {
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const auto axis = builder.constant(Array(std::vector<int32_t>{0}), "axis");
  const auto a = builder.op("Sum", {x, axis}, {{"keep_dims", true}}, "a");
  const auto b = builder.op("Sum", {x, axis}, {{"keep_dims", false}}, "b");
  const auto c = builder.op("Max", {x, axis}, {{"keep_dims", true}}, "c");
  const auto d = builder.op("Sub", {a, c}, {}, "d");
  const auto e = builder.op("Sub", {c, a}, {}, "e");
  EXPECT_EQ(shared({x}, {b, d, e}),
            "axis = Const()\na = Sum(fed Placeholder:0, axis:0)\nb = Sum(fed Placeholder:0, axis:0)\n"
            "c = Max(fed Placeholder:0, axis:0)\nd = Sub(a:0, c:0)\ne = Sub(c:0, a:0)\n");
}

TEST_F(Share, KeepsZeroAndMinusZeroApart) {
  const auto one =
      builder.op("RealDiv", {builder.constant(1.0f, "one"), builder.constant(0.0f, "zero")}, {}, "a");
  const auto other =
      builder.op("RealDiv", {builder.constant(1.0f, "uno"), builder.constant(-0.0f, "minus")}, {}, "b");
  EXPECT_EQ(shared({}, {one, other}),
            "one = Const()\nzero = Const()\na = RealDiv(one:0, zero:0)\nminus = Const()\nb = RealDiv(one:0, "
            "minus:0)\n");
}

TEST_F(Share, KeepsRandomNumbersApart) {
  const auto shape = builder.constant(Array(std::vector<int32_t>{2}), "shape");
  const graph::Attrs attrs{{"dtype", DType::kFloat32}, {"seed", int64_t{1}}, {"seed2", int64_t{2}}};
  const auto a = builder.op("RandomUniform", {shape}, attrs, "a");
  const auto b = builder.op("RandomUniform", {shape}, attrs, "b");
  EXPECT_EQ(shared({}, {a, b}), "shape = Const()\na = RandomUniform(shape:0)\nb = RandomUniform(shape:0)\n");
}

TEST_F(Share, NeverReadsAVariableOnceForAllWhereItMayChange) {
  const auto w = variable("w", Array({1.0f, 2.0f}));
  const auto before = builder.op("Identity", {w}, {}, "before");
  const auto doubled = builder.op("Mul", {w, w}, {}, "doubled");
  graph::Node* update =
      builder.node("AssignAdd", {w, builder.constant(Array({1.0f, 1.0f}), "ones")}, {}, "update");
  update->add_control_input(before.node);
  update->add_control_input(doubled.node);
  const auto after = builder.op("Identity", {w}, {}, "after");
  after.node->add_control_input(update);
  const auto again = builder.op("Mul", {w, w}, {}, "again");
  again.node->add_control_input(update);
  const std::vector<Array> all = run({before, after, doubled, again});
  EXPECT_EQ(all[0], Array({1.0f, 2.0f}));
  EXPECT_EQ(all[1], Array({2.0f, 3.0f}));
  EXPECT_EQ(all[2], Array({1.0f, 4.0f}));
  EXPECT_EQ(all[3], Array({4.0f, 9.0f}));
  // Not even where nothing changes it: what a reference is read for is not known here.
  const auto third = builder.op("Identity", {w}, {}, "third");
  EXPECT_EQ(shared({}, {before, third}), "w = VariableV2()\nbefore = Identity(w:0)\nthird = Identity(w:0)\n");
}

TEST_F(Share, KeepsApartWhatWaitsForDifferentNodes) {
  const auto x = placeholder(DType::kFloat32, {2});
  graph::Node* first = builder.node("NoOp", {}, {}, "first");
  graph::Node* second = builder.node("NoOp", {}, {}, "second");
  const auto a = builder.op("Neg", {x}, {}, "a");
  const auto b = builder.op("Neg", {x}, {}, "b");
  const auto c = builder.op("Neg", {x}, {}, "c");
  a.node->add_control_input(first);
  b.node->add_control_input(second);
  c.node->add_control_input(first);
  EXPECT_EQ(shared({x}, {a, b, c}),
            "first = NoOp()\nsecond = NoOp()\na = Neg(fed Placeholder:0, ^first)\nb = Neg(fed Placeholder:0, "
            "^second)\n");
}

TEST_F(Share, LeavesAGraphAsItIsWhereItIsOff) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto y =
      builder.op("Sub", {builder.op("Tanh", {x}, {}, "a"), builder.op("Tanh", {x}, {}, "b")}, {}, "y");
  const std::vector<graph::Endpoint> feeds{x};
  const std::vector<graph::Endpoint> fetches{y};
  EXPECT_EQ(make_step_graph({feeds, fetches, {}}, {.share = false}).nodes.size(), 3u);
  EXPECT_EQ(make_step_graph({feeds, fetches, {}}).nodes.size(), 2u);
}

}  // namespace
}  // namespace flowray::engine
