#pragma once
/// Requests and responses of TensorFlow's MasterService (tensorflow/core/protobuf/master.proto), which a
/// session on a server is made of. The responses of CloseSession, Reset and ReleaseCallable have no fields:
/// an empty body.

#include "wire/run_metadata.h"
#include "wire/session_config.h"

namespace flowray::wire {

struct NamedTensorProto {
  Text name;
  TensorProto tensor;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.NamedTensorProto";
  static constexpr auto fields() {
    return std::tuple(field(1, "name", &NamedTensorProto::name),
                      field(2, "tensor", &NamedTensorProto::tensor));
  }
};

struct CreateSessionRequest {
  GraphDef graph_def;
  ConfigProto config;
  Text target;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CreateSessionRequest";
  static constexpr auto fields() {
    using M = CreateSessionRequest;
    return std::tuple(field(1, "graph_def", &M::graph_def), field(2, "config", &M::config),
                      field(3, "target", &M::target));
  }
};

struct CreateSessionResponse {
  Text session_handle;
  int64_t graph_version = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CreateSessionResponse";
  static constexpr auto fields() {
    using M = CreateSessionResponse;
    return std::tuple(field(1, "session_handle", &M::session_handle),
                      field(2, "graph_version", &M::graph_version));
  }
};

struct ExtendSessionRequest {
  Text session_handle;
  GraphDef graph_def;  // the new nodes
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

struct RunStepRequest {
  Text session_handle;
  std::vector<NamedTensorProto> feed;
  std::vector<Text> fetch;
  std::vector<Text> target;
  RunOptions options;
  Text partial_run_handle;
  bool store_errors_in_response_body = false;
  int64_t request_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunStepRequest";
  static constexpr auto fields() {
    using M = RunStepRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "feed", &M::feed),
                      field(3, "fetch", &M::fetch), field(4, "target", &M::target),
                      field(5, "options", &M::options),
                      field(6, "partial_run_handle", &M::partial_run_handle),
                      field(7, "store_errors_in_response_body", &M::store_errors_in_response_body),
                      field(8, "request_id", &M::request_id));
  }
};

struct RunStepResponse {
  std::vector<NamedTensorProto> tensor;
  std::optional<RunMetadata> metadata;
  int32_t status_code = 0;  // a Code
  Text status_error_message;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunStepResponse";
  static constexpr auto fields() {
    using M = RunStepResponse;
    return std::tuple(field(1, "tensor", &M::tensor), field(2, "metadata", &M::metadata),
                      field(3, "status_code", &M::status_code),
                      field(4, "status_error_message", &M::status_error_message));
  }
};

/// Ours, not TensorFlow's: what the step does, as text, which is the answer.
struct ExplainRequest {
  RunStepRequest step;
  int32_t measured_runs = 0;

  std::string unknown;
  static constexpr std::string_view kType = "flowray.ExplainRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "step", &ExplainRequest::step),
                      field(2, "measured_runs", &ExplainRequest::measured_runs));
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
                      field(3, "fetch", &M::fetch), field(4, "target", &M::target),
                      field(5, "request_id", &M::request_id));
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

struct CloseSessionRequest {
  Text session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CloseSessionRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "session_handle", &CloseSessionRequest::session_handle));
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

struct ListDevicesRequest {
  Text session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ListDevicesRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "session_handle", &ListDevicesRequest::session_handle));
  }
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
  std::vector<TensorProto> feed;  // in the order of CallableOptions
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
  std::optional<RunMetadata> metadata;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunCallableResponse";
  static constexpr auto fields() {
    return std::tuple(field(1, "fetch", &RunCallableResponse::fetch),
                      field(2, "metadata", &RunCallableResponse::metadata));
  }
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
