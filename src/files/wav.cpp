// The format (RIFF WAVE): a header of 44 bytes, then the samples; all numbers little-endian.

#include "files/wav.h"

#include "core/invalid_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

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

/// The fields of a file from its beginning.
class WavReader {
 public:
  explicit WavReader(std::string_view file) : file_(file) {}

  bool at_end() const { return at_ >= file_.size(); }
  /// Beyond the end, too: what comes next tells.
  void skip(uint64_t count) { at_ += count; }
  std::string_view text(size_t count) {
    if (at_ > file_.size() || file_.size() - at_ < count)
      invalid_argument("Data too short when trying to read string");
    const std::string_view bytes = file_.substr(at_, count);
    at_ += count;
    return bytes;
  }
  void expect(std::string_view wanted) {
    const std::string_view found = text(wanted.size());
    if (found != wanted)
      invalid_argument(fmt::format("Header mismatch: Expected {} but found {}", wanted, found));
  }
  template <class T>
  T field() {
    uint32_t number = 0;
    const std::string_view bytes = text(sizeof(T));
    for (size_t i = 0; i < sizeof(T); ++i) number |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    return static_cast<T>(number);
  }

 private:
  std::string_view file_;
  uint64_t at_ = 0;
};

constexpr uint16_t kPlainNumbers = 1;
constexpr uint16_t kSampleBytes = 2;

/// Fills in all but the samples.
DecodedWav read_wav_header(WavReader& reader) {
  reader.expect("RIFF");
  reader.skip(sizeof(uint32_t));  // the file's size, whatever it says
  reader.expect("WAVE");
  reader.expect("fmt ");
  const auto format_bytes = reader.field<uint32_t>();
  if (format_bytes != 16 && format_bytes != 18) {
    invalid_argument(
        fmt::format("Bad format chunk size for WAV: Expected 16 or 18, but got{}", format_bytes));
  }
  const auto format = reader.field<uint16_t>();
  if (format != kPlainNumbers)
    invalid_argument(fmt::format("Bad audio format for WAV: Expected 1 (PCM), but got{}", format));
  DecodedWav wav;
  wav.channels = reader.field<uint16_t>();
  if (wav.channels < 1) {
    invalid_argument(
        fmt::format("Bad number of channels for WAV: Expected at least 1, but got {}", wav.channels));
  }
  wav.sample_rate = reader.field<uint32_t>();
  const auto second_bytes = reader.field<uint32_t>();
  const auto frame_bytes = reader.field<uint16_t>();
  const auto bits = reader.field<uint16_t>();
  if (bits != 8 * kSampleBytes)
    invalid_argument(fmt::format("Can only read 16-bit WAV files, but received {}", bits));
  const uint32_t expected = uint32_t{kSampleBytes} * wav.channels;
  if (frame_bytes != expected) {
    invalid_argument(
        fmt::format("Bad bytes per sample in WAV header: Expected {} but got {}", expected, frame_bytes));
  }
  const uint64_t expected_second = uint64_t{frame_bytes} * wav.sample_rate;
  if (second_bytes != expected_second) {
    invalid_argument(
        fmt::format("Bad bytes per second in WAV header: Expected {} but got {} (sample_rate={}, "
                    "bytes_per_sample={})",
                    expected_second, second_bytes, wav.sample_rate, frame_bytes));
  }
  reader.skip(format_bytes - 16);
  return wav;
}

}  // namespace

DecodedWav decode_wav(std::string_view file) {
  WavReader reader(file);
  DecodedWav wav = read_wav_header(reader);
  bool has_samples = false;
  while (!reader.at_end()) {
    const std::string_view name = reader.text(4);
    const auto size = reader.field<uint32_t>();
    if (size > uint32_t{INT32_MAX}) {
      invalid_argument(fmt::format("WAV data chunk '{}' is too large: {} bytes, but the limit is {}", name,
                                   size, INT32_MAX));
    }
    if (name != "data") {
      reader.skip(size);
      continue;
    }
    if (has_samples) invalid_argument("More than one data chunk found in WAV");
    has_samples = true;
    const size_t frame_bytes = size_t{kSampleBytes} * wav.channels;
    WavReader samples(reader.text(size / frame_bytes * frame_bytes));
    constexpr float kScale = 1.f / 32768;
    while (!samples.at_end()) wav.samples.push_back(static_cast<float>(samples.field<int16_t>()) * kScale);
  }
  if (!has_samples) invalid_argument("No data chunk found in WAV");
  return wav;
}

std::string encode_wav(std::span<const float> samples, uint32_t sample_rate, uint16_t channels) {
  constexpr uint32_t kHeaderBytes = 44;
  constexpr uint32_t kRiffBytes = 8;  // not counted in the file's size
  constexpr uint32_t kFormatBytes = 16;
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
