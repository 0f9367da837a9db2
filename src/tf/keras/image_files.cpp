// Images in files, and their sizes: as the Python Imaging Library reads and resizes them.
#include <flowray/errors.h>
#include <flowray/tf/keras/image_preprocessing.h>

#include "files/bmp.h"
#include "files/decoded_image.h"
#include "files/file_contents.h"
#include "files/gif.h"
#include "files/jpeg.h"
#include "files/new_file.h"
#include "files/png.h"
#include "tf/keras/image_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace flowray::tf::keras {
namespace {

using files::DecodedImage;
using files::ImageFormat;
using preprocessing::image::ImageSize;

constexpr int64_t kMostSide = 65535;  // of an image that is made or resized

std::optional<DecodedImage> decoded(const std::string& file) {
  std::string reason;
  switch (files::image_format_of(file)) {
    case ImageFormat::kPng:
      return files::decode_png(file, 0, 8);
    case ImageFormat::kJpeg:
      return files::decode_jpeg(file, {});
    case ImageFormat::kBmp:
      return files::decode_bmp(file, 0, reason);
    case ImageFormat::kGif:
      if (auto animation = files::decode_gif(file, files::GifFrames::kFirst, reason))
        return std::move(animation->image);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

int channels_of(const std::string& color_mode) {
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  if (color_mode == "grayscale") return 1;
  throw ValueError(
      fmt::format("color_mode must be \"grayscale\", \"rgb\", or \"rgba\"\nIt is \"{}\".", color_mode));
}

uint8_t grey_of(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

/// The same pixels with other channels.
DecodedImage converted(DecodedImage image, int channels) {
  if (image.channels == channels) return image;
  DecodedImage made = {image.height, image.width, channels, {}};
  const size_t count = static_cast<size_t>(image.height) * static_cast<size_t>(image.width);
  made.bytes.resize(count * static_cast<size_t>(channels));
  const bool has_colours = image.channels >= 3;
  const bool has_alpha = image.channels == 2 || image.channels == 4;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* const from = &image.bytes[i * static_cast<size_t>(image.channels)];
    uint8_t* const to = &made.bytes[i * static_cast<size_t>(channels)];
    if (channels == 1) {
      to[0] = has_colours ? grey_of(from) : from[0];
      continue;
    }
    for (int c = 0; c < 3; ++c) to[c] = from[has_colours ? c : 0];
    if (channels == 4) to[3] = has_alpha ? from[image.channels - 1] : 255;
  }
  return made;
}

// ---- other sizes

DecodedImage nearest(const DecodedImage& image, int height, int width) {
  DecodedImage made = {height, width, image.channels, {}};
  const auto channels = static_cast<size_t>(image.channels);
  made.bytes.reserve(static_cast<size_t>(height) * static_cast<size_t>(width) * channels);  // size: kMostSide
  const auto places = [](int from, int to) {  // added up, as there
    std::vector<size_t> pixels;
    const double step = static_cast<double>(from) / to;
    double place = step * 0.5;
    for (int i = 0; i < to; ++i, place += step)
      pixels.push_back(static_cast<size_t>(std::min<double>(place, from - 1)));
    return pixels;
  };
  const std::vector<size_t> columns = places(image.width, width);
  for (const size_t row : places(image.height, height)) {
    for (const size_t column : columns) {
      const uint8_t* const pixel = &image.bytes[(row * static_cast<size_t>(image.width) + column) * channels];
      made.bytes.insert(made.bytes.end(), pixel, pixel + channels);
    }
  }
  return made;
}

struct Filter {
  double (*weight)(double distance);
  double support;
};

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }
double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0;
}

/// The pixels that one of the result is made of, with their weights in units of 2^-22.
struct Contribution {
  size_t first = 0;
  std::vector<int64_t> weights;
};
constexpr int kPrecisionBits = 22;

std::vector<Contribution> contributions(int from, int to, const Filter& filter) {
  const double scale = static_cast<double>(from) / to;
  const double wide = std::max(scale, 1.0);
  const double support = filter.support * wide;
  std::vector<Contribution> made;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int end = std::min(from, static_cast<int>(centre + support + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int x = first; x < end; ++x) {
      weights.push_back(filter.weight((x - centre + 0.5) / wide));
      sum += weights.back();
    }
    Contribution of_pixel = {static_cast<size_t>(first), {}};
    for (const double weight : weights) {
      const double share = (sum == 0 ? weight : weight / sum) * (1 << kPrecisionBits);
      of_pixel.weights.push_back(static_cast<int64_t>(share + (share < 0 ? -0.5 : 0.5)));
    }
    made.push_back(std::move(of_pixel));
  }
  return made;
}

/// Lines of pixels, each made of others: `step` bytes lie between two pixels of a line.
uint8_t filtered(const uint8_t* line, size_t step, const Contribution& contribution) {
  int64_t sum = int64_t{1} << (kPrecisionBits - 1);
  for (size_t i = 0; i < contribution.weights.size(); ++i)
    sum += line[(contribution.first + i) * step] * contribution.weights[i];
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kPrecisionBits, 0, 255));
}

DecodedImage filtered_columns(const DecodedImage& image, int width, const Filter& filter) {
  if (image.width == width) return image;
  DecodedImage made = {image.height, width, image.channels, {}};
  const auto channels = static_cast<size_t>(image.channels);
  const std::vector<Contribution> all = contributions(image.width, width, filter);
  for (size_t row = 0; row < static_cast<size_t>(image.height); ++row) {
    const uint8_t* const line = &image.bytes[row * static_cast<size_t>(image.width) * channels];
    for (const Contribution& contribution : all) {
      for (size_t c = 0; c < channels; ++c) made.bytes.push_back(filtered(line + c, channels, contribution));
    }
  }
  return made;
}

DecodedImage filtered_rows(const DecodedImage& image, int height, const Filter& filter) {
  if (image.height == height) return image;
  DecodedImage made = {height, image.width, image.channels, {}};
  const size_t row_bytes = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  for (const Contribution& contribution : contributions(image.height, height, filter)) {
    for (size_t i = 0; i < row_bytes; ++i)
      made.bytes.push_back(filtered(&image.bytes[i], row_bytes, contribution));
  }
  return made;
}

/// Colours count as much as they are opaque.
void multiply_by_alpha(DecodedImage& image) {
  for (size_t i = 0; i < image.bytes.size(); i += 4) {
    const int alpha = image.bytes[i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const int product = image.bytes[i + c] * alpha + 128;
      image.bytes[i + c] = static_cast<uint8_t>(((product >> 8) + product) >> 8);
    }
  }
}
void divide_by_alpha(DecodedImage& image) {
  for (size_t i = 0; i < image.bytes.size(); i += 4) {
    const int alpha = image.bytes[i + 3];
    if (alpha == 0 || alpha == 255) continue;
    for (size_t c = 0; c < 3; ++c)
      image.bytes[i + c] = static_cast<uint8_t>(std::min(255, 255 * image.bytes[i + c] / alpha));
  }
}

DecodedImage resized(DecodedImage image, const ImageSize& size, const std::string& interpolation) {
  check_resizing(size, interpolation);
  const int height = static_cast<int>(size.height);  // size: kMostSide
  const int width = static_cast<int>(size.width);    // size: kMostSide
  const bool is_nearest = interpolation == "nearest";
  if (image.height == height && image.width == width) return image;
  if (is_nearest) return nearest(image, height, width);
  const Filter filter = interpolation == "bilinear" ? Filter{triangle, 1} : Filter{cubic, 2};
  const bool has_alpha = image.channels == 4;
  if (has_alpha) multiply_by_alpha(image);
  DecodedImage made = filtered_rows(filtered_columns(image, width, filter), height, filter);
  if (has_alpha) divide_by_alpha(made);
  return made;
}

}  // namespace

void check_resizing(const ImageSize& size, const std::string& interpolation) {
  if (size.height < 1 || size.width < 1 || size.height > kMostSide || size.width > kMostSide) {
    throw ValueError(fmt::format("height and width must be > 0\nThe size is {} x {}, and each may be {}.",
                                 size.height, size.width, kMostSide));
  }
  if (interpolation != "nearest" && interpolation != "bilinear" && interpolation != "bicubic") {
    throw ValueError(fmt::format(
        "Invalid interpolation method {} specified. Supported methods are nearest, bilinear, bicubic",
        interpolation));
  }
}

namespace preprocessing::image {

Array load_img(const std::string& path, const LoadImageOptions& options) {
  const int channels = channels_of(options.color_mode);
  std::optional<DecodedImage> image = decoded(files::read_file(path, files::FileAccess::all()));
  if (!image.has_value() || image->height < 1 || image->width < 1) {
    throw errors::InvalidArgumentError(
        fmt::format("cannot identify image file '{}'\nIt is not a whole PNG, JPEG, GIF or BMP image.", path));
  }
  DecodedImage made = converted(*std::move(image), channels);
  if (options.target_size.has_value())
    made = resized(std::move(made), *options.target_size, options.interpolation);
  Array values = Array::uninitialized(DType::kFloat32, {made.height, made.width, made.channels});
  std::ranges::transform(made.bytes, values.mutable_data<float>(),
                         [](uint8_t byte) { return static_cast<float>(byte); });
  return values;
}

void save_img(const std::string& path, const Array& x, bool scale) {
  if (!x.has_value() || x.rank() != 3) {
    throw ValueError(
        fmt::format("Expected image array to have rank 3 (single image). Got array with shape: {}",
                    x.has_value() ? x.shape().to_tuple_string() : "none"));
  }
  if (x.dim(2) != 1 && x.dim(2) != 3 && x.dim(2) != 4)
    throw ValueError(fmt::format("Unsupported channel number: {}", x.dim(2)));
  if (!path.ends_with(".png") && !path.ends_with(".PNG")) {
    throw ValueError(fmt::format("save_img writes PNG files, and '{}' does not end with .png", path));
  }
  if (x.size() == 0 || x.dim(0) > kMostSide || x.dim(1) > kMostSide)
    throw ValueError(fmt::format("An image of shape {} is not written.", x.shape().to_tuple_string()));
  const Array numbers = x.astype(DType::kFloat32);
  const auto values = numbers.span<float>();
  const auto [least, greatest] = std::ranges::minmax_element(values);
  const float low = scale ? *least : 0;
  const float span = scale ? *greatest - low : 255;
  std::vector<uint8_t> bytes;
  for (const float value : values) {
    const float byte = scale ? (value - low) / (span == 0 ? 1 : span) * 255 : value;
    bytes.push_back(byte > 0 ? static_cast<uint8_t>(std::min(byte, 255.0f)) : 0);  // NaN, too
  }
  const auto height = static_cast<int>(x.dim(0));    // size: kMostSide
  const auto width = static_cast<int>(x.dim(1));     // size: kMostSide
  const auto channels = static_cast<int>(x.dim(2));  // size: 1, 3 or 4
  files::write_file(path, files::encode_png(bytes, height, width, channels), files::FileAccess::all());
}

}  // namespace preprocessing::image
}  // namespace flowray::tf::keras
