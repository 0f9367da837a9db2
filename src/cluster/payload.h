#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace flowray::cluster {

/// Where in a message of protobuf's the largest bytes lie, if it is one that is mostly one large content (a
/// tensor that is fed): what is there may be read in place if it is aligned. `head` is the message's
/// beginning, `size_bytes` all of it. 0 where there is no such content; the answer is a hint, for bytes that
/// are no message as well.
inline size_t payload_offset(std::span<const std::byte> head, size_t size_bytes) {
  size_t next = 0;
  const auto varint = [&]() -> std::optional<uint64_t> {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && next < head.size(); shift += 7) {
      const auto byte = std::to_integer<uint64_t>(head[next++]);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  };
  const auto skip = [&](uint64_t wire_type) {
    if (wire_type == 0) return varint().has_value();
    if (wire_type != 1 && wire_type != 5) return false;
    next += wire_type == 1 ? 8 : 4;
    return true;
  };
  size_t begin = 0;  // of the innermost content that is most of the message
  while (next < head.size()) {
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0) break;  // no field has the number 0
    if ((*tag & 7) != 2) {
      if (!skip(*tag & 7)) break;
      continue;
    }
    const auto length = varint();
    if (!length || *length > size_bytes - next) break;
    if (*length > size_bytes / 2) {
      begin = next;  // and goes on inside of it
    } else {
      next += *length;
    }
  }
  return begin;
}

}  // namespace flowray::cluster
