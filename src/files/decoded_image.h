#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowray::files {

/// Pixels row by row, channel by channel: one byte a value, or two in the machine's order.
struct DecodedImage {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> bytes;
};

/// Larger images are refused.
inline constexpr size_t kMostImageBytes = size_t{1} << 29;

}  // namespace flowray::files
