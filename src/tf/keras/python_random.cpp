#include "tf/keras/python_random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

namespace flowray::tf::keras {
namespace {

constexpr size_t kStateSize = std::mt19937::state_size;

/// The state that init_by_array of Matsumoto and Nishimura's program makes of a key.
std::array<uint32_t, kStateSize> state_of(const std::vector<uint32_t>& key) {
  std::array<uint32_t, kStateSize> state{};
  state[0] = 19650218;
  for (size_t i = 1; i < kStateSize; ++i)
    state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + static_cast<uint32_t>(i);
  size_t i = 1;
  size_t j = 0;
  const auto next = [&] {
    if (++i < kStateSize) return;
    state[0] = state[kStateSize - 1];
    i = 1;
  };
  for (size_t k = std::max(kStateSize, key.size()); k > 0; --k) {
    state[i] =
        (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525U)) + key[j] + static_cast<uint32_t>(j);
    next();
    j = (j + 1) % key.size();
  }
  for (size_t k = kStateSize - 1; k > 0; --k) {
    state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941U)) - static_cast<uint32_t>(i);
    next();
  }
  state[0] = 0x80000000U;
  return state;
}

}  // namespace

/// The engine of the standard library takes its state as text: the words, then the place.
PythonRandom::PythonRandom(int64_t seed) {
  const uint64_t size = seed < 0 ? ~static_cast<uint64_t>(seed) + 1 : static_cast<uint64_t>(seed);
  std::vector<uint32_t> key = {static_cast<uint32_t>(size)};
  if (size >> 32 != 0) key.push_back(static_cast<uint32_t>(size >> 32));
  std::stringstream text;
  for (const uint32_t word : state_of(key)) text << word << ' ';
  text << kStateSize;
  text >> engine_;
}

uint64_t PythonRandom::bits(int count) {
  uint64_t value = 0;
  for (int shift = 0; shift < count; shift += 32) {
    const int taken = std::min(32, count - shift);
    value |= (static_cast<uint64_t>(engine_()) >> (32 - taken)) << shift;
  }
  return value;
}

uint64_t PythonRandom::below(uint64_t limit) {
  if (limit == 0) return 0;
  const int count = std::bit_width(limit);
  uint64_t value = bits(count);
  while (value >= limit) value = bits(count);
  return value;
}

double PythonRandom::random() {
  const uint64_t high = engine_() >> 5;
  const uint64_t low = engine_() >> 6;
  return (static_cast<double>(high) * 67108864.0 + static_cast<double>(low)) / 9007199254740992.0;
}

}  // namespace flowray::tf::keras
