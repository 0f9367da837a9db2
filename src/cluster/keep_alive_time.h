#pragma once

#include <algorithm>
#include <cstdlib>

namespace flowray::cluster {

/// Milliseconds of silence after which the other side of a connection is asked for a sign of life.
/// FLOWRAY_KEEPALIVE_MS changes it, to a day at most; what is not a number does not.
inline int keep_alive_ms() {
  constexpr int kUsual = 4000;
  const char* const given = std::getenv("FLOWRAY_KEEPALIVE_MS");
  constexpr long long kDay = 24 * 60 * 60 * 1000;
  const long long value = given == nullptr ? 0 : std::strtoll(given, nullptr, 10);
  return value > 0 ? static_cast<int>(std::min(value, kDay)) : kUsual;
}

}  // namespace flowray::cluster
