#pragma once
/// Functions that change variables: tf.state_ops of TensorFlow 1. The same as the methods of tf::Variable.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct AssignOptions {
  /// Whether the value must have the variable's shape (InvalidArgumentError of the step where it shows only
  /// there).
  bool validate_shape = true;
  bool use_locking = true;
  std::string name = {};
};
/// Sets the variable when it runs; gives its reference. Throws TypeError for another dtype, ValueError for
/// another shape.
Tensor assign(const Variable& ref, const Input& value, const AssignOptions& options = {});

struct AssignUpdateOptions {
  bool use_locking = false;
  std::string name = {};
};
/// Adds to the variable, subtracts from it.
Tensor assign_add(const Variable& ref, const Input& value, const AssignUpdateOptions& options = {});
Tensor assign_sub(const Variable& ref, const Input& value, const AssignUpdateOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
