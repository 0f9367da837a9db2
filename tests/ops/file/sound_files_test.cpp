// Samples are worked out by hand; errors are TensorFlow 2.21's.

#include "ops/array_testing.h"

#include <string>

namespace flowray::testing {
namespace {

using namespace std::string_literals;

/// Two channels at 8000 frames a second: 0 1, -1 32767, -32768 5.
const std::string kHead = "RIFF\x30\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\0\x7d\0\0\x04\0\x10\0"s;
const std::string kSound = kHead + "data\x0c\0\0\0\0\0\x01\0\xff\xff\xff\x7f\0\x80\x05\0"s;
constexpr float kStep = 1.f / 32768;

std::vector<Array> decoded(const std::string& file, int64_t channels = -1, int64_t samples = -1) {
  return run_op_all("DecodeWav", {Array(file)},
                    {.attrs = {{"desired_channels", channels}, {"desired_samples", samples}}});
}

TEST(DecodeWav, GivesTheSamplesOfEachFrame) {
  const auto whole = decoded(kSound);
  EXPECT_EQ(whole[0], Array({{0.f, kStep}, {-kStep, 32767 * kStep}, {-1.f, 5 * kStep}}));
  EXPECT_EQ(whole[1], Array(int32_t{8000}));
  EXPECT_EQ(decoded(kSound, 1, 2)[0], Array({{0.f}, {-kStep}}));
  EXPECT_EQ(decoded(kSound, 3, 1)[0], Array({{0.f, kStep, kStep}}));
  EXPECT_EQ(decoded(kSound, 1, 4)[0], Array({{0.f}, {-kStep}, {-1.f}, {0.f}}));
  EXPECT_EQ(decoded(kSound, 0)[0].shape(), (Shape{3, 0}));
  EXPECT_EQ(built_shape("DecodeWav", {Array(kSound)}, {{"desired_channels", int64_t{1}}}), "[?,1]");
}

TEST(DecodeWav, RefusesWhatIsNoSound) {
  const auto refuses = [](const std::string& file, const std::string& reason) {
    expect_run_error(reason, "DecodeWav", {Array(file)});
  };
  for (size_t size = 0; size < kSound.size(); ++size)
    EXPECT_THROW(decoded(kSound.substr(0, size)), errors::InvalidArgumentError) << size;
  refuses("", "Data too short when trying to read string");
  refuses("RIFX" + kSound.substr(4), "Header mismatch: Expected RIFF but found RIFX");
  refuses(kHead, "No data chunk found in WAV");
  refuses(kSound + kSound.substr(kHead.size()), "More than one data chunk found in WAV");
  refuses(kHead + "data\xff\xff\xff\xff"s,
          "WAV data chunk 'data' is too large: 4294967295 bytes, but the limit is 2147483647");
  refuses(kHead + "data\xff\xff\xff\x7f"s, "Data too short when trying to read string");
  expect_run_error("contents must be scalar, got shape [1]", "DecodeWav",
                   {Array(std::vector<std::string>{kSound})});
  expect_build_error("channels must be non-negative, got -2", "DecodeWav", {Array(kSound)},
                     {{"desired_channels", int64_t{-2}}});
  expect_build_error("samples must be non-negative, got -3", "DecodeWav", {Array(kSound)},
                     {{"desired_samples", int64_t{-3}}});
  EXPECT_THROW(decoded(kSound, INT32_MAX, INT32_MAX), errors::OpError);
}

TEST(EncodeWav, WritesWhatIsDecoded) {
  const Array audio = Array({{0.f, kStep}, {-kStep, 1.f}, {-2.f, 5 * kStep}});
  EXPECT_EQ(run_op("EncodeWav", {audio, Array(int32_t{8000})}), Array(kSound));
}

TEST(EncodeWav, RefusesWhatNoFileHolds) {
  const auto refuses = [](const Array& audio, const Array& rate, const std::string& reason) {
    expect_run_error(reason, "EncodeWav", {audio, rate});
  };
  const Array rate(int32_t{8000});
  refuses(zeros({3}), rate, "audio must be 2-dimensional[3]");
  refuses(zeros({3, 1}), Array(int32_t{0}), "sample_rate must be in (0, 2^32), got: 0");
  refuses(zeros({3, 1}), Array(int32_t{-5}), "sample_rate must be in (0, 2^32), got: 18446744073709551611");
  refuses(zeros({3, 1}), Array(std::vector<int32_t>{1}),
          "Input sample_rate should be a scalar tensor, got [1] instead.");
  refuses(zeros({3, 0}), rate, "num_channels must be in (0, 2^16), got: 0");
  refuses(zeros({1, 70000}), rate, "num_channels must be in (0, 2^16), got: 70000");
}

}  // namespace
}  // namespace flowray::testing
