#include "engine/run/step_trace.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace flowray::engine {

int64_t StepTrace::now_ns() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(system_clock::now().time_since_epoch()).count();
}

uint32_t StepTrace::this_thread() {
  static std::atomic<uint32_t> threads{0};
  static thread_local const uint32_t thread = threads.fetch_add(1, std::memory_order_relaxed);
  return thread;
}

void StepTrace::add(NodeTrace entry, bool is_read) {
  const bool is_first = seen_.insert(entry.node).second;
  if (is_read && !is_first) return;
  if (reads_last_ && nodes_.back().node == entry.node) {
    entry.start_ns = nodes_.back().start_ns;
    nodes_.pop_back();
  }
  reads_last_ = is_read;
  // A node that had to wait is added when it ends, which is late.
  const auto later = [](const NodeTrace& a, const NodeTrace& b) { return a.start_ns < b.start_ns; };
  nodes_.insert(std::upper_bound(nodes_.begin(), nodes_.end(), entry, later), std::move(entry));
}

}  // namespace flowray::engine
