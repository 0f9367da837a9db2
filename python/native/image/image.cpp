/// tf.image.

#include "native/convert/bind.h"

#include <flowray/tf/image.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

namespace image = tf::image;

/// A number of tf.image.ResizeMethod, or one of the words of later versions.
image::ResizeMethod as_method(nb::handle method) {
  static constexpr const char* kWords[] = {"bilinear", "nearest", "bicubic", "area"};
  for (int i = 0; i < 4; ++i) {
    const bool is_it = is_one_integer(method)
                           ? as_int(method) == i
                           : PyUnicode_Check(method.ptr()) != 0 && bytes_of(method) == kWords[i];
    if (is_it) return static_cast<image::ResizeMethod>(i);
  }
  throw ValueError(fmt::format("Resize method is not implemented: {}", nb::str(method).c_str()));
}

}  // namespace

template <>
inline constexpr auto kFrom<image::ResizeMethod> = &as_method;
FLOWRAY_FIELDS(image::SeedOption, seed)
FLOWRAY_FIELDS(image::Rot90Options, k, name)
FLOWRAY_FIELDS(image::ResizeOptions, method, align_corners, preserve_aspect_ratio, name)
FLOWRAY_FIELDS(image::ResizeWithPadOptions, method, align_corners)
FLOWRAY_FIELDS(image::ConvertOptions, saturate, name)
FLOWRAY_FIELDS(image::NonMaxSuppressionOptions, iou_threshold, score_threshold, name)
FLOWRAY_FIELDS(image::Gradients, dy, dx)

namespace {

tf::Tensor convert_image_dtype(const tf::Input& x, DType dtype, const image::ConvertOptions& options) {
  return image::convert_image_dtype(x, base_dtype(dtype), options);
}

void bind_shapes_of_images(nb::module_& m) {
  bind(m, "flip_left_right", &image::flip_left_right, {"image"});
  bind(m, "flip_up_down", &image::flip_up_down, {"image"});
  bind(m, "random_flip_left_right", &image::random_flip_left_right, {"image"});
  bind(m, "random_flip_up_down", &image::random_flip_up_down, {"image"});
  bind(m, "transpose", &image::transpose, {"image"});
  bind(m, "rot90", &image::rot90, {"image"});
  bind(m, "central_crop", &image::central_crop, {"image", "central_fraction"});
  bind(m, "crop_to_bounding_box", &image::crop_to_bounding_box,
       {"image", "offset_height", "offset_width", "target_height", "target_width"});
  bind(m, "pad_to_bounding_box", &image::pad_to_bounding_box,
       {"image", "offset_height", "offset_width", "target_height", "target_width"});
  bind(m, "resize_with_crop_or_pad", &image::resize_with_crop_or_pad,
       {"image", "target_height", "target_width"});
  bind(m, "resize", &image::resize, {"images", "size"});
  bind(m, "resize_image_with_pad", &image::resize_image_with_pad, {"image", "target_height", "target_width"});
}

void bind_colors(nb::module_& m) {
  bind(m, "rgb_to_yuv", &image::rgb_to_yuv, {"images"});
  bind(m, "yuv_to_rgb", &image::yuv_to_rgb, {"images"});
  bind(m, "rgb_to_yiq", &image::rgb_to_yiq, {"images"});
  bind(m, "yiq_to_rgb", &image::yiq_to_rgb, {"images"});
  bind(m, "rgb_to_grayscale", &image::rgb_to_grayscale, {"images"});
  bind(m, "grayscale_to_rgb", &image::grayscale_to_rgb, {"images"});
  bind(m, "adjust_brightness", &image::adjust_brightness, {"image", "delta"});
  bind(m, "adjust_contrast", &image::adjust_contrast, {"images", "contrast_factor"});
  bind(m, "adjust_hue", &image::adjust_hue, {"image", "delta"});
  bind(m, "adjust_saturation", &image::adjust_saturation, {"image", "saturation_factor"});
  bind(m, "adjust_gamma", &image::adjust_gamma, {"image", {"gamma", 1}, {"gain", 1}});
  bind(m, "random_brightness", &image::random_brightness, {"image", "max_delta"});
  bind(m, "random_hue", &image::random_hue, {"image", "max_delta"});
  bind(m, "random_contrast", &image::random_contrast, {"image", "lower", "upper"});
  bind(m, "random_saturation", &image::random_saturation, {"image", "lower", "upper"});
  bind(m, "convert_image_dtype", &convert_image_dtype, {"image", "dtype"});
}

}  // namespace

void bind_image(nb::module_& m) {
  bind_shapes_of_images(m);
  bind_colors(m);
  bind(m, "per_image_standardization", &image::per_image_standardization, {"image"});
  bind(m, "total_variation", &image::total_variation, {"images"});
  bind(m, "psnr", &image::psnr, {"a", "b", "max_val"});
  bind(m, "image_gradients", &image::image_gradients, {"image"});
  bind(m, "sobel_edges", &image::sobel_edges, {"image"});
  bind(m, "non_max_suppression", &image::non_max_suppression, {"boxes", "scores", "max_output_size"});
}

}  // namespace flowray::python
