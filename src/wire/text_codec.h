#pragma once
/// Protobuf's text form of messages by their tables. Included where to_text_format() and from_text_format()
/// are instantiated.

#include "wire/codec.h"

namespace flowray::wire::codec {

std::string to_text(const void* message, const MessageTable& table);
/// Reads into a message that is empty so far.
void from_text(void* message, const MessageTable& table, std::string_view text);

}  // namespace flowray::wire::codec

namespace flowray::wire {

template <class M>
std::string to_text_format(const M& message) {
  return codec::to_text(&message, codec::table_of<M>());
}

template <class M>
M from_text_format(std::string_view text) {
  M message;
  codec::from_text(&message, codec::table_of<M>(), text);
  return message;
}

}  // namespace flowray::wire
