#include "ops/file/register.h"

namespace flowray::ops {

void register_file_family(graph::OpTable& table) {
  register_checkpoint_ops(table);
  register_file_contents_ops(table);
  register_sound_file_ops(table);
  register_summary_ops(table);
  register_media_summary_ops(table);
}

}  // namespace flowray::ops
