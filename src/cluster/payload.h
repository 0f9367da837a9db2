#pragma once

#include <cstddef>
#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <span>

namespace flowray::cluster {

/// Where in a message of protobuf's the largest bytes lie, if it is one that is mostly one large content (a
/// tensor that is fed): what is there may be read in place if it is aligned. `head` is the message's
/// beginning, `size_bytes` all of it. 0 where there is no such content; the answer is a hint, for bytes that
/// are not a message, too.
inline size_t payload_offset(std::span<const std::byte> head, size_t size_bytes) {
  // protozero's reader wants the whole message.
  const char* const start = reinterpret_cast<const char*>(head.data());
  const char* const end = start + head.size();
  size_t next = 0;
  const auto varint = [&] {
    const char* at = start + next;
    const uint64_t value = protozero::decode_varint(&at, end);
    next = static_cast<size_t>(at - start);
    return value;
  };
  size_t begin = 0;  // of the innermost content that is most of the message
  try {
    while (next < head.size()) {
      const uint64_t tag = varint();
      if (tag >> 3 == 0) break;  // no field has the number 0
      switch (static_cast<protozero::pbf_wire_type>(tag & 7)) {
        case protozero::pbf_wire_type::varint:
          varint();
          continue;
        case protozero::pbf_wire_type::fixed64:
          next += 8;
          continue;
        case protozero::pbf_wire_type::fixed32:
          next += 4;
          continue;
        case protozero::pbf_wire_type::length_delimited:
          break;
        default:
          return begin;
      }
      const uint64_t length = varint();
      if (length > size_bytes - next) break;
      if (length > size_bytes / 2) {
        begin = next;  // and goes on inside of it
      } else {
        next += length;
      }
    }
  } catch (const protozero::exception&) {
    // The head ends within a number, or these are not messages.
  }
  return begin;
}

}  // namespace flowray::cluster
