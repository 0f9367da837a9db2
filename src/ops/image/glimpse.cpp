// ExtractGlimpse: a window of each image, around a place of its own, with noise where the image ends.

#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/shape_merging.h"
#include "ops/image/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

/// The first pixel of a window, cut towards zero; far outside is outside.
int64_t first_pixel(float offset, int64_t pixels, int64_t window, const graph::Attrs& attrs) {
  const auto size = static_cast<float>(pixels);
  if (attrs.get<bool>("normalized")) offset *= size;
  if (attrs.get<bool>("centered")) offset = offset / 2 + size / 2;
  offset -= static_cast<float>(window) / 2;
  constexpr float kFar = 1.0e18f;
  return std::isnan(offset) ? -static_cast<int64_t>(kFar)
                            : static_cast<int64_t>(std::clamp(offset, -kFar, kFar));
}

/// What stands where no pixel is: numbers like those of the image. Nobody can tell its seed.
class Noise {
 public:
  explicit Noise(const graph::Attrs& attrs) {
    const auto& kind = attrs.get<std::string>("noise");
    const bool is_uniform = attrs.get<bool>("uniform_noise");
    if (is_uniform && kind != "uniform") {
      invalid_argument("The uniform_noise should not be True when noise is not uniform");
    }
    if (kind != "uniform" && kind != "gaussian" && kind != "zero") {
      invalid_argument("The noise could only be uniform, gaussian, or zero, got" + kind);
    }
    kind_ = is_uniform || kind == "uniform" ? Kind::kUniform : kind == "zero" ? Kind::kZero : Kind::kNormal;
  }
  /// Looks at an image of `count` pixels, copied: another thread may write into it.
  void be_like(const float* pixels, int64_t count, int64_t depth) {
    channels_.assign(static_cast<size_t>(depth), Channel());
    if (kind_ == Kind::kZero || count == 0) return;
    for (int64_t c = 0; c < depth; ++c) {
      Channel& channel = channels_[static_cast<size_t>(c)];
      double sum = 0;
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const float value = pixels[i * depth + c];
        channel.least = i == 0 ? value : std::min(channel.least, value);
        channel.most = i == 0 ? value : std::max(channel.most, value);
        sum += value;
        squares += static_cast<double>(value) * value;
      }
      const double mean = sum / static_cast<double>(count);
      channel.mean = static_cast<float>(mean);
      channel.deviation =
          static_cast<float>(std::sqrt(std::max(squares / static_cast<double>(count) - mean * mean, 0.0)));
    }
    if (kind_ == Kind::kNormal) return;
    for (const Channel& channel : channels_) {  // the bounds of the whole image
      channels_[0].least = std::min(channels_[0].least, channel.least);
      channels_[0].most = std::max(channels_[0].most, channel.most);
    }
  }
  float next(int64_t c) {
    if (kind_ == Kind::kZero) return 0;
    if (kind_ == Kind::kUniform) {
      const Channel& all = channels_[0];
      return all.least + std::uniform_real_distribution<float>(0, 1)(bits_) * (all.most - all.least);
    }
    const Channel& own = channels_[static_cast<size_t>(c)];
    const float value = own.mean + own.deviation * std::normal_distribution<float>(0, 1)(bits_);
    return std::min(std::max(value, own.least), own.most);
  }

 private:
  enum class Kind { kUniform, kNormal, kZero };
  struct Channel {
    float least = 0;
    float most = 0;
    float mean = 0;
    float deviation = 0;
  };
  Kind kind_;
  std::vector<Channel> channels_;
  std::minstd_rand bits_{std::random_device{}()};
};

void check_glimpse(const Array& images, const Array& size, const Array& offsets) {
  if (images.rank() != 4) {
    invalid_argument("input must be 4-dimensional (batch_size, height, width, depth)" +
                     images.shape().to_string());
  }
  if (size.rank() != 1 || size.dim(0) != 2) {
    invalid_argument("input must be a vector of size 2 (height, width)" + size.shape().to_string());
  }
  if (offsets.rank() != 2) {
    invalid_argument("input must be a matrix" + offsets.shape().to_string());
  }
  if (offsets.dim(0) != images.dim(0)) {
    invalid_argument("first dimension should be batch" + offsets.shape().to_string());
  }
  if (offsets.dim(1) != 2) {
    invalid_argument("second dimension should be of size 2 (y,x)" + offsets.shape().to_string());
  }
}

void extract_glimpse(DynamicCall& call) {
  const Array& images = call.in(0);
  const Array& offsets = call.in(2);
  check_glimpse(images, call.in(1), offsets);
  const int64_t rows = call.in(1).data<int32_t>()[0];
  const int64_t columns = call.in(1).data<int32_t>()[1];
  for (const int64_t size : {rows, columns}) {
    if (size < 0) invalid_argument(fmt::format("Expected a non-negative size, got {}", size));
  }
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const int64_t depth = images.dim(3);
  Array output(DType::kFloat32, Shape{images.dim(0), rows, columns, depth});
  if (output.size() == 0) return call.set_out(0, output);
  Noise noise(call.attrs());
  float* to = output.mutable_data<float>();
  for (int64_t b = 0; b < images.dim(0); ++b) {
    noise.be_like(images.data<float>() + b * height * width * depth, height * width, depth);
    const int64_t top = first_pixel(offsets.data<float>()[2 * b], height, rows, call.attrs());
    const int64_t left = first_pixel(offsets.data<float>()[2 * b + 1], width, columns, call.attrs());
    for (int64_t y = top; y < top + rows; ++y) {
      for (int64_t x = left; x < left + columns; ++x, to += depth) {
        if (y >= 0 && y < height && x >= 0 && x < width) {
          std::copy_n(images.data<float>() + ((b * height + y) * width + x) * depth, depth, to);
        } else {
          for (int64_t c = 0; c < depth; ++c) to[c] = noise.next(c);
        }
      }
    }
  }
  call.set_out(0, output);
}

void glimpse_shape(ShapeContext& context) {
  if (context.attrs().get<bool>("uniform_noise") && context.attrs().get<std::string>("noise") != "uniform") {
    ShapeContext::fail("The uniform_noise should not be True when noise is not uniform");
  }
  if (context.running()) return;  // the kernel's words are others, and its shape the size that is given
  const Shape images = context.with_rank(0, 4);
  const Shape offsets = context.with_rank(2, 2);
  const int64_t batch = ShapeContext::merge_dim(images.dim(0), offsets.dim(0));
  check_dim(offsets.dim(1), 2);
  const Shape size = context.with_rank(1, 1);
  check_dim(size.dim(0), 2);
  int64_t rows = Shape::kUnknownDim;
  int64_t columns = Shape::kUnknownDim;
  if (context.value(1) != nullptr) {
    const std::vector<int64_t> known = context.integers(1);
    if (known[0] >= 0 && known[1] >= 0) std::tie(rows, columns) = std::pair(known[0], known[1]);
  }
  context.set_output(0, Shape{batch, rows, columns, images.dim(3)});
}

constexpr graph::OpRow kGlimpseOps[] = {
    {.name = "ExtractGlimpse",
     .inputs = "input:float32, size:int32, offsets:float32",
     .outputs = "glimpse:float32",
     .attrs = "centered:bool=true; normalized:bool=true; uniform_noise:bool=true; noise:string=\"uniform\"",
     .shape = glimpse_shape,
     .not_differentiable = true,
     .compute = extract_glimpse},
};

}  // namespace

void register_glimpse_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kGlimpseOps) table.add(row);
}

}  // namespace flowray::ops
