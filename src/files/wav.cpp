// The format (RIFF WAVE): a header of 44 bytes, then the samples; all numbers little-endian.

#include "files/wav.h"

#include <algorithm>
#include <cmath>

namespace flowray::files {
namespace {

template <class T>
void append_field(std::string& file, T number) {
  for (size_t i = 0; i < sizeof(T); ++i) file += static_cast<char>(static_cast<uint64_t>(number) >> (8 * i));
}

int16_t to_sample(float value) {
  constexpr float kScale = 32768;
  const float scaled = std::round(value * kScale);
  return static_cast<int16_t>(std::isnan(scaled) ? 0 : std::clamp(scaled, -32768.f, 32767.f));
}

}  // namespace

std::string encode_wav(std::span<const float> samples, uint32_t sample_rate, uint16_t channels) {
  constexpr uint32_t kHeaderBytes = 44;
  constexpr uint32_t kRiffBytes = 8;  // not counted in the file's size
  constexpr uint32_t kFormatBytes = 16;
  constexpr uint16_t kPlainNumbers = 1;
  constexpr uint16_t kSampleBytes = 2;
  const auto data_bytes = static_cast<uint32_t>(samples.size() * kSampleBytes);
  std::string file = "RIFF";
  append_field(file, kHeaderBytes - kRiffBytes + data_bytes);
  file += "WAVEfmt ";
  append_field(file, kFormatBytes);
  append_field(file, kPlainNumbers);
  append_field(file, channels);
  append_field(file, sample_rate);
  append_field(file, sample_rate * kSampleBytes * channels);
  append_field(file, static_cast<uint16_t>(kSampleBytes * channels));
  append_field(file, static_cast<uint16_t>(8 * kSampleBytes));
  file += "data";
  append_field(file, data_bytes);
  for (const float sample : samples) append_field(file, to_sample(sample));
  return file;
}

}  // namespace flowray::files
