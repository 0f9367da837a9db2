// Messages between masters and workers. Their bytes are written by hand from the numbers in worker.proto: in
// a message of protobuf's, field N of text comes as 8 N + 2, of a number as 8 N.

#include "wire/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowray::wire {
namespace {

using ::testing::ElementsAre;

/// Reads what `bytes` say, and checks that nothing of it is lost.
template <class M>
M read(std::string_view bytes) {
  M message = decode<M>(bytes);
  EXPECT_TRUE(message.unknown.empty());
  EXPECT_EQ(encode(message), bytes);
  return message;
}

TEST(WorkerMessage, OfASessionHasTensorFlowsFields) {
  using namespace std::string_view_literals;
  const auto request = read<CreateWorkerSessionRequest>(
      "\x0a\x01h\x12\x0e\x12\x02ps\x18\x03\x2a\x04grpc\x30\x07\x18\x01\x2a\x01m\x30\x05"sv);
  EXPECT_EQ(request.session_handle, "h");
  EXPECT_EQ(request.server_def.job_name, "ps");
  EXPECT_EQ(request.server_def.task_index, 3);
  EXPECT_EQ(request.server_def.protocol, "grpc");
  EXPECT_EQ(request.server_def.port, 7);
  EXPECT_TRUE(request.isolate_session_state);
  EXPECT_EQ(request.master_task, "m");
  EXPECT_EQ(request.master_incarnation, 5);
  EXPECT_EQ(read<DeleteWorkerSessionRequest>("\x0a\x01h").session_handle, "h");
}

TEST(WorkerMessage, OfAGraphHasTensorFlowsFields) {
  const auto request = read<RegisterGraphRequest>("\x0a\x01h\x12\x05\x0a\x03\x0a\x01n\x30\x01");
  EXPECT_EQ(request.session_handle, "h");
  EXPECT_EQ(request.graph_def.node.at(0).name, "n");
  EXPECT_TRUE(request.create_worker_session_called);
  EXPECT_EQ(read<RegisterGraphResponse>("\x0a\x01g").graph_handle, "g");
  const auto end = read<DeregisterGraphRequest>("\x0a\x01g\x12\x01h\x18\x01");
  EXPECT_EQ(end.graph_handle, "g");
  EXPECT_EQ(end.session_handle, "h");
}

TEST(WorkerMessage, OfARunHasTensorFlowsFields) {
  const auto request =
      read<RunGraphRequest>("\x0a\x01g\x10\x07\x22\x01r\x2a\x02\x18\x01\x42\x01h\x48\x01\x50\x01\x58\x09");
  EXPECT_EQ(request.graph_handle, "g");
  EXPECT_EQ(request.step_id, 7);
  EXPECT_EQ(decode<RunGraphRequest>("\x1a\x03\x0a\x01k").send.at(0).name, "k");
  EXPECT_THAT(request.recv_key, ElementsAre("r"));
  EXPECT_TRUE(request.exec_opts->record_timeline);
  EXPECT_EQ(request.session_handle, "h");
  EXPECT_TRUE(request.store_errors_in_response_body);
  EXPECT_TRUE(request.create_worker_session_called);
  EXPECT_EQ(request.request_id, 9);
  const auto response = read<RunGraphResponse>("\x28\x05\x32\x03why");
  EXPECT_EQ(response.status_code, 5);
  EXPECT_EQ(response.status_error_message, "why");
}

TEST(WorkerMessage, OfAValueHasTensorFlowsFields) {
  const auto request = read<RecvTensorRequest>("\x08\x07\x12\x01k\x38\x09");
  EXPECT_EQ(request.step_id, 7);
  EXPECT_EQ(request.rendezvous_key, "k");
  EXPECT_EQ(request.request_id, 9);
  const auto response = decode<RecvTensorResponse>("\x0a\x02\x08\x01\x10\x01\x18\x05");
  EXPECT_EQ(response.tensor.dtype, DType::kFloat32);
  EXPECT_TRUE(response.is_dead);
  EXPECT_EQ(response.send_start_micros, 5);
  EXPECT_EQ(read<CleanupGraphRequest>("\x08\x07").step_id, 7);
  EXPECT_THAT(read<CleanupAllRequest>("\x0a\x01"
                                      "a\x0a\x01"
                                      "b")
                  .container,
              ElementsAre("a", "b"));
}

}  // namespace
}  // namespace flowray::wire
