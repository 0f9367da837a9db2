#include "cluster/step_call.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include "engine/step_stats.h"
#include "graph/graph_export.h"

namespace flowray::cluster {
namespace {

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
    errors::throw_error(error.code(), fmt::format("From {}:\n{}", device, error.message()),
                        error.node_name());
  }
  if (context.trace == nullptr && !options.output_partition_graphs) return;
  wire::RunMetadata& metadata = call.metadata.emplace();
  if (context.trace != nullptr) metadata.step_stats = engine::to_step_stats(trace, device + "/device:CPU:0");
  if (options.output_partition_graphs) metadata.partition_graphs.push_back(graph_of(step.graph()));
}

}  // namespace flowray::cluster
