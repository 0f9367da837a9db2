#pragma once
/// tests/golden/messages.json: TensorFlow's messages, as its Python and C++ write and read them.

#include "support/hexadecimal.h"
#include "support/json.h"

#include <string>

namespace flowray::wire {

inline const testing::Json& recorded_messages() {
  static const testing::Json kJson = testing::read_golden("messages");
  return kJson;
}

/// The bytes of the message of that name.
inline std::string recorded_message(const std::string& name) {
  return testing::from_hexadecimal(recorded_messages().at("messages").at(name).at("bytes").text);
}

}  // namespace flowray::wire
