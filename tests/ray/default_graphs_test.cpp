// Whose default graph it is: a thread's own, which is empty when the thread or
// the process of a worker begins.
#include <flowray/ray.h>
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kGuardMs = 60'000;

std::vector<std::string> default_graphs_nodes() {
  std::vector<std::string> names;
  for (const tf::Operation& operation : tf::get_default_graph().get_operations())
    names.push_back(operation.name());
  return names;
}

/// An actor that adds to the default graph of its process.
class Builder {
 public:
  static Builder* Create() { return new Builder; }
  Builder() { tf::constant(1.0, {.name = "made_by_the_constructor"}); }
  std::vector<std::string> Add(const std::string& name) {
    tf::constant(2.0, {.name = name});
    return default_graphs_nodes();
  }
  double First() {
    tf::Session session;
    return session.run("made_by_the_constructor:0").astype(tf::float64).item<double>();
  }
};

RAY_REMOTE(default_graphs_nodes, Builder::Create, &Builder::Add, &Builder::First);

class DefaultGraphs : public ::testing::Test {
 protected:
  /// The program's own graph has nodes, and has run, before there is a worker.
  DefaultGraphs() {
    tf::reset_default_graph();
    const auto x = tf::constant(3.0, {.name = "of_the_driver"});
    tf::Session session;
    session.run(x);
  }
  ~DefaultGraphs() override { tf::reset_default_graph(); }
};

TEST_F(DefaultGraphs, OfANewThreadIsEmpty) {
  std::vector<std::string> in_thread = {"nothing was looked at"};
  std::thread([&] {
    in_thread = default_graphs_nodes();
    tf::constant(1.0, {.name = "of_the_thread"});
  }).join();
  EXPECT_THAT(in_thread, IsEmpty());
  EXPECT_THAT(default_graphs_nodes(), ElementsAre("of_the_driver"));
}

TEST_F(DefaultGraphs, OfTheProgramIsAThreadsWhereItIsGiven) {
  const tf::Graph graph = tf::get_default_graph();
  std::vector<std::string> in_thread;
  std::thread([&] {
    const tf::GraphScope scope = graph.as_default();
    in_thread = default_graphs_nodes();
  }).join();
  EXPECT_THAT(in_thread, ElementsAre("of_the_driver"));
}

TEST_F(DefaultGraphs, OfAWorkerIsEmptyAndItsActorsOwn) {
  ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
  EXPECT_THAT(*ray::Task(default_graphs_nodes).Remote().Get(kGuardMs), IsEmpty());
  const auto actor = ray::Actor(Builder::Create).Remote();
  EXPECT_THAT(*actor.Task(&Builder::Add).Remote(std::string("a")).Get(kGuardMs),
              ElementsAre("made_by_the_constructor", "a"));
  EXPECT_THAT(*actor.Task(&Builder::Add).Remote(std::string("b")).Get(kGuardMs),
              ElementsAre("made_by_the_constructor", "a", "b"));
  EXPECT_EQ(*actor.Task(&Builder::First).Remote().Get(kGuardMs), 1.0);
  const auto other = ray::Actor(Builder::Create).Remote();
  EXPECT_THAT(*other.Task(&Builder::Add).Remote(std::string("c")).Get(kGuardMs),
              ElementsAre("made_by_the_constructor", "c"));
  ray::Shutdown();
  EXPECT_THAT(default_graphs_nodes(), ElementsAre("of_the_driver"));
}

}  // namespace
}  // namespace flowray
