#pragma once
/// What of a session's configuration concerns a server.

#include <flowray/tf/session.h>

#include "engine/servers.h"

namespace flowray::tf {

/// The options in the form that the engine takes.
engine::RemoteOptions remote_options(const SessionConfig& config);

/// What it switches of the passes.
std::optional<wire::GraphOptions> graph_options(const SessionConfig& config);

/// Throws errors::UnimplementedError where the configuration asks for other devices than there are.
void check_device_count(const SessionConfig& config);

}  // namespace flowray::tf
