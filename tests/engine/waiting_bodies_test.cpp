// Steps that wait inside of branches, loops and graphs that run node by node: they hold no thread either.

#include "core/job_queue.h"
#include "engine/run/started_fixture.h"
#include "engine/run/step_trace.h"
#include "graph/exchange/graph_import.h"
#include "wire/graph_def.h"

#include <gmock/gmock.h>

#include <thread>

namespace flowray::engine {
namespace {

class WaitingBodies : public StartedSteps {
 protected:
  struct Branch {
    graph::Node* fork;
    graph::Endpoint predicate;
  };
  /// What `make` returns where the predicate is true, and -1 where it is not. What `make` makes waits for its
  /// argument, which exists in that branch only.
  template <class Make>
  graph::Endpoint branch(graph::Endpoint predicate, Make make) {
    graph::Node* const fork = builder.node("Switch", {builder.constant(-1), predicate});
    const auto on = builder.op("Identity", {fork->output(1)});
    return builder.op("Merge", {fork->output(0), make(on.node)}, {}, "either");
  }
  graph::Endpoint dequeue_after(graph::Endpoint queue, graph::Node* before,
                                const std::string& name = "dequeue") {
    const auto got = dequeue(queue, name);
    got.node->add_control_input(before);
    return got;
  }
  /// -1, or what comes out of the queue where the predicate is true.
  graph::Endpoint taken_if(graph::Endpoint predicate, graph::Endpoint queue) {
    return branch(predicate, [&](graph::Node* on) { return dequeue_after(queue, on); });
  }

  /// i = 0, sum = 0; while i < n: sum += make(i), i += 1. Returns the last sum.
  template <class Make>
  graph::Endpoint loop(graph::Endpoint n, Make make) {
    const graph::Attrs frame{{"frame_name", std::string("loop")}};
    const graph::Attrs constant{{"frame_name", std::string("loop")}, {"is_constant", true}};
    const auto entered = builder.op("Enter", {builder.constant(0)}, frame);
    graph::Node* const i = builder.node("Merge", {entered, entered});
    graph::Node* const sum = builder.node("Merge", {entered, entered});
    const auto less = builder.op("Less", {i->output(0), builder.op("Enter", {n}, constant)});
    const auto goes_on = builder.op("LoopCond", {less});
    graph::Node* const gate = builder.node("Switch", {i->output(0), goes_on});
    graph::Node* const sum_gate = builder.node("Switch", {sum->output(0), goes_on});
    const auto now = builder.op("Identity", {gate->output(1)});
    const auto one = builder.op("Enter", {builder.constant(1)}, constant);
    i->close_loop(1, builder.op("NextIteration", {builder.op("AddV2", {now, one})}));
    const auto more = builder.op("AddV2", {sum_gate->output(1), make(now)});
    sum->close_loop(1, builder.op("NextIteration", {more}));
    return builder.op("Exit", {sum_gate->output(0)});
  }
  graph::Endpoint entered(graph::Endpoint value) {
    return builder.op("Enter", {value}, {{"frame_name", std::string("loop")}, {"is_constant", true}});
  }
  graph::Endpoint sum_of(graph::Endpoint n, graph::Endpoint queue) {
    const auto inside = entered(queue);
    return loop(n, [&](graph::Endpoint i) { return dequeue_after(inside, i.node); });
  }
  /// A Merge of two predicates, of which nobody knows that just one comes: a graph that runs node by node.
  graph::Endpoint irregular(graph::Endpoint queue) {
    const auto on = placeholder_true();
    const auto off = builder.op("LogicalNot", {on});
    graph::Node* const first = builder.node("Switch", {builder.constant(7), on});
    graph::Node* const second = builder.node("Switch", {builder.constant(8), off});
    const auto got = dequeue_after(queue, builder.op("Identity", {first->output(1)}).node);
    return builder.op("Merge", {got, second->output(1)}, {}, "either");
  }
  graph::Endpoint placeholder_true() {
    if (!true_) true_ = placeholder(DType::kBool, {});
    return true_;
  }
  std::vector<Fed> fed_true() { return {{placeholder_true(), Array(true)}}; }

  graph::Endpoint true_;
};

TEST_F(WaitingBodies, WaitByTheThousandInABranchWithoutAThread) {
  constexpr int kSteps = 1000;
  const auto q = queue("q", kSteps);
  const auto x = placeholder(DType::kInt32, {});
  const auto got = taken_if(placeholder_true(), q);
  graph::Node* put = enqueue(q, x);
  const int64_t threads = num_threads();
  std::vector<End> ends;
  for (int i = 0; i < kSteps; ++i) ends.push_back(start(got, fed_true()));
  EXPECT_EQ(num_threads(), threads);
  for (int i = 0; i < kSteps; ++i) ASSERT_FALSE(ends[static_cast<size_t>(i)].has_come());
  for (int32_t i = 0; i < kSteps; ++i) (void)run({}, {{x, Array(i)}}, {put});
  EXPECT_LE(num_threads(), threads + static_cast<int64_t>(JobQueue::kMostThreads));
  for (int i = 0; i < kSteps; ++i) ASSERT_EQ(ends[static_cast<size_t>(i)].get(), Array(i));
}

TEST_F(WaitingBodies, WaitInTheBranchThatIsTakenOnly) {
  const auto q = queue("q", 3);
  const auto p = placeholder(DType::kBool, {});
  const auto merged = taken_if(p, q);
  EXPECT_EQ(start(merged, {{p, Array(false)}}).get(), Array(-1));
  End taken = start(merged, {{p, Array(true)}});
  EXPECT_FALSE(taken.has_come());
  run_targets({enqueue(q, builder.constant(8))});
  EXPECT_EQ(taken.get(), Array(8));
  EXPECT_EQ(start(merged, {{p, Array(false)}}).get(), Array(-1));
}

TEST_F(WaitingBodies, WaitInEachIterationOfALoopWithoutAThread) {
  constexpr int kSteps = 100;
  const auto q = queue("q", 1000);
  const auto n = placeholder(DType::kInt32, {});
  const auto sum = sum_of(n, q);
  graph::Node* put = enqueue(q, builder.constant(10));
  const int64_t threads = num_threads();
  std::vector<End> ends;
  for (int i = 0; i < kSteps; ++i) ends.push_back(start(sum, {{n, Array(3)}}));
  EXPECT_EQ(num_threads(), threads);
  for (int i = 0; i < 3 * kSteps - 1; ++i) run_targets({put});
  run_targets({enqueue(q, builder.constant(5))});
  int32_t total = 0;
  for (End& end : ends) total += end.get().item<int32_t>();
  EXPECT_EQ(total, 3 * kSteps * 10 - 5);
  EXPECT_EQ(size_of(q), 0);
}

TEST_F(WaitingBodies, GoThroughALoopAsLongAsNothingIsMissing) {
  constexpr int32_t kIterations = 10'000;
  const auto q = queue("q", kIterations);
  const auto n = placeholder(DType::kInt32, {});
  run_targets({builder.node("QueueEnqueueManyV2",
                            {q, builder.constant(Array::full(DType::kInt32, Shape{kIterations - 1}, 3))})});
  End end = start(sum_of(n, q), {{n, Array(kIterations)}});
  EXPECT_FALSE(end.has_come());
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(end.get(), Array(3 * kIterations - 2));
}

TEST_F(WaitingBodies, WaitInABranchInALoopAndRunAgainOnTheSameState) {
  const auto q = queue("q", 10);
  const auto n = placeholder(DType::kInt32, {});
  const auto inside = entered(q);
  const auto two = entered(builder.constant(2));
  // -1 for 0 and 1, an element for each that follows.
  const auto sum = loop(n, [&](graph::Endpoint i) {
    const auto small = builder.op("Less", {i, two});
    graph::Node* const fork = builder.node("Switch", {i, small});
    const auto got = dequeue_after(inside, builder.op("Identity", {fork->output(0)}).node);
    return builder.op("Merge", {builder.op("Neg", {fork->output(1)}), got});
  });
  for (int round = 0; round < 3; ++round) {
    End end = start(sum, {{n, Array(4)}});
    run_targets({enqueue(q, builder.constant(20))});
    EXPECT_FALSE(end.has_come());
    run_targets({enqueue(q, builder.constant(300))});
    EXPECT_EQ(end.get(), Array(0 - 1 + 20 + 300));
  }
}

TEST_F(WaitingBodies, AreWaitedForByAThreadThatRunsThem) {
  const auto q = queue("q", 10);
  const auto n = builder.constant(3);
  auto sum = run_aside(sum_of(n, q));
  for (int i = 0; i < 3; ++i) run_targets({enqueue(q, builder.constant(7))});
  EXPECT_EQ(sum.get(), Array(21));
}

TEST_F(WaitingBodies, OfOneStepMayWaitForEachOther) {
  // Two branches and a loop hand elements on, in whatever order they were made.
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  const auto p = placeholder_true();
  const auto from_b = taken_if(p, b);
  const auto passed = branch(p, [&](graph::Node* on) {
    const auto got = dequeue_after(a, on, "from_a");
    graph::Node* put = enqueue(b, got);
    const auto more = builder.op("AddV2", {got, builder.constant(1)});
    more.node->add_control_input(put);
    return more;
  });
  const auto n = placeholder(DType::kInt32, {});
  const auto inside = entered(a);
  const auto looped = loop(n, [&](graph::Endpoint i) {
    graph::Node* put = enqueue(inside, builder.op("AddV2", {i, entered(builder.constant(40))}));
    const auto same = builder.op("Identity", {i});
    same.node->add_control_input(put);
    return same;
  });
  const auto all = builder.op(
      "AddV2", {from_b, builder.op("AddV2", {builder.op("Mul", {passed, builder.constant(100)}), looped})});
  End end = start(all, {{p, Array(true)}, {n, Array(1)}});
  EXPECT_EQ(end.get(), Array(40 + 4100));
  EXPECT_EQ(run({all}, {{p, Array(true)}, {n, Array(1)}})[0], Array(40 + 4100));
}

TEST_F(WaitingBodies, EndWhenTheyAreCancelled) {
  const auto q = queue("q", 5);
  for (const graph::Endpoint fetch : {taken_if(placeholder_true(), q), irregular(q)}) {
    Cancellation cancellation;
    End end = start(fetch, fed_true(), {.cancellation = &cancellation});
    EXPECT_FALSE(end.has_come());
    cancellation.cancel();
    EXPECT_THAT(error_of<errors::CancelledError>(end),
                ::testing::StartsWith("Dequeue operation was cancelled\n\t [[{{node dequeue"));
  }
  Cancellation cancellation;
  const auto n = placeholder(DType::kInt32, {});
  End end = start(sum_of(n, q), {{n, Array(2)}}, {.cancellation = &cancellation});
  run_targets({enqueue(q, builder.constant(1))});
  cancellation.cancel();
  EXPECT_THROW((void)end.get(), errors::CancelledError);
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(size_of(q), 1);  // nobody waits for it any more
}

TEST_F(WaitingBodies, EndAtTheirDeadline) {
  const auto q = queue("q", 5);
  const auto n = placeholder(DType::kInt32, {});
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(20);
  End in_branch = start(taken_if(placeholder_true(), q), fed_true(), {.deadline = soon});
  End in_loop = start(sum_of(n, q), {{n, Array(2)}}, {.deadline = soon});
  End by_node = start(irregular(q), fed_true(), {.deadline = soon});
  for (End* end : {&in_branch, &in_loop, &by_node})
    EXPECT_EQ(error_of<errors::DeadlineExceededError>(*end), "Timed out waiting for notification");
  EXPECT_GE(RunContext::Clock::now(), soon);
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(size_of(q), 1);
}

TEST_F(WaitingBodies, EndWithTheirSession) {
  const auto q = queue("q", 5);
  const std::vector<graph::Endpoint> feeds{placeholder_true()};
  const std::vector<graph::Endpoint> fetches{taken_if(feeds[0], q)};
  const std::vector<graph::Endpoint> irregular_fetches{irregular(q)};
  std::vector<End> ends(100);
  {
    Session short_one;
    for (size_t i = 0; i < ends.size(); ++i) {
      short_one.step({feeds, i % 2 == 0 ? fetches : irregular_fetches, {}})
          .start({Array(true)}, {}, ends[i].done());
    }
  }
  for (End& end : ends) EXPECT_THROW((void)end.get(), errors::CancelledError);
}

TEST_F(WaitingBodies, EndWhenAnotherPartOfTheStepFails) {
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  const auto from_b = dequeue(b, "from_b");
  End end = start(builder.op("AddV2", {taken_if(placeholder_true(), a), from_b}), fed_true());
  run_targets({builder.node("QueueCloseV2", {b})});
  try {
    (void)end.get();
    FAIL() << "b is closed";
  } catch (const errors::OutOfRangeError& error) {
    EXPECT_EQ(error.node_name(), "from_b");
  }
  run_targets({enqueue(a, builder.constant(1))});
  EXPECT_EQ(size_of(a), 1);  // nobody waits there any more
}

TEST_F(WaitingBodies, NameTheNodeThatFails) {
  const auto q = queue("q", 1);
  const auto n = placeholder(DType::kInt32, {});
  End end = start(sum_of(n, q), {{n, Array(2)}});
  run_targets({enqueue(q, builder.constant(1))});
  run_targets({builder.node("QueueCloseV2", {q})});
  try {
    (void)end.get();
    FAIL() << "q is closed";
  } catch (const errors::OutOfRangeError& error) {
    EXPECT_EQ(error.node_name(), "dequeue");
  }
}

TEST_F(WaitingBodies, LoseNoElementWhenTheyAreCancelledExpireAndAreServedAtOnce) {
  constexpr int kSteps = 300;
  const auto q = queue("q", kSteps);
  const auto got = taken_if(placeholder_true(), q);
  graph::Node* put = enqueue(q, builder.constant(1));
  std::vector<Cancellation> cancellations(kSteps);
  std::vector<End> ends;
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(10);
  for (Cancellation& cancellation : cancellations) {
    ends.push_back(start(got, fed_true(), {.cancellation = &cancellation, .deadline = soon}));
  }
  std::thread canceller([&] {
    for (Cancellation& cancellation : cancellations) cancellation.cancel();
  });
  for (int i = 0; i < kSteps; ++i) run_targets({put});
  canceller.join();
  int served = 0;
  for (End& end : ends) {
    try {
      served += end.get() == Array(1);
    } catch (const errors::CancelledError&) {
    } catch (const errors::DeadlineExceededError&) {
    }
  }
  EXPECT_EQ(size_of(q), kSteps - served);
}

TEST_F(WaitingBodies, OfIrregularGraphsHoldNoThreadEither) {
  constexpr int kSteps = 1000;
  const auto q = queue("q", kSteps);
  const auto got = irregular(q);
  graph::Node* put = enqueue(q, builder.constant(3));
  const int64_t threads = num_threads();
  std::vector<End> ends;
  for (int i = 0; i < kSteps; ++i) ends.push_back(start(got, fed_true()));
  EXPECT_EQ(num_threads(), threads);
  for (int i = 0; i < kSteps; ++i) run_targets({put});
  for (End& end : ends) ASSERT_EQ(end.get(), Array(3));
}

TEST_F(WaitingBodies, LeaveATraceOfTheirNodes) {
  const auto q = queue("q", 3);
  StepTrace trace;
  End end = start(builder.op("Neg", {taken_if(placeholder_true(), q)}, {}, "negative"), fed_true(),
                  {.trace = &trace});
  run_targets({enqueue(q, builder.constant(3))});
  EXPECT_EQ(end.get(), Array(-3));
  std::vector<std::string> names;
  for (const NodeTrace& entry : trace.nodes()) names.push_back(entry.node->name());
  EXPECT_EQ(names, (std::vector<std::string>{"either", "dequeue", "negative"}));
}

/// Functions: a While whose condition waits, called by a function that is called.
TEST_F(WaitingBodies, MayBeFunctions) {
  const std::string text = R"(
    node { name: 'q' op: 'FIFOQueueV2' attr { key: 'component_types' value { list { type: DT_INT32 } } }
           attr { key: 'shapes' value { list { shape { } } } } attr { key: 'capacity' value { i: 10 } } }
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } }
           attr { key: 'shape' value { shape { } } } }
    node { name: 'put' op: 'QueueEnqueueV2' input: 'q' input: 'x'
           attr { key: 'Tcomponents' value { list { type: DT_INT32 } } } }
    node { name: 'y' op: 'StatefulPartitionedCall' input: 'x' input: 'q'
           attr { key: 'Tin' value { list { type: DT_INT32 type: DT_RESOURCE } } }
           attr { key: 'Tout' value { list { type: DT_INT32 } } }
           attr { key: 'f' value { func { name: 'Called' } } } }
    library {
      function {
        signature { name: 'Called' input_arg { name: 'x' type: DT_INT32 }
          input_arg { name: 'q' type: DT_RESOURCE }
                    output_arg { name: 'y' type: DT_INT32 } is_stateful: true }
        node_def { name: 'loop' op: 'While' input: 'x' input: 'q'
          attr { key: 'T' value { list { type: DT_INT32 type: DT_RESOURCE } } }
          attr { key: 'output_shapes' value { list { shape { } shape { } } } }
          attr { key: 'cond' value { func { name: 'Cond' } } }
            attr { key: 'body' value { func { name: 'Body' } } } }
        ret { key: 'y' value: 'loop:output:0' } }
      function {
        signature { name: 'Cond' input_arg { name: 'i' type: DT_INT32 }
          input_arg { name: 'q' type: DT_RESOURCE }
                    output_arg { name: 'goes_on' type: DT_BOOL } is_stateful: true }
        node_def { name: 'get' op: 'QueueDequeueV2' input: 'q'
                   attr { key: 'component_types' value { list { type: DT_INT32 } } } }
        node_def { name: 'less' op: 'Less' input: 'i' input: 'get:components:0'
                   attr { key: 'T' value { type: DT_INT32 } } }
        ret { key: 'goes_on' value: 'less:z:0' } }
      function {
        signature { name: 'Body' input_arg { name: 'i' type: DT_INT32 }
          input_arg { name: 'q' type: DT_RESOURCE }
                    output_arg { name: 'next' type: DT_INT32 } output_arg { name: 'same' type: DT_RESOURCE } }
        node_def { name: 'add' op: 'AddV2' input: 'i' input: 'i' attr { key: 'T' value { type: DT_INT32 } } }
        ret { key: 'next' value: 'add:z:0' } ret { key: 'same' value: 'q' } } })";
  graph::import_graph_def(wire::from_text_format<wire::GraphDef>(text), graph);
  const graph::Endpoint x = graph.find("x")->output(0);
  const int64_t threads = num_threads();
  End end = start(graph.find("y")->output(0), {{x, Array(3)}});
  EXPECT_EQ(num_threads(), threads);
  for (const int32_t limit : {10, 10, 10}) (void)run({}, {{x, Array(limit)}}, {graph.find("put")});
  EXPECT_EQ(end.get(), Array(12));  // 3, 6, 12 < 10 is wrong
}

TEST_F(WaitingBodies, MayBeFunctionsInIrregularGraphs) {
  const std::string text = R"(
    node { name: 'q' op: 'FIFOQueueV2' attr { key: 'component_types' value { list { type: DT_INT32 } } }
           attr { key: 'shapes' value { list { shape { } } } } attr { key: 'capacity' value { i: 10 } } }
    node { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: DT_BOOL } }
           attr { key: 'shape' value { shape { } } } }
    node { name: 'taken' op: 'If' input: 'p' input: 'q' attr { key: 'Tcond' value { type: DT_BOOL } }
           attr { key: 'Tin' value { list { type: DT_RESOURCE } } }
             attr { key: 'Tout' value { list { type: DT_INT32 } } }
           attr { key: 'then_branch' value { func { name: 'Take' } } }
           attr { key: 'else_branch' value { func { name: 'Leave' } } } }
    library {
      function {
        signature { name: 'Take' input_arg { name: 'q' type: DT_RESOURCE }
          output_arg { name: 'y' type: DT_INT32 }
                    is_stateful: true }
        node_def { name: 'get' op: 'QueueDequeueV2' input: 'q'
                   attr { key: 'component_types' value { list { type: DT_INT32 } } } }
        ret { key: 'y' value: 'get:components:0' } }
      function {
        signature { name: 'Leave' input_arg { name: 'q' type: DT_RESOURCE }
          output_arg { name: 'y' type: DT_INT32 } }
        node_def { name: 'none' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                   attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: -1 } } } }
        ret { key: 'y' value: 'none:output:0' } } })";
  graph::import_graph_def(wire::from_text_format<wire::GraphDef>(text), graph);
  const graph::Endpoint q = graph.find("q")->output(0);
  const graph::Endpoint p = graph.find("p")->output(0);
  const graph::Endpoint taken = graph.find("taken")->output(0);
  const auto other = placeholder(DType::kBool, {});
  const auto merged = builder.op("Merge", {builder.node("Switch", {taken, other})->output(1),
                                           builder.node("Switch", {builder.constant(5), p})->output(0)});
  const std::vector<Fed> on{{p, Array(true)}, {other, Array(true)}};
  const int64_t threads = num_threads();
  End end = start(merged, on);
  EXPECT_FALSE(end.has_come());
  EXPECT_EQ(num_threads(), threads);
  run_targets({enqueue(q, builder.constant(9))});
  EXPECT_EQ(end.get(), Array(9));
  EXPECT_EQ(run({merged}, {{p, Array(false)}, {other, Array(false)}})[0], Array(5));

  Cancellation cancellation;
  End given_up = start(merged, on, {.cancellation = &cancellation});
  cancellation.cancel();
  EXPECT_THROW((void)given_up.get(), errors::CancelledError);
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(5);
  End late = start(merged, on, {.deadline = soon});
  EXPECT_THROW((void)late.get(), errors::DeadlineExceededError);
  EXPECT_EQ(size_of(q), 0);
}

}  // namespace
}  // namespace flowray::engine
