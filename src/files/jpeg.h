#pragma once

#include "files/decoded_image.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flowray::files {

struct Window {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;
};

struct JpegReading {
  int channels = 0;  // 1: grey, 3: RGB, 0: as in the file
  int ratio = 1;     // 1, 2, 4 or 8: so much smaller
  bool fancy_upscaling = true;
  bool fast_transform = false;
  bool accepts_truncated = false;     // what is missing is grey
  std::optional<Window> window = {};  // only this part, all of which must lie in the image
};
/// None where it is not a JPEG image, or damaged.
std::optional<DecodedImage> decode_jpeg(std::string_view file, const JpegReading& options);
/// Height, width and channels only, no bytes.
std::optional<DecodedImage> jpeg_shape(std::string_view file);

struct JpegWriting {
  int quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_cm = false;  // else in inches
  int x_density = 300;
  int y_density = 300;
  std::string xmp_metadata = {};
};
/// `pixels`: height * width * channels; 1 channel is grey, 3 RGB. None where it cannot be made.
std::optional<std::string> encode_jpeg(std::span<const uint8_t> pixels, int height, int width, int channels,
                                       const JpegWriting& options);

}  // namespace flowray::files
