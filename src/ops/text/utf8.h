#pragma once
/// UTF-8, character by character.

#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::ops {

/// The replacement character, for bytes that are not UTF-8.
inline constexpr uint32_t kReplacement = 0xfffd;

/// A character and how many bytes it took; `valid` is false, and `code` kReplacement, for the longest piece
/// that no character begins with (as Unicode recommends, section 3.9).
struct Utf8Character {
  uint32_t code = kReplacement;
  size_t size = 1;
  bool valid = false;
};

/// The first character of `text`, which is not empty.
inline Utf8Character next_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's bounds leave out overlong forms, surrogates and what is above U+10FFFF.
  uint32_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  uint32_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  uint32_t code = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {kReplacement, i, false};
    code = code << 6 | (byte(i) & 0x3fu);
    low = 0x80;
    high = 0xbf;
  }
  return {code, length, true};
}

inline void append_utf8(std::string& text, uint32_t code) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(static_cast<uint8_t>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace flowray::ops
