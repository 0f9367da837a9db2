// Summaries, in both forms, which graphs hand over as texts and which come to stand in events, and how they
// are to be shown.

#include "wire/event.h"

#include "fuzz/target.h"
#include "fuzz/wire/read_again.h"
#include "wire/summary.h"

namespace flowray::fuzz {
namespace {

void read_text(std::string_view text) {
  const auto summary = wire::from_text_format<wire::Summary>(text);
  const std::string written = wire::to_text_format(summary);
  check(wire::encode(wire::from_text_format<wire::Summary>(written)) == wire::encode(summary),
        "a text that was written is read as the message that it shows");
}

/// Around a summary that nobody has looked at.
void wrap(std::string_view bytes) {
  const std::string event = wire::encode_summary_message_event(0.5, -1, bytes);
  check(event.size() >= bytes.size() && event.ends_with(bytes), "an event has its summary as it was");
}

}  // namespace

// The first byte says what the others are.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view rest = bytes.substr(1);
  switch (bytes.front()) {
    case 't':
      return read_text(rest);
    case 'm':
      return read_again<wire::SummaryMetadata>(rest);
    case 'e':
      return wrap(rest);
    default:
      return read_again<wire::Summary>(rest);
  }
}

std::vector<std::string> seeds() {
  const auto summary = wire::from_text_format<wire::Summary>(
      "value { tag: \"loss\" simple_value: 0.5 }\n"
      "value { tag: \"h\" histo { min: -1 max: 2 num: 3 sum: 1 sum_squares: 5 bucket_limit: 0 bucket_limit: "
      "2 bucket: 1 "
      "bucket: 2 } }\n"
      "value { tag: \"i\" image { height: 1 width: 2 colorspace: 3 encoded_image_string: \"\\211PNG\" } }\n"
      "value { tag: \"a\" audio { sample_rate: 44100 num_channels: 2 length_frames: 7 content_type: "
      "\"audio/wav\" } }\n"
      "value { tag: \"t\" tensor { dtype: DT_STRING tensor_shape { } string_val: \"x\" } metadata { "
      "plugin_data { "
      "plugin_name: \"text\" content: \"c\" } display_name: \"d\" } }");
  const std::string bytes = wire::encode(summary);
  // {"plugin_data": {"plugin_name": "text"}, "data_class": 2}
  return {"b" + bytes, "t" + wire::to_text_format(summary), "m" + from_hexadecimal("0a060a04746578742002"),
          "e" + bytes};
}

}  // namespace flowray::fuzz
