#include "ops/array_ops.h"
namespace flowray::ops {
void register_tensor_list_ops(graph::OpTable&) {}
}
