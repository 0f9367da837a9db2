#include "cluster/worker/receive_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

namespace flowray::cluster {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

/// The key "SEND_DEVICE;INCARNATION;RECV_DEVICE;TENSOR_NAME;FRAME:ITERATION" in parts.
std::array<std::string_view, 5> parts_of(std::string_view key) {
  std::array<std::string_view, 5> parts;
  for (std::string_view& part : parts) {
    part = key.substr(0, key.find(';'));
    key.remove_prefix(std::min(key.size(), part.size() + 1));
  }
  return parts;
}

/// Named as TensorFlow's servers name them, by which its timeline knows them.
wire::NodeExecStats stats_of(const ReceivedTensor& tensor) {
  const auto [from, incarnation, to, name, iteration] = parts_of(tensor.key);
  wire::NodeExecStats stats;
  stats.node_name = "RecvTensor";
  stats.timeline_label =
      fmt::format("{} = RecvTensor({} bytes, from {}, to {})", name, tensor.size_bytes, from, to);
  stats.all_start_nanos = tensor.begin_ns;
  stats.all_start_micros = tensor.begin_ns / kNanosPerMicro;
  stats.op_end_rel_nanos = stats.all_end_rel_nanos = std::max<int64_t>(tensor.end_ns - tensor.begin_ns, 0);
  stats.op_end_rel_micros = stats.all_end_rel_micros =
      std::max<int64_t>(stats.op_end_rel_nanos / kNanosPerMicro, 1);
  wire::NodeOutput& output = stats.output.emplace_back();
  output.tensor_description.emplace().allocation_description.emplace().requested_bytes = tensor.size_bytes;
  return stats;
}

}  // namespace

int64_t nanos_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

wire::DeviceStepStats trace_of_receives(std::span<const ReceivedTensor> tensors, const std::string& device) {
  std::vector<ReceivedTensor> sorted(tensors.begin(), tensors.end());
  std::ranges::sort(sorted, {}, &ReceivedTensor::begin_ns);
  wire::DeviceStepStats told;
  told.device = device;
  std::vector<int64_t> ends;  // of what is last on each thread
  for (const ReceivedTensor& tensor : sorted) {
    const auto free = std::ranges::find_if(ends, [&](int64_t end) { return end <= tensor.begin_ns; });
    const auto thread = static_cast<size_t>(free - ends.begin());
    if (free == ends.end()) ends.push_back(0);
    ends[thread] = tensor.end_ns;
    told.node_stats.push_back(stats_of(tensor));
    told.node_stats.back().thread_id = static_cast<uint32_t>(thread);
  }
  return told;
}

}  // namespace flowray::cluster
