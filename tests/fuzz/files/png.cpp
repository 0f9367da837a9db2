// PNG images.

#include "files/png.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

/// The first byte chooses how it is read.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const int choice = static_cast<unsigned char>(bytes[0]);
  const auto image = files::decode_png(bytes.substr(1), choice % 5, (choice & 0x80) != 0 ? 16 : 8);
  if (!image) return;
  const size_t width = (choice & 0x80) != 0 ? 2 : 1;
  check(image->bytes.size() == width * static_cast<size_t>(image->height) *
                                   static_cast<size_t>(image->width) * static_cast<size_t>(image->channels),
        "there are as many bytes as the image has");
}

std::vector<std::string> seeds() {
  std::vector<uint8_t> pixels(4 * 5 * 4 * 2);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(7 * i);
  std::vector<std::string> inputs;
  for (const int channels : {1, 2, 3, 4}) {
    for (const int bits : {8, 16}) {
      const auto count = static_cast<size_t>(4 * 5 * channels * bits / 8);
      inputs.push_back('\0' + files::encode_png({pixels.data(), count}, 4, 5, channels, bits, -1));
    }
  }
  // Interlaced, with a palette and transparency, which is not written here.
  inputs.push_back(
      '\0' +
      from_hexadecimal(
          "89504e470d0a1a0a0000000d494844520000000200000002020300000178dfd52100000006504c5445ff00000000ff6c"
          "a1fd8e0000000274524e53ff80080fb36a0000000e49444154789c636060706010000000d60051d4c86f740000000049"
          "454e44ae426082"));
  return inputs;
}

}  // namespace flowray::fuzz
