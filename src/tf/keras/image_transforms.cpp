// Images turned, moved, sheared, zoomed, brighter or darker.
#include <flowray/errors.h>
#include <flowray/tf/keras/image_preprocessing.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace flowray::tf::keras {
namespace {

using preprocessing::image::AffineOptions;
using preprocessing::image::AffineTransform;

/// From places of the result to those of the image.
using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix made{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) made[i][j] += a[i][k] * b[k][j];
    }
  }
  return made;
}

Matrix moved(double x, double y) { return {{{1, 0, x}, {0, 1, y}, {0, 0, 1}}}; }

Matrix matrix_of(const AffineTransform& transform, double height, double width) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double turn = transform.theta * kRadians;
  const double shear = transform.shear * kRadians;
  Matrix made = {{{std::cos(turn), -std::sin(turn), 0}, {std::sin(turn), std::cos(turn), 0}, {0, 0, 1}}};
  made = product(made, moved(transform.tx, transform.ty));
  made = product(made, {{{1, -std::sin(shear), 0}, {0, std::cos(shear), 0}, {0, 0, 1}}});
  made = product(made, {{{transform.zx, 0, 0}, {0, transform.zy, 0}, {0, 0, 1}}});
  made = product(product(moved(height / 2 - 0.5, width / 2 - 0.5), made),
                 moved(0.5 - height / 2, 0.5 - width / 2));
  // It is of x and y, arrays are of rows and columns.
  std::swap(made[0], made[1]);
  for (auto& row : made) std::swap(row[0], row[1]);
  return made;
}

enum class FillMode { kNearest, kConstant, kReflect, kWrap };

FillMode mode_of(const AffineOptions& options) {
  if (options.order != 0 && options.order != 1) {
    throw ValueError(fmt::format(
        "The interpolation order is 0 (the nearest pixel) or 1 (between pixels), not {}", options.order));
  }
  constexpr std::pair<const char*, FillMode> kModes[] = {{"nearest", FillMode::kNearest},
                                                         {"constant", FillMode::kConstant},
                                                         {"reflect", FillMode::kReflect},
                                                         {"wrap", FillMode::kWrap}};
  for (const auto& [name, mode] : kModes) {
    if (options.fill_mode == name) return mode;
  }
  throw ValueError(fmt::format("fill_mode is one of 'nearest', 'constant', 'reflect', 'wrap', not '{}'",
                               options.fill_mode));
}

double floor_modulo(double value, double by) {
  const double left = std::fmod(value, by);
  return left < 0 ? left + by : left;
}

/// A place of one dimension beyond the borders as one within them, or half a pixel from them.
double brought_inside(double place, int64_t size, FillMode mode) {
  const auto last = static_cast<double>(size - 1);
  if (mode == FillMode::kNearest || mode == FillMode::kConstant || size == 1)
    return std::clamp(place, 0.0, last);
  if (mode == FillMode::kWrap) {  // the last pixel is the first one
    if (place < 0) return place + last * (std::floor(-place / last) + 1);
    return place > last ? place - last * std::floor(place / last) : place;
  }
  const auto twice = static_cast<double>(2 * size);  // d c b a | a b c d | d c b a
  const double turned = floor_modulo(place + 0.5, twice);
  return (turned >= static_cast<double>(size) ? twice - turned : turned) - 0.5;
}

int64_t pixel(double number, int64_t size, FillMode mode) {
  if (mode == FillMode::kReflect) {
    if (number < 0) number = -number - 1;
    if (number >= static_cast<double>(size)) number = static_cast<double>(2 * size - 1) - number;
  }
  return static_cast<int64_t>(std::clamp(number, 0.0, static_cast<double>(size - 1)));
}

/// The pixels that a place of one dimension lies between, and the share of each.
struct Neighbours {
  std::array<int64_t, 2> pixels;
  std::array<double, 2> shares;
};

Neighbours neighbours(double place, int64_t size, FillMode mode, int order) {
  if (order == 0) return {{pixel(std::floor(place + 0.5), size, mode), 0}, {1, 0}};
  const double first = std::floor(place);
  return {{pixel(first, size, mode), pixel(first + 1, size, mode)}, {1 - (place - first), place - first}};
}

struct Image {
  const float* data;
  int64_t height, width, channels;
};

void resample_pixel(const Image& image, const Neighbours& rows, const Neighbours& columns, float* out) {
  for (int64_t c = 0; c < image.channels; ++c) {
    double sum = 0;
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        const double share = rows.shares[i] * columns.shares[j];
        if (share == 0) continue;
        sum +=
            share * static_cast<double>(
                        image.data[(rows.pixels[i] * image.width + columns.pixels[j]) * image.channels + c]);
      }
    }
    out[c] = static_cast<float>(sum);
  }
}

Array resampled(const Array& x, const Matrix& matrix, const AffineOptions& options) {
  const FillMode mode = mode_of(options);
  const Image image = {x.data<float>(), x.dim(0), x.dim(1), x.dim(2)};
  Array made = Array::uninitialized(DType::kFloat32, x.shape());
  float* out = made.mutable_data<float>();
  for (int64_t row = 0; row < image.height; ++row) {
    for (int64_t column = 0; column < image.width; ++column, out += image.channels) {
      const auto place = [&](size_t i) {
        return matrix[i][0] * static_cast<double>(row) + matrix[i][1] * static_cast<double>(column) +
               matrix[i][2];
      };
      const double down = place(0);
      const double right = place(1);
      if (mode == FillMode::kConstant && !(down >= 0 && down <= static_cast<double>(image.height - 1) &&
                                           right >= 0 && right <= static_cast<double>(image.width - 1))) {
        std::fill_n(out, image.channels, static_cast<float>(options.cval));
        continue;
      }
      resample_pixel(
          image, neighbours(brought_inside(down, image.height, mode), image.height, mode, options.order),
          neighbours(brought_inside(right, image.width, mode), image.width, mode, options.order), out);
    }
  }
  return made;
}

/// Elements of an integer dtype are rounded, and as far as it goes.
Array as_dtype(Array values, DType dtype) {
  const auto limits = [&]() -> std::pair<float, float> {
    switch (dtype) {
      case DType::kUint8:
        return {0.0f, 255.0f};
      case DType::kInt8:
        return {-128.0f, 127.0f};
      case DType::kUint16:
        return {0.0f, 65535.0f};
      case DType::kInt16:
        return {-32768.0f, 32767.0f};
      case DType::kInt32:
        return {-2147483648.0f, 2147483520.0f};
      default:
        return {0.0f, 0.0f};
    }
  }();
  if (limits.first != limits.second) {
    float* const elements = values.mutable_data<float>();
    for (int64_t i = 0; i < values.size(); ++i)
      elements[i] = std::min(std::max(std::round(elements[i]), limits.first), limits.second);
  }
  return values.astype(dtype);
}

void check_image(const Array& x) {
  if (!x.has_value() || x.rank() != 3)
    throw ValueError("Input arrays must be multi-channel 2D images.\nGive [height, width, channels].");
}

}  // namespace

namespace preprocessing::image {

Array apply_affine_transform(const Array& x, const AffineTransform& transform, const AffineOptions& options) {
  check_image(x);
  mode_of(options);
  for (const double number :
       {transform.theta, transform.tx, transform.ty, transform.shear, transform.zx, transform.zy}) {
    if (!std::isfinite(number)) throw ValueError("apply_affine_transform: all numbers must be finite");
  }
  if (transform == AffineTransform() || x.size() == 0) return x;
  const Matrix matrix = matrix_of(transform, static_cast<double>(x.dim(0)), static_cast<double>(x.dim(1)));
  constexpr double kMost = 1e12;  // so that places are finite, and have whole neighbours
  for (const auto& row : matrix) {
    for (const double number : row) {
      if (!(std::abs(number) < kMost))
        throw ValueError("apply_affine_transform: the numbers are too large for an image");
    }
  }
  return as_dtype(resampled(x.astype(DType::kFloat32), matrix, options), x.dtype());
}

Array apply_channel_shift(const Array& x, double intensity) {
  check_image(x);
  if (x.size() == 0) return x;
  Array made = x.astype(DType::kFloat32);
  float* const values = made.mutable_data<float>();
  const auto [least, greatest] = std::minmax_element(values, values + made.size());
  const float low = *least;
  const float high = *greatest;
  for (int64_t i = 0; i < made.size(); ++i)
    values[i] = std::min(std::max(values[i] + static_cast<float>(intensity), low), high);
  return as_dtype(std::move(made), x.dtype());
}

Array apply_brightness_shift(const Array& x, double brightness, bool scale) {
  check_image(x);
  const int64_t channels = x.dim(2);
  if (channels != 1 && channels != 3 && channels != 4)
    throw ValueError(fmt::format(
        "Unsupported channel number: {}\nOnly images of 1, 3 or 4 channels have a brightness.", channels));
  if (x.size() == 0) return x;
  Array made = x.astype(DType::kFloat32);
  float* const values = made.mutable_data<float>();
  const auto [least, greatest] = std::minmax_element(values, values + made.size());
  const float low = *least;
  const float span = *greatest - low;
  const bool is_beyond = low < 0 || *greatest > 255;
  for (int64_t i = 0; i < made.size(); ++i) {
    float value = values[i];
    if (is_beyond || scale) value = (value - low) / (span == 0 ? 1 : span) * 255;
    // Whole steps of a byte, before and after. How opaque a pixel is stays.
    const bool is_alpha = channels == 4 && i % 4 == 3;
    value = std::trunc(value) * (is_alpha ? 1 : static_cast<float>(brightness));
    value = std::min(std::max(std::trunc(value), 0.0f), 255.0f);
    values[i] = is_beyond && !scale ? value / 255 * span + low : value;
  }
  return made;
}

}  // namespace preprocessing::image
}  // namespace flowray::tf::keras
