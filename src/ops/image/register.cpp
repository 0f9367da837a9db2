#include "ops/image/register.h"

namespace flowray::ops {

void register_image_family(graph::OpTable& table) {
  register_color_ops(table);
  register_crop_ops(table);
  register_image_codec_ops(table);
  register_bounding_box_ops(table);
  register_glimpse_ops(table);
  register_combined_suppression_ops(table);
  register_non_max_suppression_ops(table);
  register_resize_ops(table);
  register_smooth_resize_ops(table);
}

}  // namespace flowray::ops
