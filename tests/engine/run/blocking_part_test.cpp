// Steps that wait: in which order things happen, and what ends them.

#include "core/sanitizers.h"
#include "engine/program/program_text.h"
#include "engine/run/blocking_fixture.h"
#include "engine/run/step_trace.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

namespace flowray::engine {
namespace {

TEST_F(BlockingSteps, HandValuesOver) {
  const auto q = queue("q", 2);
  run_targets({enqueue(q, builder.constant(3))});
  EXPECT_EQ(run({builder.op("Neg", {dequeue(q)})})[0], Array(-3));
}

TEST_F(BlockingSteps, WaitForAnotherStep) {
  const auto q = queue("q", 2);
  auto waiting = run_aside(builder.op("Neg", {dequeue(q)}));
  run_targets({enqueue(q, builder.constant(3))});
  EXPECT_EQ(waiting.get(), Array(-3));
}

TEST_F(BlockingSteps, PutInAndTakeOutInWhateverOrderTheNodesWereMade) {
  const auto q = queue("q", 1);
  const auto first = dequeue(q);  // made before what it waits for
  EXPECT_EQ(run({first}, {}, {enqueue(q, builder.constant(1))})[0], Array(1));
  run_targets({enqueue(q, builder.constant(2))});
  const auto more = enqueue(q, builder.constant(3));  // the queue is full: waits for what is made later
  EXPECT_EQ(run({dequeue(q)}, {}, {more})[0], Array(2));
  EXPECT_EQ(run({first})[0], Array(3));
}

TEST_F(BlockingSteps, ComputeWhatFollowsBeforeItIsPassedOnWhereTheWaitEndsInTheMiddle) {
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  const auto negated = builder.op("Neg", {dequeue(a)});
  graph::Node* to_a =
      enqueue(a, builder.constant(4));  // ends the wait for `a` when `negated` has been passed over
  run_targets({to_a, enqueue(b, negated)});
  EXPECT_EQ(run({dequeue(b)})[0], Array(-4));
}

TEST_F(BlockingSteps, GoOnWithWhatIsReadyWhileSomethingWaits) {
  // a waits for what is made from b: a wave of both would wait for ever.
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  run_targets({enqueue(b, builder.constant(7))});
  const auto from_a = dequeue(a);
  graph::Node* to_a = enqueue(a, builder.op("Neg", {dequeue(b)}));
  EXPECT_EQ(run({from_a}, {}, {to_a})[0], Array(-7));
}

TEST_F(BlockingSteps, ShowTheirEffectsWhileTheyWait) {
  interpreter_can_follow_ = false;
  const auto q = queue("q", 1);
  const auto flag = variable("flag", Array(0));
  const auto read = builder.op("Identity", {flag});
  const auto got = dequeue(q);
  const auto raised = builder.op("Assign", {flag, builder.constant(1)});
  const auto raised_value = builder.op("Identity", {raised});
  auto waiting = run_aside(builder.op("AddV2", {got, raised_value}));
  while (run({read})[0].item<int32_t>() != 1) std::this_thread::yield();
  run_targets({enqueue(q, builder.constant(10))});
  EXPECT_EQ(waiting.get(), Array(11));
}

TEST_F(BlockingSteps, HonourControlInputs) {
  const auto q = queue("q", 1);
  const auto w = variable("w", Array(1));
  const auto got = dequeue(q);
  graph::Node* put = enqueue(q, builder.constant(4));
  const auto update = builder.op("AssignAdd", {w, builder.constant(1)});
  update.node->add_control_input(got.node);
  put->add_control_input(builder.node("NoOp", {}));
  const auto value = builder.op("Identity", {update});
  EXPECT_EQ(run({value}, {}, {put})[0], Array(2));
}

TEST_F(BlockingSteps, PlanWhatFollowsForTheShapesOfTheQueue) {
  const auto q = queue("q", 5);
  const auto total =
      builder.op("Sum", {dequeue_many(q, 2, "many"), builder.constant(Array(std::vector<int32_t>{0}))});
  const std::string text = to_text(*plan_for({total}));
  EXPECT_EQ(text,
            "arena 0 bytes\n"
            "block QueueDequeueManyV2 many(%0, %1) -> %2 int32[2] held\n"
            "then\n"
            "run Sum Sum(%2, %3) -> %4 int32[] held release %2\n"
            "fetch %4 int32[]\n");
}

TEST_F(BlockingSteps, RunManyTimesOnOneRunState) {
  const auto q = queue("q", 3);
  const auto w = variable("w", Array(0));
  const auto got = dequeue(q);
  const auto update = builder.op("AssignAdd", {w, got});
  const auto x = placeholder(DType::kInt32, {});
  graph::Node* put = enqueue(q, x);
  int32_t sum = 0;
  for (int32_t i = 1; i <= 50; ++i) {
    sum += i;
    EXPECT_EQ(run({update}, {{x, Array(i)}}, {put})[0], Array(sum));
  }
}

TEST_F(BlockingSteps, EndWhenTheyAreCancelled) {
  const auto q = queue("q", 5);
  Cancellation cancellation;
  auto waiting = run_until_it_waits(q, {.cancellation = &cancellation});
  cancellation.cancel();
  EXPECT_EQ(error_of<errors::CancelledError>(waiting),
            "Dequeue operation was cancelled\n\t [[{{node dequeue_many}}]]");
  EXPECT_EQ(size_of(q), 1);  // what it had taken is there again
}

TEST_F(BlockingSteps, EndWhenTheSessionIsClosed) {
  const auto q = queue("q", 5);
  auto waiting = run_until_it_waits(q);
  session.close();
  EXPECT_EQ(error_of<errors::CancelledError>(waiting),
            "Dequeue operation was cancelled\n\t [[{{node dequeue_many}}]]");
}

TEST_F(BlockingSteps, EndAtTheirDeadline) {
  const auto q = queue("q", 5);
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(20);
  auto waiting = run_aside(dequeue(q), {.deadline = soon});
  EXPECT_EQ(error_of<errors::DeadlineExceededError>(waiting), "Timed out waiting for notification");
  EXPECT_GE(RunContext::Clock::now(), soon);
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(size_of(q), 1);  // nobody waits for it any more
}

TEST_F(BlockingSteps, EndWhenAnotherOfTheirNodesFails) {
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  run_targets({builder.node("QueueCloseV2", {b})});
  const auto from_a = dequeue(a, "from_a");
  const auto from_b = dequeue(b, "from_b");
  try {
    (void)run({from_a, from_b});
    FAIL() << "b is closed";
  } catch (const errors::OutOfRangeError& error) {
    EXPECT_EQ(error.node_name(), "from_b");
    EXPECT_NE(error.message().find(" is closed and has insufficient elements (requested 1, current size 0)"),
              std::string::npos);
  }
}

TEST_F(BlockingSteps, DoNotStartWhenTheyAreCancelledBefore) {
  const auto w = variable("w", Array(0));
  const auto update = builder.op("AssignAdd", {w, builder.constant(1)});
  const std::vector<graph::Endpoint> fetches{update};
  Cancellation cancellation;
  cancellation.cancel();
  Array result;
  EXPECT_THROW(session.step({{}, fetches, {}}).run({}, {&result, 1}, {.cancellation = &cancellation}),
               errors::CancelledError);
  EXPECT_THROW(session.step({{}, fetches, {}}).run({}, {&result, 1}, {.deadline = RunContext::Clock::now()}),
               errors::DeadlineExceededError);
  EXPECT_EQ(run({w})[0], Array(0));
}

TEST_F(BlockingSteps, ShareAQueueByItsNameOrHaveTheirOwn) {
  Session other;
  const auto shared = queue("s", 3, "both");
  const auto own = queue("o", 3);
  auto containers = std::make_shared<graph::ResourceContainers>();
  Session first({}, containers);
  Session second({}, containers);
  const auto run_in = [](Session& where, const std::vector<graph::Endpoint>& fetches,
                         const std::vector<graph::Node*>& targets) {
    std::vector<Array> results(fetches.size());
    where.step({{}, fetches, targets}).run({}, results);
    return results;
  };
  run_in(first, {}, {enqueue(shared, builder.constant(1)), enqueue(own, builder.constant(2))});
  const std::vector<graph::Endpoint> sizes{builder.op("QueueSizeV2", {shared}),
                                           builder.op("QueueSizeV2", {own})};
  EXPECT_EQ(run_in(first, sizes, {})[0], Array(1));
  EXPECT_EQ(run_in(first, sizes, {})[1], Array(1));
  EXPECT_EQ(run_in(second, sizes, {})[0], Array(1));
  EXPECT_EQ(run_in(second, sizes, {})[1], Array(0));
}

TEST_F(BlockingSteps, TellAHandleOfAnotherKind) {
  const auto v = builder.op("VarHandleOp", {}, {{"dtype", DType::kFloat32}, {"shape", Shape()}}, "v");
  const auto q = queue("q", 3, "q");
  const auto text_of = [&](graph::Endpoint fetch) {
    try {
      (void)run({fetch});
    } catch (const errors::InvalidArgumentError& error) {
      return error.message().substr(0, error.message().find('\n'));
    }
    return std::string("accepted");
  };
  EXPECT_EQ(text_of(builder.op("QueueSizeV2", {v})),
            "Trying to access a handle's resource using the wrong type. The handle points to a resource "
            "(name 'v') of "
            "type 'tensorflow::Var' but you are trying to access the resource as type "
            "'tensorflow::QueueInterface'");
  EXPECT_EQ(text_of(builder.op("ReadVariableOp", {q}, {{"dtype", DType::kFloat32}})),
            "Trying to access a handle's resource using the wrong type. The handle points to a resource "
            "(name 'q') of "
            "type 'tensorflow::QueueInterface' but you are trying to access the resource as type "
            "'tensorflow::Var'");
}

TEST_F(BlockingSteps, RunSideBySideInManyThreads) {
  interpreter_can_follow_ = false;  // which knows one thread
  const auto q = queue("q", 2);
  const auto x = placeholder(DType::kInt32, {});
  graph::Node* put = enqueue(q, x);
  const auto got = dequeue(q);
  constexpr int kThreads = 3;
  constexpr int32_t kEach = 200;
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int32_t i = 1; i <= kEach; ++i) (void)run({}, {{x, Array(i)}}, {put});
    });
    threads.emplace_back([&] {
      for (int32_t i = 1; i <= kEach; ++i) sum += run({got})[0].item<int32_t>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, kThreads * kEach * (kEach + 1) / 2);
}

TEST_F(BlockingSteps, LeaveATraceOfEveryNodeThatRan) {
  const auto q = queue("q", 3);
  graph::Node* put = enqueue(q, builder.constant(3), "put");
  const auto negative = builder.op("Neg", {dequeue(q, "get")}, {}, "negative");
  const std::vector<graph::Endpoint> fetches{negative};
  graph::Node* const targets[] = {put};
  StepTrace trace;
  Array result;
  session.step({{}, fetches, targets}).run({}, {&result, 1}, {.trace = &trace});
  std::vector<std::string> names;
  for (const NodeTrace& entry : trace.nodes()) {
    names.push_back(entry.node->name());
    EXPECT_GT(entry.start_ns, 0);
    EXPECT_LE(entry.start_ns, entry.end_ns);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"get", "negative", "put"}));
  ASSERT_EQ(trace.nodes().back().outputs.size(), 1u);
  EXPECT_EQ(trace.nodes().back().outputs[0].shape, Shape());
}

TEST_F(BlockingSteps, ReadOnThroughManyEmptyFiles) {
  // Each was taken up inside of the one before, to the end of the stack.
  constexpr int64_t kFiles = kSanitized ? 20'000 : 200'000;
  const std::string file = std::string(::testing::TempDir()) + "flowray_empty_file";
  std::ofstream(file).close();
  const auto names = builder.op("FIFOQueueV2", {},
                                {{"component_types", std::vector<DType>{DType::kString}},
                                 {"shapes", std::vector<Shape>{Shape()}},
                                 {"capacity", int64_t{-1}}},
                                "names");
  const auto all = builder.op(
      "Fill", {builder.constant(Array(std::vector<int64_t>{kFiles})), builder.constant(Array(file))});
  run_targets({builder.node("QueueEnqueueManyV2", {names, all})});
  run_targets({builder.node("QueueCloseV2", {names})});
  const auto reader = builder.op("TextLineReaderV2", {});
  EXPECT_THROW((void)run({builder.op("ReaderReadV2", {reader, names})}), errors::OutOfRangeError);
  EXPECT_EQ(run({builder.op("ReaderNumWorkUnitsCompletedV2", {reader})})[0], Array(kFiles));
  std::remove(file.c_str());
}

}  // namespace
}  // namespace flowray::engine
