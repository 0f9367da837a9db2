#pragma once
/// What a session is made with and a step is asked for: TensorFlow's ConfigProto, ClusterDef, RunOptions and
/// CallableOptions (tensorflow/core/protobuf/config.proto, rewriter_config.proto, cluster.proto). GPU and
/// experimental options, and of the graph options what no pass here stands for, are carried along unread.

#include "wire/message.h"

namespace flowray::wire {

struct ClusterDef {
  struct Job {
    Text name;
    Map<int32_t, Text> tasks;  // "host:port" by index

    std::string unknown;
    static constexpr auto fields() {
      return std::tuple(field(1, "name", &Job::name), field(2, "tasks", &Job::tasks));
    }
  };
  std::vector<Job> job;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ClusterDef";
  static constexpr auto fields() { return std::tuple(field(1, "job", &ClusterDef::job)); }
};

struct ThreadPoolOptionProto {
  int32_t num_threads = 0;
  Text global_name;

  std::string unknown;
  static constexpr auto fields() {
    return std::tuple(field(1, "num_threads", &ThreadPoolOptionProto::num_threads),
                      field(2, "global_name", &ThreadPoolOptionProto::global_name));
  }
};

struct OptimizerOptions {
  enum class Level : int32_t { kL1 = 0, kL0 = -1 };  // L0: no optimisation but the following two
  bool do_common_subexpression_elimination = false;
  bool do_constant_folding = false;
  Level opt_level = Level::kL1;

  std::string unknown;
  static constexpr auto fields() {
    using M = OptimizerOptions;
    return std::tuple(
        field(1, "do_common_subexpression_elimination", &M::do_common_subexpression_elimination),
        field(2, "do_constant_folding", &M::do_constant_folding), field(3, "opt_level", &M::opt_level));
  }
};

struct RewriterConfig {
  enum class Toggle : int32_t { kDefault = 0, kOn = 1, kOff = 2, kAggressive = 3 };
  Toggle constant_folding = Toggle::kDefault;
  Toggle dependency_optimization = Toggle::kDefault;
  Toggle remapping = Toggle::kDefault;  // fusion
  bool disable_meta_optimizer = false;
  Toggle common_subgraph_elimination = Toggle::kDefault;

  std::string unknown;
  static constexpr auto fields() {
    using M = RewriterConfig;
    return std::tuple(field(3, "constant_folding", &M::constant_folding),
                      field(8, "dependency_optimization", &M::dependency_optimization),
                      field(14, "remapping", &M::remapping),
                      field(19, "disable_meta_optimizer", &M::disable_meta_optimizer),
                      field(24, "common_subgraph_elimination", &M::common_subgraph_elimination));
  }
};

struct GraphOptions {
  std::optional<OptimizerOptions> optimizer_options;
  std::optional<RewriterConfig> rewrite_options;

  std::string unknown;
  static constexpr auto fields() {
    return std::tuple(field(3, "optimizer_options", &GraphOptions::optimizer_options),
                      field(10, "rewrite_options", &GraphOptions::rewrite_options));
  }
};

struct ConfigProto {
  Map<Text, int32_t> device_count;
  int32_t intra_op_parallelism_threads = 0;
  std::vector<Text> device_filters;
  int32_t inter_op_parallelism_threads = 0;
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  bool use_per_session_threads = false;
  std::optional<GraphOptions> graph_options;
  int64_t operation_timeout_in_ms = 0;  // of a step that names none; 0: no limit
  std::vector<ThreadPoolOptionProto> session_inter_op_thread_pool;
  std::optional<ClusterDef> cluster_def;
  bool isolate_session_state = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.ConfigProto";
  static constexpr auto fields() {
    using M = ConfigProto;
    return std::tuple(field(1, "device_count", &M::device_count),
                      field(2, "intra_op_parallelism_threads", &M::intra_op_parallelism_threads),
                      field(4, "device_filters", &M::device_filters),
                      field(5, "inter_op_parallelism_threads", &M::inter_op_parallelism_threads),
                      field(7, "allow_soft_placement", &M::allow_soft_placement),
                      field(8, "log_device_placement", &M::log_device_placement),
                      field(9, "use_per_session_threads", &M::use_per_session_threads),
                      field(10, "graph_options", &M::graph_options),
                      field(11, "operation_timeout_in_ms", &M::operation_timeout_in_ms),
                      field(12, "session_inter_op_thread_pool", &M::session_inter_op_thread_pool),
                      field(14, "cluster_def", &M::cluster_def),
                      field(15, "isolate_session_state", &M::isolate_session_state));
  }
};

struct RunOptions {
  enum class TraceLevel : int32_t { kNone = 0, kSoftware = 1, kHardware = 2, kFull = 3 };
  TraceLevel trace_level = TraceLevel::kNone;
  int64_t timeout_in_ms = 0;  // 0: what the session's config says
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

struct TensorConnection {
  Text from_tensor;
  Text to_tensor;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorConnection";
  static constexpr auto fields() {
    using M = TensorConnection;
    return std::tuple(field(1, "from_tensor", &M::from_tensor), field(2, "to_tensor", &M::to_tensor));
  }
};

struct CallableOptions {
  std::vector<Text> feed;
  std::vector<Text> fetch;
  std::vector<Text> target;
  std::optional<RunOptions> run_options;
  std::vector<TensorConnection> tensor_connection;
  Map<Text, Text> feed_devices;   // the device that a feed lies on, by the feed's name
  Map<Text, Text> fetch_devices;  // likewise

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.CallableOptions";
  static constexpr auto fields() {
    using M = CallableOptions;
    return std::tuple(
        field(1, "feed", &M::feed), field(2, "fetch", &M::fetch), field(3, "target", &M::target),
        field(4, "run_options", &M::run_options), field(5, "tensor_connection", &M::tensor_connection),
        field(6, "feed_devices", &M::feed_devices), field(7, "fetch_devices", &M::fetch_devices));
  }
};

}  // namespace flowray::wire
