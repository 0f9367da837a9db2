#include "cluster/worker/receive_trace.h"

#include "cluster/graph_messages.h"
#include "cluster/in_process_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace flowray::cluster {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPsDevice = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr const char* kWorkerDevice = "/job:worker/replica:0/task:0/device:CPU:0";

TEST(ReceiveTrace, PutsThoseOfTheSameTimeOnDifferentThreads) {
  const std::string key = "/job:a/task:0;01;/job:b/task:1;edge_3_w;0:0";
  const std::vector<ReceivedTensor> tensors = {
      {key, 2'000, 9'000, 40}, {key, 1'000, 5'000, 40}, {key, 6'000, 7'000, 40}, {"no key", 9'000, 9'500, 0}};
  const wire::DeviceStepStats told = trace_of_receives(tensors, "/job:b/task:1/receives");
  EXPECT_EQ(told.device, "/job:b/task:1/receives");
  ASSERT_EQ(told.node_stats.size(), 4u);
  const std::vector<int64_t> begins = {1'000, 2'000, 6'000, 9'000};
  const std::vector<uint32_t> threads = {0, 1, 0, 0};
  for (size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(told.node_stats[i].all_start_nanos, begins[i]);
    EXPECT_EQ(told.node_stats[i].thread_id, threads[i]) << i;
  }
  EXPECT_EQ(told.node_stats[0].all_end_rel_nanos, 4'000);
  EXPECT_EQ(told.node_stats[0].timeline_label,
            "edge_3_w = RecvTensor(40 bytes, from /job:a/task:0, to /job:b/task:1)");
}

/// As a master of TensorFlow's does it: it has them logged, runs its step, and asks before it cleans up.
class LoggingOfReceives : public ::testing::Test {
 protected:
  template <class Answer, class Question>
  Answer ask(const std::string& method, const Question& question) {
    const std::string path = "/tensorflow.WorkerService/" + method;
    const auto bytes = std::make_shared<std::string>(wire::encode(question));
    const Response response = ps_.answer({path, std::as_bytes(std::span(*bytes)), bytes, cancellation_});
    EXPECT_TRUE(response.status.ok()) << response.status.text;
    answer_.clear();
    for (const Message::Piece& piece : response.message.pieces())
      answer_.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    return wire::decode<Answer>(answer_);
  }
  /// The ps takes a value that the worker has.
  wire::NodeDef taking() const {
    wire::NodeDef made = without_attrs("got", "_Recv");
    made.device = kPsDevice;
    made.attr.add("tensor_type").value = DType::kFloat32;
    made.attr.add("tensor_name").value = wire::Bytes("edge_1_w");
    made.attr.add("send_device").value = wire::Bytes(kWorkerDevice);
    made.attr.add("send_device_incarnation").value = static_cast<int64_t>(worker_.task.incarnation);
    made.attr.add("recv_device").value = wire::Bytes(kPsDevice);
    made.attr.add("client_terminated").value = false;
    return made;
  }
  void run(int64_t step_id) {
    const std::string key =
        fmt::format("{};{:016x};{};edge_1_w;0:0", kWorkerDevice, worker_.task.incarnation, kPsDevice);
    worker_.task.steps.begin(step_id)->here().send(key, {Array({1.0f, 2.0f, 3.0f})});
    wire::RunGraphRequest request;
    request.graph_handle = graph_;
    request.step_id = step_id;
    ask<wire::RunGraphResponse>("RunGraph", request);
  }
  std::vector<int64_t> num_logged(const std::vector<int64_t>& steps) {
    wire::LoggingRequest request;
    request.fetch_step_id = steps;
    std::vector<int64_t> counts;
    for (const auto& step : ask<wire::LoggingResponse>("Logging", request).step) {
      EXPECT_EQ(step.step_stats.dev_stats.at(0).device, kPsDevice);
      counts.push_back(std::ssize(step.step_stats.dev_stats[0].node_stats));
    }
    return counts;
  }
  void log(bool on) {
    wire::LoggingRequest request;
    request.enable_rpc_logging = on;
    request.disable_rpc_logging = !on;
    EXPECT_TRUE(ask<wire::LoggingResponse>("Logging", request).step.empty());
  }

  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  InProcessCluster::Member& ps_ = cluster_.member({"ps", 0});
  InProcessCluster::Member& worker_ = cluster_.member({"worker", 0});
  Cancellation cancellation_;
  std::string answer_;
  std::string graph_ = [this] {
    wire::RegisterGraphRequest request;
    request.graph_def.node = {taking()};
    return ask<wire::RegisterGraphResponse>("RegisterGraph", request).graph_handle.str();
  }();
};

TEST_F(LoggingOfReceives, TellsWhatCameWhileItWasOn) {
  run(7);
  log(true);
  run(8);
  EXPECT_EQ(num_logged({7, 8, 8, 9}), (std::vector<int64_t>{0, 1})) << "a step that there is not is not told";
  wire::LoggingRequest fetch;
  fetch.fetch_step_id = {8};
  fetch.clear = true;
  const auto answer = ask<wire::LoggingResponse>("Logging", fetch);
  EXPECT_EQ(answer.step.at(0).step_id, 8);
  const auto& tensor = answer.step[0].step_stats.dev_stats[0].node_stats.at(0);
  EXPECT_EQ(tensor.node_name, "RecvTensor");
  EXPECT_THAT(tensor.timeline_label.str(), HasSubstr("edge_1_w = RecvTensor(12 bytes"));
  EXPECT_GE(tensor.all_start_micros, 1'500'000'000'000'000) << "since 1970";
  EXPECT_EQ(num_logged({8}), (std::vector<int64_t>{0})) << "they were cleared";
  log(false);
  log(false);  // once more than on
  run(10);
  log(true);
  run(11);
  EXPECT_EQ(num_logged({10, 11}), (std::vector<int64_t>{0, 1}));
}

}  // namespace
}  // namespace flowray::cluster
