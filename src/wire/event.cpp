#include "wire/event.h"

#include <protozero/pbf_builder.hpp>

namespace flowray::wire {
namespace {

// The numbers of the fields.
enum class EventField : protozero::pbf_tag_type {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kGraphDef = 4,
  kSummary = 5,
  kSessionLog = 7
};
enum class SessionLogField : protozero::pbf_tag_type { kStatus = 1, kCheckpointPath = 2 };
enum class SummaryField : protozero::pbf_tag_type { kValue = 1 };
enum class ValueField : protozero::pbf_tag_type { kTag = 1, kSimpleValue = 2 };

}  // namespace

std::string encode_file_version(double wall_time, std::string_view version) {
  std::string message;
  protozero::pbf_builder<EventField> event(message);
  event.add_double(EventField::kWallTime, wall_time);
  event.add_string(EventField::kFileVersion, version.data(), version.size());
  return message;
}

std::string encode_summary_event(double wall_time, int64_t step, std::span<const SummaryValue> values) {
  std::string message;
  protozero::pbf_builder<EventField> event(message);
  event.add_double(EventField::kWallTime, wall_time);
  if (step != 0) event.add_int64(EventField::kStep, step);
  if (values.empty()) {  // a builder leaves out messages without a field
    event.add_message(EventField::kSummary, "", 0);
    return message;
  }
  protozero::pbf_builder<SummaryField> summary(event, EventField::kSummary);
  for (const SummaryValue& item : values) {
    protozero::pbf_builder<ValueField> value(summary, SummaryField::kValue);
    value.add_string(ValueField::kTag, item.tag.data(), item.tag.size());
    value.add_float(ValueField::kSimpleValue, item.simple_value);
  }
  return message;
}

std::string encode_summary_message_event(double wall_time, int64_t step, std::string_view summary) {
  std::string message;
  protozero::pbf_builder<EventField> event(message);
  event.add_double(EventField::kWallTime, wall_time);
  if (step != 0) event.add_int64(EventField::kStep, step);
  event.add_message(EventField::kSummary, summary.data(), summary.size());
  return message;
}

std::string encode_graph_event(double wall_time, int64_t step, std::string_view graph_def) {
  std::string message;
  protozero::pbf_builder<EventField> event(message);
  event.add_double(EventField::kWallTime, wall_time);
  if (step != 0) event.add_int64(EventField::kStep, step);
  event.add_bytes(EventField::kGraphDef, graph_def.data(), graph_def.size());
  return message;
}

std::string encode_session_log_event(double wall_time, int64_t step, SessionStatus status,
                                     std::string_view checkpoint_path) {
  std::string message;
  protozero::pbf_builder<EventField> event(message);
  event.add_double(EventField::kWallTime, wall_time);
  if (step != 0) event.add_int64(EventField::kStep, step);
  protozero::pbf_builder<SessionLogField> log(event, EventField::kSessionLog);
  log.add_enum(SessionLogField::kStatus, static_cast<int32_t>(status));
  if (!checkpoint_path.empty())
    log.add_string(SessionLogField::kCheckpointPath, checkpoint_path.data(), checkpoint_path.size());
  return message;
}

}  // namespace flowray::wire
