#include "ops/data/register.h"

namespace flowray::ops {

void register_data_family(graph::OpTable& table) {
  register_csv_dataset_ops(table);
  register_dataset_batch_ops(table);
  register_dataset_cache_ops(table);
  register_dataset_choice_ops(table);
  register_dataset_function_ops(table);
  register_dataset_group_ops(table);
  register_dataset_iterator_ops(table);
  register_dataset_ops(table);
  register_dataset_shuffle_ops(table);
  register_dataset_source_ops(table);
  register_decode_csv_ops(table);
  register_parse_example_ops(table);
}

}  // namespace flowray::ops
