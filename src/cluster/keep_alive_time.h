#pragma once

#include <algorithm>
#include <cstdlib>

namespace flowray::cluster {

/// What the times of looking for silent ones are made of, milliseconds.
/// FLOWRAY_KEEPALIVE_MS changes it, to a day at most; what is not a number does not.
inline int keep_alive_ms() {
  constexpr int kUsual = 4000;
  const char* const given = std::getenv("FLOWRAY_KEEPALIVE_MS");
  constexpr long long kDay = 24 * 60 * 60 * 1000;
  const long long value = given == nullptr ? 0 : std::strtoll(given, nullptr, 10);
  return value > 0 ? static_cast<int>(std::min(value, kDay)) : kUsual;
}

/// Over the network a server is asked after this time without a word from it, and is gone when it has not
/// answered after the next one: four seconds together by default, so that a step that waits for it ends
/// within five.
inline int silent_after_ms() { return std::max(keep_alive_ms() / 8 * 3, 1); }
inline int gone_after_ms() { return std::max(keep_alive_ms() / 8 * 5, 1); }

}  // namespace flowray::cluster
