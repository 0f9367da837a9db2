#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace flowray::files {

/// A PNG image of 8 bits a channel. `pixels` are row-major, as many as height * width * channels; 1 channel
/// is grey, 2 grey and alpha, 3 RGB, 4 RGBA. Neither side may be 0. Throws InternalError where it cannot be
/// made.
std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels);

}  // namespace flowray::files
