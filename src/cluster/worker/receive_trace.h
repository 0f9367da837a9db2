#pragma once
/// The tensors that came from other tasks during a step, for its trace.

#include "wire/run_metadata.h"

#include <cstdint>
#include <span>
#include <string>

namespace flowray::cluster {

/// Nanoseconds since 1970, from when it was asked for.
struct ReceivedTensor {
  std::string key;  // of the rendezvous
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t size_bytes = 0;
};

/// The time now, as traces have it.
int64_t nanos_since_1970();

/// As what `device` did meanwhile. Those of the same time have different threads.
wire::DeviceStepStats trace_of_receives(std::span<const ReceivedTensor> tensors, const std::string& device);

}  // namespace flowray::cluster
