#include "files/png.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
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
void write(png_struct* png, png_info* info, const uint8_t* pixels, int height, int width, int channels) {
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png)) != 0) return;
  png_set_IHDR(png, info, static_cast<uint32_t>(width), static_cast<uint32_t>(height), 8,
               kColors[channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const size_t row_bytes = static_cast<size_t>(width) * static_cast<size_t>(channels);
  for (int y = 0; y < height; ++y) png_write_row(png, pixels + static_cast<size_t>(y) * row_bytes);
  png_write_end(png, nullptr);
}

}  // namespace

std::string encode_png(std::span<const uint8_t> pixels, int height, int width, int channels) {
  Job job;
  png_struct* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, fail, nullptr);
  png_info* info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info != nullptr) {
    png_set_write_fn(png, &job, append, nullptr);
    write(png, info, pixels.data(), height, width, channels);
  } else {
    job.error = "libpng could not be set up";
  }
  png_destroy_write_struct(&png, &info);
  if (!job.error.empty()) throw errors::InternalError(fmt::format("PNG encoding failed: {}", job.error));
  return std::move(job.encoded);
}

}  // namespace flowray::files
