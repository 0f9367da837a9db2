#include "ops/data_ops.h"

namespace flowray::ops {

void register_data_ops(graph::OpTable& table) {
  register_string_split_ops(table);
  register_string_hash_ops(table);
  register_string_bytes_ops(table);
  register_decode_csv_ops(table);
  register_parse_example_ops(table);
  register_accumulator_ops(table);
  register_lookup_table_ops(table);
  register_file_contents_ops(table);
}

}  // namespace flowray::ops
