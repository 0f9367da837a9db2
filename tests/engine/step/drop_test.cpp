// What is left out because nobody reads it, and what is not; the lists are worked out by hand.
#include "engine/step/drop.h"

#include "engine/engine_fixture.h"

namespace flowray::engine {
namespace {

class Drop : public EngineTest {
 protected:
  std::string left(const std::vector<graph::Endpoint>& feeds, const std::vector<graph::Endpoint>& fetches,
                   const std::vector<graph::Node*>& targets = {}) {
    return to_text(drop_unread(prune({feeds, fetches, targets}), targets));
  }
};

TEST_F(Drop, LeavesOutTheGradientThatOnlyOthersWaitFor) {
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const auto w = placeholder(DType::kFloat32, {2, 2});
  const auto before = builder.op("Neg", {x}, {}, "before");
  const auto dx = builder.op("MatMul", {before, w}, {}, "dx");
  const auto dw = builder.op("MatMul", {x, w}, {}, "dw");
  graph::Node* group = builder.node("NoOp", {}, {}, "group");
  group->add_control_input(dx.node);
  group->add_control_input(dw.node);
  const auto y = builder.op("Exp", {dw}, {}, "y");
  y.node->add_control_input(group);
  EXPECT_EQ(left({x, w}, {y}), "dw = MatMul(fed Placeholder:0, fed Placeholder_1:0)\ny = Exp(dw:0, ^dw)\n");
  EXPECT_EQ(left({x, w}, {y}, {dx.node}),
            "before = Neg(fed Placeholder:0)\ndx = MatMul(before:0, fed Placeholder_1:0)\n"
            "dw = MatMul(fed Placeholder:0, fed Placeholder_1:0)\ny = Exp(dw:0, ^dx, ^dw)\n");
}

TEST_F(Drop, WhoWaitedForItWaitsForWhatItWaitedFor) {
  const auto w = variable("w", Array({1.0f, 2.0f}));
  graph::Node* update =
      builder.node("AssignAdd", {w, builder.constant(Array({1.0f, 1.0f}), "ones")}, {}, "update");
  const auto unread = builder.op("Neg", {builder.constant(3.0f, "three")}, {}, "unread");
  unread.node->add_control_input(update);
  const auto further = builder.op("Exp", {unread}, {}, "further");
  const auto after = builder.op("Identity", {w}, {}, "after");
  after.node->add_control_input(further.node);
  EXPECT_EQ(
      left({}, {after}),
      "w = VariableV2()\nones = Const()\nupdate = AssignAdd(w:0, ones:0)\nafter = Identity(w:0, ^update)\n");
  EXPECT_EQ(run({after})[0], Array({2.0f, 3.0f}));
}

TEST_F(Drop, KeepsWhatOthersCanSee) {
  const auto w = variable("w", Array({1.0f, 2.0f}));
  const auto shape = builder.constant(Array(std::vector<int32_t>{2}), "shape");
  const auto random = builder.op("RandomUniform", {shape}, {{"dtype", DType::kFloat32}}, "random");
  const auto read = builder.op("Identity", {w}, {}, "read");
  graph::Node* target = builder.node("NoOp", {}, {}, "target");
  target->add_control_input(random.node);
  target->add_control_input(read.node);
  EXPECT_EQ(left({}, {}, {target}),
            "w = VariableV2()\nshape = Const()\nrandom = RandomUniform(shape:0)\nread = Identity(w:0)\n"
            "target = NoOp(^random, ^read)\n");
}

TEST_F(Drop, KeepsWhatIsThereForItsError) {
  const auto x = placeholder(DType::kFloat32, Shape::unknown_rank());
  const auto checked = builder.op("EnsureShape", {x}, {{"shape", Shape{2}}}, "checked");
  const auto y = builder.constant(1.0f, "y");
  y.node->add_control_input(checked.node);
  EXPECT_EQ(run({y}, {{x, Array({1.0f, 2.0f})}})[0], Array(1.0f));
  EXPECT_THROW((void)run({y}, {{x, Array({1.0f, 2.0f, 3.0f})}}), errors::InvalidArgumentError);
}

TEST_F(Drop, StillAsksForWhatMustBeFed) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto unread = builder.op("Neg", {x}, {}, "unread");
  const auto y = builder.constant(1.0f, "y");
  y.node->add_control_input(unread.node);
  EXPECT_THROW((void)run({y}), errors::InvalidArgumentError);
}

TEST_F(Drop, KeepsANoOpBetweenManyAndMany) {
  std::vector<graph::Endpoint> fetches;
  graph::Node* middle = builder.node("NoOp", {}, {}, "middle");
  const auto w = variable("w", Array(1.0f));
  for (int i = 0; i < 20; ++i) {
    middle->add_control_input(builder.node("AssignAdd", {w, builder.constant(1.0f)}));
    fetches.push_back(builder.op("Identity", {w}));
    fetches.back().node->add_control_input(middle);
  }
  const StepGraph step = drop_unread(prune({{}, fetches, {}}), {});
  size_t edges = 0;
  for (const StepNode& item : step.nodes) edges += item.controls.size();
  EXPECT_EQ(edges, 40u);
  EXPECT_EQ(run(fetches)[7], Array(21.0f));
}

}  // namespace
}  // namespace flowray::engine
