#pragma once
/// What a step tells about itself: TensorFlow's RunMetadata and StepStats
/// (tensorflow/core/protobuf/config.proto, framework/step_stats.proto), and the devices it may run
/// on (framework/device_attributes.proto).

#include "wire/graph_def.h"

namespace flowray::wire {

struct AllocationDescription {
  int64_t requested_bytes = 0;
  Text allocator_name;

  std::string unknown;
  static constexpr auto fields() {
    using M = AllocationDescription;
    return std::tuple(field(1, "requested_bytes", &M::requested_bytes),
                      field(3, "allocator_name", &M::allocator_name));
  }
};

struct TensorDescription {
  DType dtype = DType::kInvalid;
  std::optional<TensorShapeProto> shape;
  std::optional<AllocationDescription> allocation_description;

  std::string unknown;
  static constexpr auto fields() {
    using M = TensorDescription;
    return std::tuple(field(1, "dtype", &M::dtype), field(2, "shape", &M::shape),
                      field(4, "allocation_description", &M::allocation_description));
  }
};

struct NodeOutput {
  int32_t slot = 0;
  std::optional<TensorDescription> tensor_description;

  std::string unknown;
  static constexpr auto fields() {
    return std::tuple(field(1, "slot", &NodeOutput::slot),
                      field(3, "tensor_description", &NodeOutput::tensor_description));
  }
};

struct NodeExecStats {
  Text node_name;
  int64_t all_start_micros = 0;  // since 1970; what follows is relative to it
  int64_t op_start_rel_micros = 0;
  int64_t op_end_rel_micros = 0;
  int64_t all_end_rel_micros = 0;
  std::vector<NodeOutput> output;
  Text timeline_label;
  int64_t scheduled_micros = 0;
  uint32_t thread_id = 0;
  int64_t all_start_nanos = 0;  // the same times once more
  int64_t op_start_rel_nanos = 0;
  int64_t op_end_rel_nanos = 0;
  int64_t all_end_rel_nanos = 0;
  int64_t scheduled_nanos = 0;

  std::string unknown;
  static constexpr auto fields() {
    using M = NodeExecStats;
    return std::tuple(
        field(1, "node_name", &M::node_name), field(2, "all_start_micros", &M::all_start_micros),
        field(3, "op_start_rel_micros", &M::op_start_rel_micros),
        field(4, "op_end_rel_micros", &M::op_end_rel_micros),
        field(5, "all_end_rel_micros", &M::all_end_rel_micros), field(7, "output", &M::output),
        field(8, "timeline_label", &M::timeline_label), field(9, "scheduled_micros", &M::scheduled_micros),
        field(10, "thread_id", &M::thread_id), field(13, "all_start_nanos", &M::all_start_nanos),
        field(14, "op_start_rel_nanos", &M::op_start_rel_nanos),
        field(15, "op_end_rel_nanos", &M::op_end_rel_nanos),
        field(16, "all_end_rel_nanos", &M::all_end_rel_nanos),
        field(17, "scheduled_nanos", &M::scheduled_nanos));
  }
};

struct DeviceStepStats {
  Text device;
  std::vector<NodeExecStats> node_stats;
  Map<uint32_t, Text> thread_names;

  std::string unknown;
  static constexpr auto fields() {
    using M = DeviceStepStats;
    return std::tuple(field(1, "device", &M::device), field(2, "node_stats", &M::node_stats),
                      field(3, "thread_names", &M::thread_names));
  }
};

struct StepStats {
  std::vector<DeviceStepStats> dev_stats;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.StepStats";
  static constexpr auto fields() { return std::tuple(field(1, "dev_stats", &StepStats::dev_stats)); }
};

struct RunMetadata {
  std::optional<StepStats> step_stats;
  std::vector<GraphDef> partition_graphs;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.RunMetadata";
  static constexpr auto fields() {
    return std::tuple(field(1, "step_stats", &RunMetadata::step_stats),
                      field(3, "partition_graphs", &RunMetadata::partition_graphs));
  }
};

struct DeviceAttributes {
  Text name;  // "/job:worker/replica:0/task:0/device:CPU:0"
  Text device_type;
  int64_t memory_limit = 0;  // bytes
  Fixed64 incarnation;       // of the process: another after a restart
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

}  // namespace flowray::wire
