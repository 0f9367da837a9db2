// JPEG images.

#include "files/jpeg.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

constexpr int64_t kMostPixels = 1 << 12;

/// The first byte chooses how it is read.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const int choice = static_cast<unsigned char>(bytes[0]);
  const std::string_view file = bytes.substr(1);
  files::JpegReading reading;
  reading.channels = (choice & 1) != 0 ? 0 : (choice & 2) != 0 ? 1 : 3;
  reading.ratio = 1 << ((choice >> 2) & 3);
  reading.fancy_upscaling = (choice & 16) != 0;
  reading.fast_transform = (choice & 32) != 0;
  reading.accepts_truncated = (choice & 64) != 0;
  if ((choice & 128) != 0) reading.window = files::Window{1, 2, 3, 4};
  const auto shape = files::jpeg_shape(file);
  // A head of few bytes may ask for any number of pixels. Few inputs may: the others are tried more often.
  if (shape && int64_t{shape->height} * shape->width > kMostPixels && file.size() % 256 != 0) return;
  const auto image = files::decode_jpeg(file, reading);
  if (!image) return;
  check(shape.has_value(), "what can be read has a shape");
  check(image->bytes.size() == static_cast<size_t>(image->height) * static_cast<size_t>(image->width) *
                                   static_cast<size_t>(image->channels),
        "there are as many bytes as the image has");
}

std::vector<std::string> seeds() {
  std::vector<uint8_t> pixels(16 * 17 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(7 * i);
  std::vector<std::string> inputs;
  for (const bool progressive : {false, true}) {
    for (const int channels : {1, 3}) {
      const auto file =
          files::encode_jpeg({pixels.data(), static_cast<size_t>(16 * 17 * channels)}, 16, 17, channels,
                             {.progressive = progressive, .xmp_metadata = progressive ? "xmp" : ""});
      for (const char choice : {'\1', '\x5d', '\x81'}) inputs.push_back(choice + *file);
    }
  }
  return inputs;
}

}  // namespace flowray::fuzz
