#pragma once
/// Whether the machine holds what a training needs.

#include <cstdint>

namespace lenet {

/// What each actor adds to the memory of the machine: its own pages (network, step, batches), its part of the
/// object store and the kernel's tables for it. Measured: 17 MB, the difference of the proportional set sizes
/// (Pss) of trainings with 2 and with 32 actors; the rest is reserve. tests/tools/lenet_memory_test.cpp
/// measures it again.
inline constexpr int64_t kActorBytes = 24 << 20;

/// Bytes that can be had without swapping, by what the kernel tells of the machine and of the control group
/// that this process is in (a container); the greatest number where it tells nothing.
int64_t available_memory_bytes();

}  // namespace lenet
