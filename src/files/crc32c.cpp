#include "files/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace flowray::files {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // 0x1edc6f41, bits reversed

/// kTables[k][b]: what byte b does to the checksum when k more bytes follow it ("slicing by 8").
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_sse42(std::string_view bytes, uint32_t before) {
  uint64_t crc = ~before;
  const char* next = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; next += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, next, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  for (; left > 0; ++next, --left) {
    crc = _mm_crc32_u8(static_cast<uint32_t>(crc), static_cast<unsigned char>(*next));
  }
  return ~static_cast<uint32_t>(crc);
}
#endif

uint32_t byte_of(uint64_t word, int index) { return static_cast<uint32_t>(word >> (8 * index)) & 0xff; }

}  // namespace

uint32_t crc32c_portable(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 8; next += 8, left -= 8) {
    uint64_t word = crc;
    for (int i = 0; i < 8; ++i) word ^= uint64_t{next[i]} << (8 * i);
    crc = 0;
    for (int i = 0; i < 8; ++i) crc ^= kTables[static_cast<size_t>(7 - i)][byte_of(word, i)];
  }
  for (; left > 0; ++next, --left) crc = (crc >> 8) ^ kTables[0][(crc ^ *next) & 0xff];
  return ~crc;
}

uint32_t crc32c(std::string_view bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return crc32c_sse42(bytes, before);
#endif
  return crc32c_portable(bytes, before);
}

}  // namespace flowray::files
