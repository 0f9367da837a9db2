#include "tf/session/remote_options.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::tf {

engine::RemoteOptions remote_options(const SessionConfig& config) {
  return {.allow_soft_placement = config.allow_soft_placement,
          .operation_timeout_ms = config.operation_timeout_in_ms,
          .intra_op_threads = config.intra_op_parallelism_threads,
          .log_device_placement = config.log_device_placement,
          .device_filters = config.device_filters,
          .isolate_session_state = config.isolate_session_state,
          .graph_options = graph_options(config)};
}

/// None where all is as it is anyway: a server may be configured otherwise.
std::optional<wire::GraphOptions> graph_options(const SessionConfig& config) {
  if (config.graph_options == GraphOptions()) return std::nullopt;
  wire::GraphOptions message;
  const OptimizerOptions& optimizer = config.graph_options.optimizer_options;
  message.optimizer_options = {
      .do_common_subexpression_elimination = optimizer.do_common_subexpression_elimination,
      .do_constant_folding = optimizer.do_constant_folding,
      .opt_level = static_cast<wire::OptimizerOptions::Level>(optimizer.opt_level)};
  const RewriterConfig& rewrites = config.graph_options.rewrite_options;
  const auto toggle = [](RewriterConfig::Toggle value) {
    return static_cast<wire::RewriterConfig::Toggle>(value);
  };
  message.rewrite_options = {.constant_folding = toggle(rewrites.constant_folding),
                             .dependency_optimization = toggle(rewrites.dependency_optimization),
                             .remapping = toggle(rewrites.remapping),
                             .disable_meta_optimizer = rewrites.disable_meta_optimizer,
                             .common_subgraph_elimination = toggle(rewrites.common_subgraph_elimination)};
  return message;
}

/// Only CPUs are counted: any number of another type is accepted, as in TensorFlow, and there are none.
void check_device_count(const SessionConfig& config) {
  const auto cpus = config.device_count.find("CPU");
  if (cpus == config.device_count.end() || cpus->second == 1) return;
  throw errors::UnimplementedError(fmt::format(
      "device_count asks for {} devices of the type CPU, but there is one\nIts operations use all "
      "cores: leave device_count out, or limit them by intra_op_parallelism_threads.",
      cpus->second));
}

}  // namespace flowray::tf
