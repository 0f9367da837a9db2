#pragma once
/// A checksum of a request and of its answer, between our own servers and clients: gRPC has none, and TCP's
/// is sixteen bits. The receiver's error on a mismatch is DATA_LOSS.

#include <grpcpp/grpcpp.h>

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

inline std::string checksum_of(const Message& message) {
  uint32_t sum = 0;
  for (const Message::Piece& piece : message.pieces()) sum = files::crc32c(characters_of(piece.bytes), sum);
  return std::to_string(sum);
}

inline bool has_checksum(std::span<const std::byte> bytes, std::string_view sum) {
  return std::to_string(files::crc32c(characters_of(bytes))) == sum;
}

}  // namespace flowray::cluster
