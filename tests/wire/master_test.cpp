// Messages of sessions on a server, as TensorFlow's Python classes wrote them (for requests and responses,
// which Python has no classes for, by hand from the numbers in master.proto).

#include "wire/master.h"

#include "wire/recorded_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>

namespace flowray::wire {
namespace {

using ::testing::ElementsAre;
using testing::to_hexadecimal;

/// Kept to the end of the program: what is decoded borrows from it.
const std::string& from_hexadecimal(std::string_view text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(testing::from_hexadecimal(text));
}

/// What a message loses nothing of is as long when it is written again.
template <class M>
M expect_nothing_lost(const std::string& bytes) {
  M message = decode<M>(bytes);
  EXPECT_EQ(encode(message).size(), bytes.size());
  EXPECT_EQ(encode(decode<M>(encode(message))), encode(message));
  return message;
}

TEST(SessionMessage, OfAConfigHasTensorFlowsFields) {
  const std::string bytes = recorded_message("config");
  const auto config = expect_nothing_lost<ConfigProto>(bytes);
  EXPECT_EQ(*config.device_count.find("CPU"), 2);
  EXPECT_EQ(config.intra_op_parallelism_threads, 3);
  EXPECT_EQ(config.inter_op_parallelism_threads, 4);
  EXPECT_THAT(config.device_filters, ElementsAre("/job:ps", "/job:worker"));
  EXPECT_TRUE(config.allow_soft_placement);
  EXPECT_TRUE(config.log_device_placement);
  EXPECT_TRUE(config.use_per_session_threads);
  EXPECT_TRUE(config.isolate_session_state);
  EXPECT_EQ(config.operation_timeout_in_ms, 5000);
  ASSERT_TRUE(config.cluster_def.has_value());
  EXPECT_EQ(config.cluster_def->job[0].name, "ps");
  EXPECT_EQ(*config.cluster_def->job[0].tasks.find(0), "a:1");
  EXPECT_EQ(*config.cluster_def->job[0].tasks.find(1), "b:2");
  EXPECT_FALSE(config.unknown.empty());  // GPU and graph options
}

TEST(SessionMessage, OfRunOptionsAndCallablesHasTensorFlowsFields) {
  const std::string bytes = recorded_message("run_options");
  const auto options = expect_nothing_lost<RunOptions>(bytes);
  EXPECT_EQ(options.trace_level, RunOptions::TraceLevel::kFull);
  EXPECT_EQ(options.timeout_in_ms, 1500);
  EXPECT_TRUE(options.output_partition_graphs);
  EXPECT_TRUE(options.report_tensor_allocations_upon_oom);

  const std::string callable_bytes = recorded_message("callable_options");
  const auto callable = expect_nothing_lost<CallableOptions>(callable_bytes);
  EXPECT_THAT(callable.feed, ElementsAre("x:0"));
  EXPECT_THAT(callable.fetch, ElementsAre("y:0", "z:0"));
  EXPECT_THAT(callable.target, ElementsAre("init"));
  EXPECT_EQ(callable.run_options->timeout_in_ms, 9);
}

TEST(SessionMessage, OfMetadataHasTensorFlowsFields) {
  const std::string bytes = recorded_message("run_metadata");
  const auto metadata = expect_nothing_lost<RunMetadata>(bytes);
  const DeviceStepStats& device = metadata.step_stats->dev_stats.at(0);
  EXPECT_EQ(device.device, "/cpu:0");
  EXPECT_EQ(*device.thread_names.find(7u), "main");
  const NodeExecStats& node = device.node_stats.at(0);
  EXPECT_EQ(node.node_name, "n");
  EXPECT_EQ(node.all_start_micros, 1600000000000000);
  EXPECT_THAT((std::vector{node.op_start_rel_micros, node.op_end_rel_micros, node.all_end_rel_micros,
                           node.scheduled_micros}),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(node.timeline_label, "n = Neg(x)");
  EXPECT_EQ(node.thread_id, 7u);
  EXPECT_EQ(metadata.partition_graphs.at(0).node.at(0).op, "NoOp");
}

TEST(SessionMessage, OfADeviceAndAValueIsTensorFlowsBytes) {
  const std::string bytes = recorded_message("device_attributes");
  auto device = expect_nothing_lost<DeviceAttributes>(bytes);
  EXPECT_EQ(device.name, "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(device.device_type, "CPU");
  EXPECT_EQ(device.memory_limit, 268435456);
  EXPECT_EQ(device.incarnation.value, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(device.physical_device_desc, "d");
  EXPECT_EQ(device.xla_global_id, -1);

  NamedTensorProto value;
  value.name = "x:0";
  value.tensor.dtype = DType::kFloat32;
  value.tensor.tensor_shape.emplace().dim.push_back({.size = 2});
  value.tensor.tensor_content = from_hexadecimal("0000803f00000040");
  EXPECT_EQ(to_hexadecimal(encode(value)), to_hexadecimal(recorded_message("named_tensor")));
}

TEST(SessionMessage, OfAStepHasTheNumbersOfMasterProto) {
  // handle "h", feed {"x" {}}, fetch "y:0", target "t", options {timeout 9}, partial "p", errors in body,
  // id -1
  const std::string request_bytes = from_hexadecimal(
      "0a0168"
      "12050a01781200"
      "1a03793a30"
      "220174"
      "2a021009"
      "320170"
      "3801"
      "40ffffffffffffffffff01");
  const auto request = decode<RunStepRequest>(request_bytes);
  EXPECT_EQ(request.session_handle, "h");
  EXPECT_EQ(request.feed.at(0).name, "x");
  EXPECT_THAT(request.fetch, ElementsAre("y:0"));
  EXPECT_THAT(request.target, ElementsAre("t"));
  EXPECT_EQ(request.options.timeout_in_ms, 9);
  EXPECT_EQ(request.partial_run_handle, "p");
  EXPECT_TRUE(request.store_errors_in_response_body);
  EXPECT_EQ(request.request_id, -1);
  EXPECT_EQ(to_hexadecimal(encode(request)), to_hexadecimal(request_bytes));

  RunStepResponse response;
  response.tensor.emplace_back().name = "y:0";
  response.metadata.emplace();
  response.status_code = 3;
  response.status_error_message = "no";
  EXPECT_EQ(to_hexadecimal(encode(response)),
            "0a070a03793a301200"
            "1200"
            "1803"
            "22026e6f");
}

TEST(SessionMessage, OfASessionHasTheNumbersOfMasterProto) {
  const auto create =
      decode<CreateSessionRequest>(from_hexadecimal("0a040a020a00"
                                                    "12023801"
                                                    "1a0167"));
  EXPECT_EQ(create.graph_def.node.size(), 1u);
  EXPECT_TRUE(create.config.allow_soft_placement);
  EXPECT_EQ(create.target, "g");
  CreateSessionResponse created;
  created.session_handle = "h";
  created.graph_version = 2;
  EXPECT_EQ(to_hexadecimal(encode(created)), "0a01681002");
  const auto extend =
      decode<ExtendSessionRequest>(from_hexadecimal("0a0168"
                                                    "12020a00"
                                                    "1803"));
  EXPECT_EQ(extend.session_handle, "h");
  EXPECT_EQ(extend.graph_def.node.size(), 1u);
  EXPECT_EQ(extend.current_graph_version, 3);
  ExtendSessionResponse extended;
  extended.new_graph_version = 4;
  EXPECT_EQ(to_hexadecimal(encode(extended)), "2004");
  EXPECT_EQ(decode<CloseSessionRequest>(from_hexadecimal("0a0168")).session_handle, "h");
  EXPECT_THAT(decode<ResetRequest>(from_hexadecimal("0a0163"
                                                    "120166"))
                  .device_filters,
              ElementsAre("f"));
  EXPECT_EQ(decode<ListDevicesRequest>(from_hexadecimal("0a0168")).session_handle, "h");
  ListDevicesResponse devices;
  devices.local_device.emplace_back().name = "l";
  devices.remote_device.emplace_back().name = "r";
  // A fixed64 of 0 is left out, as every default.
  EXPECT_EQ(to_hexadecimal(encode(devices)),
            "0a030a016c"
            "12030a0172");
}

TEST(SessionMessage, OfACallableHasTheNumbersOfMasterProto) {
  const auto partial =
      decode<PartialRunSetupRequest>(from_hexadecimal("0a0168"
                                                      "120166"
                                                      "1a0167"
                                                      "220174"
                                                      "2805"));
  EXPECT_THAT(partial.feed, ElementsAre("f"));
  EXPECT_THAT(partial.fetch, ElementsAre("g"));
  EXPECT_THAT(partial.target, ElementsAre("t"));
  EXPECT_EQ(partial.request_id, 5);
  PartialRunSetupResponse set_up;
  set_up.partial_run_handle = "0";
  EXPECT_EQ(to_hexadecimal(encode(set_up)), "0a0130");
  const auto make =
      decode<MakeCallableRequest>(from_hexadecimal("0a0168"
                                                   "12030a0178"
                                                   "1807"));
  EXPECT_THAT(make.options.feed, ElementsAre("x"));
  EXPECT_EQ(make.request_id, 7);
  MakeCallableResponse made;
  made.handle = 1;
  EXPECT_EQ(to_hexadecimal(encode(made)), "0801");
  const auto run =
      decode<RunCallableRequest>(from_hexadecimal("0a0168"
                                                  "1002"
                                                  "1a020801"
                                                  "2007"));
  EXPECT_EQ(run.handle, 2);
  EXPECT_EQ(run.feed.at(0).dtype, DType::kFloat32);
  EXPECT_EQ(run.request_id, 7);
  RunCallableResponse ran;
  ran.fetch.emplace_back().dtype = DType::kFloat32;
  ran.metadata.emplace();
  EXPECT_EQ(to_hexadecimal(encode(ran)),
            "0a020801"
            "1200");
  EXPECT_EQ(decode<ReleaseCallableRequest>(from_hexadecimal("0a0168"
                                                            "1003"))
                .handle,
            3);
}

}  // namespace
}  // namespace flowray::wire
