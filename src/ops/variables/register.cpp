#include "ops/variables/register.h"

namespace flowray::ops {

void register_variables_family(graph::OpTable& table) {
  register_scatter_ops(table);
  register_state_ops(table);
  register_training_ops(table);
}

}  // namespace flowray::ops
