#include "files/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <jerror.h>

namespace flowray::files {
namespace {

/// libjpeg leaves by longjmp; it must not print.
struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf leave;
  bool is_truncated = false;
};

Errors& errors_of(j_common_ptr info) { return *reinterpret_cast<Errors*>(info->err); }
void leave(j_common_ptr info) { std::longjmp(errors_of(info).leave, 1); }
void note(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) errors_of(info).is_truncated = true;
}

void set_errors(Errors& errors) {
  jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.emit_message = note;
}

/// Adobe's inverted CMYK as RGB.
void cmyk_to_rgb(const uint8_t* from, uint8_t* to, int count, bool is_inverted) {
  for (int i = 0; i < count; ++i, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) {
      const int ink = is_inverted ? from[c] : 255 - from[c];
      const int key = is_inverted ? from[3] : 255 - from[3];
      to[c] = static_cast<uint8_t>(ink * key / 255);
    }
  }
}

bool is_within(const Window& window, const jpeg_decompress_struct& info) {
  const int64_t height = info.output_height;
  const int64_t width = info.output_width;
  return window.top >= 0 && window.left >= 0 && window.height > 0 && window.width > 0 &&
         int64_t{window.top} + window.height <= height && int64_t{window.left} + window.width <= width;
}

/// Nothing in here has a destructor.
class Decoder {
 public:
  Decoder(std::string_view file, const JpegReading& options) : file_(file), options_(options) {}

  bool read_header(jpeg_decompress_struct& info, Errors& errors) const {
    set_errors(errors);
    info.err = &errors.base;
    if (setjmp(errors.leave) != 0) return false;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
    return jpeg_read_header(&info, TRUE) == JPEG_HEADER_OK;
  }

  int channels_of(const jpeg_decompress_struct& info) const {
    return options_.channels > 0 ? options_.channels : std::min(3, info.num_components);
  }

  bool read_rows(jpeg_decompress_struct& info, Errors& errors, DecodedImage& image,
                 std::vector<uint8_t>& row) const {
    if (setjmp(errors.leave) != 0) return false;
    const int channels = channels_of(info);
    const bool is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = channels == 1 ? JCS_GRAYSCALE : is_cmyk ? JCS_CMYK : JCS_RGB;
    info.scale_num = 1;
    info.scale_denom = static_cast<unsigned>(options_.ratio);
    info.do_fancy_upsampling = options_.fancy_upscaling ? TRUE : FALSE;
    info.dct_method = options_.fast_transform ? JDCT_IFAST : JDCT_ISLOW;
    // A file of several scans is kept as a whole while it is read: before memory is asked for.
    jpeg_calc_output_dimensions(&info);
    const auto bytes_of = [](size_t width, size_t height, size_t depth) { return width * height * depth; };
    if (bytes_of(info.image_width, info.image_height, static_cast<size_t>(info.num_components)) >
            kMostImageBytes ||
        bytes_of(info.output_width, info.output_height, static_cast<size_t>(channels)) > kMostImageBytes) {
      return false;
    }
    const Window window = options_.window.value_or(
        Window{0, 0, static_cast<int>(info.output_height), static_cast<int>(info.output_width)});
    if (!is_within(window, info)) return false;
    jpeg_start_decompress(&info);
    image.height = window.height;
    image.width = window.width;
    image.channels = channels;
    const size_t row_bytes = static_cast<size_t>(window.width) * static_cast<size_t>(channels);
    image.bytes.resize(row_bytes * static_cast<size_t>(window.height));
    // Whole blocks are decoded: the window begins `margin` pixels inside of what is read.
    auto first = static_cast<JDIMENSION>(window.left);
    auto count = static_cast<JDIMENSION>(window.width);
    if (count < info.output_width) jpeg_crop_scanline(&info, &first, &count);
    if (window.top > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.top));
    const size_t margin = static_cast<size_t>(window.left) - first;
    row.resize(size_t{info.output_width} * 4);
    JSAMPROW target = row.data();
    for (int y = 0; y < window.height; ++y) {
      uint8_t* const out = image.bytes.data() + static_cast<size_t>(y) * row_bytes;
      jpeg_read_scanlines(&info, &target, 1);
      if (info.out_color_space == JCS_CMYK) {
        cmyk_to_rgb(row.data() + margin * 4, out, image.width, info.saw_Adobe_marker != 0);
      } else {
        std::copy_n(row.data() + margin * static_cast<size_t>(channels), row_bytes, out);
      }
    }
    if (info.output_scanline == info.output_height)
      jpeg_finish_decompress(&info);  // else the rest is not looked at
    return !errors.is_truncated || options_.accepts_truncated;
  }

 private:
  const std::string_view file_;
  const JpegReading& options_;
};

}  // namespace

std::optional<DecodedImage> decode_jpeg(std::string_view file, const JpegReading& options) {
  jpeg_decompress_struct info = {};
  Errors errors = {};
  DecodedImage image;
  std::vector<uint8_t> row;
  const Decoder decoder(file, options);
  const bool is_good = decoder.read_header(info, errors) && decoder.read_rows(info, errors, image, row);
  jpeg_destroy_decompress(&info);
  if (!is_good) return std::nullopt;
  return image;
}

std::optional<DecodedImage> jpeg_shape(std::string_view file) {
  jpeg_decompress_struct info = {};
  Errors errors = {};
  const JpegReading options;
  const bool is_good = Decoder(file, options).read_header(info, errors);
  DecodedImage image{
      static_cast<int>(info.image_height), static_cast<int>(info.image_width), info.num_components, {}};
  jpeg_destroy_decompress(&info);
  if (!is_good) return std::nullopt;
  return image;
}

namespace {

void write(jpeg_compress_struct& info, std::span<const uint8_t> pixels, const JpegWriting& options) {
  jpeg_set_defaults(&info);
  if (options.optimize_size) info.optimize_coding = TRUE;
  info.density_unit = options.density_in_cm ? 2 : 1;
  info.X_density = static_cast<UINT16>(options.x_density);
  info.Y_density = static_cast<UINT16>(options.y_density);
  jpeg_set_quality(&info, options.quality, TRUE);
  if (options.progressive) jpeg_simple_progression(&info);
  if (!options.chroma_downsampling) {
    for (int i = 0; i < info.num_components; ++i)
      info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
  jpeg_start_compress(&info, TRUE);
  if (!options.xmp_metadata.empty()) {
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(options.xmp_metadata.data()),
                      static_cast<unsigned>(options.xmp_metadata.size()));
  }
  const size_t row_bytes = size_t{info.image_width} * static_cast<size_t>(info.input_components);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<uint8_t*>(pixels.data() + info.next_scanline * row_bytes);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
}

/// Nothing in here has a destructor.
bool try_to_write(jpeg_compress_struct& info, Errors& errors, std::span<const uint8_t> pixels, int height,
                  int width, int channels, const JpegWriting& options, unsigned char*& buffer,
                  unsigned long& size) {
  set_errors(errors);
  info.err = &errors.base;
  if (setjmp(errors.leave) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  write(info, pixels, options);
  return true;
}

}  // namespace

std::optional<std::string> encode_jpeg(std::span<const uint8_t> pixels, int height, int width, int channels,
                                       const JpegWriting& options) {
  jpeg_compress_struct info = {};
  Errors errors = {};
  unsigned char* buffer = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  JpegWriting marked = options;
  if (!options.xmp_metadata.empty()) {
    marked.xmp_metadata = std::string("http://ns.adobe.com/xap/1.0/") + '\0' + options.xmp_metadata;
  }
  const bool is_good = try_to_write(info, errors, pixels, height, width, channels, marked, buffer, size);
  jpeg_destroy_compress(&info);
  std::optional<std::string> file;
  if (is_good) file.emplace(reinterpret_cast<const char*>(buffer), size);
  std::free(buffer);
  return file;
}

}  // namespace flowray::files
