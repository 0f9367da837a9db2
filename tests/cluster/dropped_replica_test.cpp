// Synchronous training goes on without a replica whose server ends in the middle of a step.

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

#include "cluster/network_fixture.h"

namespace flowray::cluster {
namespace {

using tf::train::ClusterSpec;
using tf::train::Server;
using tf::train::SyncReplicasOptimizer;

/// One program's graph: w = 8 and the step on the ps, the gradient of w 2 on the worker.
struct Replica {
  Replica(const ClusterSpec& cluster, int task) : name("/job:worker/task:" + std::to_string(task)) {
    const auto there =
        tf::device(tf::train::replica_device_setter({.worker_device = name, .cluster = cluster}));
    step = tf::train::get_or_create_global_step();
    w = tf::Variable(8.0f, {.name = "w"});
    train = optimizer.minimize(w * 2.0f, {.global_step = step});
    tokens = optimizer.get_init_tokens_op(0);
    init = tf::global_variables_initializer();
  }

  const std::string name;
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  SyncReplicasOptimizer optimizer{tf::train::GradientDescentOptimizer(0.25), 2, {.drop_after_secs = 0.1}};
  tf::Variable step;
  tf::Variable w;
  tf::Operation train;
  tf::Operation tokens;
  tf::Operation init;
};

class DroppedReplica : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
    cluster = ClusterSpec{{"ps", {free_address()}}, {"worker", {free_address(), free_address()}}};
    ps.emplace(cluster, tf::train::ServerOptions{.job_name = "ps", .task_index = 0});
    for (int task = 0; task < 2; ++task)
      workers[task].emplace(cluster, tf::train::ServerOptions{.job_name = "worker", .task_index = task});
  }

  ClusterSpec cluster;
  std::optional<Server> ps;
  std::optional<Server> workers[2];
};

/// Ten times a replica ends while it waits for its token, whether it takes that along or not.
TEST_F(DroppedReplica, TheOthersGoOn) {
  Replica chief(cluster, 0);
  tf::Session session(workers[0]->target(), chief.graph);
  session.run(chief.init);
  session.run(chief.optimizer.chief_init_op());
  const auto queue = chief.optimizer.get_chief_queue_runner();
  const tf::Tensor given = session.graph().get_tensor_by_name("AccumulatorNumAccumulated:0");
  int64_t steps = 0;
  for (int i = 0; i < 10; ++i) {
    std::thread lost([this] {
      Replica replica(cluster, 1);
      try {
        tf::Session own(workers[1]->target(), replica.graph, {.device_filters = {"/job:ps", replica.name}});
        own.run(replica.optimizer.local_step_init_op());
        own.run(replica.train);
      } catch (const Error&) {  // its server ends
      }
    });
    while (session.run(given).item<int>() == 0) {
    }
    workers[1].reset();
    lost.join();
    for (const int64_t end = steps + 3; steps < end; ++steps) {
      std::thread applies([&] { queue.run(session, queue.enqueue_ops.at(0), {}); });
      while (session.run(chief.step).item<int64_t>() == steps) session.run(chief.train);
      applies.join();
    }
    workers[1].emplace(cluster, tf::train::ServerOptions{.job_name = "worker", .task_index = 1});
  }
  // Whoever gave how many gradients to a step: their mean is 2.
  EXPECT_EQ(session.run(chief.w).item<float>(), 8 - 0.5f * 30);
}

}  // namespace
}  // namespace flowray::cluster
