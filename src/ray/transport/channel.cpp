#include "ray/transport/channel.h"

#include <flowray/errors.h>
#include <fmt/format.h>

namespace flowray::ray {

SharedRegion Channel::create(WorkerId worker) {
  return SharedRegion::create(fmt::format("flowray-channel-{}", worker.value), size_bytes());
}

Channel::Channel(SharedRegion region) : region_(std::move(region)) {
  if (region_.size_bytes() < size_bytes()) {
    throw errors::InternalError(
        fmt::format("a channel of {} bytes; expected {}: the worker runs another program than the driver",
                    region_.size_bytes(), size_bytes()));
  }
}

bool Channel::add_value(uint32_t lease) const {
  std::atomic<uint64_t>& word = lease_word(lease);
  uint64_t seen = word.load(std::memory_order_relaxed);
  while (seen >> 32 == lease && (seen & 1) == 0) {
    const uint64_t more = (seen & ~uint64_t{0xFFFFFFFF}) | static_cast<uint32_t>(seen + 2);
    if (word.compare_exchange_weak(seen, more, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace flowray::ray
