#pragma once

#include <chrono>
#include <cstdlib>

namespace flowray::cluster {

/// Milliseconds of silence after which the other side of a connection is asked for a sign of life.
/// FLOWRAY_KEEPALIVE_MS changes it.
inline int keep_alive_ms() {
  constexpr int kUsual = 4000;
  const char* const given = std::getenv("FLOWRAY_KEEPALIVE_MS");
  const int value = given == nullptr ? 0 : std::atoi(given);  // NOLINT: what is not a number is 0
  return value > 0 ? value : kUsual;
}

}  // namespace flowray::cluster
