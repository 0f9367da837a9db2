#pragma once
/// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): a hash with a key.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flowray {

/// Used once: `SipHash(key0, key1).of(text)`.
class SipHash {
 public:
  SipHash(uint64_t key0, uint64_t key1)
      : v_{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
           key1 ^ 0x7465646279746573} {}

  uint64_t of(std::string_view text) {
    size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) take(little_endian(text.data() + at, 8));
    take(little_endian(text.data() + at, text.size() - at) | (uint64_t{text.size()} << 56));
    v_[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) round();
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  /// Up to 8 bytes, the first one lowest.
  static uint64_t little_endian(const char* bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = 0; i < count; ++i) word |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    return word;
  }
  void take(uint64_t word) {
    v_[3] ^= word;
    round();
    round();
    v_[0] ^= word;
  }
  void round() {
    mix(0, 1, 13, 32);
    mix(2, 3, 16, 0);
    mix(0, 3, 21, 0);
    mix(2, 1, 17, 32);
  }
  void mix(int a, int b, int turn, int turn_sum) {
    v_[a] += v_[b];
    v_[b] = std::rotl(v_[b], turn) ^ v_[a];
    v_[a] = std::rotl(v_[a], turn_sum);
  }

  uint64_t v_[4];
};

}  // namespace flowray
