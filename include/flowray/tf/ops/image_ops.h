#pragma once
/// Functions of single ops: images. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// images:T, contrast_factor:float32 -> output:T
inline Tensor AdjustContrastv2(const Input& images, const Input& contrast_factor,
                               const NameOption& options = {}) {
  const Operation op = internal::make("AdjustContrastv2", options.name, {images, contrast_factor}, {}, {});
  return internal::output(op, 0);
}

/// images:T, delta:float32 -> output:T
inline Tensor AdjustHue(const Input& images, const Input& delta, const NameOption& options = {}) {
  const Operation op = internal::make("AdjustHue", options.name, {images, delta}, {}, {});
  return internal::output(op, 0);
}

/// images:T, scale:float32 -> output:T
inline Tensor AdjustSaturation(const Input& images, const Input& scale, const NameOption& options = {}) {
  const Operation op = internal::make("AdjustSaturation", options.name, {images, scale}, {}, {});
  return internal::output(op, 0);
}

/// What CombinedNonMaxSuppression gives.
struct CombinedNonMaxSuppressionResult {
  Tensor nmsed_boxes;
  Tensor nmsed_scores;
  Tensor nmsed_classes;
  Tensor valid_detections;
};
struct CombinedNonMaxSuppressionOptions {
  bool pad_per_class = false;
  bool clip_boxes = true;
  /// Of the node; empty: "CombinedNonMaxSuppression".
  std::string name = {};
};
/// boxes:float32, scores:float32, max_output_size_per_class:int32, max_total_size:int32,
/// iou_threshold:float32, score_threshold:float32 -> nmsed_boxes:float32, nmsed_scores:float32,
/// nmsed_classes:float32, valid_detections:int32
inline CombinedNonMaxSuppressionResult CombinedNonMaxSuppression(
    const Input& boxes, const Input& scores, const Input& max_output_size_per_class,
    const Input& max_total_size, const Input& iou_threshold, const Input& score_threshold,
    const CombinedNonMaxSuppressionOptions& options = {}) {
  const Operation op = internal::make(
      "CombinedNonMaxSuppression", options.name,
      {boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold},
      {{"pad_per_class", options.pad_per_class}, {"clip_boxes", options.clip_boxes}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3)};
}

struct CropAndResizeOptions {
  /// One of "bilinear", "nearest".
  std::string method = "bilinear";
  float extrapolation_value = 0.0f;
  /// Of the node; empty: "CropAndResize".
  std::string name = {};
};
/// image:T, boxes:float32, box_ind:int32, crop_size:int32 -> crops:float32
inline Tensor CropAndResize(const Input& image, const Input& boxes, const Input& box_ind,
                            const Input& crop_size, const CropAndResizeOptions& options = {}) {
  const Operation op =
      internal::make("CropAndResize", options.name, {image, boxes, box_ind, crop_size},
                     {{"method", options.method}, {"extrapolation_value", options.extrapolation_value}}, {});
  return internal::output(op, 0);
}

struct CropAndResizeGradBoxesOptions {
  /// One of "bilinear".
  std::string method = "bilinear";
  /// Of the node; empty: "CropAndResizeGradBoxes".
  std::string name = {};
};
/// grads:float32, image:T, boxes:float32, box_ind:int32 -> output:float32
inline Tensor CropAndResizeGradBoxes(const Input& grads, const Input& image, const Input& boxes,
                                     const Input& box_ind,
                                     const CropAndResizeGradBoxesOptions& options = {}) {
  const Operation op = internal::make("CropAndResizeGradBoxes", options.name, {grads, image, boxes, box_ind},
                                      {{"method", options.method}}, {});
  return internal::output(op, 0);
}

struct CropAndResizeGradImageOptions {
  /// One of "bilinear", "nearest".
  std::string method = "bilinear";
  /// Of the node; empty: "CropAndResizeGradImage".
  std::string name = {};
};
/// grads:float32, boxes:float32, box_ind:int32, image_size:int32 -> output:T
/// `T`: the dtype of `output`. One of float32, float16, float64.
inline Tensor CropAndResizeGradImage(const Input& grads, const Input& boxes, const Input& box_ind,
                                     const Input& image_size, DType T,
                                     const CropAndResizeGradImageOptions& options = {}) {
  const Operation op =
      internal::make("CropAndResizeGradImage", options.name, {grads, boxes, box_ind, image_size},
                     {{"T", T}, {"method", options.method}}, {});
  return internal::output(op, 0);
}

struct DecodeAndCropJpegOptions {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = {};
  /// Of the node; empty: "DecodeAndCropJpeg".
  std::string name = {};
};
/// contents:string, crop_window:int32 -> image:uint8
inline Tensor DecodeAndCropJpeg(const Input& contents, const Input& crop_window,
                                const DecodeAndCropJpegOptions& options = {}) {
  const Operation op = internal::make("DecodeAndCropJpeg", options.name, {contents, crop_window},
                                      {{"channels", options.channels},
                                       {"ratio", options.ratio},
                                       {"fancy_upscaling", options.fancy_upscaling},
                                       {"try_recover_truncated", options.try_recover_truncated},
                                       {"acceptable_fraction", options.acceptable_fraction},
                                       {"dct_method", options.dct_method}},
                                      {});
  return internal::output(op, 0);
}

struct DecodeBmpOptions {
  int64_t channels = 0;
  /// Of the node; empty: "DecodeBmp".
  std::string name = {};
};
/// contents:string -> image:uint8
inline Tensor DecodeBmp(const Input& contents, const DecodeBmpOptions& options = {}) {
  const Operation op =
      internal::make("DecodeBmp", options.name, {contents}, {{"channels", options.channels}}, {});
  return internal::output(op, 0);
}

/// contents:string -> image:uint8
inline Tensor DecodeGif(const Input& contents, const NameOption& options = {}) {
  const Operation op = internal::make("DecodeGif", options.name, {contents}, {}, {});
  return internal::output(op, 0);
}

struct DecodeImageOptions {
  int64_t channels = 0;
  /// The dtype of `image`. One of uint8, uint16, float32.
  DType dtype = DType::kUint8;
  bool expand_animations = true;
  /// Of the node; empty: "DecodeImage".
  std::string name = {};
};
/// contents:string -> image:dtype
inline Tensor DecodeImage(const Input& contents, const DecodeImageOptions& options = {}) {
  const Operation op = internal::make("DecodeImage", options.name, {contents},
                                      {{"channels", options.channels},
                                       {"dtype", options.dtype},
                                       {"expand_animations", options.expand_animations}},
                                      {});
  return internal::output(op, 0);
}

struct DecodeJpegOptions {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = {};
  /// Of the node; empty: "DecodeJpeg".
  std::string name = {};
};
/// contents:string -> image:uint8
inline Tensor DecodeJpeg(const Input& contents, const DecodeJpegOptions& options = {}) {
  const Operation op = internal::make("DecodeJpeg", options.name, {contents},
                                      {{"channels", options.channels},
                                       {"ratio", options.ratio},
                                       {"fancy_upscaling", options.fancy_upscaling},
                                       {"try_recover_truncated", options.try_recover_truncated},
                                       {"acceptable_fraction", options.acceptable_fraction},
                                       {"dct_method", options.dct_method}},
                                      {});
  return internal::output(op, 0);
}

struct DecodePngOptions {
  int64_t channels = 0;
  /// The dtype of `image`. One of uint8, uint16.
  DType dtype = DType::kUint8;
  /// Of the node; empty: "DecodePng".
  std::string name = {};
};
/// contents:string -> image:dtype
inline Tensor DecodePng(const Input& contents, const DecodePngOptions& options = {}) {
  const Operation op = internal::make("DecodePng", options.name, {contents},
                                      {{"channels", options.channels}, {"dtype", options.dtype}}, {});
  return internal::output(op, 0);
}

/// images:T, boxes:float32 -> output:T
inline Tensor DrawBoundingBoxes(const Input& images, const Input& boxes, const NameOption& options = {}) {
  const Operation op = internal::make("DrawBoundingBoxes", options.name, {images, boxes}, {}, {});
  return internal::output(op, 0);
}

/// images:T, boxes:float32, colors:float32 -> output:T
inline Tensor DrawBoundingBoxesV2(const Input& images, const Input& boxes, const Input& colors,
                                  const NameOption& options = {}) {
  const Operation op = internal::make("DrawBoundingBoxesV2", options.name, {images, boxes, colors}, {}, {});
  return internal::output(op, 0);
}

struct EncodeJpegOptions {
  /// One of "", "grayscale", "rgb".
  std::string format = {};
  int64_t quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  /// One of "in", "cm".
  std::string density_unit = "in";
  int64_t x_density = 300;
  int64_t y_density = 300;
  std::string xmp_metadata = {};
  /// Of the node; empty: "EncodeJpeg".
  std::string name = {};
};
/// image:uint8 -> contents:string
inline Tensor EncodeJpeg(const Input& image, const EncodeJpegOptions& options = {}) {
  const Operation op = internal::make("EncodeJpeg", options.name, {image},
                                      {{"format", options.format},
                                       {"quality", options.quality},
                                       {"progressive", options.progressive},
                                       {"optimize_size", options.optimize_size},
                                       {"chroma_downsampling", options.chroma_downsampling},
                                       {"density_unit", options.density_unit},
                                       {"x_density", options.x_density},
                                       {"y_density", options.y_density},
                                       {"xmp_metadata", options.xmp_metadata}},
                                      {});
  return internal::output(op, 0);
}

/// images:uint8, quality:int32 -> contents:string
inline Tensor EncodeJpegVariableQuality(const Input& images, const Input& quality,
                                        const NameOption& options = {}) {
  const Operation op = internal::make("EncodeJpegVariableQuality", options.name, {images, quality}, {}, {});
  return internal::output(op, 0);
}

struct EncodePngOptions {
  int64_t compression = -1;
  /// Of the node; empty: "EncodePng".
  std::string name = {};
};
/// image:T -> contents:string
inline Tensor EncodePng(const Input& image, const EncodePngOptions& options = {}) {
  const Operation op =
      internal::make("EncodePng", options.name, {image}, {{"compression", options.compression}}, {});
  return internal::output(op, 0);
}

struct ExtractGlimpseOptions {
  bool centered = true;
  bool normalized = true;
  bool uniform_noise = true;
  std::string noise = "uniform";
  /// Of the node; empty: "ExtractGlimpse".
  std::string name = {};
};
/// input:float32, size:int32, offsets:float32 -> glimpse:float32
inline Tensor ExtractGlimpse(const Input& input, const Input& size, const Input& offsets,
                             const ExtractGlimpseOptions& options = {}) {
  const Operation op = internal::make("ExtractGlimpse", options.name, {input, size, offsets},
                                      {{"centered", options.centered},
                                       {"normalized", options.normalized},
                                       {"uniform_noise", options.uniform_noise},
                                       {"noise", options.noise}},
                                      {});
  return internal::output(op, 0);
}

struct ExtractJpegShapeOptions {
  /// The dtype of `image_shape`. One of int32, int64.
  DType output_type = DType::kInt32;
  /// Of the node; empty: "ExtractJpegShape".
  std::string name = {};
};
/// contents:string -> image_shape:output_type
inline Tensor ExtractJpegShape(const Input& contents, const ExtractJpegShapeOptions& options = {}) {
  const Operation op = internal::make("ExtractJpegShape", options.name, {contents},
                                      {{"output_type", options.output_type}}, {});
  return internal::output(op, 0);
}

/// images:T -> output:T
inline Tensor HSVToRGB(const Input& images, const NameOption& options = {}) {
  const Operation op = internal::make("HSVToRGB", options.name, {images}, {}, {});
  return internal::output(op, 0);
}

struct NonMaxSuppressionOptions {
  float iou_threshold = 0.5f;
  /// Of the node; empty: "NonMaxSuppression".
  std::string name = {};
};
/// boxes:float32, scores:float32, max_output_size:int32 -> selected_indices:int32
inline Tensor NonMaxSuppression(const Input& boxes, const Input& scores, const Input& max_output_size,
                                const NonMaxSuppressionOptions& options = {}) {
  const Operation op = internal::make("NonMaxSuppression", options.name, {boxes, scores, max_output_size},
                                      {{"iou_threshold", options.iou_threshold}}, {});
  return internal::output(op, 0);
}

/// boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold -> selected_indices:int32
inline Tensor NonMaxSuppressionV2(const Input& boxes, const Input& scores, const Input& max_output_size,
                                  const Input& iou_threshold, const NameOption& options = {}) {
  const Operation op = internal::make("NonMaxSuppressionV2", options.name,
                                      {boxes, scores, max_output_size, iou_threshold}, {}, {});
  return internal::output(op, 0);
}

/// boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, score_threshold:T_threshold
/// -> selected_indices:int32
inline Tensor NonMaxSuppressionV3(const Input& boxes, const Input& scores, const Input& max_output_size,
                                  const Input& iou_threshold, const Input& score_threshold,
                                  const NameOption& options = {}) {
  const Operation op =
      internal::make("NonMaxSuppressionV3", options.name,
                     {boxes, scores, max_output_size, iou_threshold, score_threshold}, {}, {});
  return internal::output(op, 0);
}

/// What NonMaxSuppressionV4 gives.
struct NonMaxSuppressionV4Result {
  Tensor selected_indices;
  Tensor valid_outputs;
};
struct NonMaxSuppressionV4Options {
  bool pad_to_max_output_size = false;
  /// Of the node; empty: "NonMaxSuppressionV4".
  std::string name = {};
};
/// boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, score_threshold:T_threshold ->
/// selected_indices:int32, valid_outputs:int32
inline NonMaxSuppressionV4Result NonMaxSuppressionV4(const Input& boxes, const Input& scores,
                                                     const Input& max_output_size, const Input& iou_threshold,
                                                     const Input& score_threshold,
                                                     const NonMaxSuppressionV4Options& options = {}) {
  const Operation op = internal::make("NonMaxSuppressionV4", options.name,
                                      {boxes, scores, max_output_size, iou_threshold, score_threshold},
                                      {{"pad_to_max_output_size", options.pad_to_max_output_size}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What NonMaxSuppressionV5 gives.
struct NonMaxSuppressionV5Result {
  Tensor selected_indices;
  Tensor selected_scores;
  Tensor valid_outputs;
};
struct NonMaxSuppressionV5Options {
  bool pad_to_max_output_size = false;
  /// Of the node; empty: "NonMaxSuppressionV5".
  std::string name = {};
};
/// boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T, soft_nms_sigma:T ->
/// selected_indices:int32, selected_scores:T, valid_outputs:int32
inline NonMaxSuppressionV5Result NonMaxSuppressionV5(const Input& boxes, const Input& scores,
                                                     const Input& max_output_size, const Input& iou_threshold,
                                                     const Input& score_threshold,
                                                     const Input& soft_nms_sigma,
                                                     const NonMaxSuppressionV5Options& options = {}) {
  const Operation op =
      internal::make("NonMaxSuppressionV5", options.name,
                     {boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma},
                     {{"pad_to_max_output_size", options.pad_to_max_output_size}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// overlaps:float32, scores:float32, max_output_size:int32, overlap_threshold:float32,
/// score_threshold:float32 -> selected_indices:int32
inline Tensor NonMaxSuppressionWithOverlaps(const Input& overlaps, const Input& scores,
                                            const Input& max_output_size, const Input& overlap_threshold,
                                            const Input& score_threshold, const NameOption& options = {}) {
  const Operation op =
      internal::make("NonMaxSuppressionWithOverlaps", options.name,
                     {overlaps, scores, max_output_size, overlap_threshold, score_threshold}, {}, {});
  return internal::output(op, 0);
}

/// images:T -> output:T
inline Tensor RGBToHSV(const Input& images, const NameOption& options = {}) {
  const Operation op = internal::make("RGBToHSV", options.name, {images}, {}, {});
  return internal::output(op, 0);
}

struct ResizeAreaOptions {
  bool align_corners = false;
  /// Of the node; empty: "ResizeArea".
  std::string name = {};
};
/// images:T, size:int32 -> resized_images:float32
inline Tensor ResizeArea(const Input& images, const Input& size, const ResizeAreaOptions& options = {}) {
  const Operation op = internal::make("ResizeArea", options.name, {images, size},
                                      {{"align_corners", options.align_corners}}, {});
  return internal::output(op, 0);
}

struct ResizeBicubicOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeBicubic".
  std::string name = {};
};
/// images:T, size:int32 -> resized_images:float32
inline Tensor ResizeBicubic(const Input& images, const Input& size,
                            const ResizeBicubicOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeBicubic", options.name, {images, size},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

struct ResizeBicubicGradOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeBicubicGrad".
  std::string name = {};
};
/// grads:float32, original_image:T -> output:T
inline Tensor ResizeBicubicGrad(const Input& grads, const Input& original_image,
                                const ResizeBicubicGradOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeBicubicGrad", options.name, {grads, original_image},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

struct ResizeBilinearOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeBilinear".
  std::string name = {};
};
/// images:T, size:int32 -> resized_images:float32
inline Tensor ResizeBilinear(const Input& images, const Input& size,
                             const ResizeBilinearOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeBilinear", options.name, {images, size},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

struct ResizeBilinearGradOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeBilinearGrad".
  std::string name = {};
};
/// grads:float32, original_image:T -> output:T
inline Tensor ResizeBilinearGrad(const Input& grads, const Input& original_image,
                                 const ResizeBilinearGradOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeBilinearGrad", options.name, {grads, original_image},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

struct ResizeNearestNeighborOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeNearestNeighbor".
  std::string name = {};
};
/// images:T, size:int32 -> resized_images:T
inline Tensor ResizeNearestNeighbor(const Input& images, const Input& size,
                                    const ResizeNearestNeighborOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeNearestNeighbor", options.name, {images, size},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

struct ResizeNearestNeighborGradOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
  /// Of the node; empty: "ResizeNearestNeighborGrad".
  std::string name = {};
};
/// grads:T, size:int32 -> output:T
inline Tensor ResizeNearestNeighborGrad(const Input& grads, const Input& size,
                                        const ResizeNearestNeighborGradOptions& options = {}) {
  const Operation op = internal::make(
      "ResizeNearestNeighborGrad", options.name, {grads, size},
      {{"align_corners", options.align_corners}, {"half_pixel_centers", options.half_pixel_centers}}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
