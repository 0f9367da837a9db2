#pragma once

#include "files/decoded_image.h"

#include <optional>
#include <string>
#include <string_view>

namespace flowray::files {

/// RGB frames of one size, one behind the other in `image.bytes`.
struct DecodedAnimation {
  int frames = 0;
  DecodedImage image;  // of one frame, but for the bytes
};

enum class GifFrames {
  kAll,
  kFirst,
  kOnly,  // of a file with more only their number
};

/// A frame shows what lies under it where it is transparent or smaller than the largest frame, which is the
/// size of all; what lies under the first is black. Frames up to the first that is damaged count. None and
/// `reason`, TensorFlow's, where there is none.
std::optional<DecodedAnimation> decode_gif(std::string_view file, GifFrames wanted, std::string& reason);

}  // namespace flowray::files
