#pragma once
/// The tensors that came from other tasks during a step, for its trace.

#include "wire/run_metadata.h"

#include <atomic>
#include <cstddef>
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

/// How many of them all steps of a process remember together. Thread-safe.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(int64_t most) : left_(most) {}
  /// Whether one more may be remembered.
  bool take() {
    if (left_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    give_back(1);
    return false;
  }
  void give_back(size_t num_forgotten) {
    left_.fetch_add(static_cast<int64_t>(num_forgotten), std::memory_order_relaxed);
  }
  bool is_used_up() const { return left_.load(std::memory_order_relaxed) <= 0; }

 private:
  std::atomic<int64_t> left_;
};

/// The time now, as traces have it.
int64_t nanos_since_1970();

/// As what `device` did meanwhile. Those of the same time have different threads.
wire::DeviceStepStats trace_of_receives(std::span<const ReceivedTensor> tensors, const std::string& device);

}  // namespace flowray::cluster
