#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace flowray::files {

/// A WAV file of 16 bits a sample. `samples` are frames in a row, each with a sample for every channel, from
/// -1 to 1; what is beyond is cut off.
std::string encode_wav(std::span<const float> samples, uint32_t sample_rate, uint16_t channels);

}  // namespace flowray::files
