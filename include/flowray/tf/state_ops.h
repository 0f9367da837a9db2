#pragma once
/// Functions that change variables: tf.state_ops of TensorFlow 1. The same as the methods of tf::Variable.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <string>
#include <vector>

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

/// The ranks of the variables, [N], which a step can only give where all of them have values; None for no
/// variables. Without a list: of all global variables and then the local ones.
Tensor assert_variables_initialized(const std::vector<Variable>& variables,
                                    Input::Where where = Input::Where::current());
Tensor assert_variables_initialized(Input::Where where = Input::Where::current());

/// A NoOp that runs what fills the graph's tables: the operations of its collection "table_initializer".
Operation tables_initializer(const std::string& name = "init_all_tables",
                             Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
