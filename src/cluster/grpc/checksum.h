#pragma once
/// A checksum of a request and of its answer, between our own servers and clients: gRPC has none, and TCP's
/// is sixteen bits. It is also of what says how the bytes are to be read, which one changed byte of HTTP/2's
/// tables turns into that of another call: the method, and where the parts of a large message are kept. The
/// receiver's error on a mismatch is UNAVAILABLE: another attempt may do better.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cluster/message.h"
#include "files/crc32c.h"

namespace flowray::cluster {

/// Under this key it travels in the metadata before a message.
inline constexpr const char* kChecksumKey = "flowray-crc32c";

inline std::string_view characters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Of what says how the bytes are to be read. `parts`: what stands in the metadata under kPartsKey, ""
/// without.
inline uint32_t checksum_of_reading(std::string_view method, std::string_view parts) {
  return files::crc32c(parts, files::crc32c(method));
}

inline std::string checksum_of(const Message& message, std::string_view method, std::string_view parts) {
  uint32_t sum = checksum_of_reading(method, parts);
  for (const Message::Piece& piece : message.pieces()) sum = files::crc32c(characters_of(piece.bytes), sum);
  return std::to_string(sum);
}

inline bool has_checksum(std::span<const std::byte> bytes, std::string_view method, std::string_view parts,
                         std::string_view sum) {
  return std::to_string(files::crc32c(characters_of(bytes), checksum_of_reading(method, parts))) == sum;
}

}  // namespace flowray::cluster
