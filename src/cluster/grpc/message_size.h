#pragma once
/// How large a message may be that goes over the network by itself: gRPC's own limit. Larger ones go in parts
/// (message_parts.h), where both sides are ours.

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace flowray::cluster {

/// FLOWRAY_MESSAGE_BYTES in the environment makes it less.
inline size_t most_bytes_at_once() {
  const char* const given = std::getenv("FLOWRAY_MESSAGE_BYTES");
  const int64_t value = given == nullptr ? 0 : std::atoll(given);  // NOLINT: what is not a number is 0
  return static_cast<size_t>(value > 0 ? std::min<int64_t>(value, INT32_MAX) : INT32_MAX);
}

/// The size of one part: small enough that a slow network brings it long before a
/// server gives up the message.
inline size_t part_bytes() { return std::min<size_t>(most_bytes_at_once(), 16 << 20); }

}  // namespace flowray::cluster
