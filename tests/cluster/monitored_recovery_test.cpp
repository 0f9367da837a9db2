// A training in a monitored session goes on when a task of its cluster is killed and started again.

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cluster/network_fixture.h"
#include "support/idx_files.h"

namespace flowray::cluster {
namespace {

using testing::TestFolder;
using tf::train::ClusterSpec;
using tf::train::Server;

/// Counts the sessions.
class Sessions : public tf::train::SessionRunHook {
 public:
  void after_create_session(tf::Session&, tf::train::Coordinator&) override { ++count; }
  int count = 0;
};

class MonitoredRecovery : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
    cluster = ClusterSpec{{"ps", {free_address()}}, {"worker", {free_address()}}};
    worker.emplace(cluster, tf::train::ServerOptions{.job_name = "worker", .task_index = 0});
    start_ps();
  }

  void start_ps() { ps.emplace(cluster, tf::train::ServerOptions{.job_name = "ps", .task_index = 0}); }
  void restart_ps() {
    ps.reset();
    start_ps();
  }

  /// On the ps w = 1 and the global step; a step adds 2 and 1.
  void build() {
    const auto there = tf::device("/job:ps/task:0");
    step = tf::train::get_or_create_global_step();
    w = tf::Variable(1.0f, {.name = "w"});
    train = tf::group({tf::assign_add(step, int64_t{1}).op(), tf::assign_add(w, 2.0f).op()});
  }

  ClusterSpec cluster;
  std::optional<Server> worker;
  std::optional<Server> ps;
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  tf::Variable step;
  tf::Variable w;
  tf::Operation train;
};

TEST_F(MonitoredRecovery, GoesOnFromTheCheckpointWhereAPsIsStartedAnew) {
  const TestFolder folder;
  build();
  const auto sessions = std::make_shared<Sessions>();
  auto session = tf::train::MonitoredTrainingSession(
      {.master = worker->target(),
       .checkpoint_dir = folder.path(),
       .hooks = {sessions,
                 std::make_shared<tf::train::StopAtStepHook>(tf::train::StopAtStepOptions{.last_step = 8})},
       .save_checkpoint_steps = 2});
  for (int i = 0; i < 5; ++i) session.run(train);
  restart_ps();
  // Step 5 is lost: the newest checkpoint is that of step 4.
  int more = 0;
  for (; !session.should_stop(); ++more) session.run(train);
  EXPECT_EQ(more, 4);
  EXPECT_EQ(sessions->count, 2);
  session.close();
  tf::Session raw(worker->target());
  EXPECT_EQ(raw.run(step).item<int64_t>(), 8);
  EXPECT_EQ(raw.run(w).item<float>(), 17.0f);
  tf::summary::FileWriterCache::clear();
}

TEST_F(MonitoredRecovery, IsOverAtOnceWhereTheSessionIsASingularOne) {
  build();
  tf::train::SingularMonitoredSession session({}, {.master = worker->target()});
  session.run(train);
  restart_ps();
  try {
    session.run(train);
    ADD_FAILURE();
  } catch (const errors::OpError& error) {
    EXPECT_TRUE(error.code() == Code::kAborted || error.code() == Code::kUnavailable) << error.what();
  }
}

TEST_F(MonitoredRecovery, AWorkerWaitsForTheChiefAndGoesOnWithIt) {
  build();
  auto chief = tf::train::MonitoredTrainingSession({.master = worker->target()});
  auto other = tf::train::MonitoredTrainingSession({.master = worker->target(), .is_chief = false});
  chief.run(train);
  other.run(train);
  EXPECT_EQ(other.run(step).item<int64_t>(), 2);
  restart_ps();
  chief.run(train);  // initialises anew
  other.run(train);
  EXPECT_EQ(other.run(w).item<float>(), 5.0f);
}

TEST_F(MonitoredRecovery, AWorkerGivesUpAfterItsTime) {
  build();
  EXPECT_THROW(tf::train::MonitoredTrainingSession(
                   {.master = worker->target(), .is_chief = false, .max_wait_secs = 0.01}),
               errors::DeadlineExceededError);
}

/// A thread that fills a queue hears first that its server is gone: that ends no training.
TEST_F(MonitoredRecovery, AThreadThatLosesItsServerEndsNoTraining) {
  build();
  const auto there = tf::device("/job:ps/task:0");
  const tf::train::FilledQueue numbers = tf::train::range_input_producer(1000, {.shuffle = false});
  const tf::Tensor next = numbers.queue.dequeue();
  tf::train::MonitoredTrainingOptions options{.master = worker->target(), .queues = {numbers}};
  auto session = tf::train::MonitoredTrainingSession(options);
  EXPECT_EQ(session.run(next).item<int32_t>(), 0);
  restart_ps();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(session.should_stop());
  EXPECT_EQ(session.run(next).item<int32_t>(), 0);
}

TEST_F(MonitoredRecovery, ListsDevicesAndResetsThem) {
  build();
  const tf::Operation init = tf::global_variables_initializer();
  tf::Session session(worker->target());
  const auto devices = tf::train::list_devices(worker->target());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices[1].name, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices[0].device_type, "CPU");
  EXPECT_NE(devices[0].incarnation, devices[1].incarnation);
  session.run(init);
  tf::train::reset_session(worker->target());
  EXPECT_THROW(session.run(w), errors::AbortedError);
  tf::Session after(worker->target());
  EXPECT_THROW(after.run(w), errors::FailedPreconditionError);
  EXPECT_THROW(tf::train::reset_session("nowhere"), errors::NotFoundError);
}

}  // namespace
}  // namespace flowray::cluster
