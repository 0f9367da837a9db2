// Programs whose steps wait for each other, are limited and looked at.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace flowray::tf {
namespace {

class QueueTest : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(QueueTest, HandsElementsFromStepToStep) {
  FIFOQueue queue(10, {float32, int32}, {.shapes = {{2}, {}}});
  const auto put = queue.enqueue({{1.0, 2.0}, 7});
  const auto xs = queue.dequeue_many(2);
  Session session;
  session.run(put);
  session.run(put);
  EXPECT_EQ(session.run(queue.size()), Array(2));
  const auto [x, y] = session.run({xs[0], xs[1]});
  EXPECT_EQ(x, Array({{1.f, 2.f}, {1.f, 2.f}}));
  EXPECT_EQ(y, Array({7, 7}));
}

TEST_F(QueueTest, FeedsATrainingStep) {
  FIFOQueue queue(2, {float32}, {.shapes = {{}}});
  const auto value = placeholder(float32, {});
  const auto put = queue.enqueue({value});
  Variable total(0.0f, {.name = "total"});
  const auto add = assign_add(total, Tensor(queue.dequeue()));
  const auto init = global_variables_initializer();
  Session session;
  session.run(init);
  auto feeder = std::async(std::launch::async, [&] {
    for (int i = 1; i <= 100; ++i) session.run(put, {{value, Array(static_cast<float>(i))}});
  });
  for (int i = 0; i < 100; ++i) session.run(add);
  feeder.get();
  EXPECT_EQ(session.run(total), Array(5050.0f));
}

TEST_F(QueueTest, TellsTheEndOfTheElements) {
  FIFOQueue queue(10, {int32}, {.shapes = {{}}, .name = "q"});
  const auto close = queue.close();
  const Tensor next = queue.dequeue();
  Session session;
  session.run(close);
  try {
    session.run(next);
    FAIL() << "the queue is closed and empty";
  } catch (const errors::OutOfRangeError& error) {
    EXPECT_NE(
        error.message().find("_q' is closed and has insufficient elements (requested 1, current size 0)"),
        std::string::npos)
        << error.message();
    EXPECT_EQ(error.node_name(), "q_Dequeue");
  }
}

TEST_F(QueueTest, RefusesWhatDoesNotFit) {
  FIFOQueue queue(10, {float32}, {.shapes = {{2}}});
  EXPECT_THROW(queue.enqueue({placeholder(float32, {3})}), ValueError);
  EXPECT_THROW(queue.enqueue({1.0, 2.0}), ValueError);
  EXPECT_THROW(queue.enqueue_many({placeholder(float32, {5, 3})}), ValueError);
  EXPECT_THROW(queue.enqueue({placeholder(int32, {2})}), ValueError);
  EXPECT_THROW(queue.dequeue_many(-1), ValueError);
  EXPECT_THROW(PaddingFIFOQueue(3, {float32}, {}), ValueError);
}

TEST_F(QueueTest, EndsAStepAtItsTimeout) {
  FIFOQueue queue(10, {int32}, {.shapes = {{}}});
  const Tensor next = queue.dequeue();
  Session session;
  EXPECT_THROW(session.run(next, {}, {.timeout_in_ms = 1}), errors::DeadlineExceededError);
  Session limited(SessionConfig{.operation_timeout_in_ms = 1});
  EXPECT_THROW(limited.run(next), errors::DeadlineExceededError);
  auto callable = limited.make_callable(next);
  EXPECT_THROW(callable(), errors::DeadlineExceededError);
  EXPECT_THROW(limited.explain(next, {}, 1), errors::DeadlineExceededError);
}

TEST_F(QueueTest, EndsAStepThatWaitsWhenTheSessionIsClosed) {
  FIFOQueue queue(10, {int32}, {.shapes = {{}}});
  const auto put = queue.enqueue({1});
  const Tensor two = queue.dequeue_many(2);
  const auto size = queue.size();
  Session session;
  session.run(put);
  auto waiting = std::async(std::launch::async, [&] { return session.run(two); });
  while (!(session.run(size) == Array(0))) std::this_thread::yield();
  session.close();
  EXPECT_THROW((void)waiting.get(), errors::CancelledError);
}

TEST_F(QueueTest, TellsWhatAStepDid) {
  const auto x = placeholder(float32, {2}, {.name = "x"});
  const auto y = negative(x, {.name = "y"});
  Session session;
  RunMetadata metadata;
  session.run(y, {{x, Array({1.f, 2.f})}}, {.trace_level = RunOptions::FULL_TRACE}, &metadata);
  ASSERT_EQ(metadata.step_stats.dev_stats.size(), 1u);
  const auto& device = metadata.step_stats.dev_stats[0];
  EXPECT_EQ(device.device, "/job:localhost/replica:0/task:0/device:CPU:0");
  ASSERT_EQ(device.node_stats.size(), 1u);
  EXPECT_EQ(device.node_stats[0].node_name, "y");
  EXPECT_EQ(device.node_stats[0].timeline_label, "y = Neg(x)");
  EXPECT_GT(device.node_stats[0].all_start_micros, 0);
  session.run(y, {{x, Array({1.f, 2.f})}}, {}, &metadata);
  EXPECT_TRUE(metadata.step_stats.dev_stats.empty());
}

}  // namespace
}  // namespace flowray::tf
