#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ray/transport/protocol.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What a worker is started with.
enum WorkerDescriptor : size_t {
  kChannelDescriptor,
  kDoorbellDescriptor,
  kEventDescriptor,
  kSocketDescriptor,
  kOutDescriptor,
  kErrDescriptor,
  kWorkerDescriptors
};
using WorkerDescriptors = std::array<int, kWorkerDescriptors>;

/// Goes over a worker's socket with the descriptor of a region of the store.
struct RegionNotice {
  SlabId slab;
  uint32_t writable = 0;
  uint64_t size_bytes = 0;
};

/// Whether FLOWRAY_LINKS in the environment asks for links between workers. Throws
/// errors::InvalidArgumentError for a word that says neither.
bool are_links_wanted();
/// A worker's life: runs what the driver sends until it says Exit. Returns the process's exit status.
int worker_main(uint32_t worker, std::vector<Descriptor> descriptors);
/// The same in an interpreter of Python, whose arrays may be written to: what its sessions fetch never lies
/// in the store.
int python_worker_main(uint32_t worker, std::vector<Descriptor> descriptors);

}  // namespace flowray::ray
