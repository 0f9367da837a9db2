#pragma once

namespace flowray::tf::train {

/// What is said every so often while a step waits for a token of SyncReplicasOptimizer: by its hook, and by a
/// session on a server.
inline constexpr const char* kWaitsForToken =
    "still waiting for the step's token: the chief gives it when all replicas have given their gradients. "
    "operation_timeout_in_ms of the session says how long, the chief's drop_after_secs which replicas are "
    "not waited for";

}  // namespace flowray::tf::train
