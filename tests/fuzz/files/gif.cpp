// GIF images and animations.

#include "files/gif.h"

#include "fuzz/target.h"

namespace flowray::fuzz {

/// The first byte chooses the frames.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr files::GifFrames kWanted[] = {files::GifFrames::kAll, files::GifFrames::kFirst,
                                          files::GifFrames::kOnly};
  const files::GifFrames wanted = kWanted[static_cast<unsigned char>(bytes[0]) % 3];
  std::string reason;
  const auto animation = files::decode_gif(bytes.substr(1), wanted, reason);
  check(animation.has_value() != !reason.empty(), "there are frames or a reason why not");
  if (!animation || (wanted == files::GifFrames::kOnly && animation->frames > 1)) return;
  const files::DecodedImage& image = animation->image;
  check(image.bytes.size() == static_cast<size_t>(animation->frames) * static_cast<size_t>(image.height) *
                                  static_cast<size_t>(image.width) * 3,
        "there are as many bytes as the frames have");
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  for (
      const char*
          file :  // one frame, a part that changes, transparent, interlaced, comments, disposals, own colours
      {"474946383961020002008100000a141e28323c46505a646e782c000000000200020000020344a815003b",
       "474946383961030003008100000a141e28323c46505a646e782c00000000030003000002064c983061c214002c01000100020"
       "001"
       "00000202d40a003b",
       "474946383961020002008100000a141e28323c46505a646e7821f90401000001002c000000000200020000020344a8150021f"
       "904"
       "01000001002c00000000020002000002034c0814003b",
       "474946383961020009008100000a141e28323c46505a646e782c000000000200090040020b44a811a146841a116a440a003b",
       "474946383961020001008100000a141e28323c46505a646e7821fe0568656c6c6f002c0000000002000100000202440a002c0"
       "000"
       "000002000100000202440a0021fe0568656c6c6f003b",
       "474946383961020002008100000a141e28323c46505a646e7821f90408000000002c000000000200020000020344a8150021f"
       "904"
       "0c000000002c00000000010001000002024c01002c01000100010001000002024c01003b",
       "474946383961020001008100000a141e28323c46505a646e782c000000000200010080c8c9cacbcccd0202440a003b"}) {
    inputs.push_back('\0' + from_hexadecimal(file));
  }
  return inputs;
}

}  // namespace flowray::fuzz
