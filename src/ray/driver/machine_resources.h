#pragma once

#include <flowray/ray/runtime.h>

#include <cstddef>
#include <cstdint>

#include "ray/transport/call_spec.h"

namespace flowray::ray {

/// What a runtime has to give to its tasks and actors: as Init says it, and where it does not, as the
/// machine is.
struct MachineResources {
  uint32_t num_cpus = 1;
  NamedResources others;     ///< in thousandths, GPUs among them
  bool grants_gpus = false;  ///< there are none, and the program has not said so
  uint64_t store_bytes = 0;
  uint64_t memory_bytes = 0;   ///< that is available beside the store
  size_t num_descriptors = 0;  ///< that this process may have open
};
/// Throws ValueError for more GPUs than CUDA_VISIBLE_DEVICES names, RayException for more names of resources
/// than ride in a message.
MachineResources machine_resources(const RayConfig& config);

/// All of them, by name.
NamedResources all_of(const MachineResources& machine);

/// The process's private resident memory; 0 if there is no such process.
uint64_t own_memory_bytes(uint32_t pid);

}  // namespace flowray::ray
