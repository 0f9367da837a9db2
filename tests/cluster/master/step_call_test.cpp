// What ends a client's step early, and what a client learns of a step besides its results. Texts are
// TensorFlow 2.21's.

#include "cluster/master_fixture.h"

#include <future>
#include <thread>

namespace flowray::cluster {
namespace {

class StepCallTest : public MasterTest {
 protected:
  /// Puts elements into a queue that all sessions share, and waits at it for two.
  static wire::GraphDef queue_graph() {
    wire::GraphDef graph;
    graph.node = shared_queue();
    graph.node.push_back(constant("one", 1));
    graph.node.push_back(
        with_types(without_attrs("get", "QueueDequeueManyV2", {"queue", "two"}), "component_types"));
    return graph;
  }

  wire::RunStepRequest request(const std::string& session, const char* fetch) {
    wire::RunStepRequest request;
    request.session_handle = session;
    request.fetch = {fetch};
    return request;
  }
  void put(const std::string& session) {
    wire::RunStepRequest request;
    request.session_handle = session;
    request.target = {"put"};
    call("RunStep", wire::encode(request));
    ASSERT_EQ(status_.code, 0) << status_.text;
  }
  int32_t size(const std::string& session) {
    const auto answer = ask<wire::RunStepResponse>("RunStep", request(session, "size:0"));
    return wire::to_array(answer.tensor.at(0).tensor).item<int32_t>();
  }

  /// The end of a step that runs in a thread of its own, with a client of its own.
  std::future<Status> run_aside(const wire::RunStepRequest& request, Cancellation& client) {
    return std::async(std::launch::async,
                      [this, &client, bytes = std::make_shared<std::string>(wire::encode(request))] {
                        return answer_of(master_, {"/tensorflow.MasterService/RunStep",
                                                   std::as_bytes(std::span(*bytes)), bytes, client})
                            .status;
                      });
  }
  /// As soon as the step has taken the one element that there is, it waits for the other.
  std::future<Status> run_until_it_waits(const std::string& session, Cancellation& client) {
    put(session);
    auto end = run_aside(request(session, "get:0"), client);
    while (size(session) != 0) std::this_thread::yield();
    return end;
  }
};

TEST_F(StepCallTest, EndsAtItsTimeout) {
  const std::string session = create(queue_graph());
  auto run = request(session, "get:0");
  run.options.timeout_in_ms = 1;
  call("RunStep", wire::encode(run));
  EXPECT_EQ(status(), std::pair(Code::kDeadlineExceeded, std::string("Deadline Exceeded")));
  put(session);
  EXPECT_EQ(size(session), 1);  // nobody waits for it any more
}

TEST_F(StepCallTest, EndsAtTheTimeoutOfItsSession) {
  wire::CreateSessionRequest create_request;
  create_request.graph_def = queue_graph();
  create_request.config.operation_timeout_in_ms = 1;
  const std::string session =
      ask<wire::CreateSessionResponse>("CreateSession", create_request).session_handle.str();
  call("RunStep", wire::encode(request(session, "get:0")));
  EXPECT_EQ(status(), std::pair(Code::kDeadlineExceeded, std::string("Deadline Exceeded")));
}

TEST_F(StepCallTest, EndsAtTheTimeoutOfItsCallable) {
  wire::MakeCallableRequest make;
  make.session_handle = create(queue_graph());
  make.options.fetch = {"get:0"};
  make.options.run_options.emplace().timeout_in_ms = 1;
  wire::RunCallableRequest run;
  run.session_handle = make.session_handle;
  run.handle = ask<wire::MakeCallableResponse>("MakeCallable", make).handle;
  call("RunCallable", wire::encode(run));
  EXPECT_EQ(status(), std::pair(Code::kDeadlineExceeded, std::string("Deadline Exceeded")));
}

TEST_F(StepCallTest, EndsWhenItsClientIsGone) {
  const std::string session = create(queue_graph());
  Cancellation client;
  auto end = run_until_it_waits(session, client);
  client.cancel();
  const Status status = end.get();
  EXPECT_EQ(status.code, static_cast<int>(Code::kCancelled));
  EXPECT_EQ(status.text,
            "From /job:worker/replica:0/task:3:\nDequeue operation was cancelled\n\t [[{{node get}}]]");
  EXPECT_EQ(size(session), 1);  // what it had taken is there again
}

TEST_F(StepCallTest, EndsWhenItsSessionIsClosed) {
  const std::string session = create(queue_graph());
  Cancellation client;
  auto end = run_until_it_waits(session, client);
  wire::CloseSessionRequest close;
  close.session_handle = session;
  call("CloseSession", wire::encode(close));
  EXPECT_EQ(status_.code, 0) << status_.text;
  const Status status = end.get();
  EXPECT_EQ(status.code, static_cast<int>(Code::kCancelled));
  EXPECT_EQ(status.text, "Step was cancelled by an explicit call to `Session::Close()`.");
}

TEST_F(StepCallTest, EndsWhenTheServerIsReset) {
  const std::string session = create(queue_graph());
  Cancellation client;
  auto end = run_until_it_waits(session, client);
  call("Reset", wire::encode(wire::ResetRequest()));
  EXPECT_EQ(end.get().code, static_cast<int>(Code::kCancelled));
}

TEST_F(StepCallTest, SharesAQueueWithOtherSessions) {
  const std::string first = create(queue_graph());
  const std::string second = create(queue_graph());
  Cancellation client;
  auto end = run_aside(request(first, "get:0"), client);
  put(second);
  put(second);
  EXPECT_EQ(end.get().code, 0);
}

TEST_F(StepCallTest, TellsWhichNodesRan) {
  const Array fed({1.5f, -2.0f});
  const std::string session = create(doubling());
  auto run = step(session, "y:0", fed);
  const auto untold = ask<wire::RunStepResponse>("RunStep", run);
  ASSERT_TRUE(untold.metadata.has_value());  // as TensorFlow's server answers
  EXPECT_FALSE(untold.metadata->step_stats.has_value());
  run.options.trace_level = wire::RunOptions::TraceLevel::kFull;
  run.options.output_partition_graphs = true;
  const auto answer = ask<wire::RunStepResponse>("RunStep", run);
  ASSERT_TRUE(answer.metadata.has_value());
  ASSERT_TRUE(answer.metadata->step_stats.has_value());
  const auto& device = answer.metadata->step_stats->dev_stats.at(0);
  EXPECT_EQ(device.device, "/job:worker/replica:0/task:3/device:CPU:0");
  ASSERT_EQ(device.node_stats.size(), 1u);
  const wire::NodeExecStats& node = device.node_stats[0];
  EXPECT_EQ(node.node_name, "y");
  EXPECT_EQ(node.timeline_label, "y = AddV2(x, x)");
  EXPECT_GT(node.all_start_micros, 1'700'000'000'000'000);  // after 2023
  EXPECT_GE(node.all_end_rel_micros, node.op_end_rel_micros);
  ASSERT_EQ(node.output.size(), 1u);
  EXPECT_EQ(node.output[0].tensor_description->dtype, DType::kFloat32);
  EXPECT_EQ(wire::to_shape(*node.output[0].tensor_description->shape), Shape{2});
  EXPECT_EQ(node.output[0].tensor_description->allocation_description->requested_bytes, 8);
  ASSERT_EQ(answer.metadata->partition_graphs.size(), 1u);
  ASSERT_EQ(answer.metadata->partition_graphs[0].node.size(), 1u);
  EXPECT_EQ(answer.metadata->partition_graphs[0].node[0].op, "AddV2");
}

}  // namespace
}  // namespace flowray::cluster
