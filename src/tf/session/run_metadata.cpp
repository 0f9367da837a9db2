#include "tf/session/run_metadata.h"

#include "wire/message.h"

namespace flowray::tf {
namespace {

RunMetadata::StepStats stats_of(const wire::StepStats& message) {
  RunMetadata::StepStats stats;
  for (const wire::DeviceStepStats& device : message.dev_stats) {
    auto& told = stats.dev_stats.emplace_back();
    told.device = device.device.str();
    for (const auto& node : device.node_stats) {
      told.node_stats.push_back({node.node_name.str(), node.all_start_micros, node.op_start_rel_micros,
                                 node.op_end_rel_micros, node.all_end_rel_micros, node.timeline_label.str(),
                                 node.thread_id, node.all_start_nanos, node.op_start_rel_nanos,
                                 node.op_end_rel_nanos, node.all_end_rel_nanos});
    }
  }
  return stats;
}

}  // namespace

RunMetadata metadata_of(const wire::RunMetadata& message) {
  RunMetadata metadata;
  if (message.step_stats.has_value()) metadata.step_stats = stats_of(*message.step_stats);
  for (const wire::GraphDef& graph : message.partition_graphs)
    metadata.partition_graphs.push_back(GraphDef::from_string(wire::encode(graph)));
  return metadata;
}

}  // namespace flowray::tf
