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
          .isolate_session_state = config.isolate_session_state};
}

/// Of another type there may be as many as wanted, of which there are none.
void check_device_count(const SessionConfig& config) {
  const auto cpus = config.device_count.find("CPU");
  if (cpus == config.device_count.end() || cpus->second == 1) return;
  throw errors::UnimplementedError(fmt::format(
      "device_count asks for {} devices of the type CPU, but there is one\nIts operations use all "
      "cores: leave device_count out, or limit them by intra_op_parallelism_threads.",
      cpus->second));
}

}  // namespace flowray::tf
