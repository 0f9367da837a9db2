#pragma once
/// Texts of errors as they travel. Header only: both sides of the transport (transport.h) use it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::cluster {

/// How many bytes the character of UTF-8 has that `text` begins with; 0 where it begins with none.
inline size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  const size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool is_overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool is_surrogate = byte(0) == 0xed && byte(1) > 0x9f;
  const bool is_beyond = byte(0) == 0xf4 && byte(1) > 0x8f;
  return is_overlong || is_surrogate || is_beyond ? 0 : size;
}

/// What a `string` field may hold: each byte that is part of no character becomes U+FFFD.
inline std::string with_characters_only(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t size = character_size(text);
    if (size == 0) {
      result += "\xef\xbf\xbd";
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

/// What of a text fits into the status of a call: a status is sent in the trailers, which gRPC's clients
/// refuse from 8 KiB on (by chance, always from 16 KiB on) and which take three bytes for each that is not
/// printable ASCII. The limit is TensorFlow's server's.
inline std::string fitted_into_status(std::string text) {
  constexpr size_t kMostBytes = 3072;
  constexpr size_t kMostSent = 6144;
  size_t kept = 0;
  size_t sent = 0;
  while (kept < text.size()) {
    const std::string_view rest = std::string_view(text).substr(kept);
    const size_t known = character_size(rest);
    const size_t size = known == 0 ? 1 : known;
    const bool is_printed = rest[0] >= ' ' && rest[0] <= '~' && rest[0] != '%';
    sent += is_printed ? 1 : 3 * size;
    if (kept + size > kMostBytes || sent > kMostSent) return text.substr(0, kept) + " ... [truncated]";
    kept += size;
  }
  return text;
}

/// How the text begins of what was refused for its size, in gRPC's words.
inline constexpr std::string_view kTooLargeBegin = "Received message larger than max (";
inline constexpr std::string_view kTooLargeAdvice =
    "\nSend less at once, or start the server with a higher --max-message-bytes.";

/// What a client is told whose request has `size_bytes`, where a server takes `most_bytes`; and the asker
/// of another server, whose answer has.
inline std::string too_large_text(int64_t size_bytes, int64_t most_bytes) {
  return std::string(kTooLargeBegin) + std::to_string(size_bytes) + " vs. " + std::to_string(most_bytes) +
         ")" + std::string(kTooLargeAdvice);
}

/// The error of a message that is too large for a peer that is not Flowray, and takes none in parts.
inline std::string too_large_to_send_text(size_t size_bytes, size_t most_bytes) {
  return "Sent message larger than max (" + std::to_string(size_bytes) + " vs. " +
         std::to_string(most_bytes) +
         ")\nOnly Flowray's own servers and clients send and take more, in parts: split the tensor or the "
         "graph "
         "where the other side is TensorFlow's.";
}

}  // namespace flowray::cluster
