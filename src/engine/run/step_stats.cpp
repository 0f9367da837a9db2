#include "engine/run/step_stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/exchange/graph_export.h"
#include "wire/tensor_value.h"

namespace flowray::engine {
namespace {

constexpr int64_t kNsPerUs = 1000;

/// "y = MatMul(x, w/read, ^init)"
std::string label(const graph::Node& node) {
  std::string inputs;
  for (const wire::Text& input : graph::to_node_def(node).input) {
    if (!inputs.empty()) inputs += ", ";
    inputs += input.view();
  }
  return fmt::format("{} = {}({})", node.name(), node.op(), inputs);
}

wire::NodeExecStats stats_of(const NodeTrace& entry) {
  wire::NodeExecStats stats;
  stats.node_name = wire::Text::borrow(entry.node->name());
  stats.all_start_micros = entry.start_ns / kNsPerUs;
  stats.scheduled_micros = stats.all_start_micros;
  // A span of less than a microsecond still has a width, or nothing of it could be seen.
  stats.op_end_rel_micros = std::max<int64_t>(entry.end_ns / kNsPerUs - stats.all_start_micros, 1);
  stats.all_end_rel_micros = stats.op_end_rel_micros;
  stats.all_start_nanos = entry.start_ns;
  stats.scheduled_nanos = entry.start_ns;
  stats.op_end_rel_nanos = std::max<int64_t>(entry.end_ns - entry.start_ns, 0);
  stats.all_end_rel_nanos = stats.op_end_rel_nanos;
  stats.timeline_label = label(*entry.node);
  stats.thread_id = entry.thread;
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const auto& [dtype, shape] = entry.outputs[i];
    if (!shape.is_fully_defined()) continue;
    wire::NodeOutput& output = stats.output.emplace_back();
    output.slot = static_cast<int32_t>(i);
    wire::TensorDescription& description = output.tensor_description.emplace();
    description.dtype = dtype;
    description.shape = wire::to_shape_proto(shape);
    wire::AllocationDescription& allocation = description.allocation_description.emplace();
    allocation.requested_bytes = shape.num_elements() * static_cast<int64_t>(dtype_size(dtype));
    allocation.allocator_name = "cpu";
  }
  return stats;
}

}  // namespace

wire::StepStats to_step_stats(const StepTrace& trace, const std::string& device) {
  wire::StepStats stats;
  wire::DeviceStepStats& of_device = stats.dev_stats.emplace_back();
  of_device.device = device;
  for (const NodeTrace& entry : trace.nodes()) of_device.node_stats.push_back(stats_of(entry));
  return stats;
}

}  // namespace flowray::engine
