#pragma once
/// What clients and masters say to each other: the requests and responses of TensorFlow's MasterService and what is in them
/// (tensorflow/core/protobuf/master.proto, config.proto, named_tensor.proto, core/framework/device_attributes.proto,
/// step_stats.proto). Empty responses (CloseSession, Reset, ReleaseCallable) are no bytes.

#include "wire/graph_def.h"

namespace flowray::wire {

// ---- what requests carry

struct ConfigProto {
  Map<Text, int32_t> device_count;
  int32_t intra_op_parallelism_threads = 0;
  int32_t inter_op_parallelism_threads = 0;
  std::vector<Text> device_filters;
  int64_t operation_timeout_in_ms = 0;
  bool isolate_session_state = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ConfigProto";
  static constexpr auto fields() {
    using M = ConfigProto;
    return std::tuple(field(1, "device_count", &M::device_count),
                      field(2, "intra_op_parallelism_threads", &M::intra_op_parallelism_threads),
                      field(4, "device_filters", &M::device_filters),
                      field(5, "inter_op_parallelism_threads", &M::inter_op_parallelism_threads),
                      field(11, "operation_timeout_in_ms", &M::operation_timeout_in_ms),
                      field(15, "isolate_session_state", &M::isolate_session_state));
  }
};

struct RunOptions {
  enum class TraceLevel : int32_t { kNoTrace, kSoftwareTrace, kHardwareTrace, kFullTrace };
  TraceLevel trace_level = TraceLevel::kNoTrace;
  int64_t timeout_in_ms = 0;
  bool output_partition_graphs = false;
  bool report_tensor_allocations_upon_oom = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunOptions";
  static constexpr auto fields() {
    using M = RunOptions;
    return std::tuple(field(1, "trace_level", &M::trace_level), field(2, "timeout_in_ms", &M::timeout_in_ms),
                      field(5, "output_partition_graphs", &M::output_partition_graphs),
                      field(7, "report_tensor_allocations_upon_oom", &M::report_tensor_allocations_upon_oom));
  }
};

struct CallableOptions {
  std::vector<Text> feed;
  std::vector<Text> fetch;
  std::vector<Text> target;
  std::optional<RunOptions> run_options;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CallableOptions";
  static constexpr auto fields() {
    using M = CallableOptions;
    return std::tuple(field(1, "feed", &M::feed), field(2, "fetch", &M::fetch), field(3, "target", &M::target),
                      field(4, "run_options", &M::run_options));
  }
};

struct NamedTensorProto {
  Text name;
  TensorProto tensor;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.NamedTensorProto";
  static constexpr auto fields() {
    return std::tuple(field(1, "name", &NamedTensorProto::name), field(2, "tensor", &NamedTensorProto::tensor));
  }
};

struct DeviceAttributes {
  Text name;
  Text device_type;
  int64_t memory_limit = 0;
  Fixed64 incarnation;
  Text physical_device_desc;
  int64_t xla_global_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.DeviceAttributes";
  static constexpr auto fields() {
    using M = DeviceAttributes;
    return std::tuple(field(1, "name", &M::name), field(2, "device_type", &M::device_type),
                      field(4, "memory_limit", &M::memory_limit), field(6, "incarnation", &M::incarnation),
                      field(7, "physical_device_desc", &M::physical_device_desc),
                      field(8, "xla_global_id", &M::xla_global_id));
  }
};

// ---- the calls, in the order of the service

struct CreateSessionRequest {
  GraphDef graph_def;
  std::optional<ConfigProto> config;
  Text target;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CreateSessionRequest";
  static constexpr auto fields() {
    using M = CreateSessionRequest;
    return std::tuple(field(1, "graph_def", &M::graph_def), field(2, "config", &M::config), field(3, "target", &M::target));
  }
};
struct CreateSessionResponse {
  Text session_handle;
  int64_t graph_version = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CreateSessionResponse";
  static constexpr auto fields() {
    using M = CreateSessionResponse;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "graph_version", &M::graph_version));
  }
};

struct ExtendSessionRequest {
  Text session_handle;
  GraphDef graph_def;
  int64_t current_graph_version = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ExtendSessionRequest";
  static constexpr auto fields() {
    using M = ExtendSessionRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "graph_def", &M::graph_def),
                      field(3, "current_graph_version", &M::current_graph_version));
  }
};
struct ExtendSessionResponse {
  int64_t new_graph_version = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ExtendSessionResponse";
  static constexpr auto fields() {
    return std::tuple(field(4, "new_graph_version", &ExtendSessionResponse::new_graph_version));
  }
};

struct PartialRunSetupRequest {
  Text session_handle;
  std::vector<Text> feed;
  std::vector<Text> fetch;
  std::vector<Text> target;
  int64_t request_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.PartialRunSetupRequest";
  static constexpr auto fields() {
    using M = PartialRunSetupRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "feed", &M::feed),
                      field(3, "fetch", &M::fetch), field(4, "target", &M::target), field(5, "request_id", &M::request_id));
  }
};
struct PartialRunSetupResponse {
  Text partial_run_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.PartialRunSetupResponse";
  static constexpr auto fields() {
    return std::tuple(field(1, "partial_run_handle", &PartialRunSetupResponse::partial_run_handle));
  }
};

struct RunStepRequest {
  Text session_handle;
  std::vector<NamedTensorProto> feed;
  std::vector<Text> fetch;
  std::vector<Text> target;
  std::optional<RunOptions> options;
  Text partial_run_handle;
  bool store_errors_in_response_body = false;
  int64_t request_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunStepRequest";
  static constexpr auto fields() {
    using M = RunStepRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "feed", &M::feed),
                      field(3, "fetch", &M::fetch), field(4, "target", &M::target), field(5, "options", &M::options),
                      field(6, "partial_run_handle", &M::partial_run_handle),
                      field(7, "store_errors_in_response_body", &M::store_errors_in_response_body),
                      field(8, "request_id", &M::request_id));
  }
};
/// `metadata` (RunMetadata) is not made yet.
struct RunStepResponse {
  std::vector<NamedTensorProto> tensor;
  int32_t status_code = 0;
  Text status_error_message;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunStepResponse";
  static constexpr auto fields() {
    using M = RunStepResponse;
    return std::tuple(field(1, "tensor", &M::tensor), field(3, "status_code", &M::status_code),
                      field(4, "status_error_message", &M::status_error_message));
  }
};

struct CloseSessionRequest {
  Text session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CloseSessionRequest";
  static constexpr auto fields() { return std::tuple(field(1, "session_handle", &CloseSessionRequest::session_handle)); }
};

struct ListDevicesRequest {
  Text session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ListDevicesRequest";
  static constexpr auto fields() { return std::tuple(field(1, "session_handle", &ListDevicesRequest::session_handle)); }
};
struct ListDevicesResponse {
  std::vector<DeviceAttributes> local_device;
  std::vector<DeviceAttributes> remote_device;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ListDevicesResponse";
  static constexpr auto fields() {
    return std::tuple(field(1, "local_device", &ListDevicesResponse::local_device),
                      field(2, "remote_device", &ListDevicesResponse::remote_device));
  }
};

struct ResetRequest {
  std::vector<Text> container;
  std::vector<Text> device_filters;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ResetRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "container", &ResetRequest::container),
                      field(2, "device_filters", &ResetRequest::device_filters));
  }
};

struct MakeCallableRequest {
  Text session_handle;
  CallableOptions options;
  int64_t request_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.MakeCallableRequest";
  static constexpr auto fields() {
    using M = MakeCallableRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "options", &M::options),
                      field(3, "request_id", &M::request_id));
  }
};
struct MakeCallableResponse {
  int64_t handle = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.MakeCallableResponse";
  static constexpr auto fields() { return std::tuple(field(1, "handle", &MakeCallableResponse::handle)); }
};

struct RunCallableRequest {
  Text session_handle;
  int64_t handle = 0;
  std::vector<TensorProto> feed;
  int64_t request_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunCallableRequest";
  static constexpr auto fields() {
    using M = RunCallableRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "handle", &M::handle),
                      field(3, "feed", &M::feed), field(4, "request_id", &M::request_id));
  }
};
struct RunCallableResponse {
  std::vector<TensorProto> fetch;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunCallableResponse";
  static constexpr auto fields() { return std::tuple(field(1, "fetch", &RunCallableResponse::fetch)); }
};

struct ReleaseCallableRequest {
  Text session_handle;
  int64_t handle = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ReleaseCallableRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "session_handle", &ReleaseCallableRequest::session_handle),
                      field(2, "handle", &ReleaseCallableRequest::handle));
  }
};

}  // namespace flowray::wire
