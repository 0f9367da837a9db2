// DecodeWav, EncodeWav: sounds as the bytes of a file.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "files/wav.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/file/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

/// The attribute `desired_channels` or `desired_samples`; -1: as many as there are.
int64_t desired(const graph::Attrs& attrs, const std::string& what) {
  const int64_t count = checked_int32("Attr desired_" + what, attrs.get<int64_t>("desired_" + what));
  if (count < -1) ShapeContext::fail(fmt::format("{} must be non-negative, got {}", what, count));
  return count;
}

void decode_wav_shape(ShapeContext& context) {
  if (context.running()) return;
  context.with_rank(0, 0);
  const int64_t channels = desired(context.attrs(), "channels");
  context.set_output(0, Shape{desired(context.attrs(), "samples"), channels});  // -1: unknown
  context.set_output(1, Shape());
}

void decode_wav(DynamicCall& call) {
  const Array& contents = call.in(0);
  if (contents.rank() != 0)
    invalid_argument("contents must be scalar, got shape " + contents.shape().to_string());
  const files::DecodedWav wav = files::decode_wav(*contents.data<std::string>());
  const int64_t there = std::ssize(wav.samples) / wav.channels;
  const auto or_all = [](int64_t wanted, int64_t all) { return wanted < 0 ? all : wanted; };
  const int64_t frames = or_all(desired(call.attrs(), "samples"), there);
  const int64_t channels = or_all(desired(call.attrs(), "channels"), wav.channels);
  Array audio(DType::kFloat32, Shape{frames, channels});
  auto* out = audio.mutable_data<float>();
  const int64_t full = channels == 0 ? 0 : std::min(frames, there);  // silence follows
  for (int64_t frame = 0; frame < full; ++frame) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t from = frame * wav.channels + std::min<int64_t>(c, wav.channels - 1);
      *out++ = wav.samples[static_cast<size_t>(from)];
    }
  }
  call.set_out(0, std::move(audio));
  call.set_out(1, Array(static_cast<int32_t>(wav.sample_rate)));
}

void encode_wav_shape(ShapeContext& context) {
  if (context.running()) return;
  context.with_rank(0, 2);
  context.with_rank(1, 0);
  context.set_output(0, Shape());
}

void encode_wav(DynamicCall& call) {
  const Array& audio = call.in(0);
  if (audio.rank() != 2) invalid_argument("audio must be 2-dimensional" + audio.shape().to_string());
  if (call.in(1).rank() != 0) {
    invalid_argument(fmt::format("Input sample_rate should be a scalar tensor, got {} instead.",
                                 call.in(1).shape().to_string()));
  }
  const int32_t rate = *call.in(1).data<int32_t>();
  if (rate <= 0) {
    invalid_argument(fmt::format("sample_rate must be in (0, 2^32), got: {}",
                                 static_cast<uint64_t>(static_cast<int64_t>(rate))));
  }
  const int64_t channels = audio.dim(1);
  if (channels < 1 || channels > std::numeric_limits<uint16_t>::max()) {
    invalid_argument(fmt::format("num_channels must be in (0, 2^16), got: {}", channels));
  }
  constexpr int64_t kMostSamples = (int64_t{INT32_MAX} - 44) / 2;
  if (audio.size() > kMostSamples)
    invalid_argument(fmt::format("A WAV file holds {} samples, got: {}", kMostSamples, audio.size()));
  call.set_out(0, Array(files::encode_wav(audio.span<float>(), static_cast<uint32_t>(rate),
                                          static_cast<uint16_t>(channels))));
}

constexpr graph::OpRow kSoundFileOps[] = {
    {.name = "DecodeWav",
     .inputs = "contents:string",
     .outputs = "audio:float32, sample_rate:int32",
     .attrs = "desired_channels:int=-1; desired_samples:int=-1",
     .shape = decode_wav_shape,
     .compute = decode_wav},
    {.name = "EncodeWav",
     .inputs = "audio:float32, sample_rate:int32",
     .outputs = "contents:string",
     .shape = encode_wav_shape,
     .compute = encode_wav},
};

}  // namespace

void register_sound_file_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSoundFileOps) table.add(row);
}

}  // namespace flowray::ops
