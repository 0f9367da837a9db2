#pragma once

#include "files/decoded_image.h"

#include <optional>
#include <string>
#include <string_view>

namespace flowray::files {

/// Uncompressed pixels of 1, 3 or 4 bytes, of which one is taken for grey. `channels`: 3 or 4, 0: as in the
/// file. None and `reason`, TensorFlow's, where it is not such an image.
std::optional<DecodedImage> decode_bmp(std::string_view file, int channels, std::string& reason);

}  // namespace flowray::files
