// Steps that hold no thread while they wait.

#include "core/job_queue.h"
#include "engine/run/started_fixture.h"
#include "engine/run/step_trace.h"

#include <atomic>
#include <latch>
#include <vector>

namespace flowray::engine {
namespace {

TEST_F(StartedSteps, EndBeforeStartReturnsWhereNothingWaits) {
  const auto x = placeholder(DType::kInt32, {});
  End end = start(builder.op("Neg", {x}), {{x, Array(3)}});
  ASSERT_TRUE(end.has_come());
  EXPECT_EQ(end.get(), Array(-3));
}

TEST_F(StartedSteps, EndBeforeStartReturnsWhereWhatTheyWaitForIsThere) {
  const auto q = queue("q", 3);
  run_targets({enqueue(q, builder.constant(3))});
  End end = start(builder.op("Neg", {dequeue(q)}));
  ASSERT_TRUE(end.has_come());
  EXPECT_EQ(end.get(), Array(-3));
}

TEST_F(StartedSteps, KeepTheirFeeds) {
  const auto q = queue("q", 3);
  const auto x = placeholder(DType::kInt32, {2});
  const auto sum = builder.op("AddV2", {builder.op("Neg", {x}), dequeue(q)});
  End end = start(sum, {{x, Array(std::vector<int32_t>{10, 20})}});  // which is gone when it returns
  EXPECT_FALSE(end.has_come());
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(end.get(), Array(std::vector<int32_t>{-9, -19}));
}

TEST_F(StartedSteps, WaitByTheThousandWithoutAThread) {
  constexpr int kSteps = 1000;
  const auto q = queue("q", kSteps);
  const auto x = placeholder(DType::kInt32, {});
  const auto got = dequeue(q);
  graph::Node* put = enqueue(q, x);
  const int64_t threads = num_threads();
  std::vector<End> ends;
  for (int i = 0; i < kSteps; ++i) ends.push_back(start(got));
  EXPECT_EQ(num_threads(), threads);
  for (int i = 0; i < kSteps; ++i) ASSERT_FALSE(ends[static_cast<size_t>(i)].has_come());
  for (int32_t i = 0; i < kSteps; ++i) (void)run({}, {{x, Array(i)}}, {put});
  // Those of the jobs, of which a busy machine makes more than it has cores.
  EXPECT_LE(num_threads(), threads + static_cast<int64_t>(JobQueue::kMostThreads));
  // The queue serves them in the order in which they came.
  for (int32_t i = 0; i < kSteps; ++i) ASSERT_EQ(ends[static_cast<size_t>(i)].get(), Array(i));
}

TEST_F(StartedSteps, GoOnAfterEachWaitOfMany) {
  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  const auto c = queue("c", 1);
  // Waits at a, then to put into b, which is full, then at c.
  run_targets({enqueue(b, builder.constant(1))});
  const auto from_a = dequeue(a);
  graph::Node* to_b = enqueue(b, from_a);
  const auto from_c = dequeue(c);
  from_c.node->add_control_input(to_b);
  End end = start(builder.op("AddV2", {from_a, from_c}));
  run_targets({enqueue(a, builder.constant(20))});
  EXPECT_EQ(run({dequeue(b)})[0], Array(1));
  EXPECT_EQ(run({dequeue(b)})[0], Array(20));
  EXPECT_FALSE(end.has_come());
  run_targets({enqueue(c, builder.constant(300))});
  EXPECT_EQ(end.get(), Array(320));
}

TEST_F(StartedSteps, PassAnElementThroughALongChainOfThem) {
  // Each takes the element, adds one and puts it back, which lets the next one go: were they to run inside of
  // one another, the stack would end.
  constexpr int kSteps = 20'000;
  const auto q = queue("q", 1);
  const auto next = builder.op("AddV2", {dequeue(q), builder.constant(1)});
  graph::Node* put = enqueue(q, next);
  const std::vector<graph::Node*> targets{put};
  Step& step = session.step({{}, {}, targets});
  std::latch ended(kSteps);
  for (int i = 0; i < kSteps; ++i) {
    step.start({}, {}, [&](const RunOutcome& outcome) {
      EXPECT_EQ(outcome.error, nullptr);
      ended.count_down();
    });
  }
  run_targets({enqueue(q, builder.constant(0))});
  ended.wait();
  EXPECT_EQ(run({dequeue(q)})[0], Array(kSteps));
}

TEST_F(StartedSteps, EndWhenTheyAreCancelled) {
  const auto q = queue("q", 5);
  run_targets({enqueue(q, builder.constant(5))});
  Cancellation cancellation;
  End end = start(dequeue_many(q, 2), {}, {.cancellation = &cancellation});
  EXPECT_EQ(size_of(q), 0);
  cancellation.cancel();
  EXPECT_EQ(error_of<errors::CancelledError>(end),
            "Dequeue operation was cancelled\n\t [[{{node dequeue_many}}]]");
  EXPECT_EQ(size_of(q), 1);  // what it had taken is there again
}

TEST_F(StartedSteps, EndWhenTheSessionIsClosed) {
  const auto q = queue("q", 5);
  End end = start(dequeue(q));
  session.close();
  EXPECT_EQ(error_of<errors::CancelledError>(end),
            "Dequeue operation was cancelled\n\t [[{{node dequeue}}]]");
}

TEST_F(StartedSteps, EndWithTheirSession) {
  const auto q = queue("q", 5);
  const std::vector<graph::Endpoint> fetches{dequeue(q)};
  std::vector<End> ends(100);
  {
    Session short_one;
    for (End& end : ends) short_one.step({{}, fetches, {}}).start({}, {}, end.done());
  }
  for (End& end : ends) EXPECT_THROW((void)end.get(), errors::CancelledError);
}

TEST_F(StartedSteps, EndAtTheirDeadline) {
  const auto q = queue("q", 5);
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(20);
  End end = start(dequeue(q), {}, {.deadline = soon});
  EXPECT_EQ(error_of<errors::DeadlineExceededError>(end), "Timed out waiting for notification");
  EXPECT_GE(RunContext::Clock::now(), soon);
  run_targets({enqueue(q, builder.constant(1))});
  EXPECT_EQ(size_of(q), 1);  // nobody waits for it any more
}

TEST_F(StartedSteps, OfferWhatTheyHadToOthersAtTheirDeadline) {
  const auto q = queue("q", 5);
  run_targets({enqueue(q, builder.constant(7))});
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(20);
  End first = start(dequeue_many(q, 2), {}, {.deadline = soon});
  End second = start(dequeue(q));
  EXPECT_EQ(error_of<errors::DeadlineExceededError>(first), "Timed out waiting for notification");
  EXPECT_EQ(second.get(), Array(7));
}

TEST_F(StartedSteps, MayBeCancelledExpireAndBeServedAllAtOnce) {
  constexpr int kSteps = 300;
  const auto q = queue("q", kSteps);
  const auto got = dequeue(q);
  graph::Node* put = enqueue(q, builder.constant(1));
  std::vector<Cancellation> cancellations(kSteps);
  std::vector<End> ends;
  const auto soon = RunContext::Clock::now() + std::chrono::milliseconds(10);
  for (Cancellation& cancellation : cancellations) {
    ends.push_back(start(got, {}, {.cancellation = &cancellation, .deadline = soon}));
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
  EXPECT_EQ(size_of(q), kSteps - served);  // no element is lost, none is there twice
}

TEST_F(StartedSteps, TellErrorsThroughDone) {
  const auto x = placeholder(DType::kInt32, {});
  End wrong = start(builder.op("Neg", {x}), {{x, Array(1.5f)}});
  EXPECT_THROW((void)wrong.get(), errors::InvalidArgumentError);

  const auto a = queue("a", 1);
  const auto b = queue("b", 1);
  const auto from_a = dequeue(a, "from_a");
  const auto from_b = dequeue(b, "from_b");
  End end = start(builder.op("AddV2", {from_a, from_b}));
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

TEST_F(StartedSteps, TellOfTheirEndWithSubnormalNumbersAsTheyWere) {
  const auto q = queue("q", 1);
  const auto x = placeholder(DType::kInt32, {});
  graph::Node* put = enqueue(q, x);
  const std::vector<graph::Endpoint> none, fed{x};
  const std::vector<graph::Endpoint> waits{dequeue(q)}, does_not{builder.op("Neg", {x})};
  std::latch ended(3);
  const auto halves = [&](const RunOutcome&) {
    volatile float tiny = 2e-39f;
    volatile float half = tiny * 0.5f;
    EXPECT_GT(half, 0.0f);
    ended.count_down();
  };
  session.step({none, waits, {}}).start({}, {}, halves);
  (void)run({}, {{x, Array(1)}}, {put});
  session.step({fed, does_not, {}}).start({Array(1)}, {}, halves);
  session.step({fed, does_not, {}}).start({Array(1.5f)}, {}, halves);  // refused
  ended.wait();
}

TEST_F(StartedSteps, LeaveATrace) {
  const auto q = queue("q", 3);
  StepTrace trace;
  End end = start(builder.op("Neg", {dequeue(q, "get")}, {}, "negative"), {}, {.trace = &trace});
  run_targets({enqueue(q, builder.constant(3))});
  EXPECT_EQ(end.get(), Array(-3));
  std::vector<std::string> names;
  for (const NodeTrace& entry : trace.nodes()) names.push_back(entry.node->name());
  EXPECT_EQ(names, (std::vector<std::string>{"get", "negative"}));
}

}  // namespace
}  // namespace flowray::engine
