#include "ops/data/data_ops.h"

namespace flowray::ops {

void register_data_ops(graph::OpTable& table) {
  register_string_split_ops(table);
  register_string_hash_ops(table);
  register_string_bytes_ops(table);
  register_decode_csv_ops(table);
  register_parse_example_ops(table);
  register_accumulator_ops(table);
  register_lookup_table_ops(table);
  register_dataset_source_ops(table);
  register_dataset_ops(table);
  register_dataset_batch_ops(table);
  register_dataset_function_ops(table);
  register_dataset_iterator_ops(table);
  register_python_function_ops(table);
  register_reader_ops(table);
  register_image_codec_ops(table);
  register_file_contents_ops(table);
}

}  // namespace flowray::ops
