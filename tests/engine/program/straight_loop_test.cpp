// Loops whose iterations set a few pointers and run: which ones they are, and that nobody sees
// the difference.

#include "engine/program/straight_loop.h"

#include "core/block_pool.h"
#include "engine/engine_fixture.h"
#include "engine/program/verify_program.h"
#include "engine/run/step_trace.h"

#include <algorithm>
#include <functional>
#include <thread>

namespace flowray::engine {
namespace {

class StraightLoops : public EngineTest {
 protected:
  using Values = std::vector<graph::Endpoint>;

  /// i = 0; while i < n: variables = body(i, variables), i += 1. Returns the last ones.
  Values loop(graph::Endpoint n, const Values& firsts,
              const std::function<Values(graph::Endpoint, Values)>& body) {
    Values starts = firsts;
    starts.push_back(builder.constant(0));
    std::vector<graph::Node*> heads;
    for (const graph::Endpoint first : starts) {
      const auto entered = builder.op("Enter", {first}, {{"frame_name", std::string("loop")}});
      heads.push_back(builder.node("Merge", {entered, entered}));
    }
    const auto less = builder.op("Less", {heads.back()->output(0), outside(n)});
    const auto goes_on = builder.op("LoopCond", {less});
    Values now, exits;
    for (graph::Node* head : heads) {
      graph::Node* const gate = builder.node("Switch", {head->output(0), goes_on});
      now.push_back(gate->output(1));
      exits.push_back(builder.op("Exit", {gate->output(0)}));
    }
    const auto i = now.back();
    now.pop_back();
    Values next = body(i, now);
    next.push_back(builder.op("AddV2", {i, outside(builder.constant(1))}));
    for (size_t k = 0; k < heads.size(); ++k) {
      heads[k]->close_loop(1, builder.op("NextIteration", {next[k]}));
    }
    exits.pop_back();
    return exits;
  }
  graph::Endpoint outside(graph::Endpoint value) {
    return builder.op("Enter", {value}, {{"frame_name", std::string("loop")}, {"is_constant", true}});
  }
  graph::Endpoint number() { return placeholder(DType::kInt32, {}); }

  bool is_straight(const Values& fetches, const std::vector<Fed>& feeds) {
    const std::unique_ptr<Program> program = plan_for(fetches, feeds);
    return std::ranges::any_of(program->straight_loops, [](const auto& loop) { return loop != nullptr; });
  }
  Values fibonacci(graph::Endpoint n, const Values& firsts) {
    return loop(n, firsts, [&](graph::Endpoint, Values ab) {
      return Values{ab[1], builder.op("AddV2", {ab[0], ab[1]})};
    });
  }
};

TEST_F(StraightLoops, GiveWhatTheyShallHoweverOftenTheyGoRound) {
  const auto n = number();
  const auto first = number();
  const Values last = fibonacci(n, {first, builder.constant(1)});
  ASSERT_TRUE(is_straight(last, {{n, Array(1)}, {first, Array(0)}}));
  const std::vector<int32_t> numbers{0, 1, 1, 2, 3, 5, 8, 13, 21};
  std::vector<std::vector<Array>> kept;
  for (const int round : {0, 1}) {
    for (int32_t count = 0; count < 8; ++count) {
      SCOPED_TRACE(::testing::Message() << "round " << round << ", " << count << " iterations");
      const Array zero(0);
      kept.push_back(run(last, {{n, Array(count)}, {first, zero}}));
      EXPECT_EQ(zero, Array(0));
    }
  }
  for (size_t k = 0; k < kept.size(); ++k) {  // none was written over by a later run
    EXPECT_EQ(kept[k][0], Array(numbers[k % 8]));
    EXPECT_EQ(kept[k][1], Array(numbers[k % 8 + 1]));
  }
}

TEST_F(StraightLoops, AreNotThoseThatHandLargeVariablesOn) {
  const auto n = number();
  const auto start = placeholder(DType::kFloat32, {1000});
  const Values last = fibonacci(n, {start, start});
  const Array ones = Array::full(DType::kFloat32, {1000}, 1.0f);
  EXPECT_FALSE(is_straight(last, {{n, Array(4)}, {start, ones}}));
  EXPECT_EQ(run(last, {{n, Array(4)}, {start, ones}})[1], Array::full(DType::kFloat32, {1000}, 8.0f));
}

TEST_F(StraightLoops, AreNotThoseOfVaryingShapes) {
  const auto n = number();
  const auto start = placeholder(DType::kFloat32, {1});
  const Values last = loop(n, {start}, [&](graph::Endpoint, Values x) {
    return Values{builder.op("ConcatV2", {x[0], x[0], outside(builder.constant(0))})};
  });
  EXPECT_FALSE(is_straight(last, {{n, Array(2)}, {start, Array(std::vector<float>{5})}}));
  EXPECT_EQ(run(last, {{n, Array(2)}, {start, Array(std::vector<float>{5})}})[0],
            Array(std::vector<float>{5, 5, 5, 5}));
}

TEST_F(StraightLoops, MayHaveBranchesInThem) {
  const auto n = number();
  const Values last = loop(n, {builder.constant(1)}, [&](graph::Endpoint i, Values x) {
    const auto is_odd = builder.op(
        "Equal", {builder.op("FloorMod", {i, outside(builder.constant(2))}), outside(builder.constant(1))});
    graph::Node* const fork = builder.node("Switch", {x[0], is_odd});
    const auto tripled = builder.op("Mul", {fork->output(1), outside(builder.constant(3))});
    return Values{builder.op("Merge", {fork->output(0), tripled})};
  });
  ASSERT_TRUE(is_straight(last, {{n, Array(1)}}));
  for (const auto& [count, expected] : {std::pair{0, 1}, {1, 1}, {2, 3}, {3, 3}, {6, 27}, {7, 27}}) {
    EXPECT_EQ(run(last, {{n, Array(count)}})[0], Array(expected)) << count << " iterations";
  }
}

TEST_F(StraightLoops, AreNotThoseThatKeepTheirVariables) {
  // A stack keeps what is pushed.
  const auto n = number();
  const auto size = builder.constant(10);
  const auto stack = builder.op("StackV2", {size}, {{"elem_type", DType::kInt32}});
  const Values last = loop(n, {builder.constant(1)}, [&](graph::Endpoint, Values x) {
    return Values{
        builder.op("Mul", {builder.op("StackPushV2", {outside(stack), x[0]}), outside(builder.constant(2))})};
  });
  graph::Node* const waits = last[0].node;
  const auto pop = [&](graph::Node* after) {
    const auto popped = builder.op("StackPopV2", {stack}, {{"elem_type", DType::kInt32}});
    popped.node->add_control_input(after);
    return popped;
  };
  const auto first = pop(waits);
  const auto second = pop(first.node);
  const auto third = pop(second.node);
  EXPECT_EQ(run({first, second, third}, {{n, Array(5)}}),
            (std::vector<Array>{Array(16), Array(8), Array(4)}));
}

TEST_F(StraightLoops, UpdateVariablesAndReadThemAgain) {
  const auto v = variable("v", Array(10.0f));
  const auto n = number();
  const auto inside =
      builder.op("RefEnter", {v}, {{"frame_name", std::string("loop")}, {"is_constant", true}});
  const Values last = loop(n, {builder.constant(0.0f)}, [&](graph::Endpoint i, Values x) {
    const auto one = builder.op("Identity", {outside(builder.constant(1.0f))});
    one.node->add_control_input(builder.op("Identity", {i}).node);
    const auto added = builder.op("AssignAdd", {inside, one});
    const auto read = builder.op("Identity", {inside});
    read.node->add_control_input(added.node);
    return Values{builder.op("AddV2", {x[0], read})};
  });
  EXPECT_EQ(run(last, {{n, Array(3)}})[0], Array(11.0f + 12.0f + 13.0f));
  EXPECT_EQ(run({v})[0], Array(13.0f));
}

TEST_F(StraightLoops, EndWhenTheyAreToldTo) {
  const auto endless = loop(builder.constant(2'000'000'000), {builder.constant(1.0f)},
                            [&](graph::Endpoint, Values x) { return Values{builder.op("Neg", {x[0]})}; });
  Step& step = session.step({{}, endless, {}});
  Array result;
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(5);
  EXPECT_THROW(step.run({}, {&result, 1}, {.deadline = soon}), errors::DeadlineExceededError);
  Cancellation cancellation;
  std::thread canceller([&] { cancellation.cancel(); });
  EXPECT_THROW(step.run({}, {&result, 1}, {.cancellation = &cancellation}), errors::CancelledError);
  canceller.join();
}

TEST_F(StraightLoops, TraceEachIteration) {
  const auto n = number();
  const Values last = fibonacci(n, {builder.constant(0), builder.constant(1)});
  const std::vector<graph::Endpoint> feeds{n};
  StepTrace trace;
  const Array three(3);
  const Array* fed[] = {&three};
  std::vector<Array> results(2);
  session.step({feeds, last, {}}).run(fed, results, {.trace = &trace});
  EXPECT_EQ(results[0], Array(2));
  EXPECT_EQ(
      std::ranges::count_if(trace.nodes(), [](const NodeTrace& entry) { return entry.node->op() == "Less"; }),
      4);
}

TEST_F(StraightLoops, KeepNothingBetweenRuns) {
  const auto n = number();
  const auto start = placeholder(DType::kFloat32, {100'000});
  const Values last =
      loop(n, {start}, [&](graph::Endpoint, Values x) { return Values{builder.op("Neg", {x[0]})}; });
  const Array ones = Array::full(DType::kFloat32, {100'000}, 1.0f);
  ASSERT_TRUE(is_straight(last, {{n, Array(5)}, {start, ones}}));
  (void)run(last, {{n, Array(5)}, {start, ones}});
  const int64_t before = block_pool_stats().bytes_in_use;
  (void)run(last, {{n, Array(50)}, {start, ones}});
  EXPECT_EQ(block_pool_stats().bytes_in_use, before);
}

/// Which variables lie in one array instead of two.
std::vector<bool> written_over(const Program& program) {
  const Program& body = *program.bodies[1];
  std::vector<bool> over(body.results.size());
  for (const FreshSlot& fresh : body.fresh_slots) {
    if (fresh.result != FreshSlot::kNoResult) over[fresh.result] = fresh.takes_over;
  }
  return over;
}

TEST_F(StraightLoops, WriteOverAVariableThatNobodyReadsAnyMore) {
  const auto n = number();
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const auto w = outside(builder.constant(Array({1.0f, 1.0f, 0.0f, 1.0f}).reshape({2, 2})));
  // By two products, in the first of which it is read; by one; element by element, where it may lie under
  // what it becomes.
  const Values last = loop(n, {x, x, x}, [&](graph::Endpoint, Values v) {
    const auto twice = builder.op("MatMul", {builder.op("MatMul", {v[0], w}), w});
    return Values{twice, builder.op("MatMul", {v[1], w}), builder.op("AddV2", {v[2], v[2]})};
  });
  const Array fed = Array({1.0f, 2.0f, 3.0f, 4.0f}).reshape({2, 2});
  const std::vector<Fed> feeds{{n, Array(3)}, {x, fed}};
  ASSERT_TRUE(is_straight(last, feeds));
  const std::vector<bool> over = written_over(*plan_for(last, feeds));
  EXPECT_TRUE(over[0]);
  EXPECT_FALSE(over[1]);
  // w adds the first column to the second.
  const std::vector<Array> got = run(last, feeds);
  EXPECT_EQ(got[0], Array({1.0f, 8.0f, 3.0f, 22.0f}).reshape({2, 2}));
  EXPECT_EQ(got[1], Array({1.0f, 5.0f, 3.0f, 13.0f}).reshape({2, 2}));
  EXPECT_EQ(got[2], Array({8.0f, 16.0f, 24.0f, 32.0f}).reshape({2, 2}));
  EXPECT_EQ(fed, Array({1.0f, 2.0f, 3.0f, 4.0f}).reshape({2, 2}));
}

TEST_F(StraightLoops, AreFoundOutWhereAVariableIsWrittenOverTooEarly) {
  const auto n = number();
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const Values last = loop(n, {x, x}, [&](graph::Endpoint, Values v) {
    const auto square = builder.op("MatMul", {v[0], v[0]});
    return Values{square, builder.op("MatMul", {v[0], square})};
  });
  const auto program = plan_for(last, {{n, Array(3)}, {x, Array(DType::kFloat32, {2, 2})}});
  Program& body = *program->bodies[1];
  EXPECT_NO_THROW(verify(*program));
  for (FreshSlot& fresh : body.fresh_slots) fresh.takes_over = fresh.takes_over || fresh.result == 0;
  EXPECT_THROW(verify(*program), errors::InternalError);
}

/// A branch hands the variable on, so what is read after it is the variable still.
TEST_F(StraightLoops, KeepAVariableThatABranchHandsOn) {
  const auto n = number();
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const auto w = outside(builder.constant(Array({1.0f, 1.0f, 0.0f, 1.0f}).reshape({2, 2})));
  const Values last = loop(n, {x}, [&](graph::Endpoint i, Values v) {
    graph::Node* const gate =
        builder.node("Switch", {v[0], builder.op("Less", {i, outside(builder.constant(2))})});
    const auto either =
        builder.node("Merge", {builder.op("Neg", {gate->output(0)}), gate->output(1)})->output(0);
    return Values{builder.op("MatMul", {either, w})};
  });
  const Array fed = Array({1.0f, 2.0f, 3.0f, 4.0f}).reshape({2, 2});
  const std::vector<Fed> feeds{{n, Array(3)}, {x, fed}};
  EXPECT_FALSE(written_over(*plan_for(last, feeds))[0]);
  EXPECT_EQ(run(last, feeds)[0], Array({-1.0f, -5.0f, -3.0f, -13.0f}).reshape({2, 2}));
}

}  // namespace
}  // namespace flowray::engine
