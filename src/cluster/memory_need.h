#pragma once

#include <cstdint>

namespace flowray::cluster {

/// Whether this process comes near to `limit_bytes` for its arrays, or has that much of all kinds: then
/// sessions that nobody calls are worth less than what they hold. False for 0, no limit.
bool is_memory_short(int64_t limit_bytes);

}  // namespace flowray::cluster
