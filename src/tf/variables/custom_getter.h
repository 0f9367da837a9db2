#pragma once
/// What stands between get_variable and the variable that it asks for: Python's custom_getter.

#include <flowray/tf/variable_scope.h>

#include <functional>
#include <optional>
#include <string>

namespace flowray::tf::internal {

/// A call of get_variable in its scope.
struct GetVariableCall {
  std::string name;  // with the scope's
  std::optional<TensorShape> shape;
  GetVariableOptions options;
  Reuse reuse;
};

/// What get_variable does by itself.
using VariableMaker = std::function<Variable(const GetVariableCall&)>;
using CustomGetter = std::function<Variable(const VariableMaker&, const GetVariableCall&)>;

/// This thread's, which all calls of get_variable go through; empty: none.
CustomGetter& custom_getter_here();

}  // namespace flowray::tf::internal
