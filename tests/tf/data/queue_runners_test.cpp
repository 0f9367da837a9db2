#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/queue_runner.h>

#include <gtest/gtest.h>

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
