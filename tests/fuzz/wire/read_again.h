#pragma once
/// What every message must do.

#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "wire/message.h"

namespace flowray::fuzz {

/// Reads the bytes as a message; what is written of it must be read as the same.
/// Throws Error where the bytes are not such a message.
template <class Message>
void read_again(std::string_view bytes) {
  const std::string once = wire::encode(wire::decode<Message>(bytes));
  check(wire::encode(wire::decode<Message>(once)) == once, "a message that was written is read as it was");
}

}  // namespace flowray::fuzz
