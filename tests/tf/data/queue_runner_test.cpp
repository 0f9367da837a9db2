#include <flowray/tf.h>
#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/queue_runner.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace flowray {
namespace {

TEST(QueueRunners, OfProducersAreStartedTogether) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto number = tf::train::range_input_producer(6, {.num_epochs = 1, .shuffle = false});
  const auto rows = tf::train::batch({number.queue.dequeue()}, 3);
  EXPECT_EQ(tf::train::get_queue_runners().size(), 2u);
  tf::Session session;
  session.run(tf::local_variables_initializer());
  tf::train::Coordinator coordinator;
  tf::train::start_queue_runners(session, coordinator);
  EXPECT_EQ(session.run(rows.tensors[0]), Array({0, 1, 2}));
  EXPECT_EQ(session.run(rows.tensors[0]), Array({3, 4, 5}));
  EXPECT_THROW(session.run(rows.tensors[0]), errors::OutOfRangeError);
  coordinator.join();
}

TEST(QueueRunners, OfAProgramsOwnQueueMayBeAdded) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::FIFOQueue queue(4, {tf::float32}, {.shapes = {tf::TensorShape{}}});
  const auto runner = tf::train::queue_runner(queue, {queue.enqueue({2.5})});
  tf::train::add_queue_runner(runner);
  const auto next = queue.dequeue();
  tf::Session session;
  tf::train::Coordinator coordinator;
  tf::train::start_queue_runners(session, coordinator);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(session.run(next[0]), Array(2.5f));
  coordinator.join();
  EXPECT_THROW(tf::train::queue_runner(queue, {}), tf::ValueError);
  EXPECT_THROW(tf::train::queue_runner(queue, {tf::Operation()}), tf::ValueError);
  auto own = runner;
  own.run = [](tf::Session&, const tf::Operation&, const tf::RunOptions&) {};
  EXPECT_THROW(tf::train::add_queue_runner(own), tf::ValueError);
}

/// The first component of all batches until there is nothing more.
std::vector<Array> all_of(const tf::train::Produced& batches) {
  tf::Session session;
  session.run(tf::local_variables_initializer());
  tf::train::Coordinator coordinator;
  tf::train::start_queue_runners(session, coordinator);
  std::vector<Array> all;
  try {
    for (;;) all.push_back(session.run(batches.tensors[0]));
  } catch (const errors::OutOfRangeError&) {
    coordinator.request_stop();
  }
  coordinator.join();
  return all;
}

tf::Tensor numbers(int limit) {
  return tf::train::range_input_producer(limit, {.num_epochs = 1, .shuffle = false}).queue.dequeue();
}

TEST(QueueRunners, KeepSomeOfTheExamples) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor number = numbers(9);
  const auto thirds = tf::train::maybe_batch({number}, tf::equal(tf::floormod(number, 3), 0), 2,
                                             {.allow_smaller_final_batch = true});
  EXPECT_EQ(all_of(thirds), (std::vector<Array>{Array({0, 3}), Array({6})}));
}

TEST(QueueRunners, KeepSomeOfManyExamples) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor number = numbers(3);
  const tf::Tensor rows = tf::stack({number, 10 * number});
  const auto some = tf::train::maybe_batch({rows}, tf::greater(rows, 1), 3, {.enqueue_many = true});
  EXPECT_EQ(all_of(some), std::vector<Array>{Array({10, 2, 20})});
}

TEST(QueueRunners, JoinWhatSeveralThreadsPutIn) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto both = tf::train::batch_join({{numbers(3)}, {numbers(3) + 10}}, 6);
  EXPECT_EQ(both.filled.enqueue_ops.size(), 2u);
  std::vector<Array> batches = all_of(both);
  ASSERT_EQ(batches.size(), 1u);
  const auto elements = batches[0].span<int32_t>();
  std::vector<int32_t> values(elements.begin(), elements.end());
  std::ranges::sort(values);
  EXPECT_EQ(values, (std::vector<int32_t>{0, 1, 2, 10, 11, 12}));
}

TEST(QueueRunners, AreOfListsThatFitEachOther) {
  tf::reset_default_graph();
  const auto x = tf::placeholder(tf::float32, {3});
  EXPECT_THROW(tf::train::batch_join({}, 2), tf::ValueError);
  EXPECT_THROW(tf::train::batch_join({{x, x}, {x}}, 2), tf::ValueError);
  EXPECT_THROW(tf::train::batch_join({{x}, {tf::placeholder(tf::int32, {3})}}, 2), tf::TypeError);
  EXPECT_THROW(tf::train::shuffle_batch_join({{x}}, 2, 5, 10), tf::ValueError);
  EXPECT_THROW(tf::train::batch({x}, 2, {.num_threads = int64_t{1} << 40}), tf::ValueError);
}

TEST(QueueRunners, MayBeCancelledByAnOperation) {
  tf::reset_default_graph();
  const tf::Operation nothing = tf::no_op();
  const auto rows =
      tf::train::input_producer(tf::placeholder(tf::float32), {.element_shape = {3}, .cancel_op = nothing});
  EXPECT_EQ(rows.cancel_op, nothing);
  EXPECT_EQ(rows.queue.dequeue()[0].shape(), tf::TensorShape({3}));
  const auto files = tf::train::string_input_producer({"a"}, {.cancel_op = nothing});
  EXPECT_EQ(files.cancel_op, nothing);
  EXPECT_THROW(tf::train::string_input_producer({"a"}, {.cancel_op = tf::Operation()}), tf::ValueError);
}

TEST(QueueRunners, CountEpochs) {
  tf::reset_default_graph();
  const tf::Tensor limited = tf::train::limit_epochs({1, 2}, {.num_epochs = 2});
  const tf::Tensor endless = tf::train::limit_epochs({1, 2});
  EXPECT_EQ(endless.op().type(), "Const");
  tf::Session session;
  session.run(tf::local_variables_initializer());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(session.run(limited), Array({1, 2}));
  EXPECT_THROW(session.run(limited), errors::OutOfRangeError);
}

TEST(QueueRunners, BelongToTheirGraph) {
  const tf::Graph graph;
  {
    const auto scope = graph.as_default();
    tf::train::string_input_producer({"a", "b"});
  }
  EXPECT_EQ(tf::train::get_queue_runners(graph).size(), 1u);
  const tf::Graph other;
  EXPECT_TRUE(tf::train::get_queue_runners(other).empty());
}

}  // namespace
}  // namespace flowray
