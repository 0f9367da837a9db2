#include "files/png.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <utility>

namespace flowray::files {
namespace {

struct Job {
  std::string encoded;
  std::string error;
};

void append(png_struct* png, png_byte* bytes, size_t count) {
  auto* job = static_cast<Job*>(png_get_io_ptr(png));
  job->encoded.append(reinterpret_cast<const char*>(bytes), count);
}

void fail(png_struct* png, const char* message) {
  static_cast<Job*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}

/// libpng leaves by longjmp: nothing in here has a destructor.
void write(png_struct* png, png_info* info, const uint8_t* pixels, int height, int width, int channels,
           int bits, int compression) {
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png)) != 0) return;
  png_set_IHDR(png, info, static_cast<uint32_t>(width), static_cast<uint32_t>(height), bits,
               kColors[channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (compression >= 0) png_set_compression_level(png, compression);
  png_write_info(png, info);
  if (bits > 8 && std::endian::native == std::endian::little) png_set_swap(png);
  const size_t row_bytes =
      static_cast<size_t>(width) * static_cast<size_t>(channels) * static_cast<size_t>(bits / 8);
  for (int y = 0; y < height; ++y) png_write_row(png, pixels + static_cast<size_t>(y) * row_bytes);
  png_write_end(png, nullptr);
}

}  // namespace

std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels) {
  return encode_png(pixels, height, width, channels, 8, -1);
}

std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels, int bits,
                       int compression) {
  Job job;
  png_struct* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, fail, nullptr);
  png_info* info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info != nullptr) {
    png_set_write_fn(png, &job, append, nullptr);
    write(png, info, pixels.data(), height, width, channels, bits, compression);
  } else {
    job.error = "libpng could not be set up";
  }
  png_destroy_write_struct(&png, &info);
  if (!job.error.empty()) throw errors::InternalError(fmt::format("PNG encoding failed: {}", job.error));
  return std::move(job.encoded);
}

namespace {

struct Reading {
  std::string_view left;
  DecodedImage image;
  std::vector<png_byte*> rows;
};

void take(png_struct* png, png_byte* to, size_t count) {
  auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
  if (count > reading->left.size()) png_error(png, "it ends too early");
  std::memcpy(to, reading->left.data(), count);
  reading->left.remove_prefix(count);
}

void leave(png_struct* png, const char*) { png_longjmp(png, 1); }
void ignore(png_struct*, const char*) {}

/// Sets libpng's conversions from the file's pixels to those that are asked for.
void set_changes(png_struct* png, png_info* info, int channels, int bits) {
  const int color = png_get_color_type(png, info);
  const int depth = png_get_bit_depth(png, info);
  const bool has_table_of_alpha = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  const bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  const bool is_grey = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (channels % 2 == 0 && !has_alpha) {
    if (has_table_of_alpha) {
      png_set_tRNS_to_alpha(png);
    } else {
      png_set_add_alpha(png, (1u << std::min(depth, 16)) - 1, PNG_FILLER_AFTER);
    }
  } else if (channels % 2 == 1 && (has_alpha || has_table_of_alpha)) {
    png_set_strip_alpha(png);
  }
  if (depth > 8 && bits <= 8) png_set_strip_16(png);
  png_set_packing(png);
  if (bits > 8 && std::endian::native == std::endian::little) png_set_swap(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (is_grey && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  constexpr double kRed = 0.299;
  constexpr double kGreen = 0.587;
  if (channels < 3 && !is_grey) png_set_rgb_to_gray(png, 1, kRed, kGreen);
  if (channels >= 3 && is_grey) png_set_gray_to_rgb(png);
}

int own_channels(png_struct* png, png_info* info) {
  if (png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE) return png_get_channels(png, info);
  return png_get_valid(png, info, PNG_INFO_tRNS) != 0 ? 4 : 3;
}

/// Nothing in here has a destructor.
bool read(png_struct* png, png_info* info, Reading& reading, int channels, int bits) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  DecodedImage& image = reading.image;
  image.height = static_cast<int>(png_get_image_height(png, info));
  image.width = static_cast<int>(png_get_image_width(png, info));
  image.channels = channels > 0 ? channels : own_channels(png, info);
  const bool widens = png_get_bit_depth(png, info) <= 8 && bits == 16;
  set_changes(png, info, image.channels, bits);
  (void)png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const size_t values = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  const size_t row_bytes = values * static_cast<size_t>(bits / 8);
  const size_t have_bytes = png_get_rowbytes(png, info);
  if (have_bytes != (widens ? values : row_bytes)) return false;
  if (row_bytes * static_cast<size_t>(image.height) > kMostImageBytes) return false;
  image.bytes.resize(row_bytes * static_cast<size_t>(image.height));
  reading.rows.resize(static_cast<size_t>(image.height));
  for (size_t y = 0; y < reading.rows.size(); ++y) reading.rows[y] = image.bytes.data() + y * row_bytes;
  png_read_image(png, reading.rows.data());
  png_read_end(png, info);
  for (size_t y = 0; widens && y < reading.rows.size(); ++y) {
    uint8_t* const row = reading.rows[y];
    for (size_t i = values; i-- > 0;) row[2 * i] = row[2 * i + 1] = row[i];  // 0 to 255 becomes 0 to 65535
  }
  return true;
}

}  // namespace

std::optional<DecodedImage> decode_png(std::string_view file, int channels, int bits) {
  Reading reading{file, {}, {}};
  png_struct* png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, leave, ignore);
  png_info* info = png == nullptr ? nullptr : png_create_info_struct(png);
  bool is_good = false;
  if (info != nullptr) {
    png_set_read_fn(png, &reading, take);
    is_good = read(png, info, reading, channels, bits);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (!is_good) return std::nullopt;
  return std::move(reading.image);
}

}  // namespace flowray::files
