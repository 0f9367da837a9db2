#include "cluster/master/call_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace flowray::cluster {
namespace {

constexpr int64_t kNsPerUs = 1000;

/// TensorFlow's servers of old tell microseconds only.
int64_t begin_of(const wire::NodeExecStats& node) {
  return node.all_start_nanos != 0 ? node.all_start_nanos : node.all_start_micros * kNsPerUs;
}

int64_t end_of(const wire::NodeExecStats& node) {
  const int64_t lasts =
      node.all_end_rel_nanos != 0 ? node.all_end_rel_nanos : node.all_end_rel_micros * kNsPerUs;
  return begin_of(node) + lasts;
}

int64_t middle(int64_t begin, int64_t end) { return begin + (end - begin) / 2; }

}  // namespace

int64_t nanos_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

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
  const int64_t shift = middle(call.begin_ns, call.end_ns) - middle(begin, end);
  for (wire::DeviceStepStats& device : stats.dev_stats) {
    for (wire::NodeExecStats& node : device.node_stats) {
      node.all_start_nanos = begin_of(node) + shift;
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
