// A ps that is killed and started anew in the middle of steps: clients hear of it, and new sessions go on.
#include "cluster/in_process_cluster.h"

#include <flowray/tf.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>

namespace flowray::cluster {
namespace {

const Identity kPs{"ps", 0};
const Identity kWorker{"worker", 0};

/// "train" updates variables of the ps by gradients of the worker; "init" gives them values.
void build_training() {
  auto ps = tf::device("/job:ps/task:0");
  tf::Variable w(tf::fill({1000}, 1.0f), {.name = "w"});
  auto worker = tf::device("/job:worker/task:0");
  auto loss = tf::reduce_sum(tf::square(w), {.name = "loss"});
  tf::train::GradientDescentOptimizer(0.25f).minimize(loss, {.name = "train"});
  tf::global_variables_initializer();
}

TEST(RestartedTasks, EndTheStepsUnderWayAndServeNewSessions) {
  const int rounds = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 200 : 20;
  tf::Graph graph;
  const auto scope = graph.as_default();
  build_training();
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    ClusterClient client(cluster.member(kWorker));
    client.create(graph::to_graph_def(*graph.get()));
    client.run({"init"});
    client.run({"train"});
    // w := w - 0.25 * 2 w
    EXPECT_EQ(client.run({"w:0"}).at(0), Array::full(DType::kFloat32, {1000}, 0.5f)) << "round " << round;
    const int killed_at = cluster.calls_of("RunGraph") + static_cast<int>(random() % 6);
    std::thread killer([&] {
      while (cluster.calls_of("RunGraph") < killed_at) std::this_thread::yield();
      cluster.kill(kPs.name());
      cluster.start(kPs);
    });
    Code code = Code::kOk;
    std::string text;
    try {
      while (true) client.run({"train"});
    } catch (const errors::OpError& error) {
      code = error.code();
      text = error.message();
    }
    killer.join();
    EXPECT_TRUE(code == Code::kAborted || code == Code::kUnavailable) << code_name(code) << ": " << text;
    EXPECT_THAT(text, ::testing::HasSubstr("/job:ps/replica:0/task:0")) << "round " << round;
    client.close();
  }
  EXPECT_EQ(cluster.member(kWorker).task.steps.size(), 0u);
}

}  // namespace
}  // namespace flowray::cluster
