#include "core/murmur_hash.h"

#include <bit>
#include <cstring>

namespace flowray {

static_assert(std::endian::native == std::endian::little, "words are read as they lie");

namespace {

constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;

uint64_t mixed(uint64_t x) {
  constexpr int kShift = 47;
  return x ^ (x >> kShift);
}
uint64_t ended(uint64_t hash) { return mixed(mixed(hash) * kMultiplier); }

}  // namespace

uint64_t murmur_hash(std::string_view text) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  uint64_t hash = kSeed ^ (text.size() * kMultiplier);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    hash = (hash ^ (mixed(word * kMultiplier) * kMultiplier)) * kMultiplier;
  }
  if (!text.empty()) {
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    hash = (hash ^ rest) * kMultiplier;
  }
  return ended(hash);
}

uint64_t joined_hash(uint64_t a, uint64_t b) {
  const uint64_t hash = a ^ kMultiplier ^ (mixed(b * kMultiplier) * kMultiplier);
  return ended(hash * kMultiplier);
}

}  // namespace flowray
