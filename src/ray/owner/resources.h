#pragma once

#include <cstdint>

#include <flowray/ray/backend.h>

namespace flowray::ray {

/// What a call asks of the resource "CPU", in thousandths of a processor (rounded up); `unset` if it asks for none.
uint32_t cpu_milli(const internal::CallOptions& call, uint32_t unset);

/// Of a task that does not say: one processor. Actors that do not say share what there is.
inline constexpr uint32_t kTaskCpuMilli = 1000;

}  // namespace flowray::ray
