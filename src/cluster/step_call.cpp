#include "cluster/step_call.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>

#include "graph/graph_export.h"
#include "wire/tensor_value.h"

namespace flowray::cluster {
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

wire::NodeExecStats stats_of(const engine::NodeTrace& entry) {
  wire::NodeExecStats stats;
  stats.node_name = wire::Text::borrow(entry.node->name());
  stats.all_start_micros = entry.start_ns / kNsPerUs;
  stats.scheduled_micros = stats.all_start_micros;
  // A span of less than a microsecond still has a width, or nothing of it could be seen.
  stats.op_end_rel_micros = std::max<int64_t>(entry.end_ns / kNsPerUs - stats.all_start_micros, 1);
  stats.all_end_rel_micros = stats.op_end_rel_micros;
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

wire::StepStats stats_of(const engine::StepTrace& trace, const std::string& device) {
  wire::StepStats stats;
  wire::DeviceStepStats& of_device = stats.dev_stats.emplace_back();
  of_device.device = device + "/device:CPU:0";
  for (const engine::NodeTrace& entry : trace.nodes()) of_device.node_stats.push_back(stats_of(entry));
  return stats;
}

wire::GraphDef graph_of(const engine::StepGraph& step) {
  wire::GraphDef message;
  for (const engine::StepNode& item : step.nodes) message.node.push_back(graph::to_node_def(*item.node));
  message.versions.emplace().producer = graph::kGraphDefProducer;
  return message;
}

engine::RunContext context_of(const StepCall& call, int64_t default_timeout_ms) {
  using Clock = engine::RunContext::Clock;
  engine::RunContext context{.cancellation = &call.cancellation};
  const int64_t timeout_ms = call.options.timeout_in_ms > 0 ? call.options.timeout_in_ms : default_timeout_ms;
  constexpr int64_t kLongestMs = int64_t{1} << 40;  // no clock overflows
  if (timeout_ms > 0 && timeout_ms < kLongestMs) {
    context.deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  }
  return context;
}

}  // namespace

void run_step(engine::Session& session, engine::Step& step, std::span<const Array* const> feeds,
              std::span<Array> results, const std::string& device, int64_t default_timeout_ms,
              StepCall& call) {
  const auto& options = call.options;
  engine::RunContext context = context_of(call, default_timeout_ms);
  engine::StepTrace trace;
  if (options.trace_level == wire::RunOptions::TraceLevel::kFull) context.trace = &trace;
  try {
    step.run(feeds, results, context);
  } catch (const errors::DeadlineExceededError&) {
    // What the client says itself when its deadline, the same, is over before our answer comes.
    throw errors::DeadlineExceededError("Deadline Exceeded");
  } catch (const errors::OpError& error) {
    if (error.code() == Code::kCancelled && session.closing().is_cancelled()) {
      throw errors::CancelledError("Step was cancelled by an explicit call to `Session::Close()`.");
    }
    errors::throw_error(error.code(), fmt::format("From {}:\n{}", device, error.message()), error.node_name());
  }
  if (context.trace == nullptr && !options.output_partition_graphs) return;
  wire::RunMetadata& metadata = call.metadata.emplace();
  if (context.trace != nullptr) metadata.step_stats = stats_of(trace, device);
  if (options.output_partition_graphs) metadata.partition_graphs.push_back(graph_of(step.graph()));
}

}  // namespace flowray::cluster
