// Worker sessions whose masters have gone, or have them no more.
#include "cluster/worker/left_sessions.h"

#include "cluster/in_process_cluster.h"

#include <flowray/tf.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <new>

namespace flowray::cluster {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Identity kPs{"ps", 0};
const Identity kWorker{"worker", 0};

class LeftSessionsTest : public ::testing::Test {
 protected:
  /// A session of the worker's master that has run a step on the ps.
  std::unique_ptr<ClusterClient> opened() {
    tf::Graph graph;
    const auto scope = graph.as_default();
    const auto ps = tf::device("/job:ps/task:0");
    tf::square(tf::constant(3.0f), {.name = "nine"});
    auto client = std::make_unique<ClusterClient>(cluster_.member(kWorker));
    client->create(graph::to_graph_def(*graph.get()));
    EXPECT_EQ(client->run({"nine:0"}).at(0), Array(9.0f));
    return client;
  }
  /// A session of a master of which nobody here knows more than its name.
  void open_for(const std::string& master_task) {
    wire::CreateWorkerSessionRequest request;
    request.session_handle = "stranger's";
    request.master_task = master_task;
    request.master_incarnation = 17;
    const std::string path = "/tensorflow.WorkerService/CreateWorkerSession";
    const auto bytes = std::make_shared<std::string>(wire::encode(request));
    Cancellation cancellation;
    const Response made =
        cluster_.member(kPs).answer({path, std::as_bytes(std::span(*bytes)), bytes, cancellation});
    ASSERT_TRUE(made.status.ok()) << made.status.text;
  }
  size_t end_left(std::chrono::steady_clock::duration after) {
    return cluster_.member(kPs).worker.end_left_sessions(begin_ + after);
  }
  /// As if by SIGKILL: it tells nobody.
  void kill_worker() {
    cluster_.hold("DeleteWorkerSession");
    cluster_.kill(kWorker.name());
  }
  size_t num_left() { return cluster_.member(kPs).worker.num_sessions(); }

  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

TEST_F(LeftSessionsTest, StayAsLongAsTheirMasterHasThem) {
  const auto client = opened();
  EXPECT_EQ(end_left(hours(1000)), 0u);
  EXPECT_EQ(client->run({"nine:0"}).at(0), Array(9.0f));
}

TEST_F(LeftSessionsTest, EndWhenTheirMasterHasBeenGoneForAWhile) {
  opened();
  EXPECT_EQ(end_left(seconds(0)), 0u);
  kill_worker();
  EXPECT_EQ(end_left(seconds(59)), 0u) << "it may be back";
  EXPECT_EQ(end_left(seconds(61)), 1u);
  EXPECT_EQ(num_left(), 0u);
}

TEST_F(LeftSessionsTest, EndWhenTheirMasterWasStartedAnew) {
  opened();
  EXPECT_EQ(end_left(seconds(0)), 0u);
  kill_worker();
  cluster_.start(kWorker);
  EXPECT_EQ(end_left(seconds(1)), 1u);
}

/// What says that it is over never arrives.
TEST_F(LeftSessionsTest, EndWhenTheirMasterHasThemNoMore) {
  const auto other = opened();
  const auto client = opened();
  cluster_.hold("DeleteWorkerSession");
  client->close();
  EXPECT_EQ(num_left(), 2u);
  EXPECT_EQ(end_left(seconds(1)), 1u);
  EXPECT_EQ(other->run({"nine:0"}).at(0), Array(9.0f)) << "the other one goes on";
}

/// A master that cannot be asked: the time without a call decides.
TEST_F(LeftSessionsTest, EndAfterTheTimeWithoutACallWhereNobodyKnows) {
  open_for("/job:elsewhere/replica:0/task:0");
  EXPECT_EQ(end_left(hours(23)), 0u);
  EXPECT_EQ(end_left(hours(25)), 1u);
}

/// As where the cluster names the master as "localhost:2222", and another machine's worker finds another
/// server there: neither what that one says nor its end is the master's.
TEST_F(LeftSessionsTest, StayWhereTheirMastersAddressIsAnotherServers) {
  open_for("/job:worker/replica:0/task:0");
  EXPECT_EQ(end_left(seconds(0)), 0u);
  EXPECT_EQ(end_left(seconds(1)), 0u);
  kill_worker();
  EXPECT_EQ(end_left(hours(1)), 0u);
  EXPECT_EQ(end_left(hours(25)), 1u) << "nobody knows";
}

/// The thread that asks by itself goes on when that fails.
TEST(LeftSessions, AreAskedForAgainWhenThatFailed) {
  std::promise<void> is_asked_again;
  std::atomic<int> num_asked = 0;
  const auto connect = [&](const std::string&) -> std::shared_ptr<Channel> {
    if (++num_asked == 3) is_asked_again.set_value();
    throw std::bad_alloc();
  };
  Task task({"ps", 0}, {{"worker", {{0, "somewhere:1"}}}}, {}, connect);
  Worker worker(task, std::chrono::milliseconds(1));
  wire::CreateWorkerSessionRequest request;
  request.session_handle = "s";
  request.master_task = "/job:worker/replica:0/task:0";
  const auto bytes = std::make_shared<std::string>(wire::encode(request));
  Cancellation cancellation;
  worker.handle({"/tensorflow.WorkerService/CreateWorkerSession", std::as_bytes(std::span(*bytes)), bytes,
                 cancellation},
                [](const Response& response) { EXPECT_TRUE(response.status.ok()) << response.status.text; });
  is_asked_again.get_future().wait();
  EXPECT_EQ(worker.num_sessions(), 1u);
}

}  // namespace
}  // namespace flowray::cluster
