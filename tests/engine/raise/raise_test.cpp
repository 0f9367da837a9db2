// Branches and loops as the engine sees them. What they compute is in control_flow_test.cpp.

#include "engine/raise/raise.h"

#include "engine/engine_fixture.h"
#include "engine/program/program_text.h"

#include <gmock/gmock.h>

namespace flowray::engine {
namespace {

using ::testing::HasSubstr;

class Raise : public EngineTest {
 protected:
  /// x + 1 where p, else x * 2, as tf.cond builds it but for the pivots.
  graph::Endpoint conditional(graph::Endpoint p, graph::Endpoint x) {
    graph::Node* data = builder.node("Switch", {x, p}, {}, "sw");
    const auto off = builder.op("Mul", {data->output(0), builder.constant(2.0f, "two")}, {}, "off");
    const auto on = builder.op("AddV2", {data->output(1), builder.constant(1.0f, "one")}, {}, "on");
    return builder.op("Merge", {off, on}, {}, "merge");
  }

  /// i = first; while i < limit: i = i + 1
  graph::Endpoint counter(graph::Endpoint first, graph::Endpoint limit) {
    const auto entered = builder.op("Enter", {first}, {{"frame_name", std::string("loop")}}, "enter");
    const auto bound =
        builder.op("Enter", {limit}, {{"frame_name", std::string("loop")}, {"is_constant", true}}, "bound");
    graph::Node* merge = builder.node("Merge", {entered, entered}, {}, "i");
    const auto less = builder.op("Less", {merge->output(0), bound}, {}, "less");
    const auto goes_on = builder.op("LoopCond", {less}, {}, "goes_on");
    graph::Node* gate = builder.node("Switch", {merge->output(0), goes_on}, {}, "gate");
    // As in TensorFlow's loops, a constant of the body waits for the gate.
    const auto in_body = builder.op("Identity", {gate->output(1)}, {}, "in_body");
    graph::Node* one = builder.constant(1, "one").node;
    one->add_control_input(in_body.node);
    const auto next = builder.op("AddV2", {in_body, one->output(0)}, {}, "next");
    merge->close_loop(1, builder.op("NextIteration", {next}, {}, "again"));
    return builder.op("Exit", {gate->output(0)}, {}, "exit");
  }

  std::string raised(const std::vector<graph::Endpoint>& feeds, graph::Endpoint fetch) {
    return to_text(raise_control_flow(prune({feeds, {&fetch, 1}, {}})));
  }
};

TEST_F(Raise, MakesAnIfOfSwitchAndMerge) {
  const auto p = placeholder(DType::kBool, {});
  const auto x = placeholder(DType::kFloat32, {2});
  EXPECT_EQ(raised({p, x}, conditional(p, x)),
            "two = Const()\n"
            "one = Const()\n"
            "merge = If(fed Placeholder:0, fed Placeholder_1:0, two:0, one:0)\n"
            "  else:\n"
            "    off = Mul(fed Placeholder_1:0, fed two:0)\n"
            "    gives off:0 0\n"
            "  then:\n"
            "    on = AddV2(fed Placeholder_1:0, fed one:0)\n"
            "    gives on:0 1\n");
}

TEST_F(Raise, MakesAWhileOfALoop) {
  const auto n = placeholder(DType::kInt32, {});
  EXPECT_EQ(raised({n}, counter(builder.constant(0, "zero"), n)),
            "zero = Const()\n"
            "goes_on = While(zero:0, fed Placeholder:0)\n"
            "  cond:\n"
            "    less = Less(fed i:0, fed Placeholder:0)\n"
            "    gives less:0\n"
            "  body:\n"
            "    in_body = Identity(fed i:0)\n"
            "    one = Const(^in_body)\n"
            "    next = AddV2(in_body:0, one:0)\n"
            "    gives next:0\n");
}

TEST_F(Raise, RefusesBranchesNestedTooDeeply) {
  interpreter_can_follow_ = false;
  const auto x = placeholder(DType::kFloat32, {});
  const auto p = placeholder(DType::kBool, {});
  const auto nested = [&](int depth) {
    std::vector<graph::Endpoint> otherwise;
    graph::Endpoint inner = x;
    for (int i = 0; i < depth; ++i) {
      graph::Node* const node = builder.node("Switch", {inner, p});
      otherwise.push_back(node->output(0));
      inner = node->output(1);
    }
    for (; !otherwise.empty(); otherwise.pop_back()) inner = builder.op("Merge", {otherwise.back(), inner});
    return inner;
  };
  EXPECT_EQ(run({nested(50)}, {{x, Array(3.0f)}, {p, Array(true)}})[0], Array(3.0f));
  const auto too_deep = nested(600);
  EXPECT_THROW(run({too_deep}, {{x, Array(3.0f)}, {p, Array(true)}}), errors::ResourceExhaustedError);
}

TEST_F(Raise, RefusesLoopsNestedTooDeeply) {
  interpreter_can_follow_ = false;
  const auto x = placeholder(DType::kFloat32, {});
  graph::Endpoint inner = x;
  for (int i = 0; i < 300; ++i)
    inner = builder.op("Enter", {inner}, {{"frame_name", "loop" + std::to_string(i)}});
  for (int i = 0; i < 300; ++i) inner = builder.op("Exit", {inner});
  EXPECT_THROW(run({inner}, {{x, Array(3.0f)}}), errors::ResourceExhaustedError);
}

TEST_F(Raise, ALoopOfKnownShapesRunsStraight) {
  const auto n = placeholder(DType::kInt32, {});
  const auto last = counter(builder.constant(0, "zero"), n);
  const std::string text = to_text(*plan_for({last}, {{n, Array(3)}}));
  EXPECT_THAT(text, HasSubstr("run Less less"));
  EXPECT_THAT(text, HasSubstr("run AddV2 next"));
  EXPECT_EQ(text.find("dynamic"), std::string::npos) << text;
}

TEST_F(Raise, ABranchThatIsNeverTakenIsNotPlanned) {
  const auto x = placeholder(DType::kFloat32, {2});
  const auto y = conditional(builder.constant(Array(true)), x);
  EXPECT_THAT(to_text(*plan_for({y}, {{x, Array({1.0f, 2.0f})}})), HasSubstr("never"));
  EXPECT_EQ(run({y}, {{x, Array({1.0f, 2.0f})}})[0], Array({2.0f, 3.0f}));
}

TEST_F(Raise, OnlyTheBranchThatRunsMayFail) {
  const auto p = placeholder(DType::kBool, {});
  const auto x = placeholder(DType::kFloat32, Shape::unknown_rank());
  graph::Node* data = builder.node("Switch", {x, p}, {}, "sw");
  const auto square = builder.op("MatMul", {data->output(1), data->output(1)}, {}, "square");
  const auto y = builder.op("Merge", {data->output(0), square}, {}, "merge");
  const Array row({{1.0f, 2.0f}});
  EXPECT_EQ(run({y}, {{p, Array(false)}, {x, row}})[0], row);
  try {
    (void)run({y}, {{p, Array(true)}, {x, row}});
    FAIL() << "[1,2] times [1,2]";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.node_name(), "square");
  }
  // And again: the failed run left nothing behind.
  EXPECT_EQ(run({y}, {{p, Array(false)}, {x, row}})[0], row);
}

TEST_F(Raise, APredicateMustBeAScalar) {
  const auto p = placeholder(DType::kBool, Shape::unknown_rank());
  const auto x = placeholder(DType::kFloat32, {2});
  const auto y = conditional(p, x);
  const Array row({1.0f, 2.0f});
  for (const Array& wrong : {Array(DType::kBool, {0}), Array({true, false})}) {
    try {
      (void)run({y}, {{p, wrong}, {x, row}});
      FAIL() << wrong.to_string();
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_THAT(error.message(), HasSubstr("The second input must be a scalar, but it has shape " +
                                             wrong.shape().to_string()));
    }
  }
  EXPECT_EQ(run({y}, {{p, Array(true)}, {x, row}})[0], Array({2.0f, 3.0f}));
}

TEST_F(Raise, ALoopsConditionMustBeAScalar) {
  const auto n = placeholder(DType::kInt32, Shape::unknown_rank());
  const auto last = counter(builder.constant(0), n);
  EXPECT_THROW((void)run({last}, {{n, Array(DType::kInt32, {0})}}), errors::InvalidArgumentError);
  EXPECT_THROW((void)run({last}, {{n, Array({3, 4})}}), errors::InvalidArgumentError);
  EXPECT_EQ(run({last}, {{n, Array(3)}})[0], Array(3));
}

TEST_F(Raise, AnEndlessLoopIsEndedFromOutside) {
  const auto n = placeholder(DType::kInt32, {});
  const auto last = counter(builder.constant(0, "zero"), n);
  const Array limit(std::numeric_limits<int32_t>::max());
  const Array* fed[] = {&limit};
  std::vector<Array> results(1);
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_THROW(session.step({{&n, 1}, {&last, 1}, {}}).run(fed, results, {.cancellation = &cancellation}),
               errors::CancelledError);
  EXPECT_FALSE(results[0].has_value());
}

/// The condition reads w, and hands it to the body. Nothing may hold w's value then: its update would copy.
TEST_F(Raise, HoldsNothingOfAVariableAfterTheLoop) {
  const graph::Attrs frame = {{"frame_name", std::string("loop")}};
  const graph::Attrs invariant = {{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto w = variable("w", Array({2.0f, 3.0f}));
  const auto limit = builder.op("Enter", {builder.constant(8.0f)}, invariant);
  const auto value = builder.op("Identity", {builder.op("RefEnter", {w}, invariant)});
  const auto first = builder.op("Enter", {builder.constant(Array({0.0f, 0.0f}))}, frame);
  graph::Node* sum = builder.node("Merge", {first, first});
  const auto axis = builder.op("Enter", {builder.constant(0)}, invariant);
  const auto reached = builder.op("Sum", {builder.op("AddV2", {sum->output(0), value}), axis});
  const auto goes_on = builder.op("LoopCond", {builder.op("Less", {reached, limit})});
  graph::Node* gate = builder.node("Switch", {sum->output(0), goes_on});
  graph::Node* given = builder.node("Switch", {value, goes_on});
  const auto next = builder.op("AddV2", {gate->output(1), given->output(1)});
  sum->close_loop(1, builder.op("NextIteration", {next}));
  const auto last = builder.op("Exit", {gate->output(0)});
  graph::Node* update = builder.node("AssignAdd", {w, builder.constant(Array({1.0f, 1.0f}))});

  const void* const before = run({w})[0].raw_data();
  EXPECT_EQ(run({last})[0], Array({2.0f, 3.0f}));  // 0 + 5 < 8, then 5 + 5 is not
  run_targets({update});
  const Array after = run({w})[0];
  EXPECT_EQ(after, Array({3.0f, 4.0f}));
  EXPECT_EQ(after.raw_data(), before);
}

TEST_F(Raise, SaysWhichNodeIsInTheWay) {
  const auto p = placeholder(DType::kBool, {});
  const auto q = placeholder(DType::kBool, {});
  const auto x = placeholder(DType::kFloat32, {2});
  graph::Node* by_p = builder.node("Switch", {x, p});
  graph::Node* by_q = builder.node("Switch", {x, q});
  const auto merged = builder.op("Merge", {by_p->output(0), by_q->output(1)}, {}, "odd");
  try {
    (void)raised({p, q, x}, merged);
    FAIL() << "two predicates in one Merge";
  } catch (const IrregularFlow& irregular) {
    EXPECT_EQ(irregular.node().name(), "odd");
  }
  try {
    (void)raised({p, x}, by_p->output(0));
    FAIL() << "a value of one branch is fetched";
  } catch (const IrregularFlow& irregular) {
    EXPECT_THAT(irregular.what(), HasSubstr("fetched from inside of a branch"));
  }
}

}  // namespace
}  // namespace flowray::engine
