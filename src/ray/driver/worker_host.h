#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// Starts and ends worker processes for the driver: the interface that tests replace.
class WorkerHost {
 public:
  struct Death {
    uint32_t worker;
    /// For people: "exited with status 3", "killed by SIGKILL".
    std::string reason;
  };

  virtual ~WorkerHost() = default;
  /// Starts worker `worker` with copies of the descriptors (channel memory, socket, output pipes ...).
  virtual void spawn(uint32_t worker, std::span<const int> descriptors) = 0;
  /// SIGKILL; its Death comes all the same.
  virtual void kill(uint32_t worker) = 0;
};

}  // namespace flowray::ray
