// A task that is there and does not answer what comes before the first run of a step: the client's deadline
// and its going end the wait.
#include "cluster/in_process_cluster.h"

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace flowray::cluster {
namespace {

const Identity kWorker{"worker", 0};
constexpr std::chrono::seconds kLong{30};

Code code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const errors::OpError& error) {
    return error.code();
  }
  return Code::kOk;
}

class UnansweredTasks : public ::testing::Test {
 protected:
  UnansweredTasks() {
    auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
    auto ps = tf::device("/job:ps/task:0");
    tf::square(x, {.name = "y"});
  }

  /// A call by another thread of the same session's.
  std::future<Code> begin_run(ClusterClient& client, wire::RunOptions options = {}) {
    return std::async(std::launch::async, [&client, options] {
      return code_of(
          [&] { EXPECT_EQ(client.run({"y:0"}, {{"x", Array(3.0f)}}, options).at(0), Array(9.0f)); });
    });
  }
  void await_calls(const std::string& method, int count) {
    while (cluster_.calls_of(method) < count) std::this_thread::yield();
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
};

TEST_F(UnansweredTasks, EndTheStepAtItsDeadline) {
  ClusterClient client(cluster_.member(kWorker));
  client.create(graph::to_graph_def(*graph_.get()));
  cluster_.hold("RegisterGraph");
  auto late = begin_run(client, {.timeout_in_ms = 200});
  ASSERT_EQ(late.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(late.get(), Code::kDeadlineExceeded);
  cluster_.let_go();
  EXPECT_EQ(begin_run(client).get(), Code::kOk);
  client.close();
}

TEST_F(UnansweredTasks, EndTheStepOfAClientThatGoes) {
  ClusterClient client(cluster_.member(kWorker));
  client.create(graph::to_graph_def(*graph_.get()));
  ClusterClient other(cluster_.member(kWorker));
  other.session = client.session;
  cluster_.hold("RegisterGraph");
  auto run = begin_run(client);
  await_calls("RegisterGraph", 1);
  client.cancellation.cancel();
  ASSERT_EQ(run.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(run.get(), Code::kCancelled);
  cluster_.let_go();
  EXPECT_EQ(begin_run(other).get(), Code::kOk);
  other.close();
}

TEST_F(UnansweredTasks, EndTheStepOfASessionThatIsClosed) {
  ClusterClient client(cluster_.member(kWorker));
  client.create(graph::to_graph_def(*graph_.get()));
  ClusterClient other(cluster_.member(kWorker));
  other.session = client.session;
  cluster_.hold("RegisterGraph");
  auto run = begin_run(client);
  await_calls("RegisterGraph", 1);
  other.close();
  ASSERT_EQ(run.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(run.get(), Code::kCancelled);
}

/// The end of one wait is not that of another, for the same answer.
TEST_F(UnansweredTasks, KeepThoseThatHaveMoreTime) {
  ClusterClient client(cluster_.member(kWorker));
  client.create(graph::to_graph_def(*graph_.get()));
  ClusterClient other(cluster_.member(kWorker));
  other.session = client.session;
  cluster_.hold("RegisterGraph");
  auto late = begin_run(client, {.timeout_in_ms = 200});
  auto patient = begin_run(other);
  ASSERT_EQ(late.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(late.get(), Code::kDeadlineExceeded);
  EXPECT_EQ(patient.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  cluster_.let_go();
  ASSERT_EQ(patient.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(patient.get(), Code::kOk);
  client.close();
}

/// A step that waits for one task keeps no other from finding another.
TEST_F(UnansweredTasks, DelayNoOtherTask) {
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  ClusterClient client(cluster.member(kWorker));
  client.create({});
  ClusterClient waiting(cluster.member(kWorker));
  waiting.session = client.session;
  cluster.hold("CreateWorkerSession");
  auto all = std::async(std::launch::async, [&] {
    wire::ListDevicesRequest request;
    request.session_handle = waiting.session;
    return waiting.ask<wire::ListDevicesResponse>("ListDevices", request).local_device.size();
  });
  while (cluster.calls_of("CreateWorkerSession") < 1) std::this_thread::yield();  // of the first ps
  auto extended = std::async(std::launch::async, [&] {
    tf::Graph graph;
    const auto scope = graph.as_default();
    const auto other = tf::device("/job:ps/task:1");
    tf::constant(1.0f, {.name = "one"});
    const wire::GraphDef def = graph::to_graph_def(*graph.get());
    wire::ExtendSessionRequest request;
    request.session_handle = client.session;
    request.graph_def = def;
    return client.ask<wire::ExtendSessionResponse>("ExtendSession", request).new_graph_version;
  });
  while (cluster.calls_of("CreateWorkerSession") < 2) std::this_thread::yield();  // of the second
  cluster.let_go();
  ASSERT_EQ(extended.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(extended.get(), 1);
  ASSERT_EQ(all.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(all.get(), 3u);
  client.close();
}

TEST_F(UnansweredTasks, EndTheWaitForTheirSession) {
  cluster_.hold("CreateWorkerSession");
  ClusterClient client(cluster_.member(kWorker));
  wire::ConfigProto config;
  config.operation_timeout_in_ms = 200;
  EXPECT_EQ(code_of([&] { client.create(graph::to_graph_def(*graph_.get()), config); }),
            Code::kDeadlineExceeded);
}

/// The connection to it breaks at once, each time.
class BrokenChannel final : public Channel {
 public:
  explicit BrokenChannel(std::atomic<int>& num_asked) : num_asked_(num_asked) {}
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    ++num_asked_;
    done({{}, {14, "Connection reset by peer"}});
    return [] {};
  }

 private:
  std::atomic<int>& num_asked_;
};

Response create_on_ps(Master& master, Cancellation& client, int64_t timeout_ms) {
  wire::CreateSessionRequest request;
  auto& node = request.graph_def.node.emplace_back();
  node.name = "nothing";
  node.op = "NoOp";
  node.device = "/job:ps/task:0";
  request.config.operation_timeout_in_ms = timeout_ms;
  const auto bytes = std::make_shared<std::string>(wire::encode(request));
  const auto answer = std::make_shared<std::promise<Response>>();
  master.handle({"/tensorflow.MasterService/CreateSession", std::as_bytes(std::span(*bytes)), bytes, client},
                [answer](Response response) { answer->set_value(std::move(response)); });
  return answer->get_future().get();
}

class BrokenTasks : public ::testing::Test {
 protected:
  std::atomic<int> num_asked_ = 0;
  Task task_{kWorker, {{"ps", {{0, "ps"}}}, {"worker", {{0, "worker"}}}}, {}, [this](const std::string&) {
               return std::make_shared<BrokenChannel>(num_asked_);
             }};
  Master master_{task_};
};

/// However slow this machine is: between the first question and the third there are two pauses at least.
TEST_F(BrokenTasks, AreAskedNowAndThenAndQuietly) {
  using Clock = std::chrono::system_clock;
  ::testing::internal::CaptureStderr();
  Cancellation client;
  const auto begin = Clock::now();
  auto created = std::async(std::launch::async, [&] { return create_on_ps(master_, client, 0).status.code; });
  while (num_asked_ < 3) std::this_thread::yield();
  const auto passed = Clock::now() - begin;
  client.cancel();
  ASSERT_EQ(created.wait_for(kLong), std::future_status::ready);
  const auto all = Clock::now() - begin;
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_GE(passed, 2 * std::chrono::milliseconds(250));
  EXPECT_TRUE(said.empty() || all >= std::chrono::seconds(10)) << said;
}

TEST_F(BrokenTasks, AreNotWaitedForLongerThanTheClientSays) {
  Cancellation client;
  const Response response = create_on_ps(master_, client, 1);
  EXPECT_EQ(static_cast<Code>(response.status.code), Code::kDeadlineExceeded) << response.status.text;
}

TEST_F(BrokenTasks, AreNotWaitedForByAClientThatHasGone) {
  Cancellation client;
  auto created = std::async(std::launch::async, [&] { return create_on_ps(master_, client, 0).status.code; });
  while (num_asked_ < 1) std::this_thread::yield();
  client.cancel();
  ASSERT_EQ(created.wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(static_cast<Code>(created.get()), Code::kCancelled);
}

}  // namespace
}  // namespace flowray::cluster
