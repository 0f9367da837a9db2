#include "ops/flow/register.h"

namespace flowray::ops {

void register_flow_family(graph::OpTable& table) {
  register_control_flow_ops(table);
  register_functional_ops(table);
  register_optional_ops(table);
  register_program_function_ops(table);
  register_stack_ops(table);
  register_tensor_array_ops(table);
  register_tensor_list_ops(table);
  register_transfer_ops(table);
}

}  // namespace flowray::ops
