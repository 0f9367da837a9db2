#pragma once

#include <atomic>
#include <cstdint>

namespace flowray::ray {

/// The last number of a message that an actor's thread has sent the driver, from 1. Of two messages of this
/// process's threads the one that was sent after the other was, as far as threads can tell, has the greater
/// number, in whatever rings they are.
inline std::atomic<uint64_t> last_stamp{0};

/// For a message that is about to be published.
inline uint64_t next_stamp() noexcept { return last_stamp.fetch_add(1, std::memory_order_acq_rel) + 1; }

}  // namespace flowray::ray
