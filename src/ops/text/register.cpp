#include "ops/text/register.h"

namespace flowray::ops {

void register_text_family(graph::OpTable& table) {
  register_debugging_ops(table);
  register_regex_ops(table);
  register_string_ops(table);
  register_string_bytes_ops(table);
  register_string_group_ops(table);
  register_string_hash_ops(table);
  register_string_split_ops(table);
  register_tensor_bytes_ops(table);
}

}  // namespace flowray::ops
