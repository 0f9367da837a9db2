#include <flowray/tf/state_ops.h>

#include "tf/apply_op.h"

namespace flowray::tf {

Tensor assign(const Variable& ref, const Input& value, const AssignOptions& options) {
  return apply_op(
      {.op = "Assign",
       .name = options.name,
       .args = {Input(ref, value.where()), value},
       .attrs = {{"validate_shape", options.validate_shape}, {"use_locking", options.use_locking}}});
}

Tensor assign_add(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  return ref.assign_add(value, options.use_locking, options.name);
}

Tensor assign_sub(const Variable& ref, const Input& value, const AssignUpdateOptions& options) {
  return ref.assign_sub(value, options.use_locking, options.name);
}

}  // namespace flowray::tf
