#include "cluster/master/step_call.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include "engine/run/step_stats.h"
#include "engine/step/step_graph_def.h"

namespace flowray::cluster {
namespace {

[[noreturn]] void rethrow_for_client(const std::exception_ptr& error, engine::Session& session,
                                     const std::string& device) {
  try {
    std::rethrow_exception(error);
  } catch (const errors::DeadlineExceededError&) {
    // What the client says itself when its deadline, the same, is over before our answer comes.
    throw errors::DeadlineExceededError("Deadline Exceeded");
  } catch (const errors::OpError& reason) {
    if (reason.code() == Code::kCancelled && session.closing().is_cancelled()) {
      throw errors::CancelledError("Step was cancelled by an explicit call to `Session::Close()`.");
    }
    errors::throw_error(reason.code(), fmt::format("From {}:\n{}", device, reason.message()),
                        reason.node_name());
  }
}

void fill_metadata(StepCall& call, const engine::Step& step, const std::string& device) {
  const bool traces = call.options.trace_level == wire::RunOptions::TraceLevel::kFull;
  if (!traces && !call.options.output_partition_graphs) return;
  wire::RunMetadata& metadata = call.metadata.emplace();
  if (traces) metadata.step_stats = engine::to_step_stats(call.trace, device + "/device:CPU:0");
  if (call.options.output_partition_graphs)
    metadata.partition_graphs.push_back(engine::to_graph_def(step.graph()));
}

}  // namespace

engine::RunContext::Clock::time_point deadline_of(const StepCall& call, int64_t default_timeout_ms) {
  using Clock = engine::RunContext::Clock;
  const int64_t timeout_ms = call.options.timeout_in_ms > 0 ? call.options.timeout_in_ms : default_timeout_ms;
  constexpr int64_t kLongestMs = int64_t{1} << 40;  // no clock overflows
  if (timeout_ms <= 0 || timeout_ms >= kLongestMs) return Clock::time_point::max();
  return Clock::now() + std::chrono::milliseconds(timeout_ms);
}

void start_step(engine::Session& session, engine::Step& step, std::vector<Array> feeds,
                const std::string& device, int64_t default_timeout_ms, StepCall& call, engine::RunDone done) {
  engine::RunContext context{.cancellation = &call.cancellation,
                             .deadline = deadline_of(call, default_timeout_ms)};
  if (call.options.trace_level == wire::RunOptions::TraceLevel::kFull) context.trace = &call.trace;
  step.start(std::move(feeds), context,
             [&session, &step, &device, &call, done = std::move(done)](engine::RunOutcome outcome) {
               try {
                 if (outcome.error != nullptr) rethrow_for_client(outcome.error, session, device);
                 fill_metadata(call, step, device);
               } catch (...) {
                 outcome = {std::current_exception(), {}};
               }
               done(std::move(outcome));
             });
}

}  // namespace flowray::cluster
