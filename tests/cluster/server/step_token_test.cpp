#include "cluster/server/step_token.h"

#include "graph/exchange/graph_export.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

namespace flowray::cluster {
namespace {

TEST(StepToken, IsTakenByTheStepOfAReplica) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable w(10.0f, {.name = "w"});
  const tf::Variable step(tf::constant(int64_t{0}), {.trainable = false, .name = "global_step"});
  const tf::Tensor loss = tf::square(w, {.name = "loss"});
  EXPECT_FALSE(has_step_tokens(graph::to_graph_def(*graph.get())));
  tf::train::SyncReplicasOptimizer optimizer(tf::train::GradientDescentOptimizer(1.0), 2, {});
  const tf::Operation train = optimizer.minimize(loss, {.global_step = step});
  const tf::Tensor after = [&] {
    const auto once = tf::control_dependencies({train});
    return tf::identity(loss, {.name = "after"});
  }();
  EXPECT_TRUE(has_step_tokens(graph::to_graph_def(*graph.get())));
  EXPECT_TRUE(takes_step_token(*graph.get(), {train.name()}, {}));
  EXPECT_TRUE(takes_step_token(*graph.get(), {"after:0"}, {"loss:0"})) << "it waits for train all the same";
  EXPECT_FALSE(takes_step_token(*graph.get(), {"loss:0", "there is none"}, {}));
}

TEST(StepToken, IsNoOtherElementOfAQueue) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  tf::FIFOQueue queue(10, {tf::float32}, {.shared_name = "another"});
  const tf::Tensor taken = queue.dequeue();
  EXPECT_FALSE(has_step_tokens(graph::to_graph_def(*graph.get())));
  EXPECT_FALSE(takes_step_token(*graph.get(), {taken.name()}, {}));
}

}  // namespace
}  // namespace flowray::cluster
