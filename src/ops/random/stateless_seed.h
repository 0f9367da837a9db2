#pragma once
/// The seeds of random ops that have no state.

#include "core/philox.h"
#include "ops/elements/integer_reader.h"

#include <cstdint>

namespace flowray::ops {

/// The generator of a seed: its two numbers are scrambled first, so that any will do.
inline Philox philox_of_seed(const IntegerReader& seed) {
  constexpr uint64_t kScramblingKey = 0x02461e293ec8f720;
  Philox scrambler(kScramblingKey, static_cast<uint64_t>(seed[1]));
  scrambler.skip(static_cast<uint64_t>(seed[0]));
  const Philox::Words words = scrambler.next();
  const auto joined = [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; };
  return Philox(joined(words[0], words[1]), joined(words[2], words[3]));
}

}  // namespace flowray::ops
