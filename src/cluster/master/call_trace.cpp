#include "cluster/master/call_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace flowray::cluster {
namespace {

constexpr int64_t kNsPerUs = 1000;

// The times are another task's word: those that no number can hold end at the largest one.

int64_t farthest(bool is_negative) {
  return is_negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

int64_t sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? farthest(a < 0) : result;
}

int64_t difference(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? farthest(a < 0) : result;
}

int64_t nanos_of(int64_t micros) {
  int64_t result = 0;
  return __builtin_mul_overflow(micros, kNsPerUs, &result) ? farthest(micros < 0) : result;
}

/// TensorFlow's servers of old tell microseconds only.
int64_t begin_of(const wire::NodeExecStats& node) {
  return node.all_start_nanos != 0 ? node.all_start_nanos : nanos_of(node.all_start_micros);
}

int64_t end_of(const wire::NodeExecStats& node) {
  const int64_t lasts =
      node.all_end_rel_nanos != 0 ? node.all_end_rel_nanos : nanos_of(node.all_end_rel_micros);
  return sum(begin_of(node), lasts);
}

}  // namespace

void align_to_call(wire::StepStats& stats, const CallTimes& call) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = 0;
  for (const wire::DeviceStepStats& device : stats.dev_stats) {
    for (const wire::NodeExecStats& node : device.node_stats) {
      begin = std::min(begin, begin_of(node));
      end = std::max(end, end_of(node));
    }
  }
  if (end == 0 || (begin >= call.begin_ns && end <= call.end_ns)) return;
  const int64_t shift = difference(std::midpoint(call.begin_ns, call.end_ns), std::midpoint(begin, end));
  for (wire::DeviceStepStats& device : stats.dev_stats) {
    for (wire::NodeExecStats& node : device.node_stats) {
      node.all_start_nanos = sum(begin_of(node), shift);
      node.all_start_micros = node.all_start_nanos / kNsPerUs;
    }
  }
}

wire::DeviceStepStats trace_of_call(const std::string& caller, const std::string& callee,
                                    const CallTimes& call) {
  wire::DeviceStepStats device;
  device.device = caller + "/calls";
  wire::NodeExecStats& stats = device.node_stats.emplace_back();
  stats.node_name = "RunGraph " + callee;
  stats.timeline_label = fmt::format("{} = RunGraph()", stats.node_name.view());
  stats.all_start_nanos = call.begin_ns;
  stats.all_start_micros = call.begin_ns / kNsPerUs;
  stats.op_end_rel_nanos = stats.all_end_rel_nanos = call.end_ns - call.begin_ns;
  stats.op_end_rel_micros = stats.all_end_rel_micros =
      std::max<int64_t>(stats.op_end_rel_nanos / kNsPerUs, 1);
  return device;
}

}  // namespace flowray::cluster
