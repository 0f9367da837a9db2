#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::files {

/// A WAV file of 16 bits a sample. `samples` are frames in a row, each with a sample for every channel, from
/// -1 to 1; what is beyond is cut off.
std::string encode_wav(std::span<const float> samples, uint32_t sample_rate, uint16_t channels);

/// What such a file holds: frames in a row, each with a sample from -1 to below 1 for every channel.
struct DecodedWav {
  uint32_t sample_rate = 0;
  uint16_t channels = 0;
  std::vector<float> samples;
};
/// Throws errors::InvalidArgumentError, in TensorFlow's words, for what is no file of 16 bits a sample.
DecodedWav decode_wav(std::string_view file);

}  // namespace flowray::files
