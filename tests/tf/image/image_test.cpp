// tests/oracle/programs/image.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/image.h>

namespace flowray {
namespace {

namespace image = tf::image;

tf::Tensor of(DType dtype, const std::string& name, const tf::TensorShape& shape = {5, 4, 3}) {
  return tf::placeholder(dtype, shape, {.name = name});
}
tf::Tensor rgb(const std::string& name = "image", const tf::TensorShape& shape = {5, 4, 3}) {
  return of(tf::float32, name, shape);
}

const tf::TensorShape kOpen = {tf::None, tf::None, 3};
const tf::TensorShape kTwo = {2, 5, 4, 3};

GOLDEN_PROGRAM(flipped_images) {
  image::flip_left_right(rgb());
  image::flip_up_down(rgb("images", kTwo));
  image::flip_left_right(rgb("open", kOpen));
  image::flip_up_down(rgb("of_any_rank", tf::TensorShape::unknown_rank()));
  image::transpose(rgb("more"));
  image::transpose(rgb("batch", kTwo), {.name = "named"});
}

GOLDEN_PROGRAM(turned_images) {
  image::rot90(rgb());
  image::rot90(rgb("images", {tf::None, 5, 4, 3}), {.k = 3, .name = "named"});
}

GOLDEN_PROGRAM(images_flipped_by_chance) {
  image::random_flip_left_right(rgb(), {.seed = 1});
  image::random_flip_up_down(rgb("images", kTwo), {.seed = 2});
  image::random_flip_up_down(rgb("open", kOpen), {.seed = 3});
}

GOLDEN_PROGRAM(cropped_images) {
  image::central_crop(rgb(), 0.5);
  image::central_crop(rgb("open", kOpen), 0.5);
  image::central_crop(rgb("batch", {tf::None, 6, tf::None, 3}), 0.25);
  image::crop_to_bounding_box(rgb("whole"), 1, 1, 3, 2);
  image::crop_to_bounding_box(rgb("some", {2, tf::None, tf::None, 3}), 1, 1, 3, 2);
  auto others = rgb("others");
  auto top = of(tf::int32, "top", {});
  image::crop_to_bounding_box(others, top, 0, 2, 2);
}

GOLDEN_PROGRAM(padded_images) {
  image::pad_to_bounding_box(rgb(), 1, 2, 8, 9);
  image::pad_to_bounding_box(rgb("open", kOpen), 1, 2, 8, 9);
  image::pad_to_bounding_box(rgb("batch", kTwo), 0, 0, 5, 4);
}

GOLDEN_PROGRAM(images_cropped_or_padded) {
  image::resize_with_crop_or_pad(rgb(), 3, 6);
  image::resize_with_crop_or_pad(rgb("open", kOpen), 3, 6);
  image::resize_with_crop_or_pad(rgb("batch", kTwo), 6, 3);
}

GOLDEN_PROGRAM(brightness_and_contrast) {
  image::adjust_brightness(rgb(), 0.1);
  image::adjust_contrast(rgb("second"), 2.0);
  image::adjust_gamma(rgb("third"), 0.5, 2);
  image::adjust_brightness(of(DType::kUint8, "bytes"), 0.1);
  image::adjust_contrast(of(DType::kUint8, "more_bytes"), 2.0);
  image::random_brightness(rgb("fourth"), 0.3, {.seed = 1});
  image::random_contrast(rgb("fifth"), 0.3, 0.8, {.seed = 2});
}

GOLDEN_PROGRAM(hue_and_saturation) {
  image::adjust_hue(rgb(), 0.1);
  image::adjust_saturation(rgb("second"), 2.0, {.name = "named"});
  image::adjust_hue(of(DType::kUint8, "bytes"), 0.1);
  image::random_hue(rgb("third"), 0.3, {.seed = 1});
  image::random_saturation(rgb("fourth"), 0.3, 0.8, {.seed = 2});
}

GOLDEN_PROGRAM(dtypes_of_images) {
  auto bytes = of(DType::kUint8, "bytes");
  image::convert_image_dtype(bytes, tf::float32);
  image::convert_image_dtype(bytes, DType::kUint8);
  image::convert_image_dtype(bytes, DType::kUint16, {.name = "wider"});
  image::convert_image_dtype(of(DType::kUint16, "words"), DType::kUint8, {.saturate = true});
  image::convert_image_dtype(of(DType::kInt16, "more_words"), DType::kInt8);
  image::convert_image_dtype(rgb(), tf::float64);
  image::convert_image_dtype(rgb("second"), DType::kUint8);
  image::convert_image_dtype(rgb("third"), DType::kUint8, {.saturate = true, .name = "kept"});
}

GOLDEN_PROGRAM(colours_of_images) {
  image::rgb_to_grayscale(rgb());
  image::rgb_to_grayscale(of(DType::kUint8, "bytes"), {.name = "gray"});
  image::grayscale_to_rgb(rgb("grays", {5, 4, 1}));
  image::grayscale_to_rgb(rgb("open", {tf::None, tf::None, tf::None, 1}), {.name = "named"});
  image::rgb_to_yuv(rgb("second"));
  image::yuv_to_rgb(rgb("third"));
  image::rgb_to_yiq(rgb("fourth"));
  image::yiq_to_rgb(rgb("fifth", {tf::None, 5, 4, 3}));
}

GOLDEN_PROGRAM(measures_of_images) {
  auto picture = rgb();
  image::per_image_standardization(picture);
  image::per_image_standardization(of(DType::kUint8, "bytes", kOpen));
  image::total_variation(picture);
  image::total_variation(rgb("batch", kTwo), {.name = "named"});
  auto other = rgb("other");
  image::psnr(picture, other, 1.0);
  image::image_gradients(rgb("images", kTwo));
  image::sobel_edges(rgb("more", kTwo));
}

GOLDEN_PROGRAM(images_of_other_sizes) {
  auto picture = rgb();
  image::resize(picture, {8, 6});
  image::resize(rgb("batch", kTwo), {8, 6},
                {.method = image::ResizeMethod::kNearestNeighbor, .align_corners = true, .name = "named"});
  auto open = rgb("open", kOpen);
  auto size = of(tf::int32, "size", {2});
  image::resize(open, size, {.method = image::ResizeMethod::kBicubic});
  image::resize(rgb("second"), {10, 10}, {.preserve_aspect_ratio = true});
  image::resize(rgb("third"), {10, 10}, {.method = image::ResizeMethod::kArea});
  image::resize(rgb("fourth"), {5, 4});
}

GOLDEN_PROGRAM(images_resized_with_pad) {
  image::resize_image_with_pad(rgb(), 10, 12);
  image::resize_image_with_pad(rgb("open", kOpen), 10, 12);
}

GOLDEN_PROGRAM(boxes_that_overlap) {
  auto boxes = of(tf::float32, "boxes", {6, 4});
  auto scores = of(tf::float32, "scores", {6});
  image::non_max_suppression(boxes, scores, 3);
  auto most = of(tf::int32, "most", {});
  image::non_max_suppression(boxes, scores, most,
                             {.iou_threshold = 0.3, .score_threshold = 0.1, .name = "named"});
}

}  // namespace
}  // namespace flowray
