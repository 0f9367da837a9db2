// Images from files' bytes and back.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "files/bmp.h"
#include "files/gif.h"
#include "files/jpeg.h"
#include "files/png.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/image/register.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

const std::string& contents_of(const DynamicCall& call) {
  const Array& contents = call.in(0);
  if (contents.rank() != 0) {
    invalid_argument(fmt::format("`contents` must be scalar but got shape{}", contents.shape().to_string()));
  }
  const auto& file = *contents.data<std::string>();
  if (file.empty()) invalid_argument("Input is empty.");
  return file;
}

int channels_of(const Attrs& attrs) {
  if (!attrs.contains("channels")) return 3;  // of DecodeGif
  const auto channels = attrs.get<int64_t>("channels");
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
    invalid_argument(fmt::format("`channels` must be 0, 1, 3 or 4 but got {}", channels));
  }
  return static_cast<int>(channels);
}

files::JpegReading jpeg_options(const Attrs& attrs) {
  files::JpegReading options{.channels = channels_of(attrs), .fast_transform = true};  // as TensorFlow does
  if (!attrs.contains("ratio")) return options;  // DecodeJpeg has more than the others
  const auto ratio = attrs.get<int64_t>("ratio");
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    invalid_argument(fmt::format("ratio must be 1, 2, 4, or 8, got {}", ratio));
  const auto& method = attrs.get<std::string>("dct_method");
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE") {
    invalid_argument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
  }
  options.ratio = static_cast<int>(ratio);
  options.fast_transform = method != "INTEGER_ACCURATE";
  options.fancy_upscaling = attrs.get<bool>("fancy_upscaling");
  options.accepts_truncated = attrs.get<bool>("try_recover_truncated");
  return options;
}

/// The image in the dtype that is asked for; `image` has `bits` a value. `frames` is a dimension where it is
/// not 0.
Array as_array(const files::DecodedImage& image, int frames, int bits, DType dtype) {
  const Shape shape = frames > 0 ? Shape{frames, image.height, image.width, image.channels}
                                 : Shape{image.height, image.width, image.channels};
  Array pixels(bits == 16 ? DType::kUint16 : DType::kUint8, shape);
  if (pixels.size() > 0) std::memcpy(pixels.mutable_raw_data(), image.bytes.data(), image.bytes.size());
  if (dtype == pixels.dtype()) return pixels;
  if (dtype == DType::kUint16) {
    constexpr int kSteps = 256;
    Array wide(dtype, shape);
    auto* out = wide.mutable_data<uint16_t>();
    for (const uint8_t value : pixels.span<uint8_t>()) *out++ = static_cast<uint16_t>(value * kSteps);
    return wide;
  }
  Array real = pixels.astype(DType::kFloat32);
  const float scale = 1.0f / (bits == 16 ? 65535.0f : 255.0f);
  float* values = real.mutable_data<float>();
  for (int64_t i = 0; i < real.size(); ++i) values[i] *= scale;
  return real;
}

enum class Decoder { kImage, kJpeg, kCroppedJpeg, kPng, kGif, kBmp };

/// What an op asks of a file, whatever the file is.
class Decoding {
 public:
  Decoding(const Attrs& attrs, Decoder decoder)
      : jpeg_(jpeg_options(attrs)),
        channels_(jpeg_.channels),
        dtype_(attrs.contains("dtype") ? attrs.get<DType>("dtype") : DType::kUint8),
        decoder_(decoder),
        has_frames_(decoder == Decoder::kGif ||
                    (decoder == Decoder::kImage && attrs.get<bool>("expand_animations"))) {}

  Decoding(const Attrs& attrs, const files::Window& window) : Decoding(attrs, Decoder::kCroppedJpeg) {
    jpeg_.window = window;
  }

  Array decode(const std::string& file) const {
    switch (files::image_format_of(file)) {
      case files::ImageFormat::kJpeg:
        return jpeg(file);
      case files::ImageFormat::kPng:
        return png(file);
      case files::ImageFormat::kGif:
        return gif(file);
      case files::ImageFormat::kBmp:
        return bmp(file);
      case files::ImageFormat::kJpegXl:
      case files::ImageFormat::kWebP:
        throw errors::UnimplementedError(
            "JPEG XL and WebP images are not read here; give JPEG, PNG, GIF or BMP");
      case files::ImageFormat::kUnknown:
        break;
    }
    invalid_argument("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.");
  }

 private:
  int frames_of_still() const { return decoder_ == Decoder::kGif ? 1 : 0; }

  void refuse_in_others(std::string_view format, std::string_view function) const {
    if (decoder_ == Decoder::kCroppedJpeg && function != "jpeg") {
      invalid_argument(
          fmt::format("DecodeAndCropJpeg operation can run on JPEG only, but detected {}.", format));
    }
    if (decoder_ != Decoder::kBmp || function == "bmp") return;
    invalid_argument(fmt::format(
        "Trying to decode {} format using DecodeBmp op. Use `decode_{}` or `decode_image` instead.", format,
        function));
  }

  Array jpeg(const std::string& file) const {
    if (channels_ == 4) invalid_argument("JPEG does not support 4 channels");
    refuse_in_others("JPEG", "jpeg");
    const auto image = files::decode_jpeg(file, jpeg_);
    if (!image) invalid_argument("jpeg::Uncompress failed. Invalid JPEG data or crop window.");
    return as_array(*image, frames_of_still(), 8, dtype_);
  }

  Array png(const std::string& file) const {
    refuse_in_others("PNG", "png");
    const int bits = dtype_ == DType::kUint8 ? 8 : 16;
    const auto image = files::decode_png(file, channels_, bits);
    if (image) return as_array(*image, frames_of_still(), bits, dtype_);
    // Signature, image header, head of the first data: without them TensorFlow's decoder does not begin.
    constexpr size_t kHeadBytes = 8 + 25 + 8;
    if (file.size() >= kHeadBytes) invalid_argument(fmt::format("Invalid PNG data, size {}", file.size()));
    invalid_argument(
        fmt::format("Invalid PNG. Failed to initialize decoder.\nIts {} bytes are not a complete PNG image",
                    file.size()));
  }

  Array gif(const std::string& file) const {
    if (channels_ != 0 && channels_ != 3)
      invalid_argument(fmt::format("channels must be 0 or 3 for GIF, got {}", channels_));
    refuse_in_others("GIF", "gif");
    const auto wanted = has_frames_                   ? files::GifFrames::kAll
                        : decoder_ == Decoder::kImage ? files::GifFrames::kFirst
                                                      : files::GifFrames::kOnly;
    std::string reason;
    const auto animation = files::decode_gif(file, wanted, reason);
    if (!animation) invalid_argument(fmt::format("Invalid GIF data (size {}), {}", file.size(), reason));
    if (!has_frames_ && animation->frames > 1) {
      invalid_argument(fmt::format(
          "Got {} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image",
          animation->frames));
    }
    return as_array(animation->image, has_frames_ ? animation->frames : 0, 8, dtype_);
  }

  Array bmp(const std::string& file) const {
    refuse_in_others("BMP", "bmp");
    if (decoder_ != Decoder::kBmp && decoder_ != Decoder::kImage) {
      invalid_argument(fmt::format(
          "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. "
          "Op used: {}",
          decoder_ == Decoder::kGif   ? "DecodeGif"
          : decoder_ == Decoder::kPng ? "DecodePng"
                                      : "DecodeJpeg"));
    }
    if (channels_ == 1) invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got 1");
    std::string reason;
    const auto image = files::decode_bmp(file, channels_, reason);
    if (!image) invalid_argument(reason);
    return as_array(*image, 0, 8, dtype_);
  }

  files::JpegReading jpeg_;
  int channels_;
  DType dtype_;
  Decoder decoder_;
  bool has_frames_;
};

void decode_and_crop_jpeg(DynamicCall& call) {
  const Array& numbers = call.in(1);
  if (numbers.rank() != 1)
    invalid_argument(fmt::format("crop_window must be 1-D, got shape {}", numbers.shape().to_string()));
  if (numbers.size() != 4)
    invalid_argument(fmt::format("crop_size must have four elements {}", numbers.shape().to_string()));
  const auto window = numbers.span<int32_t>();
  const Decoding decoding(call.attrs(), files::Window{window[0], window[1], window[2], window[3]});
  call.set_out(0, decoding.decode(contents_of(call)));
}

template <Decoder kDecoder>
void decode(DynamicCall& call) {
  const Decoding decoding(call.attrs(), kDecoder);
  call.set_out(0, decoding.decode(contents_of(call)));
}

void extract_jpeg_shape(DynamicCall& call) {
  if (call.in(0).rank() != 0)
    invalid_argument(fmt::format("contents must be scalar, got shape {}", call.in(0).shape().to_string()));
  const auto& file = *call.in(0).data<std::string>();
  const auto image = files::jpeg_shape(file);
  if (!image) invalid_argument(fmt::format("Invalid JPEG data, size {}", file.size()));
  call.set_out(0, Array(std::vector<int32_t>{image->height, image->width, image->channels})
                      .astype(call.attrs().get<DType>("output_type")));
}

// ---- encoding

void encode_png(DynamicCall& call) {
  const Array& images = call.in(0);
  const auto compression = call.attrs().get<int64_t>("compression");
  if (compression < -1 || compression > 9)
    invalid_argument(fmt::format("compression should be in [-1,9], got {}", compression));
  if (images.rank() < 3) invalid_argument("images must be at least rank 3" + images.shape().to_string());
  const int64_t height = images.dim(-3);
  const int64_t width = images.dim(-2);
  const int64_t channels = images.dim(-1);
  if (channels < 1 || channels > 4)
    invalid_argument(fmt::format("image must have 1, 2, 3, or 4 channels, got {}", channels));
  if (images.size() >= INT32_MAX) invalid_argument("image cannot have >= int32 max elements");
  const auto dims = images.shape().dims();
  const Shape batch(dims.first(dims.size() - 3));
  if (images.size() == 0 && batch.num_elements() > 0) {
    throw errors::InternalError("PNG encoding failed at the following flattened batch indices: 0");
  }
  Array files(DType::kString, batch);
  const auto width_bytes = static_cast<int64_t>(dtype_size(images.dtype()));
  const int64_t image_bytes = images.size() == 0 ? 0 : height * width * channels * width_bytes;
  auto* out = files.mutable_data<std::string>();
  for (int64_t i = 0; i < files.size(); ++i) {
    const auto* pixels = static_cast<const uint8_t*>(images.raw_data()) + i * image_bytes;
    out[i] = files::encode_png({pixels, static_cast<size_t>(image_bytes)}, static_cast<int>(height),
                               static_cast<int>(width), static_cast<int>(channels),
                               static_cast<int>(8 * width_bytes), static_cast<int>(compression));
  }
  call.set_out(0, std::move(files));
}

/// Before its channels are looked at.
void check_jpeg_image(const Array& image) {
  if (image.rank() != 3) invalid_argument("image must be 3-dimensional" + image.shape().to_string());
  if (image.size() >= INT32_MAX) invalid_argument("Cannot encode images with >= max int32 elements");
}

Array jpeg_of(const Array& image, const files::JpegWriting& options) {
  const int64_t channels = image.dim(2);
  if (channels != 1 && channels != 3) {
    invalid_argument(fmt::format("image must have 1 or 3 channels, got {}", image.shape().to_string()));
  }
  const auto file = files::encode_jpeg(image.span<uint8_t>(), static_cast<int>(image.dim(0)),
                                       static_cast<int>(image.dim(1)), static_cast<int>(channels), options);
  if (!file) throw errors::InternalError("JPEG encoding failed");
  return Array(*file);
}

void encode_jpeg(DynamicCall& call) {
  const Array& image = call.in(0);
  const Attrs& attrs = call.attrs();
  const auto quality = attrs.get<int64_t>("quality");
  if (quality < 0 || quality > 100)
    invalid_argument(fmt::format("quality must be in [0,100], got {}", quality));
  check_jpeg_image(image);
  const int64_t channels = image.dim(2);
  const auto& format = attrs.get<std::string>("format");
  const int64_t expected = format == "rgb" ? 3 : format == "grayscale" ? 1 : channels;
  if (expected != channels) {
    invalid_argument(
        fmt::format("format {} expects {} channels, got {}", format, expected, image.shape().to_string()));
  }
  call.set_out(0,
               jpeg_of(image, {.quality = static_cast<int>(quality),
                               .progressive = attrs.get<bool>("progressive"),
                               .optimize_size = attrs.get<bool>("optimize_size"),
                               .chroma_downsampling = attrs.get<bool>("chroma_downsampling"),
                               .density_in_cm = attrs.get<std::string>("density_unit") == "cm",
                               .x_density = checked_int32("Attr x_density", attrs.get<int64_t>("x_density")),
                               .y_density = checked_int32("Attr y_density", attrs.get<int64_t>("y_density")),
                               .xmp_metadata = attrs.get<std::string>("xmp_metadata")}));
}

void encode_jpeg_of_quality(DynamicCall& call) {
  check_jpeg_image(call.in(0));
  if (call.in(1).rank() != 0) invalid_argument("quality must be scalar: " + call.in(1).shape().to_string());
  const int32_t quality = *call.in(1).data<int32_t>();
  if (quality < 0 || quality > 100)
    invalid_argument(fmt::format("quality must be in [0,100], got {}", quality));
  call.set_out(0, jpeg_of(call.in(0), {.quality = quality}));
}

// ---- shapes

void decode_shape(ShapeContext& context) {
  (void)context.with_rank(0, 0);
  const graph::AttrValue* animations = context.attrs().find("expand_animations");
  if (animations != nullptr && animations->get<bool>()) return;  // the frames of a GIF are a dimension more
  const auto channels = context.attrs().get<int64_t>("channels");
  if (channels < 0) ShapeContext::fail(fmt::format("channels must be non-negative, got {}", channels));
  context.set_output(
      0, Shape{Shape::kUnknownDim, Shape::kUnknownDim, channels > 0 ? channels : Shape::kUnknownDim});
}

void decode_gif_shape(ShapeContext& context) {
  (void)context.with_rank(0, 0);
  context.set_output(0, Shape{Shape::kUnknownDim, Shape::kUnknownDim, Shape::kUnknownDim, 3});
}

void decode_and_crop_shape(ShapeContext& context) {
  (void)context.with_rank(0, 0);
  const Shape window = context.with_rank(1, 1);
  if (window.dim(0) != Shape::kUnknownDim && window.dim(0) != 4) {
    ShapeContext::fail(fmt::format("Dimension must be 4 but is {}", window.dim(0)));
  }
  const auto channels = context.attrs().get<int64_t>("channels");
  if (channels < 0) ShapeContext::fail(fmt::format("channels must be non-negative, got {}", channels));
  std::vector<int64_t> dims(3, Shape::kUnknownDim);
  if (context.value(1) != nullptr) {
    const std::vector<int64_t> numbers = context.integers(1);
    if (numbers.size() != 4) ShapeContext::fail(fmt::format("Dimension must be 4 but is {}", numbers.size()));
    std::copy_n(numbers.begin() + 2, 2, dims.begin());
  }
  if (channels > 0) dims[2] = channels;
  context.set_output(0, Shape(dims));
}

void encode_png_shape(ShapeContext& context) {
  const Shape& images = context.input(0);
  if (!images.has_rank()) return;
  (void)context.with_rank_at_least(0, 3);
  context.set_output(0, Shape(images.dims().first(static_cast<size_t>(images.rank() - 3))));
}

void encode_jpeg_shape(ShapeContext& context) {
  (void)context.with_rank(0, 3);
  context.set_output(0, Shape());
}

void encode_jpeg_of_quality_shape(ShapeContext& context) {
  (void)context.with_rank(1, 0);
  encode_jpeg_shape(context);
}

void jpeg_shape_shape(ShapeContext& context) {
  (void)context.with_rank(0, 0);
  context.set_output(0, Shape{3});
}

constexpr graph::OpRow kImageCodecOps[] = {
    {.name = "DecodeJpeg",
     .inputs = "contents:string",
     .outputs = "image:uint8",
     .attrs = "channels:int=0; ratio:int=1; fancy_upscaling:bool=true; try_recover_truncated:bool=false; "
              "acceptable_fraction:float=1.0; dct_method:string=\"\"",
     .shape = decode_shape,
     .not_differentiable = true,
     .compute = decode<Decoder::kJpeg>},
    {.name = "DecodeAndCropJpeg",
     .inputs = "contents:string, crop_window:int32",
     .outputs = "image:uint8",
     .attrs = "channels:int=0; ratio:int=1; fancy_upscaling:bool=true; try_recover_truncated:bool=false; "
              "acceptable_fraction:float=1.0; dct_method:string=\"\"",
     .shape = decode_and_crop_shape,
     .compute = decode_and_crop_jpeg},
    {.name = "DecodePng",
     .inputs = "contents:string",
     .outputs = "image:dtype",
     .attrs = "channels:int=0; dtype:type=uint8{[uint8,uint16]}",
     .shape = decode_shape,
     .not_differentiable = true,
     .compute = decode<Decoder::kPng>},
    {.name = "DecodeGif",
     .inputs = "contents:string",
     .outputs = "image:uint8",
     .shape = decode_gif_shape,
     .compute = decode<Decoder::kGif>},
    {.name = "DecodeBmp",
     .inputs = "contents:string",
     .outputs = "image:uint8",
     .attrs = "channels:int=0",
     .shape = decode_shape,
     .compute = decode<Decoder::kBmp>},
    {.name = "DecodeImage",
     .inputs = "contents:string",
     .outputs = "image:dtype",
     .attrs = "channels:int=0; dtype:type=uint8{[uint8,uint16,float32]}; expand_animations:bool=true",
     .shape = decode_shape,
     .compute = decode<Decoder::kImage>},
    {.name = "ExtractJpegShape",
     .inputs = "contents:string",
     .outputs = "image_shape:output_type",
     .attrs = "output_type:type=int32{indices}",
     .shape = jpeg_shape_shape,
     .not_differentiable = true,
     .compute = extract_jpeg_shape},
    {.name = "EncodePng",
     .inputs = "image:T",
     .outputs = "contents:string",
     .attrs = "compression:int=-1; T:type=uint8{[uint8,uint16]}",
     .shape = encode_png_shape,
     .not_differentiable = true,
     .compute = encode_png},
    {.name = "EncodeJpeg",
     .inputs = "image:uint8",
     .outputs = "contents:string",
     .attrs = "format:string=\"\"{[,grayscale,rgb]}; quality:int=95; progressive:bool=false; "
              "optimize_size:bool=false; chroma_downsampling:bool=true; density_unit:string=\"in\"{[in,cm]}; "
              "x_density:int=300; y_density:int=300; xmp_metadata:string=\"\"",
     .shape = encode_jpeg_shape,
     .not_differentiable = true,
     .compute = encode_jpeg},
    {.name = "EncodeJpegVariableQuality",
     .inputs = "images:uint8, quality:int32",
     .outputs = "contents:string",
     .shape = encode_jpeg_of_quality_shape,
     .compute = encode_jpeg_of_quality},
};

}  // namespace

void register_image_codec_ops(OpTable& table) {
  for (const graph::OpRow& row : kImageCodecOps) table.add(row);
}

}  // namespace flowray::ops
