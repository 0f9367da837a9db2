#pragma once
/// Image files, sizes, colours, boxes.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_image_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation.
void register_color_ops(graph::OpTable& table);
/// CropAndResize and its gradients.
void register_crop_ops(graph::OpTable& table);
/// DecodeImage and one for each format, DecodeAndCropJpeg,
/// EncodeJpeg, EncodePng, ExtractJpegShape, EncodeJpegVariableQuality.
void register_image_codec_ops(graph::OpTable& table);
/// DrawBoundingBoxes, DrawBoundingBoxesV2.
void register_bounding_box_ops(graph::OpTable& table);
/// ExtractGlimpse.
void register_glimpse_ops(graph::OpTable& table);
/// CombinedNonMaxSuppression.
void register_combined_suppression_ops(graph::OpTable& table);
/// NonMaxSuppression, V2, ..., V5, NonMaxSuppressionWithOverlaps.
void register_non_max_suppression_ops(graph::OpTable& table);
/// ResizeBilinear, ResizeNearestNeighbor, their gradients, AdjustContrastv2.
void register_resize_ops(graph::OpTable& table);
/// ResizeBicubic, ResizeBicubicGrad, ResizeArea.
void register_smooth_resize_ops(graph::OpTable& table);

}  // namespace flowray::ops
