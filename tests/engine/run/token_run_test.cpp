// Graphs that no If and While can be made of. What they compute is compared with TensorFlow in
// control_flow_test.cpp; here is what runs them.

#include "core/block_pool.h"
#include "core/sanitizers.h"
#include "engine/engine_fixture.h"
#include "engine/program/program_text.h"
#include "engine/run/step_trace.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

namespace flowray::engine {
namespace {

using ::testing::HasSubstr;

class TokenRuns : public EngineTest {
 protected:
  /// `on` where p, `off` where q: nobody knows that just one of them comes.
  graph::Endpoint either(graph::Endpoint p, graph::Endpoint on, graph::Endpoint q, graph::Endpoint off) {
    graph::Node* const by_p = builder.node("Switch", {on, p});
    return builder.op("Merge", {by_p->output(1), builder.node("Switch", {off, q})->output(1)}, {}, "either");
  }

  struct Counter {
    graph::Endpoint head, inside, exit;
  };
  /// i = 0; while i < limit: i = i + 1, by way of a Merge of two predicates.
  Counter counter(graph::Endpoint limit) {
    const graph::Attrs frame{{"frame_name", std::string("loop")}};
    const graph::Attrs constant{{"frame_name", std::string("loop")}, {"is_constant", true}};
    const auto entered = builder.op("Enter", {builder.constant(0)}, frame);
    graph::Node* head = builder.node("Merge", {entered, entered}, {}, "head");
    const auto one = builder.op("Enter", {builder.constant(1)}, constant);
    const auto less = builder.op("Less", {head->output(0), builder.op("Enter", {limit}, constant)});
    graph::Node* gate = builder.node("Switch", {head->output(0), builder.op("LoopCond", {less})});
    const auto odd = builder.op(
        "Equal", {builder.op("FloorMod", {gate->output(1), builder.op("AddV2", {one, one})}), one});
    const auto more = builder.op("AddV2", {gate->output(1), one}, {}, "more");
    const auto next = either(odd, more, builder.op("LogicalNot", {odd}), more);
    head->close_loop(1, builder.op("NextIteration", {next}));
    return {head->output(0), next, builder.op("Exit", {gate->output(0)}, {}, "exit")};
  }

  Step& step_of(const std::vector<graph::Endpoint>& feeds, const std::vector<graph::Endpoint>& fetches) {
    return session.step({feeds, fetches, {}});
  }

  template <class E>
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const E& error) {
      return error.message();
    }
    return "no such error";
  }
};

TEST_F(TokenRuns, AreTheWayOfWhatCannotBeRaised) {
  const auto p = placeholder(DType::kBool, {});
  const auto q = placeholder(DType::kBool, {});
  const auto one = builder.constant(1.0f, "one");
  const auto y = either(p, one, q, builder.constant(2.0f, "two"));
  const std::vector<graph::Endpoint> feeds{p, q};
  const std::string text = to_text(make_step_graph({feeds, {&y, 1}, {}}));
  EXPECT_EQ(text,
            "either = Tokens(fed Placeholder:0, fed Placeholder_1:0)\n"
            "  because: The control flow around node 'either' (Merge) is not made of nested conditionals and "
            "loops: its "
            "inputs are not the two branches of one conditional\n"
            "  nodes:\n"
            "    one = Const()\n"
            "    two = Const()\n"
            "    Switch = Switch(one:0, fed Placeholder:0)\n"
            "    Switch_1 = Switch(two:0, fed Placeholder_1:0)\n"
            "    either = Merge(Switch:1, Switch_1:1)\n"
            "    gives either:0\n");
  EXPECT_THAT(to_text(*plan_for({y}, {{p, Array(true)}, {q, Array(false)}})),
              HasSubstr("tokens Merge either(%0, %1) -> %2"));
  EXPECT_EQ(run({y}, {{p, Array(true)}, {q, Array(false)}})[0], Array(1.0f));
  EXPECT_EQ(run({y}, {{p, Array(false)}, {q, Array(true)}})[0], Array(2.0f));
}

TEST_F(TokenRuns, ReadAndUpdateTheVariableThatAnIndexChooses) {
  interpreter_can_follow_ = false;
  const auto index = placeholder(DType::kInt32, {});
  const auto a = variable("a", Array(1.0f));
  const auto b = variable("b", Array(2.0f));
  const auto chosen = builder.op("RefSelect", {index, a, b}, {}, "chosen");
  const auto read = builder.op("Identity", {chosen});
  EXPECT_EQ(run({read}, {{index, Array(0)}})[0], Array(1.0f));
  EXPECT_EQ(run({read}, {{index, Array(1)}})[0], Array(2.0f));
  (void)run({}, {{index, Array(1)}}, {builder.node("AssignAdd", {chosen, builder.constant(5.0f)})});
  EXPECT_EQ(run({builder.op("Identity", {b})})[0], Array(7.0f));
  EXPECT_EQ(run({builder.op("Identity", {a})})[0], Array(1.0f));
  EXPECT_THAT(error_of<errors::InvalidArgumentError>([&] { (void)run({read}, {{index, Array(2)}}); }),
              HasSubstr("Index must be in the range [0, 2) but got 2"));
}

TEST_F(TokenRuns, SayWhichFetchIsDead) {
  const auto p = placeholder(DType::kBool, {});
  const auto y =
      builder.op("Neg", {builder.node("Switch", {builder.constant(2.0f), p})->output(1)}, {}, "on");
  EXPECT_EQ(run({y}, {{p, Array(true)}})[0], Array(-2.0f));
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] { (void)run({y}, {{p, Array(false)}}); }),
            "Retval[0] does not have value\nThe fetch 'on:0' is in a branch that was not taken.");
}

TEST_F(TokenRuns, EndWhereNothingCanMoveAnyMore) {
  const auto x = builder.constant(1.0f);
  graph::Node* head = builder.node("Merge", {x, x}, {}, "head");
  const auto again = builder.op("NextIteration", {head->output(0)}, {}, "again");
  head->close_loop(0, again);
  head->close_loop(1, again);
  const std::string text = error_of<errors::InvalidArgumentError>([&] { (void)run({head->output(0)}); });
  EXPECT_THAT(text, HasSubstr("Retval[0] does not have value"));
  EXPECT_THAT(text, HasSubstr("'head:0' was never reached: its node still waits for again:0, again:0"));
}

TEST_F(TokenRuns, KeepNothingOfFinishedIterations) {
  const auto n = placeholder(DType::kInt32, {});
  const auto last = counter(n).exit;
  EXPECT_EQ(run({last}, {{n, Array(2)}})[0], Array(2));
  // What was in use at any time is kept for the next use.
  const auto memory = [] { return block_pool_stats().bytes_in_use + block_pool_stats().bytes_kept; };
  const int64_t before = memory();
  const int many = kSanitized ? 2'000 : 20'000;
  EXPECT_EQ(run({last}, {{n, Array(many)}})[0], Array(many));
  EXPECT_LE(memory() - before, 1024);
}

TEST_F(TokenRuns, EndWhenTheyAreToldTo) {
  const auto n = placeholder(DType::kInt32, {});
  Step& step = step_of({n}, {counter(n).exit});
  const Array limit(std::numeric_limits<int32_t>::max());
  const Array* fed[] = {&limit};
  std::vector<Array> results(1);
  Cancellation cancellation;
  auto running =
      std::async(std::launch::async, [&] { step.run(fed, results, {.cancellation = &cancellation}); });
  cancellation.cancel();
  EXPECT_THROW(running.get(), errors::CancelledError);
  const RunContext late{.deadline = RunContext::Clock::now() + std::chrono::milliseconds(5)};
  EXPECT_EQ(error_of<errors::DeadlineExceededError>([&] { step.run(fed, results, late); }),
            "Timed out waiting for notification");
}

class WaitingTokenRuns : public TokenRuns {
 protected:
  graph::Endpoint queue = builder.op("FIFOQueueV2", {},
                                     {{"component_types", std::vector<DType>{DType::kInt32}},
                                      {"shapes", std::vector<Shape>{Shape()}},
                                      {"capacity", int64_t{1}}},
                                     "queue");
  graph::Endpoint taken = builder.op("QueueDequeueV2", {queue},
                                     {{"component_types", std::vector<DType>{DType::kInt32}}}, "taken");
  graph::Endpoint p = placeholder(DType::kBool, {});
  graph::Endpoint inside = builder.op("Neg", {builder.node("Switch", {taken, p})->output(1)}, {}, "inside");

  std::future<Array> run_aside(RunContext context = {}) {
    Step& step = step_of({p}, {inside});
    return std::async(std::launch::async, [&step, context] {
      const Array yes(true);
      const Array* fed[] = {&yes};
      Array result;
      step.run(fed, {&result, 1}, context);
      return result;
    });
  }
};

TEST_F(WaitingTokenRuns, GoOnWhenAnotherStepBringsWhatTheyWaitFor) {
  auto waiting = run_aside();
  run_targets({builder.node("QueueEnqueueV2", {queue, builder.constant(3)})});
  EXPECT_EQ(waiting.get(), Array(-3));
}

TEST_F(WaitingTokenRuns, HearOfTheDeadlineAndTheEndOfTheSession) {
  auto late = run_aside({.deadline = RunContext::Clock::now() + std::chrono::milliseconds(5)});
  EXPECT_THROW((void)late.get(), errors::DeadlineExceededError);
  auto waiting = run_aside();
  session.close();
  EXPECT_THROW((void)waiting.get(), errors::CancelledError);
}

TEST_F(WaitingTokenRuns, NodesOfOneRunMayWaitForEachOther) {
  graph::Node* const filled = builder.node("QueueEnqueueV2", {queue, builder.constant(3)});
  const std::vector<graph::Endpoint> feeds{p};
  const std::vector<graph::Endpoint> fetches{inside};
  graph::Node* const targets[] = {filled};
  const Array yes(true);
  const Array* fed[] = {&yes};
  std::vector<Array> results(1);
  session.step({feeds, fetches, targets}).run(fed, results);
  EXPECT_EQ(results[0], Array(-3));
}

TEST_F(TokenRuns, MayBeManyAtOnce) {
  const auto n = placeholder(DType::kInt32, {});
  Step& step = step_of({n}, {counter(n).exit});
  std::vector<std::future<bool>> all;
  for (int32_t thread = 0; thread < 4; ++thread) {
    all.push_back(std::async(std::launch::async, [&step, thread] {
      for (int32_t i = 0; i < 20; ++i) {
        const Array limit(thread * 7 + i);
        const Array* fed[] = {&limit};
        std::vector<Array> results(1);
        step.run(fed, results);
        if (!(results[0] == limit)) return false;
      }
      return true;
    }));
  }
  for (auto& one : all) EXPECT_TRUE(one.get());
}

TEST_F(TokenRuns, TraceEachNodeThatRuns) {
  const auto n = placeholder(DType::kInt32, {});
  Step& step = step_of({n}, {counter(n).exit});
  const Array limit(3);
  const Array* fed[] = {&limit};
  std::vector<Array> results(1);
  StepTrace trace;
  step.run(fed, results, {.trace = &trace});
  std::map<std::string, int> times;
  for (const NodeTrace& node : trace.nodes()) ++times[node.node->name()];
  EXPECT_EQ(times["head"], 4);
  EXPECT_EQ(times["more"], 3);
  EXPECT_EQ(times["exit"], 1);
}

}  // namespace
}  // namespace flowray::engine
