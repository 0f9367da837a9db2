#pragma once
/// What TensorBoard reads: TensorFlow's messages Event and Summary (tensorflow/core/util/event.proto and
/// framework/summary.proto), as far as we write them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flowray::wire {

/// One scalar.
struct SummaryValue {
  std::string tag;
  float simple_value = 0;
};

/// The first event of a file, which says what the others are: "brain.Event:2". `wall_time`: seconds
/// since 1970.
std::string encode_file_version(double wall_time, std::string_view version);
/// Values of a step.
std::string encode_summary_event(double wall_time, int64_t step, std::span<const SummaryValue> values);
/// A Summary that is encoded already, as the op MergeSummary gives it.
std::string encode_summary_message_event(double wall_time, int64_t step, std::string_view summary);
/// A graph, as the bytes of its GraphDef.
std::string encode_graph_event(double wall_time, int64_t step, std::string_view graph_def);

/// SessionLog.SessionStatus.
enum class SessionStatus { kStart = 1, kStop = 2, kCheckpoint = 3 };
/// A SessionLog: that a session begins or ends, or that a checkpoint was written. `checkpoint_path`: empty
/// for none.
std::string encode_session_log_event(double wall_time, int64_t step, SessionStatus status,
                                     std::string_view checkpoint_path = {});

}  // namespace flowray::wire
