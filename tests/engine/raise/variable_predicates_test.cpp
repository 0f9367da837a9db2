// Conditionals whose predicate is a boolean variable.

#include "engine/raise/variable_predicates.h"

#include "engine/engine_fixture.h"
#include "engine/raise/raise.h"

#include <gmock/gmock.h>

namespace flowray::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class VariableAsPredicate : public EngineTest {
 protected:
  struct Conditional {
    graph::Endpoint result;
    graph::Node* pivot[2];  // of the branch for false, and for true
  };

  static graph::Node* after(graph::Node* node, graph::Node* before) {
    node->add_control_input(before);
    return node;
  }
  graph::Node* constant_after(float value, graph::Node* before) {
    return after(builder.constant(value).node, before);
  }

  /// As tf.cond makes it: the variable switches itself for the pivots, a read of it what branches take.
  /// `off` where it is false, else `on`; both wait for nothing but their branch.
  Conditional cond(graph::Endpoint v, float on, float off) {
    Conditional made;
    const auto read = builder.op("Identity", {v});
    graph::Node* pivots = builder.node("Switch", {v, read});
    for (const int branch : {0, 1}) made.pivot[branch] = builder.node("Identity", {pivots->output(branch)});
    graph::Node* const no = constant_after(off, made.pivot[0]);
    graph::Node* const yes = constant_after(on, made.pivot[1]);
    made.result = builder.op("Merge", {no->output(0), yes->output(0)});
    return made;
  }

  graph::Node* set(graph::Endpoint v, bool value) {
    return builder.node("Assign", {v, builder.constant(Array(value))});
  }
  void set_now(graph::Endpoint v, bool value) { run_targets({set(v, value)}); }

  std::string way_of(graph::Endpoint fetch) { return to_text(structured(prune({{}, {&fetch, 1}, {}}))); }
};

TEST_F(VariableAsPredicate, TakesTheBranchOfItsValue) {
  const auto v = variable("v", Array(true));
  const auto y = cond(v, 1.0f, 2.0f).result;
  EXPECT_THAT(way_of(y), HasSubstr("If"));
  EXPECT_EQ(run({y})[0], Array(1.0f));
  set_now(v, false);
  EXPECT_EQ(run({y})[0], Array(2.0f));
}

TEST_F(VariableAsPredicate, SwitchesItself) {
  const auto v = variable("v", Array(true));
  graph::Node* const by_itself = builder.node("Switch", {v, v});
  graph::Node* const no = constant_after(2.0f, builder.node("Identity", {by_itself->output(0)}));
  graph::Node* const yes = constant_after(1.0f, builder.node("Identity", {by_itself->output(1)}));
  const auto y = builder.op("Merge", {no->output(0), yes->output(0)});
  EXPECT_THAT(way_of(y), HasSubstr("If"));
  EXPECT_EQ(run({y})[0], Array(1.0f));
  set_now(v, false);
  EXPECT_EQ(run({y})[0], Array(2.0f));
}

TEST_F(VariableAsPredicate, IsReadOnceForAllItsConditionals) {
  const auto v = variable("v", Array(true));
  const auto x = placeholder(DType::kFloat32, {});
  const auto first = cond(v, 1.0f, 2.0f).result;
  // The second takes a value of the first, and its predicate is another read.
  graph::Node* const data = builder.node("Switch", {first, builder.op("Identity", {v})});
  graph::Node* const other =
      builder.node("Switch", {x, builder.op("Identity", {builder.op("Identity", {v})})});
  const auto sum = builder.op("AddV2", {data->output(1), other->output(1)});
  const auto y = builder.op("Merge", {builder.op("Neg", {other->output(0)}), sum});
  EXPECT_THAT(to_text(structured(prune({{&x, 1}, {&y, 1}, {}}))), HasSubstr("If"));
  EXPECT_EQ(run({y}, {{x, Array(10.0f)}})[0], Array(11.0f));
  set_now(v, false);
  EXPECT_EQ(run({y}, {{x, Array(10.0f)}})[0], Array(-10.0f));
}

TEST_F(VariableAsPredicate, IsReadAnewAfterAnUpdate) {
  const auto v = variable("v", Array(true));
  const auto before = cond(v, 1.0f, 2.0f);
  graph::Node* const change = after(set(v, false), before.result.node);
  const auto read = builder.op("Identity", {v});
  read.node->add_control_input(change);
  graph::Node* const pivots = builder.node("Switch", {read, read});
  graph::Node* const no = constant_after(20.0f, builder.node("Identity", {pivots->output(0)}));
  graph::Node* const yes = constant_after(10.0f, builder.node("Identity", {pivots->output(1)}));
  const auto later = builder.op("Merge", {no->output(0), yes->output(0)});
  const std::vector<Array> results = run({before.result, later});
  EXPECT_EQ(results[0], Array(1.0f));
  EXPECT_EQ(results[1], Array(20.0f));
}

TEST_F(VariableAsPredicate, MayBeChangedInItsBranch) {
  const auto v = variable("v", Array(true));
  const auto read = builder.op("Identity", {v});
  graph::Node* const pivots = builder.node("Switch", {v, read});
  graph::Node* const off = builder.node("Identity", {pivots->output(0)});
  graph::Node* const on = builder.node("Identity", {pivots->output(1)});
  graph::Node* const taken = builder.node("RefSwitch", {v, read});
  graph::Node* const never = after(builder.constant(Array(false)).node, on);
  graph::Node* const change = builder.node("Assign", {taken->output(1), never->output(0)});
  graph::Node* const yes = after(constant_after(1.0f, on), change);
  const auto y = builder.op("Merge", {constant_after(2.0f, off)->output(0), yes->output(0)});
  EXPECT_EQ(run({y})[0], Array(1.0f));
  EXPECT_EQ(run({y})[0], Array(2.0f));
}

TEST_F(VariableAsPredicate, IsAskedInEachIterationOfALoop) {
  const auto v = variable("v", Array(true));
  const graph::Attrs frame{{"frame_name", std::string("loop")}};
  const graph::Attrs for_all{{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto first = builder.op("Enter", {builder.constant(0.0f)}, frame);
  const auto most = builder.op("Enter", {builder.constant(3.0f)}, for_all);
  const auto asked = builder.op("Enter", {builder.op("Identity", {v})}, for_all);
  graph::Node* const i = builder.node("Merge", {first, first});
  const auto goes_on = builder.op("LoopCond", {builder.op("Less", {i->output(0), most})});
  graph::Node* const gate = builder.node("Switch", {i->output(0), goes_on});
  graph::Node* const data = builder.node("Switch", {builder.op("Identity", {gate->output(1)}), asked});
  graph::Node* const one = constant_after(1.0f, builder.node("Identity", {data->output(1)}));
  graph::Node* const two = constant_after(2.0f, builder.node("Identity", {data->output(0)}));
  const auto next = builder.op("Merge", {builder.op("AddV2", {data->output(0), two->output(0)}),
                                         builder.op("AddV2", {data->output(1), one->output(0)})});
  i->close_loop(1, builder.op("NextIteration", {next}));
  const auto last = builder.op("Exit", {gate->output(0)});
  EXPECT_THAT(way_of(last), HasSubstr("While"));
  EXPECT_EQ(run({last})[0], Array(3.0f));
  set_now(v, false);
  EXPECT_EQ(run({last})[0], Array(4.0f));
}

/// What a Switch takes of a variable is its value: of any dtype, and of a shape that may change.
TEST_F(VariableAsPredicate, IsNotTheOnlyVariableThatASwitchReads) {
  const auto p = placeholder(DType::kBool, {});
  const auto text = variable("text", Array(std::string("a")));
  const auto numbers = variable("numbers", Array({1.0f, 2.0f}));
  std::vector<graph::Endpoint> results;
  for (const auto& v : {text, numbers}) {
    graph::Node* const data = builder.node("Switch", {v, p});
    results.push_back(builder.op("Merge", {builder.op("Identity", {data->output(0)}), data->output(1)}));
  }
  for (const bool taken : {false, true}) {
    const std::vector<Array> values = run(results, {{p, Array(taken)}});
    EXPECT_EQ(values[0], Array(std::string("a")));
    EXPECT_EQ(values[1], Array({1.0f, 2.0f}));
  }
}

TEST_F(VariableAsPredicate, ThatNothingReadsMakesNoIf) {
  const auto v = variable("v", Array(true));
  const auto x = builder.constant(3.0f);
  graph::Node* const data = builder.node("Switch", {x, v}, {}, "by_v");
  const auto y = builder.op("Merge", {builder.op("Neg", {data->output(0)}), data->output(1)});
  EXPECT_THAT(way_of(y), HasSubstr("its predicate is a variable that nothing reads"));
  EXPECT_EQ(run({y})[0], Array(3.0f));
  set_now(v, false);
  EXPECT_EQ(run({y})[0], Array(-3.0f));
}

TEST_F(VariableAsPredicate, WithoutAValueIsAnError) {
  const auto v = builder.op("VariableV2", {}, {{"dtype", DType::kBool}, {"shape", Shape()}}, "v");
  const auto y = cond(v, 1.0f, 2.0f).result;
  EXPECT_THROW((void)run({y}), errors::FailedPreconditionError);
}

/// A predicate of one element is not a scalar; a scalar made of it is.
TEST_F(VariableAsPredicate, IsTheScalarThatIsMadeOfIt) {
  const auto p = placeholder(DType::kBool, {1});
  const auto scalar = builder.op("Reshape", {p, builder.constant(Array(DType::kInt32, {0}))});
  graph::Node* const data = builder.node("Switch", {builder.constant(3.0f), scalar});
  const auto y = builder.op("Merge", {builder.op("Neg", {data->output(0)}), data->output(1)});
  EXPECT_EQ(run({y}, {{p, Array({true})}})[0], Array(3.0f));
  EXPECT_EQ(run({y}, {{p, Array({false})}})[0], Array(-3.0f));
}

}  // namespace
}  // namespace flowray::engine
