#include "core/bytes_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace flowray {

std::string bytes_text(uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return unit == 0 ? fmt::format("{}B", bytes) : fmt::format("{:.2f}{}", amount, kUnits[unit]);
}

}  // namespace flowray
