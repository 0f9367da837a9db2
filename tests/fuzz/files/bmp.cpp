// BMP images.

#include "files/bmp.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

/// The first byte chooses the channels.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr int kChannels[] = {0, 3, 4};
  std::string reason;
  const auto image =
      files::decode_bmp(bytes.substr(1), kChannels[static_cast<unsigned char>(bytes[0]) % 3], reason);
  check(image.has_value() != !reason.empty(), "there is an image or a reason why not");
  if (!image) return;
  check(image->bytes.size() == static_cast<size_t>(image->height) * static_cast<size_t>(image->width) *
                                   static_cast<size_t>(image->channels),
        "there are as many bytes as the image has");
}

std::vector<std::string> seeds() {
  const std::string head = "424d4e00000000000000360000002800000003000000";
  const std::string rest = "00000000180000000000000000000000000000000000000001020304050607";
  std::vector<std::string> inputs;
  for (const char* middle : {"0200000001001800", "feffffff01001800", "0200000001000800", "0200000001002000"})
    inputs.push_back('\0' + from_hexadecimal(head + middle + rest + "08090a0b0c0d0e0f101112131415161718"));
  return inputs;
}

}  // namespace flowray::fuzz
