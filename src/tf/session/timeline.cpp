#include <flowray/tf/timeline.h>

#include <fmt/format.h>

#include <iterator>

namespace flowray::tf {
namespace {

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      json += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      json += c;
    }
  }
  return json + "\"";
}

/// A double could not hold the nanoseconds since 1970.
std::string in_micros(int64_t nanos) { return fmt::format("{}.{:03}", nanos / 1000, nanos % 1000); }

/// "MatMul" of "y = MatMul(x, w/read)".
std::string_view op_of(std::string_view label) {
  const size_t begin = label.find(" = ");
  if (begin == std::string_view::npos) return label;
  const std::string_view call = label.substr(begin + 3);
  return call.substr(0, call.find('('));
}

}  // namespace

std::string Timeline::generate_chrome_trace_format() const {
  std::string json = "{\"traceEvents\": [";
  auto out = std::back_inserter(json);
  const char* separator = "\n";
  for (size_t process = 0; process < step_stats_.dev_stats.size(); ++process) {
    const RunMetadata::DeviceStepStats& device = step_stats_.dev_stats[process];
    fmt::format_to(out, R"({}{{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": {}}}}})",
                   separator, process, json_string(device.device));
    separator = ",\n";
    for (const RunMetadata::NodeExecStats& node : device.node_stats) {
      fmt::format_to(out,
                     R"({}{{"ph": "X", "cat": "Op", "name": {}, "pid": {}, "tid": {}, "ts": {}, "dur": {}, )"
                     R"("args": {{"name": {}, "label": {}}}}})",
                     separator, json_string(op_of(node.timeline_label)), process, node.thread_id,
                     in_micros(node.all_start_nanos + node.op_start_rel_nanos),
                     in_micros(node.op_end_rel_nanos - node.op_start_rel_nanos), json_string(node.node_name),
                     json_string(node.timeline_label));
    }
  }
  return json + "\n]}\n";
}

}  // namespace flowray::tf
