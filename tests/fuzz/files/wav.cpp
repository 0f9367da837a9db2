// WAV is only written: of samples, rates and channels of anybody.

#include "files/wav.h"

#include <cstring>
#include <vector>

#include "fuzz/target.h"

namespace flowray::fuzz {

/// The rate, the channels, and the samples.
void run(std::string_view bytes) {
  uint32_t rate = 0;
  uint16_t channels = 0;
  if (bytes.size() < sizeof(rate) + sizeof(channels)) return;
  std::memcpy(&rate, bytes.data(), sizeof(rate));
  std::memcpy(&channels, bytes.data() + sizeof(rate), sizeof(channels));
  bytes.remove_prefix(sizeof(rate) + sizeof(channels));
  std::vector<float> samples(bytes.size() / sizeof(float));
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  const std::string file = files::encode_wav(samples, rate, channels);
  check(file.size() == 44 + 2 * samples.size(), "a file is its head and two bytes a sample");
}

std::vector<std::string> seeds() {
  // 44,100 Hz, 2 channels: 0.5, -1; infinity, NaN.
  return {from_hexadecimal("44ac000002000000003f000080bf"), from_hexadecimal("ffffffff01000000807f0000c07f")};
}

}  // namespace flowray::fuzz
