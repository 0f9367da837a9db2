#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flowray::files {

/// Pixels row by row, channel by channel: one byte a value, or two in the machine's order.
struct DecodedImage {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> bytes;
};

/// What the first bytes of a file say that it is.
enum class ImageFormat { kJpeg, kPng, kGif, kBmp, kJpegXl, kWebP, kUnknown };

inline ImageFormat image_format_of(std::string_view file) {
  if (file.starts_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (file.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (file.starts_with("GIF8")) return ImageFormat::kGif;
  if (file.starts_with("BM")) return ImageFormat::kBmp;
  if (file.starts_with("\xff\x0a")) return ImageFormat::kJpegXl;
  if (file.starts_with("RIFF") && file.substr(std::min<size_t>(file.size(), 8)).starts_with("WEBP"))
    return ImageFormat::kWebP;
  return ImageFormat::kUnknown;
}

/// Larger images are refused.
inline constexpr size_t kMostImageBytes = size_t{1} << 29;

}  // namespace flowray::files
