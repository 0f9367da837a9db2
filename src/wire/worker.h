#pragma once
/// Requests and responses of TensorFlow's WorkerService (tensorflow/core/protobuf/worker.proto), by which
/// a master runs parts of steps on other tasks and tasks hand values to each other, and the ServerDef of
/// tensorflow_server.proto. The request of GetStatus and the responses of CreateWorkerSession,
/// DeleteWorkerSession, DeregisterGraph, CleanupGraph, CleanupAll and MarkRecvFinished have no fields: an
/// empty body.

#include "wire/master.h"

namespace flowray::wire {

struct ServerDef {
  std::optional<ClusterDef> cluster;
  Text job_name;
  int32_t task_index = 0;
  std::optional<ConfigProto> default_session_config;
  Text protocol;
  int32_t port = 0;
  int32_t replica = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ServerDef";
  static constexpr auto fields() {
    using M = ServerDef;
    return std::tuple(field(1, "cluster", &M::cluster), field(2, "job_name", &M::job_name),
                      field(3, "task_index", &M::task_index),
                      field(4, "default_session_config", &M::default_session_config),
                      field(5, "protocol", &M::protocol), field(6, "port", &M::port),
                      field(8, "replica", &M::replica));
  }
};

struct GetStatusResponse {
  std::vector<DeviceAttributes> device_attributes;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.GetStatusResponse";
  static constexpr auto fields() {
    return std::tuple(field(1, "device_attributes", &GetStatusResponse::device_attributes));
  }
};

struct CreateWorkerSessionRequest {
  Text session_handle;
  ServerDef server_def;  // without a cluster: that of the worker's start
  bool isolate_session_state = false;
  std::vector<DeviceAttributes> cluster_device_attributes;
  Text master_task;  // "/job:worker/replica:0/task:0"
  int64_t master_incarnation = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CreateWorkerSessionRequest";
  static constexpr auto fields() {
    using M = CreateWorkerSessionRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "server_def", &M::server_def),
                      field(3, "isolate_session_state", &M::isolate_session_state),
                      field(4, "cluster_device_attributes", &M::cluster_device_attributes),
                      field(5, "master_task", &M::master_task),
                      field(6, "master_incarnation", &M::master_incarnation));
  }
};

struct DeleteWorkerSessionRequest {
  Text session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.DeleteWorkerSessionRequest";
  static constexpr auto fields() {
    return std::tuple(field(1, "session_handle", &DeleteWorkerSessionRequest::session_handle));
  }
};

/// Ours, not TensorFlow's: sessions that a worker has of a master, and the answer, those that are over.
struct SessionHandles {
  std::vector<Text> session_handle;

  std::string unknown;
  static constexpr std::string_view kType = "flowray.SessionHandles";
  static constexpr auto fields() {
    return std::tuple(field(1, "session_handle", &SessionHandles::session_handle));
  }
};

struct RegisterGraphRequest {
  Text session_handle;
  GraphDef graph_def;  // a part of a step: all of its nodes are to be run
  std::optional<GraphOptions> graph_options;
  bool create_worker_session_called = false;
  std::optional<ConfigProto> config_proto;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RegisterGraphRequest";
  static constexpr auto fields() {
    using M = RegisterGraphRequest;
    return std::tuple(field(1, "session_handle", &M::session_handle), field(2, "graph_def", &M::graph_def),
                      field(4, "graph_options", &M::graph_options),
                      field(6, "create_worker_session_called", &M::create_worker_session_called),
                      field(8, "config_proto", &M::config_proto));
  }
};

struct RegisterGraphResponse {
  Text graph_handle;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RegisterGraphResponse";
  static constexpr auto fields() {
    return std::tuple(field(1, "graph_handle", &RegisterGraphResponse::graph_handle));
  }
};

struct DeregisterGraphRequest {
  Text graph_handle;
  Text session_handle;
  bool create_worker_session_called = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.DeregisterGraphRequest";
  static constexpr auto fields() {
    using M = DeregisterGraphRequest;
    return std::tuple(field(1, "graph_handle", &M::graph_handle),
                      field(2, "session_handle", &M::session_handle),
                      field(3, "create_worker_session_called", &M::create_worker_session_called));
  }
};

struct ExecutorOpts {
  bool record_costs = false;
  bool record_timeline = false;
  bool record_partition_graphs = false;

  std::string unknown;
  static constexpr auto fields() {
    using M = ExecutorOpts;
    return std::tuple(field(1, "record_costs", &M::record_costs),
                      field(3, "record_timeline", &M::record_timeline),
                      field(4, "record_partition_graphs", &M::record_partition_graphs));
  }
};

struct RunGraphRequest {
  Text graph_handle;
  int64_t step_id = 0;                 // the same for all parts of a step
  std::vector<NamedTensorProto> send;  // to be left at the rendezvous, by their keys
  std::vector<Text> recv_key;          // to be taken from there at the end
  std::optional<ExecutorOpts> exec_opts;
  bool is_partial = false;
  bool is_last_partial_run = false;
  Text session_handle;
  bool store_errors_in_response_body = false;
  bool create_worker_session_called = false;
  int64_t request_id = 0;  // 0: unchecked; else no two are the same

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunGraphRequest";
  static constexpr auto fields() {
    using M = RunGraphRequest;
    return std::tuple(field(1, "graph_handle", &M::graph_handle), field(2, "step_id", &M::step_id),
                      field(3, "send", &M::send), field(4, "recv_key", &M::recv_key),
                      field(5, "exec_opts", &M::exec_opts), field(6, "is_partial", &M::is_partial),
                      field(7, "is_last_partial_run", &M::is_last_partial_run),
                      field(8, "session_handle", &M::session_handle),
                      field(9, "store_errors_in_response_body", &M::store_errors_in_response_body),
                      field(10, "create_worker_session_called", &M::create_worker_session_called),
                      field(11, "request_id", &M::request_id));
  }
};

struct RunGraphResponse {
  std::vector<NamedTensorProto> recv;
  std::optional<StepStats> step_stats;
  std::vector<GraphDef> partition_graph;
  int32_t status_code = 0;  // a Code
  Text status_error_message;
  bool is_derived =
      false;  // not TensorFlow's: another part of the step has had the error, and tells it itself

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunGraphResponse";
  static constexpr auto fields() {
    using M = RunGraphResponse;
    return std::tuple(field(1, "recv", &M::recv), field(2, "step_stats", &M::step_stats),
                      field(4, "partition_graph", &M::partition_graph),
                      field(5, "status_code", &M::status_code),
                      field(6, "status_error_message", &M::status_error_message),
                      field(15'001, "is_derived", &M::is_derived));
  }
};

struct CleanupGraphRequest {
  int64_t step_id = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CleanupGraphRequest";
  static constexpr auto fields() { return std::tuple(field(1, "step_id", &CleanupGraphRequest::step_id)); }
};

struct CleanupAllRequest {
  std::vector<Text> container;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CleanupAllRequest";
  static constexpr auto fields() { return std::tuple(field(1, "container", &CleanupAllRequest::container)); }
};

/// Ours, not TensorFlow's: the receiver of a tensor could read it in the memory of the sending process.
struct DirectOffer {
  Text host;  // where it runs
  uint64_t nonce_low = 0;
  uint64_t nonce_high = 0;
  bool has_failed = false;  // it could not, and wants the tensor in the answer

  std::string unknown;
  static constexpr std::string_view kType = "flowray.DirectOffer";
  static constexpr auto fields() {
    using M = DirectOffer;
    return std::tuple(field(1, "host", &M::host), field(2, "nonce_low", &M::nonce_low),
                      field(3, "nonce_high", &M::nonce_high), field(4, "has_failed", &M::has_failed));
  }
};

/// The answer to it: where the tensor lies. At `nonce_address` are the two words of the nonce, as long as the
/// tensor is there.
struct DirectSource {
  int32_t process = 0;
  uint64_t nonce_address = 0;
  uint64_t address = 0;
  int64_t size_bytes = 0;

  std::string unknown;
  static constexpr std::string_view kType = "flowray.DirectSource";
  static constexpr auto fields() {
    using M = DirectSource;
    return std::tuple(field(1, "process", &M::process), field(2, "nonce_address", &M::nonce_address),
                      field(3, "address", &M::address), field(4, "size_bytes", &M::size_bytes));
  }
};

struct RecvTensorRequest {
  int64_t step_id = 0;
  Text rendezvous_key;
  int64_t request_id = 0;
  std::optional<DirectOffer> direct;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RecvTensorRequest";
  static constexpr auto fields() {
    using M = RecvTensorRequest;
    return std::tuple(field(1, "step_id", &M::step_id), field(2, "rendezvous_key", &M::rendezvous_key),
                      field(7, "request_id", &M::request_id), field(15'001, "direct", &M::direct));
  }
};

struct MarkRecvFinishedRequest {
  int64_t request_id = 0;
  int64_t step_id = 0;  // ours: in which that was asked

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.MarkRecvFinishedRequest";
  static constexpr auto fields() {
    using M = MarkRecvFinishedRequest;
    return std::tuple(field(1, "request_id", &M::request_id), field(15'001, "step_id", &M::step_id));
  }
};

struct RecvTensorResponse {
  TensorProto tensor;
  bool is_dead = false;
  int64_t send_start_micros = 0;
  bool require_ack = false;
  std::optional<DirectSource> direct;  // then `tensor` has no content

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RecvTensorResponse";
  static constexpr auto fields() {
    using M = RecvTensorResponse;
    return std::tuple(field(1, "tensor", &M::tensor), field(2, "is_dead", &M::is_dead),
                      field(3, "send_start_micros", &M::send_start_micros),
                      field(5, "require_ack", &M::require_ack), field(15'001, "direct", &M::direct));
  }
};

struct LoggingRequest {
  bool enable_rpc_logging = false;
  bool clear = false;
  std::vector<int64_t> fetch_step_id;
  bool disable_rpc_logging = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.LoggingRequest";
  static constexpr auto fields() {
    using M = LoggingRequest;
    return std::tuple(field(1, "enable_rpc_logging", &M::enable_rpc_logging), field(2, "clear", &M::clear),
                      field(3, "fetch_step_id", &M::fetch_step_id),
                      field(4, "disable_rpc_logging", &M::disable_rpc_logging));
  }
};

struct LabeledStepStats {
  int64_t step_id = 0;
  StepStats step_stats;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.LabeledStepStats";
  static constexpr auto fields() {
    return std::tuple(field(1, "step_id", &LabeledStepStats::step_id),
                      field(2, "step_stats", &LabeledStepStats::step_stats));
  }
};

struct LoggingResponse {
  std::vector<LabeledStepStats> step;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.LoggingResponse";
  static constexpr auto fields() { return std::tuple(field(1, "step", &LoggingResponse::step)); }
};

}  // namespace flowray::wire
