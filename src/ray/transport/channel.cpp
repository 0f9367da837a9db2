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

}  // namespace flowray::ray
