#include "ops/queues/register.h"

namespace flowray::ops {

void register_queues_family(graph::OpTable& table) {
  register_accumulator_ops(table);
  register_lookup_table_ops(table);
  register_queue_ops(table);
  register_reader_ops(table);
}

}  // namespace flowray::ops
