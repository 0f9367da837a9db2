#pragma once

#include "files/decoded_image.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flowray::files {

/// A PNG image of 8 bits a channel. `pixels` are row-major, as many as height * width * channels; 1
/// channel is grey, 2 grey and alpha, 3 RGB, 4 RGBA. Neither side may be 0. Throws InternalError where it
/// cannot be made.
std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels);
/// The same of `bits` 8 or 16 a channel, 16 in the machine's order; `compression` from 0 (none) to 9, -1:
/// zlib's default.
std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels, int bits,
                       int compression);

/// `channels`: 1 to 4 as above, 0: as in the file. `bits`: 8 or 16. None where it is not a PNG image,
/// or damaged.
std::optional<DecodedImage> decode_png(std::string_view file, int channels, int bits);

}  // namespace flowray::files
