// Summaries of images and sounds, as PNG and WAV files in messages for TensorBoard.

#include "core/dtype_dispatch.h"
#include "files/png.h"
#include "files/wav.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/file/register.h"
#include "wire/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace flowray::ops {

using graph::DynamicCall;
using graph::OpTable;

namespace {

/// "x/image", or "x/image/0", ... where more than one was asked for, however many there are.
std::string media_tag(std::string_view tag, std::string_view kind, int64_t asked_for, int64_t i) {
  return asked_for > 1 ? fmt::format("{}/{}/{}", tag, kind, i) : fmt::format("{}/{}", tag, kind);
}

// ---- images

/// Rows of pixels, each a few channels.
template <class T>
struct Picture {
  std::span<const T> values;
  size_t channels;

  size_t num_pixels() const { return values.size() / channels; }
  std::span<const T> pixel(size_t i) const { return values.subspan(i * channels, channels); }
  bool is_finite(size_t i) const {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto finite = [](T value) { return std::isfinite(static_cast<Real>(value)); };
    return std::ranges::all_of(pixel(i), finite);
  }
};

/// value * scale + offset, in T's own precision.
template <class T>
struct Range {
  T scale;
  T offset;
  uint8_t to_byte(T value) const {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const T scaled = static_cast<T>(value * scale);
    const auto level = static_cast<Real>(static_cast<T>(scaled + offset));
    // The scale of a float16 may be infinite.
    return level > -1 && level < 256 ? static_cast<uint8_t>(level) : uint8_t{0};
  }
};

/// Positive values are stretched such that the greatest is 255; where there are negative ones, 0 becomes 128
/// and the farthest from it 1 or 255.
template <class T>
Range<T> range_of(const Picture<T>& picture) {
  constexpr float kNothing = 1e-6f;
  float least = std::numeric_limits<float>::infinity();
  float greatest = -least;
  for (size_t i = 0; i < picture.num_pixels(); ++i) {
    if (!picture.is_finite(i)) continue;
    for (const T value : picture.pixel(i)) {
      least = std::min(least, static_cast<float>(value));
      greatest = std::max(greatest, static_cast<float>(value));
    }
  }
  if (least < 0) {
    const float farthest = std::max(std::abs(least), std::abs(greatest));
    return {static_cast<T>(farthest < kNothing ? 0.f : 127.f / farthest), static_cast<T>(128.f)};
  }
  return {static_cast<T>(greatest < kNothing ? 0.f : 255.f / greatest), static_cast<T>(0.f)};
}

/// As bytes; a pixel with an infinite or undefined channel becomes `bad_color`.
template <class T>
std::vector<uint8_t> to_bytes(const Picture<T>& picture, std::span<const uint8_t> bad_color) {
  const Range<T> range = range_of(picture);
  std::vector<uint8_t> bytes;
  bytes.reserve(picture.values.size());
  for (size_t i = 0; i < picture.num_pixels(); ++i) {
    if (!picture.is_finite(i)) {
      bytes.insert(bytes.end(), bad_color.begin(),
                   bad_color.begin() + static_cast<ptrdiff_t>(picture.channels));
      continue;
    }
    for (const T value : picture.pixel(i)) bytes.push_back(range.to_byte(value));
  }
  return bytes;
}

std::vector<uint8_t> picture_bytes(const Array& tensor, int64_t i, std::span<const uint8_t> bad_color) {
  const auto channels = static_cast<size_t>(tensor.dim(3));
  const auto size = static_cast<size_t>(tensor.size() / tensor.dim(0));
  const size_t begin = static_cast<size_t>(i) * size;
  std::vector<uint8_t> bytes;
  if (tensor.dtype() == DType::kUint8) {
    const auto values = tensor.span<uint8_t>().subspan(begin, size);
    bytes.assign(values.begin(), values.end());
    return bytes;
  }
  (void)dispatch<TypeList<float, double, float16>>(tensor.dtype(), [&]<class T>() {
    bytes = to_bytes(Picture<T>{tensor.span<T>().subspan(begin, size), channels}, bad_color);
  });
  return bytes;
}

std::span<const uint8_t> check_bad_color(const DynamicCall& call, int64_t depth) {
  const auto& bad_color = call.attrs().get<Array>("bad_color");
  if (bad_color.dtype() != DType::kUint8) {
    throw errors::InvalidArgumentError(
        fmt::format("expected uint8 bad_color, got {}", dtype_kernel_name(bad_color.dtype())));
  }
  if (bad_color.rank() != 1) {
    throw errors::InvalidArgumentError(
        fmt::format("bad_color must be a vector, got shape {}", bad_color.shape().to_string()));
  }
  if (call.in(1).dtype() != DType::kUint8 && depth > bad_color.size()) {
    throw errors::InvalidArgumentError(fmt::format(
        "expected depth <= bad_color.size, got depth = {}, bad_color.size = {}", depth, bad_color.size()));
  }
  return bad_color.span<uint8_t>();
}

void image_summary(DynamicCall& call) {
  const Array& tags = call.in(0);
  const Array& tensor = call.in(1);
  const Shape& shape = tensor.shape();
  if (tags.rank() != 0) throw errors::InvalidArgumentError("Tags must be a scalar");
  if (shape.rank() != 4 || !(shape[3] == 1 || shape[3] == 3 || shape[3] == 4)) {
    throw errors::InvalidArgumentError(
        fmt::format("Tensor must be 4-D with last dim 1, 3, or 4, not {}", shape.to_string()));
  }
  if (std::ranges::any_of(shape.dims(), [](int64_t dim) { return dim >= INT32_MAX; }))
    throw errors::InvalidArgumentError("Tensor too large for summary " + shape.to_string());
  if (shape[1] == 0 || shape[2] == 0) {
    throw errors::InvalidArgumentError(
        fmt::format("input tensor must have non-zero dims. Found: [{}, {}, {}, {}].", shape[0], shape[1],
                    shape[2], shape[3]));
  }
  const auto max_images = call.attrs().get<int64_t>("max_images");
  const auto bad_color = check_bad_color(call, shape[3]);
  const int height = static_cast<int>(shape[1]);
  const int width = static_cast<int>(shape[2]);
  const int channels = static_cast<int>(shape[3]);
  wire::Summary summary;
  for (int64_t i = 0; i < std::min(max_images, shape[0]); ++i) {
    wire::Summary::Value& value = summary.value.emplace_back();
    value.tag = media_tag(tags.item<std::string>(), "image", max_images, i);
    value.content = wire::Summary::Image{.height = height,
                                         .width = width,
                                         .colorspace = channels,
                                         .encoded_image_string = files::encode_png(
                                             picture_bytes(tensor, i, bad_color), height, width, channels)};
  }
  call.set_out(0, Array(wire::encode(summary)));
}

// ---- sounds

void audio_summary(DynamicCall& call) {
  const Array& tag = call.in(0);
  const Array& tensor = call.in(1);
  if (tag.rank() != 0) throw errors::InvalidArgumentError("Tag must be a scalar");
  if (tensor.rank() != 2 && tensor.rank() != 3) {
    throw errors::InvalidArgumentError(
        fmt::format("Tensor must be 3-D or 2-D, got: {}", tensor.shape().to_string()));
  }
  const auto sample_rate = call.in(2).item<float>();
  if (!(sample_rate > 0)) throw errors::InvalidArgumentError("sample_rate must be > 0");
  const int64_t batch = tensor.dim(0);
  const int64_t frames = tensor.dim(1);
  const int64_t channels = tensor.rank() == 3 ? tensor.dim(2) : 1;
  const auto max_outputs = call.attrs().get<int64_t>("max_outputs");
  const auto size = static_cast<size_t>(batch == 0 ? 0 : tensor.size() / batch);
  constexpr float kRateLimit = 4294967296.f;
  constexpr int64_t kChannelLimit = 1 << 16;
  if (batch > 0 && max_outputs > 0) {
    if (channels == 0) throw errors::InvalidArgumentError("audio is null");
    if (sample_rate >= kRateLimit) {
      throw errors::InvalidArgumentError(fmt::format("sample_rate must be in (0, 2^32), got: {}",
                                                     static_cast<uint64_t>(std::lrint(sample_rate))));
    }
    if (channels >= kChannelLimit) {
      throw errors::InvalidArgumentError(fmt::format("num_channels must be in (0, 2^16), got: {}", channels));
    }
  }
  const auto whole_rate = static_cast<uint32_t>(std::max(1L, std::lrint(sample_rate)));
  wire::Summary summary;
  for (int64_t i = 0; i < std::min(max_outputs, batch); ++i) {
    wire::Summary::Value& value = summary.value.emplace_back();
    value.tag = media_tag(tag.item<std::string>(), "audio", max_outputs, i);
    const auto samples = tensor.span<float>().subspan(static_cast<size_t>(i) * size, size);
    value.content = wire::Summary::Audio{
        .sample_rate = sample_rate,
        .num_channels = channels,
        .length_frames = frames,
        .encoded_audio_string = files::encode_wav(samples, whole_rate, static_cast<uint16_t>(channels)),
        .content_type = "audio/wav"};
  }
  call.set_out(0, Array(wire::encode(summary)));
}

constexpr graph::OpRow kMediaSummaryOps[] = {
    {.name = "ImageSummary",
     .inputs = "tag:string, tensor:T",
     .outputs = "summary:string",
     .attrs = "max_images:int>=1=3; T:type=float32{[uint8,float32,float16,float64]}; "
              "bad_color:tensor=<uint8 255 0 0 255>",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = image_summary},
    {.name = "AudioSummaryV2",
     .inputs = "tag:string, tensor:float32, sample_rate:float32",
     .outputs = "summary:string",
     .attrs = "max_outputs:int>=1=3",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = audio_summary},
};

}  // namespace

void register_media_summary_ops(OpTable& table) {
  for (const graph::OpRow& row : kMediaSummaryOps) table.add(row);
}

}  // namespace flowray::ops
