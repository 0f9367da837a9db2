#include "files/bmp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace flowray::files {
namespace {

/// A number of the header, which is little-endian.
template <class T>
T number_at(std::string_view file, size_t position) {
  uint32_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(file[position + i])) << (8 * i);
  }
  return static_cast<T>(value);
}

/// One pixel: grey, or blue, green, red and perhaps alpha.
void put_pixel(const uint8_t* from, int own_channels, uint8_t* to, int channels) {
  constexpr uint8_t kOpaque = 255;
  if (own_channels == 1) {
    std::fill_n(to, channels < 3 ? 1 : 3, from[0]);
  } else {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
  }
  if (channels == 4) to[3] = own_channels == 4 ? from[3] : kOpaque;
}

}  // namespace

std::optional<DecodedImage> decode_bmp(std::string_view file, int channels, std::string& reason) {
  constexpr size_t kHeadBytes = 32;
  if (file.size() < kHeadBytes) {
    reason = fmt::format(
        "Incomplete bmp content, requires at least {} bytes to find the header size, width, height, and bpp, "
        "got {} bytes",
        kHeadBytes, file.size());
    return std::nullopt;
  }
  const int64_t start = number_at<int32_t>(file, 10);
  const int64_t width = number_at<int32_t>(file, 18);
  const int64_t height = number_at<int32_t>(file, 22);  // negative: from the top downwards
  const int own_channels = number_at<int16_t>(file, 28) / 8;
  const int64_t rows = std::abs(height);
  constexpr int64_t kLimit = int64_t{1} << 30;
  const auto refused = [&](std::string why) {
    reason = std::move(why);
    return std::nullopt;
  };
  if (own_channels != 1 && own_channels != 3 && own_channels != 4) {
    return refused(
        fmt::format("Number of channels inherent in the image must be 1, 3 or 4, was {}", own_channels));
  }
  if (width <= 0) return refused("Width must be positive");
  if (height == 0) return refused("Height must be nonzero");
  if (start < 0) return refused("header size must be nonnegative");
  if (rows > (kLimit - 1) / (width * own_channels)) {
    return refused("Total possible pixel bytes must be less than 2^30");
  }
  const int64_t row_bytes = (width * own_channels + 3) / 4 * 4;  // each row begins at a multiple of 4
  const int64_t expected = start + row_bytes * rows;
  const auto size = static_cast<int64_t>(file.size());
  if (size != expected) {
    return refused(
        fmt::format("Input size should match (header_size + row_size * abs_height) but they differ by {}",
                    size - expected));
  }
  DecodedImage image{.height = static_cast<int>(rows),
                     .width = static_cast<int>(width),
                     .channels = channels > 0 ? channels : own_channels,
                     .bytes = {}};
  const int64_t pixels = rows * width;  // as many as the file's size says
  image.bytes.resize(static_cast<size_t>(pixels) * static_cast<size_t>(image.channels));  // size: below 2^32
  uint8_t* out = image.bytes.data();
  for (int64_t y = 0; y < rows; ++y) {
    const int64_t row = height < 0 ? y : rows - 1 - y;
    const auto* in = reinterpret_cast<const uint8_t*>(file.data()) + start + row * row_bytes;
    for (int64_t x = 0; x < width; ++x, in += own_channels, out += image.channels) {
      put_pixel(in, own_channels, out, image.channels);
    }
  }
  return image;
}

}  // namespace flowray::files
