#include "core/murmur_hash.h"

#include <bit>
#include <cstring>

namespace flowray {

static_assert(std::endian::native == std::endian::little, "words are read as they lie");

uint64_t murmur_hash(std::string_view text) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  uint64_t hash = kSeed ^ (text.size() * kMultiplier);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    word *= kMultiplier;
    word ^= word >> kShift;
    hash = (hash ^ (word * kMultiplier)) * kMultiplier;
  }
  if (!text.empty()) {
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    hash = (hash ^ rest) * kMultiplier;
  }
  hash = (hash ^ (hash >> kShift)) * kMultiplier;
  return hash ^ (hash >> kShift);
}

}  // namespace flowray
